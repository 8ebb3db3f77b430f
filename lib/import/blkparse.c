/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of blkparse in its default format, also with -t:
 *
 *	MAJOR,MINOR CPU SEQUENCE SECONDS.NANOSECONDS PID ACTION RWBS [what depends on the action]
 *
 * Process names hold anything, so fields are counted from the left only. Sectors have 512 bytes on every device.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/units.h"
#include "import/importer.h"
#include "import/rwbs.h"
#include "import/scan.h"

struct blkparse {
	bool summary; /* the counts behind the events have begun */
	struct rwbs_choice choice;
};

struct event {
	struct word major, minor, time, action, rwbs;
	const char *rest; /* behind rwbs */
};

static int blkparse_open(struct import *imp, struct fault *fault)
{
	struct blkparse *b = imp->state;

	return rwbs_choose(&b->choice, imp->opt.event, fault);
}

static int blkparse_end(struct import *imp)
{
	const struct blkparse *b = imp->state;

	rwbs_remark(&b->choice, imp);
	return 0;
}

static struct word digits(const char **at, const char *end)
{
	struct word w = {*at, 0};

	while (*at < end && scan_digit(**at))
		++*at;
	w.n = (size_t)(*at - w.s);
	return w;
}

static bool is_number(struct word w)
{
	for (size_t i = 0; i < w.n; i++)
		if (!scan_digit(w.s[i]))
			return false;
	return w.n > 0;
}

/* Take a line apart; false when it has not the form of an event. */
static bool parse(const char *s, const char *end, struct event *e)
{
	struct word cpu, sequence, pid;

	while (s < end && scan_blank(*s))
		s++;
	e->major = digits(&s, end);
	if (!e->major.n || s == end || *s++ != ',')
		return false;
	while (s < end && scan_blank(*s))
		s++;
	e->minor = digits(&s, end);
	cpu = scan_word(&s, end);
	sequence = scan_word(&s, end);
	e->time = scan_word(&s, end);
	pid = scan_word(&s, end);
	e->action = scan_word(&s, end);
	e->rwbs = scan_word(&s, end);
	e->rest = s;
	return e->minor.n && is_number(cpu) && is_number(sequence) && is_number(pid) && e->time.n && e->action.n &&
	       e->action.n <= 2 && scan_letter(e->action.s[0]) && e->rwbs.n;
}

/* What blkparse prints beside events. */
static int other_line(struct import *imp, const char *s, size_t n)
{
	static const char *const summary[] = {"CPU", "Total (", "Throughput (", "Events (", "Skips:"};
	static const char *const noise[] = {"Input file ", "=== "};
	static const char skips[] = "Skips:";
	struct blkparse *b = imp->state;
	uint64_t lost;
	const char *why;

	for (size_t i = 0; i < ARRAY_SIZE(summary); i++)
		b->summary |= word_begins(s, n, summary[i]);
	if (word_begins(s, n, skips)) {
		const char *at = s + strlen(skips);
		struct word w = scan_word(&at, s + n);

		if (units_count(w.s, w.n, &lost, &why) == 0 && lost > 0)
			import_notes(imp, "{event is|events are} missing in the log, as blkparse found (Skips)", lost);
	}
	if (b->summary || !scan_trim(s, s + n).n)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(noise); i++)
		if (word_begins(s, n, noise[i]))
			return 0;
	return import_bad_token(imp, "line", s, n, "MAJOR,MINOR CPU SEQUENCE TIME PID ACTION RWBS is expected");
}

/* "SECTOR + SECTORS", or what stands there when no data move. 1, 0: no data, -EINVAL. */
static int extent(struct import *imp, const char *s, const char *end, uint64_t *offset, uint64_t *length)
{
	struct word sector = scan_word(&s, end), plus, sectors;
	int r;

	/* "[comm]", "(12 00 ..) [comm]", or nothing */
	if (!sector.n || sector.s[0] == '[' || sector.s[0] == '(')
		return 0;
	plus = scan_word(&s, end);
	if (is_number(sector) && plus.n && (plus.s[0] == '[' || plus.s[0] == '(')) {
		if (plus.s[0] == '(')
			import_note(imp,
				    "SCSI {command of a program is no request|commands of programs are no requests}");
		return 0;
	}
	if (!word_is(plus, "+"))
		return import_bad_token(imp, "extent", sector.s, (size_t)(end - sector.s),
					"SECTOR + SECTORS is expected");
	sectors = scan_word(&s, end);
	r = import_sectors(imp, "number of sectors", sectors.s, sectors.n, length);
	/* an empty flush has sector 2^64 - 1 on some kernels */
	if (!r && !*length && is_number(sector))
		return 0;
	if (!r)
		r = import_sectors(imp, "sector", sector.s, sector.n, offset);
	return r ? r : 1;
}

static int device(struct import *imp, const struct event *e, uint32_t *id)
{
	char name[48];

	if (e->major.n + e->minor.n + 1 > sizeof(name))
		return import_bad_token(imp, "device", e->major.s, e->major.n, "is no device number");
	memcpy(name, e->major.s, e->major.n);
	name[e->major.n] = ',';
	memcpy(name + e->major.n + 1, e->minor.s, e->minor.n);
	return import_file(imp, name, e->major.n + 1 + e->minor.n, id);
}

static int blkparse_line(struct import *imp, const char *s, size_t n)
{
	struct blkparse *b = imp->state;
	const char *end = s + n;
	uint64_t offset = 0, length = 0;
	struct event e;
	struct rwbs what;
	int64_t time;
	uint32_t id;
	int r;

	if (unlikely(!parse(s, end, &e)))
		return other_line(imp, s, n);
	if (e.action.n != 1 || !rwbs_chosen(&b->choice, e.action.s[0]))
		return 1;
	if (unlikely(!rwbs_parse(e.rwbs.s, e.rwbs.n, &what)))
		return import_bad_token(imp, "RWBS", e.rwbs.s, e.rwbs.n, "unknown letters");
	r = import_time(imp, e.time.s, e.time.n, NS_PER_SEC, &time);
	if (!r)
		r = device(imp, &e, &id);
	if (!r)
		r = extent(imp, e.rest, end, &offset, &length);
	if (r < 0)
		return r;
	r = rwbs_emit(imp, what, offset, r ? length : 0, time, id);
	return r ? r : 1;
}

const struct importer import_blkparse = {
    .name = "blkparse",
    .help = "text of blkparse; --event Q, D or C",
    .state_size = sizeof(struct blkparse),
    .open = blkparse_open,
    .line = blkparse_line,
    .end = blkparse_end,
    .nothing = "no line is an event as blkparse prints it",
};
