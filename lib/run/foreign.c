/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/foreign.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/macro.h"
#include "base/outfile.h"
#include "import/export.h"
#include "import/import.h"
#include "run/files.h"
#include "run/memory.h"

const enum foreign_param foreign_param[] = {FOREIGN_PATH,    FOREIGN_INODE,   FOREIGN_EVENT,
					    FOREIGN_COLUMNS, FOREIGN_LENIENT, FOREIGN_OPS};

/* "rwtsd", some of these letters, or "all" */
static int take_ops(struct import_options *o, const char *text, struct fault *fault)
{
	unsigned ops = 0;
	char quoted[64];

	if (strcmp(text, "all") == 0) {
		o->ops = IMPORT_OPS_ALL;
		return 0;
	}
	for (const char *c = text; *c && ops <= IMPORT_OPS_ALL; c++) {
		int op = op_of_letter(*c);

		ops |= op < 0 ? IMPORT_OPS_ALL + 1 : 1u << op;
	}
	if (!ops || ops > IMPORT_OPS_ALL)
		return fault_set(fault, -EINVAL, "%s: not 'all' or some of the letters r w t s d",
				 fault_quote(quoted, sizeof(quoted), text, strlen(text)));
	o->ops = ops;
	return 0;
}

int foreign_take(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct program *p = ctx;
	struct import_options *o = &p->params.import;
	struct import_options check = {.format = "auto"};
	enum foreign_param param = *(const enum foreign_param *)row->data;
	const char *kept = NULL;

	p->idle = p->import_param = row;
	if (param == FOREIGN_LENIENT) {
		o->lenient = true;
		return 0;
	}
	if (param == FOREIGN_OPS)
		return take_ops(o, text, fault);
	if (param == FOREIGN_INODE)
		return import_inode(o, text, fault);
	kept = program_keep(p, text);
	if (!kept)
		return fault_set(fault, -ENOMEM, "no memory");
	switch (param) {
	case FOREIGN_EVENT:
		o->event = check.event = kept;
		break;
	case FOREIGN_COLUMNS:
		o->csv_columns = check.csv_columns = kept;
		break;
	default:
		o->path = kept;
	}
	return import_check(&check, fault);
}

typedef const char *name_fn(size_t i, const char **help);

/* " NAME NAME... auto" */
static const char *list_of(char *list, size_t size, name_fn *name, bool with_auto)
{
	const char *one, *help;
	size_t used = 0;

	list[0] = '\0';
	for (size_t i = 0; (one = name(i, &help)) && used < size; i++)
		used += (size_t)snprintf(list + used, size - used, " %s", one);
	if (with_auto && used < size)
		snprintf(list + used, size - used, " auto");
	return list;
}

/* FORMAT:FILE */
static int parse(struct step *s, const char *text, name_fn *name, bool with_auto, struct fault *fault)
{
	const char *colon = strchr(text, ':');
	char quoted[48], list[160];

	if (!colon || colon == text || !colon[1])
		return fault_set(fault, -EINVAL, "FORMAT:FILE is needed, not %s; formats:%s",
				 fault_quote(quoted, sizeof(quoted), text, strlen(text)),
				 list_of(list, sizeof(list), name, with_auto));
	s->format = strndup(text, (size_t)(colon - text));
	s->file = strdup(colon + 1);
	return s->format && s->file ? 0 : fault_set(fault, -ENOMEM, "no memory");
}

/* Add the names of all formats to a text that says there is no such one. */
static int list_formats(struct fault *fault, const char *format, name_fn *name, bool with_auto)
{
	char quoted[64], list[160];

	return fault_set(fault, -EINVAL, "format %s is not one of%s",
			 fault_quote(quoted, sizeof(quoted), format, strlen(format)),
			 list_of(list, sizeof(list), name, with_auto));
}

static bool is_known(const char *format, name_fn *name)
{
	const char *one, *help;

	for (size_t i = 0; (one = name(i, &help)); i++)
		if (strcmp(one, format) == 0)
			return true;
	return false;
}

