/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/macro.h"
#include "mon/hist.h"
#include "run/verdict.h"

static char text[VERDICT_TEXT];

/* A thousand requests, a millisecond apart, of which so many were late by so much. */
static struct play_fidelity thousand(struct hist *h, uint64_t late, int64_t by)
{
	hist_clear(h);
	hist_record_many(h, 80 * 1000, 1000 - late);
	hist_record_many(h, (uint64_t)by, late);
	return (struct play_fidelity){
	    .due_ns = 999 * NS_PER_MSEC,
	    .issue_ns = 999 * NS_PER_MSEC + 80 * NS_PER_USEC,
	    .median_gap_ns = NS_PER_MSEC,
	    .late = late,
	    .lag = h,
	};
}

static void a_play_in_time_is_valid(void **state)
{
	struct play_fidelity f = thousand(*state, 0, 0);

	assert_true(verdict_of(&f, text));
	assert_string_equal(text, "timing valid: p99 lag 80 us, median gap 1000 us");
}

static void a_play_without_a_request_is_not_judged(void **state)
{
	struct play_fidelity f = thousand(*state, 0, 0);

	hist_clear(*state);
	f.due_ns = f.issue_ns = 0;
	assert_false(verdict_of(&f, text));
	assert_string_equal(text, "timing unknown: no request was timed");
	f.skipped = 9;
	assert_false(verdict_of(&f, text));
	assert_string_equal(text, "timing unknown: no request was timed, 9 never issued");
}

static void one_request_in_a_hundred_may_be_late(void **state)
{
	struct play_fidelity f = thousand(*state, 10, 5 * NS_PER_MSEC);

	assert_true(verdict_of(&f, text));
	f = thousand(*state, 11, 5 * NS_PER_MSEC);
	assert_false(verdict_of(&f, text));
	assert_non_null(strstr(text, "timing lost: p99 lag "));
	assert_non_null(strstr(text, " us, median gap 1000 us, 11 of 1000 requests late by more than that"));
}

static void a_play_that_took_longer_is_lost(void **state)
{
	struct play_fidelity f = thousand(*state, 0, 0);

	f.due_ns = f.issue_ns = 10 * NS_PER_MSEC;
	f.issue_ns += NS_PER_MSEC;
	/* a tenth of its time, but a millisecond is nothing */
	assert_true(verdict_of(&f, text));
	f.due_ns = NS_PER_SEC;
	f.issue_ns = f.due_ns + f.due_ns / 4;
	assert_false(verdict_of(&f, text));
	assert_non_null(strstr(text, "the whole took 1.2500 times as long as it should"));
}

static void long_plays_may_be_late_by_a_hundredth(void **state)
{
	struct play_fidelity f = thousand(*state, 0, 0);

	f.due_ns = 1000 * NS_PER_SEC;
	f.issue_ns = 1010 * NS_PER_SEC;
	assert_true(verdict_of(&f, text));
	f.issue_ns++;
	assert_false(verdict_of(&f, text));
}

static void equal_times_are_judged_by_the_mean_gap(void **state)
{
	struct play_fidelity f = thousand(*state, 0, 0);

	f.median_gap_ns = 0;
	assert_true(verdict_of(&f, text));
	assert_string_equal(text, "timing valid: p99 lag 80 us, mean gap 1000 us");
	/* all at once: nothing can be lost but the end */
	f.due_ns = 0;
	f.issue_ns = NS_PER_USEC;
	assert_true(verdict_of(&f, text));
}

static void what_was_left_out_is_told(void **state)
{
	struct play_fidelity f = thousand(*state, 0, 0);

	f.untimed = 3;
	f.skipped = 7;
	assert_true(verdict_of(&f, text));
	assert_non_null(strstr(text, ", 3 without a time, 7 never issued"));
}

static void the_stretch_of_nothing_is_one(void **state _unused_)
{
	struct play_fidelity f = {0};

	assert_true(verdict_stretch(&f) == 1);
	f.due_ns = 4;
	f.issue_ns = 5;
	assert_true(verdict_stretch(&f) == 1.25);
}

static void the_longest_text_fits(void **state)
{
	struct play_fidelity f = thousand(*state, 500, 100 * NS_PER_SEC);

	f.issue_ns = INT64_MAX;
	f.late = f.untimed = f.skipped = UINT64_MAX;
	assert_false(verdict_of(&f, text));
	assert_true(strlen(text) < VERDICT_TEXT);
	assert_non_null(strstr(text, "p99 lag 100 s"));
	assert_non_null(strstr(text, "never issued"));
}

static int make_hist(void **state)
{
	*state = hist_new();
	return *state ? 0 : -1;
}

static int free_hist(void **state)
{
	hist_free(*state);
	return 0;
}

#define test(t) cmocka_unit_test_setup_teardown(t, make_hist, free_hist)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_play_in_time_is_valid),
		test(a_play_without_a_request_is_not_judged),
		test(one_request_in_a_hundred_may_be_late),
		test(a_play_that_took_longer_is_lost),
		test(long_plays_may_be_late_by_a_hundredth),
		test(equal_times_are_judged_by_the_mean_gap),
		test(what_was_left_out_is_told),
		cmocka_unit_test(the_stretch_of_nothing_is_one),
		test(the_longest_text_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
