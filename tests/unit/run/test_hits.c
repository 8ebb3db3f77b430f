/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which reads hit the page cache, and how long each kind takes. */
#include "stage.h"

#include <fcntl.h>
#include <unistd.h>

#include "io/warm.h"
#include "run/hits.h"

static struct play_params hits_of(const char *engine)
{
	struct play_params p = params_of(engine);

	p.hits = p.latency = true;
	p.cache = CACHE_KEEP;
	return p;
}

/* Only pages first..end-1 of f are cached from now on; false where they cannot be dropped. */
static bool leave_cached(uint64_t first, uint64_t end)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(warm_close) struct warm w = {.target = NULL};
	struct fault fault;
	uint64_t left;

	assert_int_equal(target_open(&t, "f", 0, &fault), 0);
	assert_int_equal(target_drop_cache(&t, &left), 0);
	if (left != 0)
		return false;
	assert_int_equal(warm_open(&w, &t), 0);
	assert_int_equal(warm_put(&w, first * PAGE_BYTES, (end - first) * PAGE_BYTES), 0);
	assert_int_equal(warm_end(&w), 0);
	return true;
}

/* Can engine e tell here? A file system without RWF_NOWAIT refuses the play. */
static bool can_tell(const struct engine *e)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = hits_of(e->name);
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	struct fault fault;

	if (!(e->uses & USE_NOWAIT) && !(e->flags & ENGINE_TOUCH))
		return false;
	return play_open(&play, &p, &t, &fault) == 0 && play_run(play, false, &r, &fault) == 0;
}

static void require_drops(void)
{
	if (!leave_cached(0, 1))
		skip_because("pages cannot be dropped here");
}

/* Pages 0..31 are cached; 50 is not, and 52 is not asked for. */
static void each_read_is_a_hit_or_a_miss(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(32);
	const struct engine *e;

	require_drops();
	assert_int_equal(trace_push(&t, req_make(50 * PAGE_BYTES, PAGE_BYTES, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = hits_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		if (!can_tell(e))
			continue;
		play = opened(&p, &t);
		leave_cached(0, 32);
		r = play_again(play);
		CHECK(e, r, bytes, 33 * PAGE_BYTES);
		CHECK(e, r, misses, 1);
		CHECK(e, r, hit->count, 32);
		CHECK(e, r, miss->count, 1);
		CHECK(e, r, op[OP_READ].latency->count, 33);
		CHECK(e, r, op[OP_READ].latency->max, MAX(r.hit->max, r.miss->max));
		CHECK(e, r, op[OP_READ].latency->sum, r.hit->sum + r.miss->sum);
		CHECK(e, r, hits, e->flags & ENGINE_TOUCH ? HITS_FAULTS : HITS_PROBE);
		if (r.hits == HITS_PROBE)
			CHECK(e, r, miss_bytes, PAGE_BYTES);
		assert_int_equal(hits_count(&r), 32);
		assert_true(hits_percent(&r) > 96.9 && hits_percent(&r) < 97);
		/* now it is there */
		r = play_again(play);
		CHECK(e, r, misses, 0);
		CHECK(e, r, hit->count, 33);
		CHECK(e, r, miss->count, 0);
	}
}

static void a_read_that_is_cached_in_part_misses_the_rest(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one_request(28 * PAGE_BYTES, 8 * PAGE_BYTES, OP_READ);
	const struct engine *e;

	require_drops();
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = hits_of(e->name);
		struct play_result r;

		if (!can_tell(e))
			continue;
		leave_cached(0, 32);
		r = play_once(&p, &t);
		CHECK(e, r, bytes, 8 * PAGE_BYTES);
		CHECK(e, r, misses, 1);
		if (r.hits == HITS_PROBE)
			CHECK(e, r, miss_bytes, 4 * PAGE_BYTES);
	}
}

/* Of what is all there, no wait between requests makes a miss. */
static void expect_hits_alone(const char *what, void (*shape)(struct play_params *p))
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = hits_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		shape(&p);
		if (!can_tell(e))
			continue;
		play_once(&(struct play_params){.target = "f", .engine = "pread", .max_requests = PLAY_UNLIMITED,
						.max_bytes = PLAY_UNLIMITED, .max_ns = INT64_MAX, .depth = 1,
						.loops = 1, .cache = CACHE_KEEP},
			  &t);
		p.depth = deep(e);
		play = opened(&p, &t);
		r = play_again(play);
		if (r.misses != 0)
			fail_msg("%s, %s: %ju misses", e->name, what, (uintmax_t)r.misses);
		CHECK(e, r, hit->count, r.op[OP_READ].requests);
		CHECK(e, r, op[OP_READ].latency->count, r.hit->count);
		assert_true(r.hit->count >= PAGES);
	}
}

