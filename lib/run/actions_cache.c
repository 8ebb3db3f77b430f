/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions on the page cache: what of a file is cached, as a trace too, and bringing it back. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "io/residency.h"
#include "io/warm.h"
#include "run/bar.h"
#include "run/report_cache.h"
#include "run/rows.h"
#include "run/session.h"
#include "run/step.h"

static int no_memory(int err, struct fault *fault)
{
	return err == -ENOMEM ? fault_set(fault, err, "no memory") : err;
}

static int not_told(int err, struct fault *fault)
{
	if (err == -EPERM)
		return fault_set(fault, err,
				 "what is cached the kernel tells only those who own the file or may write to it");
	if (err == -ENODEV)
		return fault_set(fault, -EINVAL, "has no page cache of its own");
	return fault_set(fault, err, "what is cached cannot be told: %s", strerror(-err));
}

static int check_target(struct program *p, size_t i, bool told, struct fault *fault)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	const struct step *s = &p->step[i];
	struct residency r;
	int err = s->params.json ? program_check_file(p, s->params.json, "a report as JSON", fault) : 0;

	if (err < 0 || program_makes_before(p, i))
		return err;
	err = target_open(&t, s->file, 0, fault);
	if (err < 0)
		return err;
	err = target_residency_range(&t, 0, PAGE_BYTES, &r);
	return err == -ENODEV || (err < 0 && told) ? not_told(err, fault) : 0;
}

/* A line of JSON about one action, which is still open. */
static int open_json(struct program *p, const struct step *s, struct json **out, struct fault *fault)
{
	int err = sinks_json(&p->sinks, s->params.json, out, fault);

	if (err < 0)
		return err;
	json_open_object(*out, NULL);
	json_put_uint(*out, "schema", 1);
	json_put_text(*out, "tool", p->tool);
	json_put_text(*out, "version", VERSION);
	json_put_text(*out, "command", p->command);
	return 0;
}

static int end_report(const struct program *p, struct fault *fault)
{
	if (p->report == stdout && fflush(stdout) != 0)
		return fault_set(fault, -errno, "standard output: %s", strerror(errno));
	return 0;
}

/* of 0 is all: nothing is missing. */
static double percent(uint64_t part, uint64_t of)
{
	return of ? 100 * (double)part / (double)of : 100;
}

/* --residency */

static int check_residency(struct program *p, size_t i, struct fault *fault)
{
	return check_target(p, i, true, fault);
}

struct finding {
	struct trace *trace;
	struct bar bar;
	uint64_t ranges;
};

static int take_range(void *ctx, uint64_t offset, uint64_t length)
{
	struct finding *f = ctx;

	if (stop_signal())
		return -EINTR;
	f->ranges++;
	bar_add(&f->bar, offset / PAGE_BYTES, (offset + length + PAGE_BYTES - 1) / PAGE_BYTES);
	return trace_push(f->trace, req_make(offset, length, OP_READ));
}

static void print_residency(const struct program *p, const struct step *s, const struct target *t,
			    const struct residency *r, const struct finding *found)
{
	const struct {
		const char *name;
		uint64_t pages;
	} more[] = {
		{"dirty", r->dirty},
		{"writeback", r->writeback},
		{"evicted", r->evicted},
		{"recently_evicted", r->recently_evicted},
	};
	FILE *f = p->report;

	fprintf(f, "%.2f%% %" PRIu64 " of %" PRIu64 " page%s in %" PRIu64 " range%s: %s\n",
		r->pages ? percent(r->cached, r->pages) : 0.0, r->cached, r->pages, r->pages == 1 ? "" : "s",
		found->ranges, found->ranges == 1 ? "" : "s", s->file);
	if (s->params.quiet)
		return;
	fprintf(f, "size %" PRIu64 "\npages %" PRIu64 "\ncached %" PRIu64 "\nranges %" PRIu64 "\n", t->size, r->pages,
		r->cached, found->ranges);
	for (size_t i = 0; r->exact && i < ARRAY_SIZE(more); i++)
		fprintf(f, "%s %" PRIu64 "\n", more[i].name, more[i].pages);
	fprintf(f, "method %s\n", residency_method(r));
	bar_print(&found->bar, t->size, f);
}

