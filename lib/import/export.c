/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "base/units.h"

/* Room for a line without the name of its file: numbers, words and what separates them. */
#define LINE_MAX_BYTES 160
#define FIO_NAME_MAX 255
#define CHECK_STOP 65536u

struct exporter {
	const char *name, *help;
	/* In front of the requests; may be NULL. 0 or -EINVAL with the text. */
	int (*begin)(const struct trace *t, struct outfile *o, struct fault *fault);
	int (*line)(const struct trace *t, size_t i, int64_t time, struct outfile *o, struct fault *fault);
	void (*end)(const struct trace *t, int64_t time, struct outfile *o);
};

static char *put_number(char *at, uint64_t v)
{
	return at + units_print_count(at, v);
}

static char *put_text(char *at, const char *text)
{
	size_t n = strlen(text);

	memcpy(at, text, n);
	return at + n;
}

/* "SECONDS.NANOSECONDS" */
static char *put_seconds(char *at, int64_t ns)
{
	uint64_t part = (uint64_t)(ns % NS_PER_SEC);

	at = put_number(at, (uint64_t)(ns / NS_PER_SEC));
	*at++ = '.';
	for (uint64_t weight = NS_PER_SEC / 10; weight; weight /= 10)
		*at++ = (char)('0' + part / weight % 10);
	return at;
}

static void advance(struct outfile *o, const char *from, const char *to)
{
	o->used += (size_t)(to - from);
}

static uint32_t file_of(const struct trace *t, size_t i)
{
	return t->file ? t->file[i] : 0;
}

/* The name of a file, or one made of its number. buf holds 32 bytes. */
static const char *name_of(const struct trace *t, uint32_t file, const char *before, char *buf)
{
	if (file < t->file_count && t->files[file])
		return t->files[file];
	snprintf(buf, 32, "%s%" PRIu32, before, file);
	return buf;
}

static int refuse(struct fault *fault, size_t i, const char *what)
{
	return fault_set_request(fault, -EINVAL, i + 1, "it is %s", what);
}

static uint64_t fio_time(int64_t time)
{
	return (uint64_t)(time / NS_PER_USEC) + 1;
}

static void fio_action(const struct trace *t, uint32_t file, uint64_t time, const char *action, struct outfile *o)
{
	char buf[32];
	char *line = outfile_reserve(o, LINE_MAX_BYTES + FIO_NAME_MAX), *at = put_number(line, time);

	*at++ = ' ';
	at = put_text(at, name_of(t, file, "iotrace.", buf));
	*at++ = ' ';
	at = put_text(at, action);
	*at++ = '\n';
	advance(o, line, at);
}

/* How many files there are: those with names, and those of requests. */
static uint32_t files_of(const struct trace *t)
{
	uint32_t n = t->count ? MAX(t->file_count, 1) : t->file_count;

	for (size_t i = 0; t->file && i < t->count; i++)
		n = MAX(n, t->file[i] + 1);
	return n;
}

static int fio_begin(const struct trace *t, struct outfile *o, struct fault *fault)
{
	static const char header[] = "fio version 3 iolog\n";
	char buf[32], quoted[64];

	outfile_write(o, header, strlen(header));
	for (uint32_t n = 0, files = files_of(t); n < files; n++) {
		const char *name = name_of(t, n, "iotrace.", buf);

		if (strlen(name) > FIO_NAME_MAX || strpbrk(name, " \t\v\f"))
			return fault_set(fault, -EINVAL, "fio cannot read a log with the file name %s: %s",
					 fault_quote(quoted, sizeof(quoted), name, strlen(name)),
					 strlen(name) > FIO_NAME_MAX ? "it is longer than 255 bytes" : "it has blanks");
		fio_action(t, n, 1, "add", o);
		fio_action(t, n, 1, "open", o);
	}
	return 0;
}

static int fio_line(const struct trace *t, size_t i, int64_t time, struct outfile *o, struct fault *fault)
{
	struct req r = t->req[i];
	char buf[32];
	char *line, *at;

	if (req_length(r) > UINT32_MAX)
		return refuse(fault, i,
			      "of 4 GiB or more, which fio takes modulo 4 GiB (--break-up makes it smaller)");
	line = outfile_reserve(o, LINE_MAX_BYTES + FIO_NAME_MAX);
	at = put_number(line, fio_time(time));
	*at++ = ' ';
	at = put_text(at, name_of(t, file_of(t, i), "iotrace.", buf));
	*at++ = ' ';
	at = put_text(at, op_name(req_op(r)));
	*at++ = ' ';
	at = put_number(at, req_offset(r));
	*at++ = ' ';
	at = put_number(at, req_length(r));
	*at++ = '\n';
	advance(o, line, at);
	return 0;
}

static void fio_end(const struct trace *t, int64_t time, struct outfile *o)
{
	for (uint32_t n = 0, files = files_of(t); n < files; n++)
		fio_action(t, n, fio_time(time), "close", o);
}

