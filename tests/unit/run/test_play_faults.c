/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes wrong: before a play, which then refuses, and in it, which is counted. */
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A mapping cannot tell a missing page from a failing one; a read can. */
static void a_file_cut_during_the_play_gives_short_reads_or_errors(void **state _unused_)
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
		if (e->flags & ENGINE_BUFFER) {
			CHECK(e, r, short_reads, 2);
			CHECK(e, r, short_bytes, 2 * PAGE_BYTES);
			CHECK(e, r, errors, 0);
		} else {
			CHECK(e, r, errors, 2);
			CHECK(e, r, error_kinds, 1);
			CHECK(e, r, error[0].error, EIO);
			CHECK(e, r, error[0].count, 2);
			CHECK(e, r, error[0].first_offset, 2 * PAGE_BYTES);
			CHECK(e, r, error[0].first_request, 3);
		}
	}
}

static void an_error_stops_the_play_unless_told_to_go_on(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of("mmap");
	_cleanup_(play_closep) struct play *play = opened(&p, &t);
	struct play_result r;

	make_file(2 * PAGE_BYTES);
	r = play_again(play);
	assert_int_equal(r.requests, 3);
	assert_int_equal(r.bytes, 2 * PAGE_BYTES);
	assert_int_equal(r.errors, 1);
	assert_true(r.stopped_by_error);
	assert_false(r.hit_limit);
}

/* A loop device whose file ends after two pages: reads behind fail with EIO. Returns false where there is none. */
static bool broken_device(char *name, size_t cap)
{
	FILE *f;
	bool got;

	make_file(SIZE);
	f = popen("losetup --find --show f 2>/dev/null", "r");
	got = f && fgets(name, (int)cap, f);
	if (f)
		got &= pclose(f) == 0;
	if (got)
		name[strcspn(name, "\n")] = '\0';
	assert_int_equal(truncate("f", 2 * PAGE_BYTES), 0);
	return got;
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
	char device[64], command[128];

	if (geteuid() != 0)
		skip_because("only root sets up a loop device");
	if (!broken_device(device, sizeof(device)))
		skip_because("no loop device here");
	play_broken(device);
	snprintf(command, sizeof(command), "losetup --detach %s", device);
	assert_int_equal(system(command), 0);
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
		cmocka_unit_test_setup(a_file_cut_during_the_play_gives_short_reads_or_errors, full_file),
		cmocka_unit_test_setup(an_error_stops_the_play_unless_told_to_go_on, full_file),
		cmocka_unit_test(a_failing_device_gives_the_same_errors_with_every_engine),
		cmocka_unit_test_setup(what_makes_no_sense_is_refused, full_file),
		cmocka_unit_test_setup(nothing_but_reads_is_played, full_file),
		cmocka_unit_test_setup(a_trace_of_several_files_is_refused, full_file),
		cmocka_unit_test_setup(direct_requests_must_be_aligned, full_file),
		cmocka_unit_test_setup(a_direct_write_over_an_unaligned_end_is_refused, full_file),
	};

	return cmocka_run_group_tests(tests, stage_make, stage_remove);
}