static int write_residency(struct program *p, const struct step *s, const struct target *t, const struct residency *r,
			   uint64_t ranges, struct fault *fault)
{
	struct json *j;
	int err = open_json(p, s, &j, fault);

	if (err < 0)
		return err;
	json_open_object(j, "residency");
	json_put_text(j, "path", s->file);
	json_put_uint(j, "size", t->size);
	json_put_uint(j, "ranges", ranges);
	report_residency_json(j, r);
	json_close_object(j);
	json_close_object(j);
	json_end_line(j);
	return 0;
}

/* Without the columns and names of files that it had. */
static void start_anew(struct trace *t)
{
	bool (*room)(uint64_t bytes) = t->room;

	trace_fini(t);
	trace_init(t);
	t->room = room;
}

static int run_residency(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct finding found = {.trace = &p->trace};
	struct residency r;
	int err = target_open(&t, s->file, 0, fault);

	if (err < 0)
		return err;
	err = target_residency(&t, &r);
	if (err < 0)
		return not_told(err, fault);
	start_anew(&p->trace);
	bar_init(&found.bar, r.pages, p->report);
	err = residency_runs(&t, take_range, &found);
	if (err == -ENOMEM)
		return no_memory(err, fault);
	if (err < 0)
		return not_told(err, fault);
	print_residency(p, s, &t, &r, &found);
	err = s->params.json ? write_residency(p, s, &t, &r, found.ranges, fault) : 0;
	return err < 0 ? err : end_report(p, fault);
}

const struct action action_residency = {.check = check_residency, .run = run_residency, .replaces = true};

/* --willneed */

static int check_willneed(struct program *p, size_t i, struct fault *fault)
{
	return check_target(p, i, false, fault);
}

/* What was asked for, and how much of that was and is there. */
struct warming {
	const struct target *target;
	uint64_t requests, past_end;
	uint64_t pages;           /* of each request its own */
	uint64_t before, after;
	bool told;                /* before and after are known */
	bool exact;
	int64_t elapsed_ns;
};

/* The part of a request that can be cached; false when there is none. */
static bool is_wanted(const struct target *t, struct req r, uint64_t *offset, uint64_t *length)
{
	enum op op = req_op(r);

	*offset = req_offset(r);
	*length = req_length(r);
	if ((op != OP_READ && op != OP_WRITE) || *offset >= t->size || *length == 0)
		return false;
	*length = MIN(*length, t->size - *offset);
	return true;
}

/* Pages of all requests that are cached now. */
static uint64_t count_cached(struct warming *w, const struct trace *trace)
{
	uint64_t offset, length, sum = 0;
	struct residency r;

	for (size_t i = 0; i < trace->count && w->told && !stop_signal(); i++) {
		if (!is_wanted(w->target, trace->req[i], &offset, &length))
			continue;
		w->told = target_residency_range(w->target, offset, length, &r) == 0;
		w->exact = r.exact;
		sum += r.cached;
	}
	return sum;
}

static int bring_in(struct warming *w, const struct trace *trace, struct fault *fault)
{
	_cleanup_(warm_close) struct warm warm;
	int err = warm_open(&warm, w->target);
	uint64_t offset, length;

	if (err < 0)
		return not_told(err, fault);
	for (size_t i = 0; i < trace->count && err == 0 && !stop_signal(); i++) {
		bool wanted = is_wanted(w->target, trace->req[i], &offset, &length);

		w->requests++;
		w->past_end += req_passes(trace->req[i], w->target->size);
		if (!wanted)
			continue;
		w->pages += (offset + length - 1) / PAGE_BYTES - offset / PAGE_BYTES + 1;
		err = warm_put(&warm, offset, length);
	}
	if (err == 0 && !stop_signal())
		err = warm_end(&warm);
	return err < 0 ? fault_set(fault, err, "byte %" PRIu64 ": %s", warm.failed, strerror(-err)) : 0;
}

