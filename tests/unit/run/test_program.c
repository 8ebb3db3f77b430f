/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/macro.h"
#include "capture.h"
#include "run/cli.h"
#include "run/program.h"
#include "run/session.h"
#include "trace/format.h"

static char folder[] = "/tmp/test_program.XXXXXX";

static int make_folder(void **state _unused_)
{
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state _unused_)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

struct outcome {
	int parsed, checked, status; /* -1: did not come so far */
	size_t actions, plays;
	char out[4096], err[4096];
};

/* Parse, check and run the words of line, split at blanks. */
static void run(struct outcome *o, const char *line)
{
	_cleanup_free_ char *copy = strdup(line);
	_cleanup_(program_freep) struct program *p = program_new("tool", line);
	struct cli_group groups[PROGRAM_GROUPS + 1] = {0};
	const struct cli cli = {.tool = "tool", .groups = groups};
	struct session session = {0};
	const char *argv[64] = {"tool"};
	int argc = 1;
	char *save;

	assert_non_null(p);
	program_groups(p, true, groups);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	*o = (struct outcome){.checked = -1, .status = -1};
	capture_begin(stdout);
	capture_begin(stderr);
	o->parsed = cli_parse(&cli, argc, argv);
	o->actions = program_actions_count(p);
	o->plays = program_plays_count(p);
	if (o->parsed == 0)
		o->checked = program_check(p);
	if (o->checked == 0)
		o->status = program_run(p, &session);
	capture_end(stderr, o->err, sizeof(o->err));
	capture_end(stdout, o->out, sizeof(o->out));
}

static void runs(const char *line)
{
	struct outcome o;

	run(&o, line);
	assert_string_equal(o.err, "");
	assert_int_equal(o.status, 0);
}

static void read_trace(const char *name, struct trace *t)
{
	_cleanup_(trace_reader_freep) struct trace_reader *r = NULL;
	_cleanup_close_ int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct fault fault;

	trace_init(t);
	assert_true(fd >= 0);
	r = trace_reader_new(fd, PAGE_SHIFT);
	assert_non_null(r);
	assert_int_equal(trace_reader_rest(r, t, &fault), 0);
}

static bool same_requests(const char *a, const char *b)
{
	_cleanup_(trace_fini) struct trace ta, tb;

	read_trace(a, &ta);
	read_trace(b, &tb);
	assert_true(ta.count > 0);
	return trace_equal(&ta, &tb);
}

#define RANDOM "--offset 0,1g --pattern random --max-requests 100 "

static void one_seed_gives_one_trace(void **state _unused_)
{
	runs("--seed 7 " RANDOM "--create --shuffle --save a");
	runs("--seed 7 " RANDOM "--create --shuffle --save b");
	runs("--seed 8 " RANDOM "--create --shuffle --save c");
	assert_true(same_requests("a", "b"));
	assert_false(same_requests("a", "c"));
}

static void a_seed_restarts_the_random_numbers_for_what_follows(void **state _unused_)
{
	runs(RANDOM "--seed 7 --create --save a");
	runs("--seed 3 " RANDOM "--create --shuffle --seed 7 --save b --create --save c");
	runs("--load c --load a --save d");
	/* The last hundred requests of c were drawn as those of a, whatever was drawn before. */
	assert_int_equal(system("tail -n 100 c >e && tail -n 100 d | cmp -s - e"), 0);
}

static void a_seed_counts_once_for_all_actions_after_it(void **state _unused_)
{
	runs("--seed 7 " RANDOM "--create --save a --create --save b");
	assert_int_equal(system("tail -n 200 b | head -n 100 >first; tail -n 100 b >second; ! cmp -s first second"), 0);
}

static void a_drawn_seed_is_recorded_and_makes_the_trace_again(void **state _unused_)
{
	_cleanup_free_ char *line = NULL;
	uint64_t seed;
	FILE *f;

	runs(RANDOM "--create --save a");
	runs(RANDOM "--create --save b");
	assert_false(same_requests("a", "b"));
	f = fopen("a", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "# tool %*s seed %ju: --offset", &seed), 1);
	fclose(f);
	assert_true(asprintf(&line, "--seed %ju " RANDOM "--create --save c", (uintmax_t)seed) > 0);
	runs(line);
	assert_true(same_requests("a", "c"));
}

