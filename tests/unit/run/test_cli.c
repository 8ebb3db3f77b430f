/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/macro.h"
#include "capture.h"
#include "run/cli.h"

/* What was taken, in order: "load=f;round-up;word=x;". */
static char taken[512];

static int take(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	size_t n = strlen(taken);

	if (text && strcmp(text, "bad") == 0)
		return fault_set(fault, -EINVAL, "is bad");
	snprintf(taken + n, sizeof(taken) - n, "%s%s%s%s;", (const char *)ctx, row->name, text ? "=" : "",
		 text ? text : "");
	return 0;
}

static int take_word(void *ctx, const char *text, struct fault *fault)
{
	static const struct cli_row word = {.name = "word"};

	return take(ctx, &word, text, fault);
}

static const struct cli_row first[] = {
    {.name = "unit", .letter = 'u', .arg = CLI_REQUIRED, .arg_help = "U", .take = take, .help = "set the unit"},
    {.name = "skip", .arg = CLI_REQUIRED, .negative = true, .arg_help = "N", .take = take, .help = "skip"},
    {.name = NULL},
};

static const struct cli_row second[] = {
    {.name = "load", .letter = 'l', .arg = CLI_REQUIRED, .arg_help = "FILE", .take = take, .help = "load FILE"},
    {.name = "round-up", .letter = 'r', .arg = CLI_NONE, .take = take, .help = "round up"},
    {.name = "play", .letter = 'p', .arg = CLI_OPTIONAL, .arg_help = "[FILE]", .take = take, .help = "play"},
    {.name = "max-requests", .arg = CLI_REQUIRED, .arg_help = "N", .take = take, .help = "limit"},
    {.name = NULL},
};

struct with {
	bool no_letters, words;
};

/* Parse the words of line (split at blanks; '~' stands for an empty word) and return the status. */
static int parse(const char *line, struct with with, char *message, size_t cap)
{
	_cleanup_free_ char *copy = strdup(line);
	const char *argv[32] = {"tool"};
	int argc = 1, err;
	char *save, first_ctx[] = "", second_ctx[] = "";
	const struct cli_group groups[] = {
	    {.title = "First", .rows = first, .letters = true, .ctx = first_ctx},
	    {.title = "Second", .rows = second, .letters = !with.no_letters, .ctx = second_ctx},
	    {.title = NULL},
	};
	const struct cli cli = {
	    .tool = "tool",
	    .groups = groups,
	    .word = with.words ? take_word : NULL,
	    .word_ctx = first_ctx,
	};

	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(w, "~") == 0 ? "" : w;
	taken[0] = '\0';
	capture_begin(stderr);
	err = cli_parse(&cli, argc, argv);
	capture_end(stderr, message, cap);
	return err;
}

static void takes(const char *line, struct with with, const char *what)
{
	char message[1024];
	int err = parse(line, with, message, sizeof(message));

	assert_string_equal(message, "");
	assert_int_equal(err, 0);
	assert_string_equal(taken, what);
}

static void refuses(const char *line, const char *message_part)
{
	char message[1024];

	assert_int_equal(parse(line, (struct with){0}, message, sizeof(message)), -EINVAL);
	if (!strstr(message, message_part))
		fail_msg("'%s' lacks '%s'", message, message_part);
	assert_non_null(strstr(message, "Try 'tool --help'."));
}

static void takes_options_in_order_and_repeatedly(void **state _unused_)
{
	takes("--load a --unit k --load=b -r -l c", (struct with){0}, "load=a;unit=k;load=b;round-up;load=c;");
}

static void takes_bundled_letters(void **state _unused_)
{
	takes("-rl f -lg -rp", (struct with){0}, "round-up;load=f;load=g;round-up;play;");
}

static void an_optional_argument_is_the_next_word_that_is_no_option(void **state _unused_)
{
	takes("--play f --play --round-up -p -r --play", (struct with){0}, "play=f;play;round-up;play;round-up;play;");
	takes("--play - -r", (struct with){0}, "play=-;round-up;");
	takes("--play=", (struct with){0}, "play=;");
	takes("--play ~", (struct with){0}, "play=;");
}

static void an_empty_argument_is_an_argument(void **state _unused_)
{
	takes("--load ~ --unit=", (struct with){0}, "load=;unit=;");
}

static void a_needed_argument_is_never_an_option(void **state _unused_)
{
	refuses("--load --round-up x", "tool: --load: needs FILE, but '--round-up' begins with '-'");
	refuses("--load -r", "--load: needs FILE");
	refuses("-l -- x", "--load: needs FILE");
	refuses("--unit -1", "--unit: needs U");
	refuses("--skip -x", "--skip: needs N");
	refuses("--load", "tool: --load: the argument is missing");
	assert_string_equal(taken, "");
}

