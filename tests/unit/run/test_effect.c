/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is told of the page cache and the device beside a play of a real file. */
#include "stage.h"

#include "io/reads.h"
#include "run/effect.h"

static void require_device(void)
{
	if (!direct_works())
		skip_because("the file system under /var/tmp has no direct I/O, and maybe no device");
	if (reads_of_process() < 0)
		skip_because("the kernel does not tell what a process reads");
}

/*
 * A play that has wanted bytes read from devices. A page of this program may have to be read meanwhile, but not in each
 * of several runs.
 */
static struct play_result play_reading(const struct play_params *p, const struct trace *t, uint64_t wanted)
{
	struct play_result r = {0};

	for (int tries = 0; tries < 10; tries++) {
		r = play_once(p, t);
		if (r.effect.process_reads == wanted)
			break;
	}
	check_count(engine_of_name(p->engine), "process_reads", r.effect.process_reads, wanted);
	return r;
}

static void a_cold_play_fills_the_cache_from_the_device(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("pread");
	struct play_result r;
	double amplification;

	require_device();
	r = play_once(&p, &t);
	assert_true(r.effect.process_told);
	assert_true(r.effect.process_reads >= SIZE);
	if (r.effect.device_told)
		assert_true(r.effect.device_reads >= SIZE);
	assert_true(effect_amplification(&r, &amplification));
	assert_true(amplification >= 1);
	if (!r.effect.told)
		skip_because("the kernel does not tell what is cached");
	assert_int_equal(r.effect.before.pages, PAGES);
	assert_int_equal(r.effect.before.cached, 0);
	assert_int_equal(r.effect.after.cached, PAGES);
}

static void a_warm_play_reads_nothing(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("pread");
	struct play_result r;
	double amplification;

	require_device();
	play_once(&p, &t);
	p.cache = CACHE_KEEP;
	r = play_reading(&p, &t, 0);
	assert_true(effect_amplification(&r, &amplification));
	assert_true(amplification == 0);
	if (r.effect.told)
		assert_int_equal(r.effect.before.cached, PAGES);
}

static void direct_reads_are_what_was_asked_for(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	require_device();
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;
		double amplification;

		if (!(e->flags & ENGINE_DIRECT) || !(e->flags & ENGINE_BUFFER))
			continue;
		p.direct = true;
		p.jobs = 2;
		p.depth = deep(e);
		r = play_reading(&p, &t, SIZE);
		assert_true(effect_amplification(&r, &amplification));
		assert_true(amplification == 1);
		if (r.effect.told)
			CHECK(e, r, effect.after.cached, 0);
	}
}

static void what_processes_read_is_told_too(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("pread");

	require_device();
	p.direct = p.processes = true;
	p.jobs = 2;
	play_reading(&p, &t, SIZE);
}

static void each_run_is_told_by_itself(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = opened(&p, &t);
	struct play_result r;

	require_device();
	for (int i = 0; i < 10; i++) {
		r = play_again(play);
		assert_true(r.effect.process_reads >= SIZE);
	}
	/* and not of all ten together, with room for pages of this program */
	assert_true(r.effect.process_reads < 5 * SIZE);
}

static void what_has_neither_cache_nor_device_tells_of_none(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("pread");
	struct play_result r;

	p.target = "/dev/zero";
	r = play_once(&p, &t);
	assert_int_equal(r.bytes, PAGE_BYTES);
	assert_false(r.effect.told);
	assert_false(r.effect.device_told);
}

static void an_amplification_without_a_meaning_is_not_told(void **state _unused_)
{
	struct play_result r = {.op[OP_READ] = {.requests = 1, .bytes = 1000}};
	double v;

	assert_false(effect_amplification(&r, &v));
	r.effect.device_told = true;
	r.effect.device_reads = 3000;
	assert_true(effect_amplification(&r, &v));
	assert_true(v == 3);
	/* of others there may be more */
	r.effect.process_told = true;
	r.effect.process_reads = 500;
	assert_true(effect_amplification(&r, &v));
	assert_true(v == 0.5);
	r.ramp_requests = 1;
	assert_false(effect_amplification(&r, &v));
	r.ramp_requests = 0;
	r.op[OP_READ].bytes = 0;
	assert_false(effect_amplification(&r, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_cold_play_fills_the_cache_from_the_device, data_file),
		cmocka_unit_test_setup(a_warm_play_reads_nothing, data_file),
		cmocka_unit_test_setup(direct_reads_are_what_was_asked_for, data_file),
		cmocka_unit_test_setup(what_processes_read_is_told_too, data_file),
		cmocka_unit_test_setup(each_run_is_told_by_itself, data_file),
		cmocka_unit_test(what_has_neither_cache_nor_device_tells_of_none),
		cmocka_unit_test(an_amplification_without_a_meaning_is_not_told),
	};

	return cmocka_run_group_tests_name("effect", tests, stage_make, stage_remove);
}