static void at_a_rate(struct play_params *p)
{
	p->timing = TIMING_RATE;
	p->rate = 1000;
}

static void with_pauses(struct play_params *p)
{
	p->think_ns = NS_PER_MSEC;
}

static void in_loops(struct play_params *p)
{
	p->jobs = 2;
	p->loops = 3;
	p->after[0] = AFTER_BARRIER;
	p->after_count = 1;
}

static void by_processes(struct play_params *p)
{
	p->jobs = 2;
	p->processes = true;
}

static void waits_between_requests_are_no_misses(void **state _unused_)
{
	expect_hits_alone("at a rate", at_a_rate);
	expect_hits_alone("with pauses", with_pauses);
	expect_hits_alone("in loops", in_loops);
	expect_hits_alone("by processes", by_processes);
}

static void an_error_is_neither(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = {0};
	struct play_params p = hits_of("mmap");
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	char device[64];

	broken_device(device, sizeof(device));
	t = pages(3);
	p.target = device;
	p.continue_on_error = true;
	play = opened(&p, &t);
	r = play_again(play);
	assert_int_equal(r.errors, 1);
	assert_int_equal(r.hit->count + r.miss->count, 2);
	assert_int_equal(r.op[OP_READ].latency->count, 3);
	detach_device(device);
}

static void only_reads_hit(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	const struct engine *e;

	for (size_t i = 0; i < 4; i += 2)
		t.req[i] = req_make(req_offset(t.req[i]), PAGE_BYTES, OP_WRITE);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = hits_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		if (!can_tell(e))
			continue;
		p.write = true;
		play = opened(&p, &t);
		r = play_again(play);
		CHECK(e, r, hit->count + r.miss->count, 2);
		CHECK(e, r, op[OP_WRITE].latency->count, 2);
		CHECK(e, r, op[OP_READ].latency->count, 2);
	}
}

static void what_cannot_be_told_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = hits_of("pread");

	expect_refusal(&p, &t, -EINVAL, "engine pread does not tell what was cached");
	p = hits_of("preadv2");
	p.direct = true;
	expect_refusal(&p, &t, -EINVAL, "direct I/O goes past the page cache");
	p = hits_of("mmap");
	p.latency = false;
	expect_refusal(&p, &t, -EINVAL, "--no-latency");
	p = hits_of("preadv2");
	p.use = USE_NOWAIT;
	expect_refusal(&p, &t, -EINVAL, "--nowait count");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(each_read_is_a_hit_or_a_miss, data_file),
		cmocka_unit_test_setup(a_read_that_is_cached_in_part_misses_the_rest, data_file),
		cmocka_unit_test_setup(waits_between_requests_are_no_misses, data_file),
		cmocka_unit_test_setup(an_error_is_neither, data_file),
		cmocka_unit_test_setup(only_reads_hit, data_file),
		cmocka_unit_test_setup(what_cannot_be_told_is_refused, data_file),
	};

	return cmocka_run_group_tests_name("hits", tests, stage_make, stage_remove);
}
