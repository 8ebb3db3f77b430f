/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/record.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/stats.h"
#include "run/phase.h"

#define CSV_DECIMALS 6
#define RATE_DECIMALS 3

static const char *const mode_name[] = {[COLUMN_RATE] = "rate", [COLUMN_RAW] = "raw", [COLUMN_DELTA] = "delta"};
static const char *const mode_suffix[] = {[COLUMN_RATE] = ":rate", [COLUMN_RAW] = "", [COLUMN_DELTA] = ":delta"};

int record_init(struct record *out, enum record_form form, enum stamp time, const struct columns *c,
		const struct record_about *about)
{
	_cleanup_(record_fini) struct record r = {
		.form = form, .time = time, .columns = c, .about = *about, .out.fd = -1};
	int err = form == RECORD_TEXT ? row_init(&r.row, c, time) : outfile_open_memory(&r.out);

	if (err < 0)
		return err;
	r.again = calloc(c->count + 1, sizeof(*r.again));
	if (!r.again)
		return -ENOMEM;
	for (size_t i = 0; i < c->count; i++)
		for (size_t j = 0; j < i && !r.again[i]; j++)
			r.again[i] = strcmp(c->column[i].name, c->column[j].name) == 0;
	*out = r;
	r = (struct record){.out.fd = -1};
	return 0;
}

void record_fini(struct record *r)
{
	row_fini(&r->row);
	outfile_abort(&r->out);
	free(r->again);
	*r = (struct record){.out.fd = -1};
}

static void begin(struct record *r)
{
	r->out.used = 0;
	json_init(&r->json, &r->out);
}

/* What was written is the text. */
static void finish(struct record *r)
{
	r->text = r->out.buf;
	r->length = r->out.used;
	r->error = r->out.error;
}

static void put(struct record *r, const char *text)
{
	outfile_write(&r->out, text, strlen(text));
}

/* A field and what stands behind it, which needs no quotes; in quotes where the field needs them. */
static void put_csv(struct record *r, const char *text, const char *suffix)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";

	put(r, quote);
	for (; *text; text++)
		outfile_write(&r->out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
	put(r, suffix);
	put(r, quote);
}

static void csv_head(struct record *r)
{
	put(r, r->about.repeats ? "time,phase,run" : "time,phase");
	for (size_t i = 0; i < r->columns->count; i++) {
		const struct column *c = &r->columns->column[i];

		put(r, ",");
		put_csv(r, c->name, mode_suffix[c->mode]);
	}
	put(r, "\n");
}

static void csv_row(struct record *r, int64_t start, const struct sample *prev, const struct sample *now)
{
	char text[MAX(STAMP_TEXT, CELL_TEXT)];
	enum stamp time = r->time == STAMP_NONE ? STAMP_ELAPSED : r->time;

	outfile_write(&r->out, text, stamp_text(text, time, CSV_DECIMALS, start, now->when));
	put(r, ",");
	put_csv(r, now->phase ? now->phase : "", "");
	if (r->about.repeats) {
		put(r, ",");
		outfile_write(&r->out, text, (size_t)snprintf(text, sizeof(text), "%u", now->run));
	}
	for (size_t i = 0; i < r->columns->count; i++) {
		struct cell cell = columns_cell(r->columns, i, prev, now);

		put(r, ",");
		if (r->columns->column[i].mode == COLUMN_RATE)
			cell.decimals = MAX(cell.decimals, (uint32_t)RATE_DECIMALS);
		if (cell.kind != CELL_NONE)
			outfile_write(&r->out, text, cell_text(text, &cell));
	}
	put(r, "\n");
}

static void put_name(struct json *j, const char *name)
{
	json_put_key(j, name, strlen(name));
}

static void put_cell(struct json *j, const char *key, struct cell cell)
{
	switch (cell.kind) {
	case CELL_NONE:
		json_put_null(j, key);
		break;
	case CELL_UNSIGNED:
		json_put_uint(j, key, cell.u);
		break;
	case CELL_SIGNED:
		json_put_int(j, key, cell.i);
		break;
	case CELL_REAL:
		json_put_real(j, key, cell.real);
		break;
	}
}

static void json_head(struct record *r, int64_t start)
{
	struct json *j = &r->json;
	struct utsname kernel;
	char text[STAMP_TEXT];

	json_open_object(j, NULL);
	json_put_text(j, "vmmon", VERSION);
	json_put_text(j, "command", r->about.command);
	json_put_text(j, "kernel", uname(&kernel) == 0 ? kernel.release : NULL);
	json_put_text_n(j, "start", text, stamp_iso(text, 3, clock_unix_at(start)));
	json_put_int(j, "interval_ns", r->about.interval_ns);
	json_open_array(j, "fields");
	for (size_t i = 0; i < r->columns->count; i++) {
		const struct column *c = &r->columns->column[i];

		json_open_object(j, NULL);
		json_put_text(j, "name", c->name);
		json_put_text(j, "class", field_class_name(c->class));
		json_put_text(j, "unit", c->unit);
		json_put_text(j, "mode", mode_name[c->mode]);
		json_close_object(j);
	}
	json_close_array(j);
	json_close_object(j);
	json_end_line(j);
}