static void a_negative_number_and_a_single_dash_pass(void **state _unused_)
{
	takes("--skip -10 --load - --skip=-1,5", (struct with){0}, "skip=-10;load=-;skip=-1,5;");
}

static void an_argument_where_none_belongs_is_refused(void **state _unused_)
{
	refuses("--round-up=3", "tool: --round-up=3: takes no argument");
	refuses("-r=3", "tool: -r=3: takes no argument");
}

static void unknown_options_name_the_probable_one(void **state _unused_)
{
	refuses("--max-req 5", "tool: --max-req: no such option; did you mean --max-requests?");
	refuses("--rond-up", "did you mean --round-up?");
	refuses("-round-up", "did you mean --round-up?");
	refuses("--lode=x", "did you mean --load?");
	refuses("--no-such-option", "tool: --no-such-option: no such option\n");
	refuses("-rz", "tool: -rz: no such option\n");
}

static void control_characters_of_an_option_are_not_printed(void **state _unused_)
{
	refuses("--\x1b[31m", "--\\x1b[31m: no such option");
}

static void left_over_words_are_refused_before_anything_is_taken(void **state _unused_)
{
	refuses("--load a stray", "tool: 'stray': a word that belongs to no option");
	assert_string_equal(taken, "");
	refuses("--load a -", "'-': a word that belongs to no option");
}

static void words_are_taken_in_order_where_they_are_wanted(void **state _unused_)
{
	takes("a --load f b -- --load -x", (struct with){.words = true}, "word=a;load=f;word=b;word=--load;word=-x;");
}

static void a_group_without_letters_leaves_them_alone(void **state _unused_)
{
	char message[1024];

	takes("--load f -u k", (struct with){.no_letters = true}, "load=f;unit=k;");
	assert_int_equal(parse("-l f", (struct with){.no_letters = true}, message, sizeof(message)), -EINVAL);
}

static void what_take_says_is_printed_with_the_option(void **state _unused_)
{
	refuses("--round-up --load bad --unit k", "tool: --load: is bad\n");
	assert_string_equal(taken, "round-up;");
}

static void help_shows_every_row(void **state _unused_)
{
	char text[2048];
	char ctx[] = "";
	const struct cli_group groups[] = {
	    {.title = "First", .rows = first, .letters = false, .ctx = ctx},
	    {.title = "Second", .rows = second, .letters = true, .ctx = ctx},
	    {.title = NULL},
	};
	const struct cli cli = {.tool = "tool", .usage = "[X]", .about = "About.", .groups = groups};

	capture_begin(stdout);
	cli_help(&cli, stdout);
	capture_end(stdout, text, sizeof(text));
	assert_non_null(strstr(text, "Usage: tool [X]\nAbout.\n\nFirst:\n"));
	assert_non_null(strstr(text, "\n      --unit U "));
	assert_non_null(strstr(text, "\n  -l, --load FILE "));
	assert_non_null(strstr(text, "\n  -p, --play [FILE] "));
	assert_non_null(strstr(text, "      --max-requests N"));
	assert_non_null(strstr(text, " load FILE\n"));
}

static void the_command_is_one_printable_line(void **state _unused_)
{
	const char *argv[] = {"tool", "--load", "a\nb", "", "c", NULL};
	_cleanup_free_ char *command = cli_command(5, argv);
	_cleanup_free_ char *none = cli_command(1, argv);

	assert_string_equal(command, "--load a?b  c");
	assert_string_equal(none, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(takes_options_in_order_and_repeatedly),
	    cmocka_unit_test(takes_bundled_letters),
	    cmocka_unit_test(an_optional_argument_is_the_next_word_that_is_no_option),
	    cmocka_unit_test(an_empty_argument_is_an_argument),
	    cmocka_unit_test(a_needed_argument_is_never_an_option),
	    cmocka_unit_test(a_negative_number_and_a_single_dash_pass),
	    cmocka_unit_test(an_argument_where_none_belongs_is_refused),
	    cmocka_unit_test(unknown_options_name_the_probable_one),
	    cmocka_unit_test(control_characters_of_an_option_are_not_printed),
	    cmocka_unit_test(left_over_words_are_refused_before_anything_is_taken),
	    cmocka_unit_test(words_are_taken_in_order_where_they_are_wanted),
	    cmocka_unit_test(a_group_without_letters_leaves_them_alone),
	    cmocka_unit_test(what_take_says_is_printed_with_the_option),
	    cmocka_unit_test(help_shows_every_row),
	    cmocka_unit_test(the_command_is_one_printable_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