static int parse_import(struct step *s, const char *text, struct fault *fault)
{
	int err = parse(s, text, import_format, true, fault);

	if (err < 0 || strcmp(s->format, "auto") == 0 || is_known(s->format, import_format))
		return err;
	return list_formats(fault, s->format, import_format, true);
}

static int parse_export(struct step *s, const char *text, struct fault *fault)
{
	int err = parse(s, text, export_format, false, fault);

	if (err < 0 || is_known(s->format, export_format))
		return err;
	return list_formats(fault, s->format, export_format, false);
}

/* The name may be the beginning of those of one file a CPU. */
static int check_import(struct program *p, size_t i, struct fault *fault)
{
	const struct step *s = &p->step[i];
	_cleanup_free_ char *first = NULL;
	struct stat st;

	if ((strcmp(s->format, "blktrace") == 0 || strcmp(s->format, "auto") == 0) && !file_is_stdin(s->file) &&
	    stat(s->file, &st) < 0 && errno == ENOENT) {
		if (asprintf(&first, "%s.blktrace.0", s->file) < 0) {
			first = NULL;
			return fault_set(fault, -ENOMEM, "no memory");
		}
		if (stat(first, &st) == 0)
			return file_check_input(first, fault);
	}
	return program_check_input(p, i, fault);
}

void foreign_tell(const struct program *p, const struct step *s, const struct import *imp)
{
	const char *file = file_is_stdin(s->file) ? "standard input" : s->file;
	struct import_summary summary;
	char line[400];

	if (s->params.quiet)
		return;
	import_get_summary(imp, &summary);
	fprintf(stderr, "%s: %s: %s%s\n", p->tool, file, strcmp(s->format, "auto") == 0 ? "recognised as " : "",
		import_summary_line(&summary, line, sizeof(line)));
	for (size_t i = 0; import_remark(imp, i, line, sizeof(line)); i++)
		fprintf(stderr, "%s: %s: %s\n", p->tool, file, line);
}

int foreign_open(struct import **out, const struct step *s, const atomic_bool *live, struct fault *fault)
{
	struct import_options o = s->params.import;

	o.format = s->format;
	o.live = live;
	o.settles = !live;
	return import_open(out, s->file, &o, fault);
}

static int run_import(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(import_freep) struct import *imp = NULL;
	int err = foreign_open(&imp, s, NULL, fault);
	size_t from = p->trace.count;
	ssize_t n;

	while (!err && (n = import_read(imp, &p->trace, 1 << 20, fault)) != 0)
		err = n < 0 ? (int)n : memory_check(&p->trace, fault);
	if (!err)
		err = import_settle(imp, &p->trace, from, fault);
	if (!err)
		foreign_tell(p, s, imp);
	return err;
}

static int check_export(struct program *p, size_t i, struct fault *fault)
{
	return program_check_output(p, i, fault);
}

static int run_export(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(outfile_abort) struct outfile o = {.fd = -1};
	int err = outfile_open(&o, s->file, fault);

	if (!err)
		err = export_trace(&p->trace, s->format, &o, fault);
	return err ? err : outfile_commit(&o, fault);
}

const struct action foreign_import = {
	.parse = parse_import, .check = check_import, .run = run_import, .reads = true, .appends = true, .source = true};
const struct action foreign_export = {
	.parse = parse_export, .check = check_export, .run = run_export, .writes = true};

void foreign_hint(const char *file, struct fault *fault)
{
	static const size_t head = 1 << 16;
	_cleanup_(input_freep) struct input *in = NULL;
	_cleanup_free_ char *buf = malloc(head);
	const char *format;
	struct fault why;
	struct stat st;
	ssize_t n;
	size_t have = 0, used = strlen(fault->text);

	/* a pipe is gone */
	if (!buf || file_is_stdin(file) || stat(file, &st) < 0 || !S_ISREG(st.st_mode) || input_open(&in, file, &why))
		return;
	while (have < head && (n = input_read(in, buf + have, head - have, &why)) > 0)
		have += (size_t)n;
	format = have ? import_recognise(buf, have, have < head) : NULL;
	if (format)
		snprintf(fault->text + used, sizeof(fault->text) - used, "; --import %s:%s may be what is wanted",
			 format, strlen(file) < 64 ? file : "FILE");
}