static void json_row(struct record *r, int64_t start, const struct sample *prev, const struct sample *now)
{
	struct json *j = &r->json;

	json_open_object(j, NULL);
	json_put_int(j, "time_ns", now->when - start);
	json_put_int(j, "mono_ns", now->when);
	json_put_uint(j, "run", now->run);
	json_put_text(j, "phase", now->phase);
	json_open_object(j, "values");
	for (size_t i = 0; i < r->columns->count; i++) {
		if (r->again[i])
			continue;
		put_name(j, r->columns->column[i].name);
		put_cell(j, NULL, columns_cell_as(r->columns, i, COLUMN_RAW, prev, now));
	}
	json_close_object(j);
	json_close_object(j);
	json_end_line(j);
}

void record_head(struct record *r, int64_t start)
{
	if (r->form == RECORD_TEXT) {
		r->length = row_heading(&r->row);
		r->text = r->row.buf;
		return;
	}
	begin(r);
	if (r->form == RECORD_CSV)
		csv_head(r);
	else
		json_head(r, start);
	finish(r);
}

void record_row(struct record *r, int64_t start, const struct sample *prev, const struct sample *now)
{
	if (r->form == RECORD_TEXT) {
		r->length = row_sample(&r->row, start, prev, now);
		r->text = r->row.buf;
		return;
	}
	begin(r);
	if (r->form == RECORD_CSV)
		csv_row(r, start, prev, now);
	else
		json_row(r, start, prev, now);
	finish(r);
}

static void end_phase(struct record *r, int64_t start, const struct mark *m)
{
	const struct sample *from = &m->sample, *to = &m->next->sample;
	struct json *j = &r->json;

	json_open_object(j, NULL);
	json_put_uint(j, "run", m->run);
	json_put_text(j, "phase", m->phase);
	json_put_text(j, "from", m->label);
	json_put_text(j, "to", m->next->label);
	json_put_int(j, "begin_ns", from->when - start);
	json_put_int(j, "end_ns", to->when - start);
	json_put_uint(j, "ticks", m->next->ticks - m->ticks);
	json_open_object(j, "values");
	for (size_t i = 0; i < r->columns->count; i++) {
		if (r->again[i])
			continue;
		put_name(j, r->columns->column[i].name);
		json_open_object(j, NULL);
		put_cell(j, "begin", columns_cell_as(r->columns, i, COLUMN_RAW, NULL, from));
		put_cell(j, "end", columns_cell_as(r->columns, i, COLUMN_RAW, from, to));
		put_cell(j, "difference", columns_cell_as(r->columns, i, COLUMN_DELTA, from, to));
		put_cell(j, "rate", phase_rate(r->columns, i, from, to));
		json_close_object(j);
	}
	json_close_object(j);
	json_close_object(j);
}

/* Of no values there is no mean, of which 0 would be one, and of one value no deviation. */
static void put_stats(struct json *j, const struct stats *stats)
{
	json_put_real(j, "mean", stats->n ? stats->mean : NAN);
	json_put_real(j, "stddev", stats->n > 1 ? stats_stddev(stats) : NAN);
	json_put_real(j, "percent", stats->n > 1 ? stats_percent(stats) : NAN);
}

static void end_repeat(struct record *r, const struct mark *like)
{
	struct json *j = &r->json;
	struct stats stats;

	json_open_object(j, NULL);
	json_put_text(j, "phase", like->phase);
	phase_seconds(&stats, like);
	json_put_uint(j, "runs", phase_runs(like));
	json_put_uint(j, "times", stats.n);
	json_open_object(j, "seconds");
	put_stats(j, &stats);
	json_close_object(j);
	json_open_object(j, "values");
	for (size_t i = 0; i < r->columns->count; i++) {
		if (r->again[i])
			continue;
		phase_differences(&stats, r->columns, i, like);
		put_name(j, r->columns->column[i].name);
		json_open_object(j, NULL);
		put_stats(j, &stats);
		json_close_object(j);
	}
	json_close_object(j);
	json_close_object(j);
}

static void end_ticks(struct json *j, const struct sampler_stats *stats)
{
	json_put_uint(j, "rows", stats->ticks);
	json_put_uint(j, "missed", stats->missed);
	json_put_int(j, "late_max_ns", stats->late_max_ns);
	json_put_uint(j, "torn", stats->torn);
	json_put_uint(j, "lacking", stats->missing);
	json_put_uint(j, "faults", stats->faults);
	json_put_bool(j, "locked", stats->unlocked == 0);
}

void record_end(struct record *r, int64_t start, const struct mark *first, bool repeats,
		const struct sampler_stats *stats)
{
	struct json *j = &r->json;

	r->length = 0;
	if (r->form != RECORD_JSON)
		return;
	begin(r);
	json_open_object(j, NULL);
	json_open_object(j, "summary");
	json_open_array(j, "phases");
	for (const struct mark *m = first; m; m = m->next)
		if (phase_ends(m))
			end_phase(r, start, m);
	json_close_array(j);
	if (repeats) {
		json_open_array(j, "repeat");
		for (const struct mark *m = first; m; m = m->next)
			if (phase_is_repeated(m, first))
				end_repeat(r, m);
		json_close_array(j);
	}
	end_ticks(j, stats);
	json_close_object(j);
	json_close_object(j);
	json_end_line(j);
	finish(r);
}
