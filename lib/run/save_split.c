/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/save_split.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/event.h"
#include "base/macro.h"
#include "run/files.h"
#include "run/save.h"
#include "run/share.h"

/* Requests that are copied and written at a time. */
#define PART 16384

static char *name_of(const char *path, uint32_t n)
{
	size_t stem = strlen(path);
	char *name;

	if (stem > 4 && strcmp(path + stem - 4, ".bin") == 0)
		stem -= 4;
	return asprintf(&name, "%.*s.%" PRIu32 "%s", (int)stem, path, n, path + stem) < 0 ? NULL : name;
}

int save_split_check(struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_free_ char *first = name_of(s->file, 0);
	int err;

	if (!first)
		return fault_set(fault, -ENOMEM, "no memory");
	if (file_is_stdout(s->file))
		return fault_set(fault, -EINVAL, "--split-by makes several files, for which there must be a name");
	if (s->params.split_by == SPLIT_BY_JOB && s->params.play.jobs < 2)
		return fault_set(fault, -EINVAL, "--split-by job needs --jobs");
	err = program_check_file(p, first, "a trace", fault);
	return err ? err : save_check(first, fault);
}

/* The requests of number n of the files that are written: order[begin[n]] and on, up to begin[n + 1]. */
struct division {
	size_t *order;
	size_t *begin;
	uint32_t count;
};

static void division_fini(struct division *d)
{
	free(d->order);
	free(d->begin);
}

static int division_init(struct division *d, uint32_t count, const struct trace *t, size_t requests)
{
	d->count = count;
	if (!trace_has_room(t, requests * sizeof(*d->order)))
		return -ENOMEM;
	d->order = reallocarray(NULL, MAX(requests, 1), sizeof(*d->order));
	d->begin = calloc((size_t)count + 2, sizeof(*d->begin));
	return d->order && d->begin ? 0 : -ENOMEM;
}

static int divide_by_file(struct division *d, const struct trace *t)
{
	uint32_t files = 1;

	for (size_t i = 0; t->file && i < t->count; i++)
		files = MAX(files, t->file[i] + 1);
	if (division_init(d, files, t, t->count))
		return -ENOMEM;
	/* Counted one further on than where each begins, so that filling them leaves the beginnings in their place. */
	for (size_t i = 0; i < t->count; i++)
		d->begin[(t->file ? t->file[i] : 0) + 2]++;
	for (uint32_t n = 0; n < files; n++)
		d->begin[n + 2] += d->begin[n + 1];
	for (size_t i = 0; i < t->count; i++)
		d->order[d->begin[(t->file ? t->file[i] : 0) + 1]++] = i;
	return 0;
}

static int divide_by_job(struct division *d, const struct trace *t, const struct play_params *params)
{
	struct play_params once = *params;
	uint64_t all;
	size_t n = 0;

	once.loops = 1;
	all = share_all(&once, t);
	if (all > SIZE_MAX / sizeof(*d->order) || division_init(d, once.jobs, t, (size_t)all))
		return -ENOMEM;
	for (uint32_t job = 0; job < once.jobs; job++) {
		struct source source;
		struct batch b;

		share_of_job(&source, &once, t, all, job);
		while (source_next(&source, &b))
			for (size_t k = 0; k < b.count; k++)
				d->order[n++] = (size_t)b.first + k * b.step;
		d->begin[job + 1] = n;
	}
	return 0;
}

/* Names that part is to have: of file n, or of all. */
static int name_files(struct trace *part, const struct trace *t, bool all, uint32_t n)
{
	for (uint32_t i = all ? 0 : n; i < t->file_count && (all || i == n); i++)
		if (t->files[i] && trace_name_file(part, i, t->files[i], strlen(t->files[i])))
			return -ENOMEM;
	return 0;
}

static int write_one(const struct program *p, const struct step *s, const size_t *order, size_t count, uint32_t n,
		     struct fault *fault)
{
	_cleanup_(save_abort) struct save v = SAVE_NONE;
	_cleanup_(trace_fini) struct trace part = {0};
	_cleanup_free_ char *name = name_of(s->file, n);
	struct step one = *s;
	int err = name ? name_files(&part, &p->trace, s->params.split_by == SPLIT_BY_JOB, n) : -ENOMEM;

	if (err)
		return fault_set(fault, err, "no memory");
	one.file = name;
	err = save_open(&v, p, &one, false, fault);
	for (size_t i = 0; err == 0 && i < count; i++) {
		if (trace_copy(&part, &p->trace, order[i]))
			return fault_set(fault, -ENOMEM, "no memory");
		if (part.count < PART && i + 1 < count)
			continue;
		err = stop_signal() ? -EINTR : save_put(&v, &part, fault);
		trace_clear(&part);
	}
	return err ? err : save_end(&v, &part, fault);
}

int save_split(const struct program *p, const struct step *s, struct fault *fault)
{
	_cleanup_(division_fini) struct division d = {0};
	const struct trace *t = &p->trace;
	int err = s->params.split_by == SPLIT_BY_FILE ? divide_by_file(&d, t) : divide_by_job(&d, t, &s->params.play);

	if (err)
		return fault_set(fault, err, "no memory");
	for (uint32_t n = 0; err == 0 && n < d.count; n++)
		if (d.begin[n + 1] > d.begin[n])
			err = write_one(p, s, d.order + d.begin[n], d.begin[n + 1] - d.begin[n], n, fault);
	return err;
}