static void actions_and_plays_are_counted(void **state _unused_)
{
	struct outcome o;

	run(&o, "--sleep 0");
	assert_int_equal(o.actions, 1);
	assert_int_equal(o.plays, 0);
	runs("--offset 0,8 --create --save f");
	run(&o, "--create --save g --play f --mplay f --sleep 0 --play f");
	assert_int_equal(o.actions, 6);
	assert_int_equal(o.plays, 3);
}

static void a_parameter_with_no_action_behind_it_is_refused(void **state _unused_)
{
	struct outcome o;

	run(&o, "--unit k");
	assert_int_equal(o.actions, 0);
	assert_int_equal(o.parsed, 0);
	assert_true(o.checked < 0);
	assert_ptr_equal(strstr(o.err, "tool: --unit: no action stands behind it"), o.err);
	run(&o, "--sleep 0 --unit k --seed 1");
	assert_true(o.checked < 0);
	assert_ptr_equal(strstr(o.err, "tool: --seed: no action"), o.err);
}

static void a_check_names_the_action_and_leaves_no_trace(void **state _unused_)
{
	static const struct {
		const char *line, *text;
	} bad[] = {
	    {"--save o --pattern random --create", "tool: --create: "},
	    {"--save o --load absent", "tool: --load: absent: No such file or directory\n"},
	    {"--save o --interleave absent", "tool: --interleave: absent: "},
	    {"--save o --play absent", "tool: --play: absent: "},
	    {"--save o --mplay absent", "tool: --mplay: absent: "},
	    {"--save o --save absent/p", "tool: --save: absent/p: "},
	    {"--save o --break-up absent/p", "tool: --break-up: absent/p: "},
	    {"--save o --play .", "tool: --play: .: "},
	    {"--save o --depth 2 --play f", "tool: --play: f: "},
	    {"--save o --load - --load -", "tool: --load: standard input: "},
	};
	struct outcome o;

	runs("--offset 0,8 --create --save f");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		run(&o, bad[i].line);
		assert_int_equal(o.parsed, 0);
		assert_true(o.checked < 0);
		assert_ptr_equal(strstr(o.err, bad[i].text), o.err);
		assert_string_equal(o.out, "");
		assert_int_equal(access("o", F_OK), -1);
	}
}

static void bad_input_is_status_2_with_file_and_line(void **state _unused_)
{
	struct outcome o;

	assert_int_equal(system("printf '1\\n2 x\\n' >bad"), 0);
	run(&o, "--load bad --save o");
	assert_int_equal(o.status, 2);
	assert_ptr_equal(strstr(o.err, "tool: bad:2: "), o.err);
	assert_int_equal(access("o", F_OK), -1);
}

static void reports_make_room_for_a_trace_on_standard_output(void **state _unused_)
{
	struct outcome o;

	runs("--offset 0,8 --create --save f");
	run(&o, "--quiet --size 1b --offset 0,2b --create --play f --save -");
	assert_int_equal(o.status, 0);
	assert_non_null(strstr(o.out, "\n0p\t1b\n1b\t1b\n"));
	assert_null(strstr(o.out, "MB/s"));
	assert_non_null(strstr(o.err, "MB/s"));
}

static void a_play_past_the_end_goes_on_with_status_1(void **state _unused_)
{
	struct outcome o;

	runs("--offset 0,8 --size 1b --max-requests 1 --create --save f");
	run(&o, "--offset 0,4 --create --play f --save after");
	assert_int_equal(o.status, 1);
	assert_non_null(strstr(o.err, "tool: the trace reaches to byte 16384"));
	assert_non_null(strstr(o.out, "\npast_end_requests 4\n"));
	assert_int_equal(access("after", F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_seed_gives_one_trace),
	    cmocka_unit_test(a_seed_restarts_the_random_numbers_for_what_follows),
	    cmocka_unit_test(a_seed_counts_once_for_all_actions_after_it),
	    cmocka_unit_test(a_drawn_seed_is_recorded_and_makes_the_trace_again),
	    cmocka_unit_test(actions_and_plays_are_counted),
	    cmocka_unit_test(a_parameter_with_no_action_behind_it_is_refused),
	    cmocka_unit_test(a_check_names_the_action_and_leaves_no_trace),
	    cmocka_unit_test(bad_input_is_status_2_with_file_and_line),
	    cmocka_unit_test(reports_make_room_for_a_trace_on_standard_output),
	    cmocka_unit_test(a_play_past_the_end_goes_on_with_status_1),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
