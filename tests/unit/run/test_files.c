/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <cmocka.h>

#include "base/macro.h"
#include "run/files.h"

static char folder[] = "/tmp/test_files.XXXXXX";

static void make_socket(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(address.sun_path, path);
	assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
}

static int make_folder(void **state _unused_)
{
	if (!mkdtemp(folder) || chdir(folder) < 0)
		return -1;
	make_socket("socket");
	return system("echo >file; mkdir d; mkfifo fifo; ln -s file link; ln -s nothing dangling; ln -s loop loop");
}

static int remove_folder(void **state _unused_)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void the_standard_streams_are_known_by_all_their_names(void **state _unused_)
{
	static const char *const in[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
	static const char *const out[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
	static const char *const neither[] = {"", "--", "./-", "/dev/fd/", "/dev/fd/10", "/dev/fd/2", "/dev/stdinx", "/dev/null"};

	for (size_t i = 0; i < ARRAY_SIZE(in); i++) {
		assert_true(file_is_stdin(in[i]));
		assert_true(file_is_stdout(out[i]));
		assert_int_equal(file_is_stdin(out[i]), i == 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(neither); i++)
		assert_false(file_is_stdin(neither[i]) || file_is_stdout(neither[i]));
}

static void inputs_are_judged_by_name_and_kind(void **state _unused_)
{
	static const char *const good[] = {"file", "link", "fifo", "-", "/dev/null"};
	static const char *const bad[] = {"", "absent", "d", "socket", "dangling", "loop", "file/x"};
	struct fault fault;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(file_check_input(good[i], &fault), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		fault.text[0] = '\0';
		assert_true(file_check_input(bad[i], &fault) < 0);
		assert_true(fault.text[0]);
	}
}

static void outputs_are_judged_by_name_kind_and_folder(void **state _unused_)
{
	static const char *const good[] = {"file", "link", "fifo", "-", "/dev/null", "new", "d/new", "./new", "dangling"};
	static const char *const bad[] = {"", "absent/new", "d", "d/", "socket", "loop", "file/new"};
	struct fault fault;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(file_check_output(good[i], &fault), 0);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		fault.text[0] = '\0';
		assert_true(file_check_output(bad[i], &fault) < 0);
		assert_true(fault.text[0]);
	}
	assert_int_equal(access("new", F_OK), -1);
}

static void an_input_is_opened_once_and_for_reading(void **state _unused_)
{
	struct fault fault;
	char byte;
	_cleanup_close_ int fd = file_open_input("file", &fault), in = file_open_input("-", &fault);

	assert_true(fd > STDERR_FILENO);
	assert_int_equal(read(fd, &byte, 1), 1);
	assert_int_equal(write(fd, &byte, 1), -1);
	assert_true(in > STDERR_FILENO);
	assert_int_equal(file_open_input("absent", &fault), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_standard_streams_are_known_by_all_their_names),
		cmocka_unit_test(inputs_are_judged_by_name_and_kind),
		cmocka_unit_test(outputs_are_judged_by_name_kind_and_folder),
		cmocka_unit_test(an_input_is_opened_once_and_for_reading),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
