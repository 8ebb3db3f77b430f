/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/survey.h"

#include <errno.h>

#include "base/event.h"
#include "base/macro.h"

int survey_init(struct survey *s, uint64_t limit)
{
	*s = (struct survey){.time_last = TIME_NONE};
	return reuse_init(&s->reuse, limit);
}

void survey_fini(struct survey *s)
{
	reuse_fini(&s->reuse);
	free(s->file_end);
}

static void add_bytes(uint64_t *sum, uint64_t bytes)
{
	if (__builtin_add_overflow(*sum, bytes, sum))
		*sum = UINT64_MAX;
}

static int know_file(struct survey *s, uint32_t file)
{
	uint32_t capacity = MAX(file + 1, 2 * s->file_capacity);
	uint64_t *more;

	if (file < s->file_capacity)
		return 0;
	more = reallocarray(s->file_end, capacity, sizeof(*more));
	if (!more)
		return -ENOMEM;
	for (uint32_t i = s->file_capacity; i < capacity; i++)
		more[i] = UINT64_MAX;
	s->file_end = more;
	s->file_capacity = capacity;
	return 0;
}

static void add_time(struct survey *s, int64_t time)
{
	if (time == TIME_NONE)
		return;
	s->time_min = s->timed ? MIN(s->time_min, time) : time;
	s->time_max = s->timed ? MAX(s->time_max, time) : time;
	s->time_back += time < s->time_last;
	s->time_last = time;
	s->timed++;
}

static void add_place(struct survey *s, struct req r, uint64_t before)
{
	uint64_t offset = req_offset(r), length = req_length(r);

	s->begin = s->placed ? MIN(s->begin, offset) : offset;
	s->end = MAX(s->end, offset + length);
	s->length_min = s->placed ? MIN(s->length_min, length) : length;
	s->length_max = MAX(s->length_max, length);
	s->length[survey_bucket(length)]++;
	s->placed++;
	if (before == UINT64_MAX)
		return;
	if (offset == before) {
		s->sequential++;
		add_bytes(&s->sequential_bytes, length);
	} else if (offset > before) {
		s->seek_up[survey_bucket(offset - before)]++;
	} else {
		s->seek_down[survey_bucket(before - offset)]++;
	}
}

static int add(struct survey *s, struct req r, uint32_t file)
{
	enum op op = req_op(r);
	uint64_t length = req_bytes(r);
	int err = know_file(s, file);

	if (err)
		return err;
	s->requests++;
	s->op[op].requests++;
	add_bytes(&s->bytes, length);
	add_bytes(&s->op[op].bytes, length);
	if (req_is_sync(r))
		return 0;
	s->files += s->file_end[file] == UINT64_MAX;
	add_place(s, r, s->file_end[file]);
	s->file_end[file] = req_end(r);
	return op == OP_TRIM ? 0 : reuse_touch(&s->reuse, file, req_offset(r), length);
}

int survey_add(struct survey *s, const struct trace *t, struct fault *fault)
{
	for (size_t i = 0; i < t->count; i++) {
		int err = add(s, t->req[i], t->file ? t->file[i] : 0);

		if (err == -EOVERFLOW)
			return fault_set(fault, err, "more than 2^62 pages are touched, which are not counted");
		if (err)
			return err;
		if (t->time)
			add_time(s, t->time[i]);
		if (stop_polled(i))
			return -EINTR;
	}
	return 0;
}
