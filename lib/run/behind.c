/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/behind.h"

#include "base/clock.h"
#include "run/job.h"
#include "run/targets.h"

/* By the engine for what it maps; what is not needed any more then leaves the cache too. */
static int give(struct job *j, const struct io_hint *h)
{
	const struct targets *all = j->rules.targets;
	unsigned target = j->behind.target;
	int fd = all ? all->file[target].fd : j->params.fd, r = 0;

	if (j->engine->advise)
		r = j->engine->advise(j->states ? j->states[target] : j->state, h);
	if (r == 0 && fd >= 0 && advise_is_of_file(h->advice))
		r = advise_file(fd, h);
	return r;
}

static int advise_run(struct job *j)
{
	struct behind *b = &j->behind;
	uint64_t low = b->from - MIN(b->from - b->begin, BEHIND_BACK),
		 high = b->end + MIN(b->top - b->end, BEHIND_BACK);
	const struct io_hint h = {.advice = j->play->behind, .offset = low, .length = high - low};
	int64_t start;
	int r;

	if (b->end == b->from)
		return 0;
	start = clock_now();
	r = give(j, &h);
	b->ns += clock_now() - start;
	b->calls++;
	b->bytes += b->end - b->from;
	if (b->down)
		b->end = b->from;
	else
		b->from = b->end;
	return r < 0 ? job_engine_failed(j, r, advise_name(h.advice)) : 0;
}

/* How far a part is from what the run has not advised yet. */
static uint64_t distance(const struct behind *b, uint64_t begin, uint64_t end)
{
	if (begin > b->end)
		return begin - b->end;
	return end < b->from ? b->from - end : 0;
}

int job_pass(struct job *j, const struct flight *f, unsigned target)
{
	struct behind *b = &j->behind;
	uint64_t step = j->play->behind_bytes, begin = f->offset, end = begin + f->moved;
	int r = 0;

	if (step == 0 || f->moved == 0 || f->io.op == IO_TRIM)
		return 0;
	if (b->top == 0 || target != b->target || distance(b, begin, end) > step) {
		r = advise_run(j);
		b->begin = b->from = begin;
		b->top = b->end = end;
		b->target = target;
	}
	if (r < 0)
		return r;
	b->down = begin < b->from;
	b->from = MIN(b->from, begin);
	b->end = MAX(b->end, end);
	b->begin = MIN(b->begin, begin);
	b->top = MAX(b->top, end);
	return b->end - b->from >= step ? advise_run(j) : 0;
}

int job_pass_end(struct job *j)
{
	return j->play->behind_bytes ? advise_run(j) : 0;
}
