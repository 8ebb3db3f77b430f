/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake.h"

#include <errno.h>
#include <stdlib.h>

static const struct script *next_script;
struct fake fake;

static int fake_open(const struct engine_params *p _unused_, void **state, struct fault *why _unused_)
{
	fake = (struct fake){.script = next_script};
	*state = &fake;
	return 0;
}

static void fake_close(void *state)
{
	struct fake *f = state;

	f->closed = true;
}

static int fake_advise(void *state, const struct io_hint *h _unused_)
{
	struct fake *f = state;

	assert_int_equal(f->count, 0); /* nothing is in flight */
	f->releases++;
	return f->script->release_fails ? -EINVAL : 0;
}

static bool goes_wrong(const struct script *s, const struct io *io)
{
	uint64_t page = io->offset / PAGE_BYTES + 1;
	bool bad = page == s->moves_less || page == s->breaks;

	for (size_t i = 0; i < ARRAY_SIZE(s->bad); i++)
		bad |= s->bad[i] == page;
	return bad;
}

static int fake_do(struct fake *f, struct io *io)
{
	const struct script *s = f->script;
	uint64_t page = io->offset / PAGE_BYTES + 1;

	if (page == s->breaks)
		return -ENXIO;
	f->submits++;
	io->res = page == s->moves_less ? 10 : (int64_t)io->length;
	for (size_t i = 0; i < ARRAY_SIZE(s->bad); i++)
		if (s->bad[i] == page)
			io->res = -EIO - (int)i;
	if (s->cold == page && !io->wait)
		io->res = s->warm_bytes ? (int64_t)s->warm_bytes : -EAGAIN;
	return 0;
}

static int fake_submit(void *state, struct io *io)
{
	struct fake *f = state;
	int r;

	if (f->script->full || f->count == (f->script->queue ? f->script->queue : DEPTH))
		return -EAGAIN;
	r = fake_do(f, io);
	if (r == 0)
		f->out[f->count++] = io;
	f->most = MAX(f->most, f->count);
	return r;
}

static int fake_flush(void *state _unused_)
{
	return 0;
}

/* The last one comes back first; one at a time unless the script has all. */
static int fake_reap(void *state, struct io **done, unsigned min _unused_, unsigned max, int64_t timeout _unused_)
{
	struct fake *f = state;
	int n = 0;

	if (f->script->reap_fails)
		return -ENXIO;
	assert_in_range(f->count, 1, max);
	do
		done[n++] = f->out[--f->count];
	while (f->script->reap_all && f->count > 0);
	return n;
}

static int fake_now(void *state, struct io *io)
{
	return fake_do(state, io);
}

const struct engine fake_async = {
	.name = "fake_async",
	.flags = ENGINE_ASYNC,
	.max_depth = DEPTH,
	.open = fake_open,
	.close = fake_close,
	.submit = fake_submit,
	.advise = fake_advise,
	.flush = fake_flush,
	.reap = fake_reap,
};

const struct engine fake_sync = {
	.name = "fake_sync",
	.max_depth = 1,
	.open = fake_open,
	.close = fake_close,
	.submit = fake_now,
	.advise = fake_advise,
};

static size_t fake_read_many(void *state, const struct span *spans, size_t n, const atomic_bool *stop _unused_)
{
	struct fake *f = state;
	size_t i;

	for (i = 0; i < n; i++) {
		struct io io = {.offset = spans[i].offset, .length = spans[i].length};

		if (goes_wrong(f->script, &io))
			break;
		fake_do(f, &io);
	}
	return i;
}

const struct engine fake_many = {
	.name = "fake_many",
	.max_depth = 1,
	.open = fake_open,
	.close = fake_close,
	.submit = fake_now,
	.advise = fake_advise,
	.read_many = fake_read_many,
};

const struct engine *const fake_engines[FAKE_ENGINES] = {&fake_sync, &fake_async, &fake_many};

struct job *run_job(const struct engine *e, const struct script *s, const struct trace *t,
			   const struct play_params *play, struct gate *gate, const struct flight_rules *rules)
{
	struct job *j = aligned_alloc(JOB_ALIGN, sizeof(*j));
	struct fault fault;

	assert_non_null(j);
	gate_init(gate, 1);
	*j = (struct job){
		.play = play,
		.gate = gate,
		.result.job_cpu = -1,
		.engine = e,
		.params = {.fd = -1, .depth = e->max_depth},
		.rules = *rules,
	};
	source_of_trace(&j->source, t);
	j->source.left *= play->loops;
	next_script = s;
	assert_int_equal(job_start(j, &fault), 0);
	job_join(j);
	assert_true(fake.closed);
	return j;
}

struct job *run_rules(const struct engine *e, const struct script *s, const struct trace *t, bool go_on,
			     const struct flight_rules *rules)
{
	const struct play_params play = {.jobs = 1, .loops = 1, .continue_on_error = go_on};
	struct gate gate;

	return run_job(e, s, t, &play, &gate, rules);
}

struct job *run_trace(const struct engine *e, const struct script *s, const struct trace *t, bool go_on,
			     uint64_t piece_max)
{
	const struct flight_rules rules = {
		.size = INT64_MAX, .plain_end = INT64_MAX, .align = 1, .piece_max = piece_max};

	return run_rules(e, s, t, go_on, &rules);
}

struct job *run_pages(const struct engine *e, const struct script *s, size_t n, bool go_on)
{
	_cleanup_(trace_fini) struct trace t = pages(n);

	return run_trace(e, s, &t, go_on, IO_MAX);
}
