/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes wrong: before a play, which then refuses, and in it, which is counted. */
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void a_file_cut_during_the_play_gives_short_reads(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		if (strcmp(e->name, "null") == 0)
			continue;
		make_file(SIZE);
		p.continue_on_error = true;
		p.depth = deep(e);
		play = opened(&p, &t);
		make_file(2 * PAGE_BYTES);
		r = play_again(play);
		CHECK(e, r, requests, 4);
		CHECK(e, r, bytes, 2 * PAGE_BYTES);
		CHECK(e, r, past_end_requests, 0);
		CHECK(e, r, short_reads, 2);
		CHECK(e, r, short_bytes, 2 * PAGE_BYTES);
		CHECK(e, r, errors, 0);
	}
}

static void play_broken(const char *device)
{
	_cleanup_(trace_fini) struct trace t = pages(6);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		if (strcmp(e->name, "null") == 0)
			continue;
		p.target = device;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 3);
		CHECK(e, r, bytes, 2 * PAGE_BYTES);
		CHECK(e, r, stopped_by_error, true);
		CHECK(e, r, hit_limit, false);
		CHECK(e, r, error[0].error, EIO);
		CHECK(e, r, error[0].first_offset, 2 * PAGE_BYTES);
		p.continue_on_error = true;
		p.depth = deep(e);
		r = play_once(&p, &t);
		CHECK(e, r, requests, 6);
		CHECK(e, r, bytes, 2 * PAGE_BYTES);
		CHECK(e, r, stopped_by_error, false);
		CHECK(e, r, errors, 4);
		CHECK(e, r, error_kinds, 1);
		CHECK(e, r, error[0].count, 4);
		CHECK(e, r, error[0].first_request, 3);
		CHECK(e, r, short_reads, 0);
	}
}

static void a_failing_device_gives_the_same_errors_with_every_engine(void **state _unused_)
{
	char device[64];

	broken_device(device, sizeof(device));
	play_broken(device);
	detach_device(device);
}

static void what_makes_no_sense_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("nosuch");

	expect_refusal(&p, &t, -EINVAL, "nosuch");
	p = params_of("pread");
	p.depth = 0;
	expect_refusal(&p, &t, -EINVAL, "depth");
	p.depth = 2;
	expect_refusal(&p, &t, -EINVAL, "one request");
	p = params_of("pread");
	p.target = "missing";
	expect_refusal(&p, &t, -ENOENT, "No such file");
	p.target = ".";
	expect_refusal(&p, &t, -EINVAL, "directory");
	p = params_of("mmap");
	p.direct = true;
	expect_refusal(&p, &t, -EINVAL, "direct");
}

static void nothing_but_reads_is_played(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("pread");

	assert_int_equal(trace_push(&t, req_make(0, 512, OP_WRITE)), 0);
	assert_int_equal(trace_push(&t, req_make(0, 512, OP_WRITE)), 0);
	assert_int_equal(trace_push(&t, req_make(0, 0, OP_SYNC)), 0);
	expect_refusal(&p, &t, -EINVAL, "2 writes, 1 sync");
}

static void a_trace_of_several_files_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(3);
	struct play_params p = params_of("pread");

	assert_int_equal(trace_need_file(&t), 0);
	assert_int_equal(play_once(&p, &t).requests, 3);
	t.file[2] = 1;
	expect_refusal(&p, &t, -EINVAL, "several files");
}

static void expect_misfit(void)
{
	_cleanup_(trace_fini) struct trace t = pages(3);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(100, PAGE_BYTES, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		p.direct = true;
		if (e->flags & ENGINE_DIRECT)
			expect_refusal(&p, &t, -EINVAL, "offset 100, length 4096: direct");
	}
}

static void direct_requests_must_be_aligned(void **state _unused_)
{
	if (!direct_works())
		skip_because("no direct I/O under /var/tmp");
	expect_misfit();
}

static void expect_no_write_over_the_end(void)
{
	_cleanup_(trace_fini) struct trace t = pages(2);
	struct play_params p = params_of("pread");

	make_file(PAGE_BYTES + 100);
	p.direct = true;
	assert_int_equal(play_once(&p, &t).bytes, PAGE_BYTES + 100);
	assert_int_equal(trace_push(&t, req_make(PAGE_BYTES, PAGE_BYTES, OP_WRITE)), 0);
	p.write = true;
	expect_refusal(&p, &t, -EINVAL, "the target ends within it, at 4196,");
}

static void a_direct_write_over_an_unaligned_end_is_refused(void **state _unused_)
{
	if (!direct_works())
		skip_because("no direct I/O under /var/tmp");
	expect_no_write_over_the_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_file_cut_during_the_play_gives_short_reads, full_file),
		cmocka_unit_test(a_failing_device_gives_the_same_errors_with_every_engine),
		cmocka_unit_test_setup(what_makes_no_sense_is_refused, full_file),
		cmocka_unit_test_setup(nothing_but_reads_is_played, full_file),
		cmocka_unit_test_setup(a_trace_of_several_files_is_refused, full_file),
		cmocka_unit_test_setup(direct_requests_must_be_aligned, full_file),
		cmocka_unit_test_setup(a_direct_write_over_an_unaligned_end_is_refused, full_file),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