static bool csv_has_file(const struct trace *t)
{
	return t->file || t->file_count;
}

static int csv_begin(const struct trace *t, struct outfile *o, struct fault *fault _unused_)
{
	const char *columns = t->time ? "time,op,offset,length" : "op,offset,length";

	outfile_write(o, columns, strlen(columns));
	outfile_write(o, csv_has_file(t) ? ",file\n" : "\n", csv_has_file(t) ? 6 : 1);
	return 0;
}

/* In double quotes, double quotes doubled, where a reader could be in doubt. */
static void csv_name(const char *name, struct outfile *o)
{
	bool plain = !strpbrk(name, ",;\"\t ") && name[0] != '#';

	if (!plain)
		outfile_write(o, "\"", 1);
	for (const char *at = name; *at;) {
		size_t n = strcspn(at, "\"");

		outfile_write(o, at, n);
		at += n;
		if (*at == '"') {
			outfile_write(o, "\"\"", 2);
			at++;
		}
	}
	if (!plain)
		outfile_write(o, "\"", 1);
}

static int csv_line(const struct trace *t, size_t i, int64_t time _unused_, struct outfile *o,
		    struct fault *fault _unused_)
{
	char *line = outfile_reserve(o, LINE_MAX_BYTES), *at = line;
	struct req r = t->req[i];
	char buf[32];

	if (t->time) {
		if (t->time[i] != TIME_NONE)
			at = put_seconds(at, t->time[i]);
		*at++ = ',';
	}
	at = put_text(at, op_name(req_op(r)));
	*at++ = ',';
	at = put_number(at, req_offset(r));
	*at++ = ',';
	at = put_number(at, req_length(r));
	if (!csv_has_file(t)) {
		*at++ = '\n';
		advance(o, line, at);
		return 0;
	}
	*at++ = ',';
	advance(o, line, at);
	csv_name(name_of(t, file_of(t, i), "", buf), o);
	outfile_write(o, "\n", 1);
	return 0;
}

static int blkparse_line(const struct trace *t, size_t i, int64_t time, struct outfile *o, struct fault *fault)
{
	static const char *const rwbs[OP_COUNT] = {"R", "W", "D", "FN", "FN"};
	char *line = outfile_reserve(o, LINE_MAX_BYTES);
	struct req r = t->req[i];
	enum op op = req_op(r);
	uint64_t offset = req_offset(r), length = req_length(r);
	int n;

	if ((offset | length) & 511 && op != OP_SYNC && op != OP_DATASYNC)
		return refuse(fault, i, "not of whole sectors of 512 bytes (--align 512b --round-up makes it so)");
	n = snprintf(line, LINE_MAX_BYTES, "%3u,%-3" PRIu32 " %2u %8zu %5" PRId64 ".%09" PRId64 " %5u %2s %3s ", 259u,
		     file_of(t, i), 0u, i + 1, time / NS_PER_SEC, time % NS_PER_SEC, 0u, "Q", rwbs[op]);
	if (op == OP_SYNC || op == OP_DATASYNC)
		n += snprintf(line + n, LINE_MAX_BYTES - (size_t)n, "[iotrace]\n");
	else
		n += snprintf(line + n, LINE_MAX_BYTES - (size_t)n, "%" PRIu64 " + %" PRIu64 " [iotrace]\n",
			      offset >> 9, length >> 9);
	o->used += (size_t)n;
	return 0;
}

static const struct exporter exporters[] = {
    {"fio", "iolog version 3", fio_begin, fio_line, fio_end},
    {"csv", "a header line, then time,op,offset,length,file", csv_begin, csv_line, NULL},
    {"blkparse", "Q events as blkparse prints them", NULL, blkparse_line, NULL},
};

const char *export_format(size_t i, const char **help)
{
	if (i >= ARRAY_SIZE(exporters))
		return NULL;
	*help = exporters[i].help;
	return exporters[i].name;
}

static const struct exporter *find(const char *format)
{
	for (size_t i = 0; i < ARRAY_SIZE(exporters); i++)
		if (strcmp(exporters[i].name, format) == 0)
			return &exporters[i];
	return NULL;
}

int export_trace(const struct trace *t, const char *format, struct outfile *o, struct fault *fault)
{
	const struct exporter *e = find(format);
	int64_t time = 0;
	int r;

	if (!e)
		return fault_set(fault, -EINVAL, "'%s' is no format that can be exported", format);
	r = e->begin ? e->begin(t, o, fault) : 0;
	for (size_t i = 0; !r && i < t->count; i++) {
		if (t->time && t->time[i] != TIME_NONE)
			time = t->time[i];
		if (i % CHECK_STOP == 0 && stop_signal())
			return -EINTR;
		r = e->line(t, i, time, o, fault);
	}
	if (!r && e->end)
		e->end(t, time, o);
	return r;
}
