/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FIU traces (SNIA IOTTA): TIME PID PROCESS SECTOR SECTORS R|W MAJOR MINOR MD5, time in nanoseconds. The name of a
 * process may hold blanks, so the columns behind it are found from the end.
 */
#include <errno.h>

#include "import/importer.h"
#include "import/scan.h"

static int fiu_line(struct import *imp, const char *s, size_t n)
{
	enum { SECTOR, SECTORS, OP, MAJOR, MINOR, MD5, LAST };
	const char *at = s, *end = s + n;
	struct word time = scan_word(&at, end), pid = scan_word(&at, end), w[LAST];
	uint64_t offset, length, number;
	int64_t ns;
	uint32_t id;
	int r;

	for (int i = LAST; i-- > 0;)
		w[i] = scan_last_word(at, &end);
	if (!w[SECTOR].n || !scan_trim(at, end).n)
		return scan_trim(s, s + n).n ? import_bad(imp, "fields are missing: TIME PID PROCESS SECTOR SECTORS "
							       "R|W MAJOR MINOR MD5 are expected")
					     : 0;
	if (w[OP].n != 1 || (w[OP].s[0] != 'R' && w[OP].s[0] != 'W'))
		return import_bad_token(imp, "operation", w[OP].s, w[OP].n, "neither R nor W");
	r = import_time(imp, time.s, time.n, 1, &ns);
	if (!r)
		r = import_count(imp, "pid", pid.s, pid.n, &number);
	if (!r)
		r = import_sectors(imp, "sector", w[SECTOR].s, w[SECTOR].n, &offset);
	if (!r)
		r = import_sectors(imp, "size", w[SECTORS].s, w[SECTORS].n, &length);
	if (!r)
		r = import_count(imp, "major number", w[MAJOR].s, w[MAJOR].n, &number);
	if (!r)
		r = import_count(imp, "minor number", w[MINOR].s, w[MINOR].n, &number);
	/* "6 0" as it stands in the line, blanks and all, would be two names for 6 0 and 6  0: none is known to differ
	 */
	if (!r)
		r = import_file(imp, w[MAJOR].s, (size_t)(w[MINOR].s + w[MINOR].n - w[MAJOR].s), &id);
	if (!r)
		r = import_emit(imp, w[OP].s[0] == 'R' ? OP_READ : OP_WRITE, offset, length, ns, id);
	return r ? r : 1;
}

const struct importer import_fiu = {
    .name = "fiu",
    .help = "FIU: nanoseconds pid process sector sectors R|W major minor md5",
    .line = fiu_line,
    .nothing = "no line is TIME PID PROCESS SECTOR SECTORS R|W MAJOR MINOR MD5",
    .comments = true,
};
