/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of a process that the kernel has killed for want of memory. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "run/killed.h"

static char folder[] = "/tmp/test_killed.XXXXXX";

static int enter(void **state _unused_)
{
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state _unused_)
{
	unlink("memory.events");
	unlink("memory.max");
	unlink("errors");
	return chdir("/") || rmdir(folder);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* What is said when a process that had 2 kills behind it ends with so many. */
static void end_with_kills(const char *kills, char *out, size_t size)
{
	_cleanup_close_ int before = dup(STDERR_FILENO), file = open("errors", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char text[UNDO_TEXT], events[128];
	ssize_t n;

	put("memory.events", kills);
	snprintf(events, sizeof(events), "%s/memory.events", folder);
	killed_text(text, "a tool", 2);
	assert_true(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
	killed_say(events, text);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	n = pread(file, out, size - 1, 0);
	assert_true(n >= 0);
	out[n] = '\0';
}

static void a_kill_for_want_of_memory_is_told_with_the_group_and_its_limit(void **state _unused_)
{
	char told[256], want[256];

	end_with_kills("oom 5\noom_kill 3\n", told, sizeof(told));
	snprintf(want, sizeof(want), "a tool: killed by the kernel for want of memory in the cgroup %s\n", folder);
	assert_string_equal(told, want);
	put("memory.max", "max\n");
	end_with_kills("oom 5\noom_kill 3\n", told, sizeof(told));
	assert_string_equal(told, want);
	put("memory.max", "8192\n");
	end_with_kills("oom 5\noom_kill 3\n", told, sizeof(told));
	snprintf(want, sizeof(want),
		 "a tool: killed by the kernel for want of memory in the cgroup %s, whose limit is 8192 bytes\n", folder);
	assert_string_equal(told, want);
	end_with_kills("oom 5\noom_kill 2\n", told, sizeof(told));
	assert_string_equal(told, "");
	end_with_kills("oom 5\n", told, sizeof(told));
	assert_string_equal(told, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kill_for_want_of_memory_is_told_with_the_group_and_its_limit),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