static void print_warming(const struct program *p, const struct step *s, const struct warming *w)
{
	double seconds = (double)w->elapsed_ns / (double)NS_PER_SEC;
	FILE *f = p->report;

	if (w->told && w->pages)
		fprintf(f, "%.2f%% %" PRIu64 " of ", percent(w->after, w->pages), w->after);
	fprintf(f, "%" PRIu64 " page%s in %f s: %s\n", w->pages, w->pages == 1 ? "" : "s", seconds, s->file);
	if (s->params.quiet)
		return;
	fprintf(f, "requests %" PRIu64 "\n", w->requests);
	if (w->past_end)
		fprintf(f, "past_end_requests %" PRIu64 "\n", w->past_end);
	fprintf(f, "pages %" PRIu64 "\n", w->pages);
	if (w->told)
		fprintf(f, "pages_before %" PRIu64 "\npages_after %" PRIu64 "\nmethod %s\n", w->before, w->after,
			residency_method(&(const struct residency){.exact = w->exact}));
	fprintf(f, "elapsed_seconds %f\n", seconds);
}

static int write_warming(struct program *p, const struct step *s, const struct warming *w, struct fault *fault)
{
	struct json *j;
	int err = open_json(p, s, &j, fault);

	if (err < 0)
		return err;
	json_open_object(j, "willneed");
	json_put_text(j, "path", s->file);
	json_put_uint(j, "requests", w->requests);
	json_put_uint(j, "past_end_requests", w->past_end);
	json_put_uint(j, "pages", w->pages);
	if (w->told) {
		json_put_uint(j, "pages_before", w->before);
		json_put_uint(j, "pages_after", w->after);
		json_put_text(j, "method", residency_method(&(const struct residency){.exact = w->exact}));
	} else {
		json_put_null(j, "pages_before");
		json_put_null(j, "pages_after");
		json_put_null(j, "method");
	}
	json_put_int(j, "elapsed_ns", w->elapsed_ns);
	json_close_object(j);
	json_close_object(j);
	json_end_line(j);
	return 0;
}

static int one_file(const struct program *p, const struct step *s, struct fault *fault)
{
	const struct trace *t = &p->trace;

	for (size_t i = 1; t->file && !s->params.play.all_on_one && i < t->count; i++)
		if (t->file[i] != t->file[0])
			return fault_set_request(fault, -EINVAL, i + 1,
						 "the trace is of several files (this one is of file %" PRIu32
						 ", the first of file %" PRIu32 "); --filter file=%" PRIu32
						 " keeps one, --file-map one takes them for one",
						 t->file[i], t->file[0], t->file[0]);
	return 0;
}

static int run_willneed(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct warming w = {.target = &t, .told = true};
	int64_t start;
	int err = one_file(p, s, fault);

	if (err == 0)
		err = target_open(&t, s->file, 0, fault);
	if (err == 0)
		err = session_start(p->session, fault);
	if (err < 0)
		return err;
	w.before = count_cached(&w, &p->trace);
	start = clock_now();
	err = bring_in(&w, &p->trace, fault);
	w.elapsed_ns = clock_now() - start;
	if (err < 0)
		return err;
	w.after = count_cached(&w, &p->trace);
	print_warming(p, s, &w);
	if (w.requests == 0 && !stop_signal())
		fprintf(stderr, "%s: the trace is empty, so nothing of %s was read\n", p->tool, s->file);
	if (w.told && w.after < w.pages && !stop_signal() && !s->params.quiet)
		fprintf(stderr, "%s: %s: %" PRIu64 " of %" PRIu64 " page%s did not stay in the page cache\n", p->tool,
			s->file, w.pages - w.after, w.pages, w.pages == 1 ? "" : "s");
	err = s->params.json ? write_warming(p, s, &w, fault) : 0;
	return err < 0 ? err : end_report(p, fault);
}

const struct action action_willneed = {.check = check_willneed, .run = run_willneed, .warms = true};
