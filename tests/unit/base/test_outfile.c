/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/event.h"
#include "base/macro.h"
#include "base/outfile.h"

static char folder[] = "/tmp/test_outfile.XXXXXX";

/* Every test starts in an empty folder of its own. */
static int enter(void **state _unused_)
{
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	umask(022);
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state _unused_)
{
	char command[128];

	snprintf(command, sizeof(command), "chmod -R u+w %s; rm -rf %s", folder, folder);
	return chdir("/") || system(command);
}

static size_t files(void)
{
	DIR *d = opendir(".");
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2; /* . and .. */
}

static void content_is(const char *path, const char *want)
{
	char buf[256];
	int fd = open(path, O_RDONLY);
	ssize_t n = read(fd, buf, sizeof(buf));

	close(fd);
	assert_int_equal(n, strlen(want));
	assert_memory_equal(buf, want, strlen(want));
}

static void make(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_return_code(fd, errno);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_return_code(fchmod(fd, mode), errno);
	close(fd);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_return_code(stat(path, &st), errno);
	return st.st_mode & 07777;
}

static int save(const char *path, const char *text, struct fault *fault)
{
	struct outfile o;
	int err = outfile_open(&o, path, fault);

	if (err)
		return err;
	outfile_write(&o, text, strlen(text));
	return outfile_commit(&o, fault);
}

static int in_child(int (*body)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(body());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_new_file_appears_whole_at_commit(void **state _unused_)
{
	struct fault f;
	struct outfile o;

	assert_int_equal(outfile_open(&o, "new", &f), 0);
	outfile_write(&o, "abc", 3);
	assert_int_equal(access("new", F_OK), -1);
	assert_int_equal(outfile_commit(&o, &f), 0);
	content_is("new", "abc");
	assert_int_equal(mode_of("new"), 0644);
	assert_int_equal(files(), 1);
}

static void the_old_file_stays_until_commit_and_its_mode_after(void **state _unused_)
{
	struct fault f;
	struct outfile o;

	make("old", "before", 0640);
	assert_int_equal(outfile_open(&o, "old", &f), 0);
	outfile_write(&o, "after", 5);
	content_is("old", "before");
	assert_int_equal(outfile_commit(&o, &f), 0);
	content_is("old", "after");
	assert_int_equal(mode_of("old"), 0640);
	assert_int_equal(files(), 1);
}

static void an_aborted_file_leaves_no_trace(void **state _unused_)
{
	struct fault f;
	struct outfile o;

	make("old", "before", 0644);
	assert_int_equal(outfile_open(&o, "old", &f), 0);
	outfile_write(&o, "after", 5);
	outfile_abort(&o);
	outfile_abort(&o);
	content_is("old", "before");
	assert_int_equal(files(), 1);
}

static void a_symbolic_link_is_followed_and_stays(void **state _unused_)
{
	struct fault f;
	struct stat st;

	assert_return_code(mkdir("d", 0755), errno);
	make("d/real", "before", 0600);
	assert_return_code(symlink("d/real", "link"), errno);
	assert_return_code(symlink("link", "link2"), errno);
	assert_int_equal(save("link2", "after", &f), 0);
	content_is("d/real", "after");
	assert_return_code(lstat("link", &st), errno);
	assert_true(S_ISLNK(st.st_mode));

	assert_return_code(symlink("d/fresh", "dangling"), errno);
	assert_int_equal(save("dangling", "made", &f), 0);
	content_is("d/fresh", "made");

	assert_return_code(symlink("loop", "loop"), errno);
	assert_int_equal(save("loop", "x", &f), -ELOOP);
}

static void more_than_the_buffer_is_written_in_order(void **state _unused_)
{
	static char big[3 * OUTFILE_BUF], back[sizeof(big) + 8];
	struct fault f;
	struct outfile o;
	int fd;

	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)(i * 7 + i / 251);
	assert_int_equal(outfile_open(&o, "big", &f), 0);
	outfile_write(&o, big, 1);
	outfile_write(&o, big + 1, sizeof(big) - 1000);
	for (size_t i = sizeof(big) - 999; i < sizeof(big); i++) {
		*outfile_reserve(&o, OUTFILE_BUF - 5) = big[i];
		o.used++;
	}
	assert_int_equal(outfile_commit(&o, &f), 0);
	fd = open("big", O_RDONLY);
	assert_int_equal(read(fd, back, sizeof(back)), sizeof(big));
	close(fd);
	assert_memory_equal(back, big, sizeof(big));
}

static void a_full_disk_is_seen_at_commit(void **state _unused_)
{
	struct fault f;

	assert_int_equal(save("/dev/full", "x", &f), -ENOSPC);
	assert_non_null(strstr(f.text, "No space left"));
}

static int save_past_the_limit(void)
{
	/* fails in the middle of a write, as a full disk does */
	const struct rlimit limit = {50000, 50000};
	static char big[100000];
	struct fault f;
	struct outfile o;

	signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit) || outfile_open(&o, "old", &f))
		return 1;
	outfile_write(&o, big, sizeof(big));
	return outfile_commit(&o, &f) == -EFBIG ? 0 : 2;
}

static void a_write_cut_short_leaves_the_old_file(void **state _unused_)
{
	make("old", "before", 0644);
	assert_int_equal(in_child(save_past_the_limit), 0);
	content_is("old", "before");
	assert_int_equal(files(), 1);
}

static void senseless_names_are_refused(void **state _unused_)
{
	struct fault f;

	assert_int_equal(save(".", "x", &f), -EISDIR);
	assert_string_equal(f.text, "is a directory");
	assert_int_equal(save("", "x", &f), -EINVAL);
	assert_int_equal(save("nodir/x", "x", &f), -ENOENT);
	assert_non_null(strstr(f.text, "nodir/"));
	assert_int_equal(save("newdir/", "x", &f), -EISDIR);
	make("file", "", 0644);
	assert_int_equal(save("file/x", "x", &f), -ENOTDIR);
	assert_true(save("/proc/self/nope", "x", &f) < 0);
	assert_int_equal(files(), 1);
}

static int save_what_is_closed(void)
{
	struct fault f;

	/* root may write everything, so be somebody else */
	if (geteuid() == 0 && (chown(folder, 65534, 65534) || setresuid(65534, 65534, 65534)))
		return 1;
	make("readonly", "before", 0444);
	if (save("readonly", "after", &f) != -EACCES)
		return 2;
	if (mkdir("closed", 0555) || save("closed/new", "x", &f) != -EACCES || !strstr(f.text, "closed/"))
		return 3;
	return 0;
}

static void what_may_not_be_written_is_not_replaced(void **state _unused_)
{
	assert_int_equal(in_child(save_what_is_closed), 0);
	content_is("readonly", "before");
}

static void a_pipe_is_written_in_place(void **state _unused_)
{
	struct fault f;
	char buf[8], name[32];
	int fd[2];

	assert_return_code(pipe(fd), errno);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd[1]);
	assert_int_equal(save(name, "abc", &f), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd[1]);
	assert_int_equal(save(name, "def", &f), 0);
	assert_int_equal(read(fd[0], buf, sizeof(buf)), 6);
	assert_memory_equal(buf, "abcdef", 6);
	close(fd[0]);
	close(fd[1]);
}

static void a_descriptor_of_a_file_goes_on_where_it_is(void **state _unused_)
{
	struct fault f;
	char name[32];
	int fd;

	make("log", "one\n", 0644);
	fd = open("log", O_WRONLY | O_APPEND);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	assert_int_equal(save(name, "two\n", &f), 0);
	/* it is still ours */
	assert_int_equal(write(fd, "three\n", 6), 6);
	close(fd);
	content_is("log", "one\ntwo\nthree\n");
}

static void a_long_name_still_has_room_for_the_new_file(void **state _unused_)
{
	char name[NAME_MAX + 1];
	struct fault f;

	memset(name, 'n', NAME_MAX);
	name[NAME_MAX] = '\0';
	assert_int_equal(save(name, "x", &f), 0);
	content_is(name, "x");
	assert_int_equal(files(), 1);
}

static int interrupted_save(void)
{
	struct fault f;
	struct outfile o;

	if (outfile_open(&o, "old", &f))
		return 1;
	outfile_write(&o, "after", 5);
	stop_request(SIGINT);
	return outfile_commit(&o, &f) == -EINTR ? 0 : 2;
}

static void a_signal_in_between_keeps_the_old_file(void **state _unused_)
{
	make("old", "before", 0644);
	assert_int_equal(in_child(interrupted_save), 0);
	content_is("old", "before");
	assert_int_equal(files(), 1);
}

static int save_despite_a_signal(void)
{
	struct fault f;
	struct outfile o;

	if (outfile_open(&o, "old", &f))
		return 1;
	o.despite_stop = true;
	outfile_write(&o, "after", 5);
	stop_request(SIGINT);
	return outfile_commit(&o, &f) == 0 ? 0 : 2;
}

static void what_is_whole_despite_a_signal_takes_the_name(void **state _unused_)
{
	make("old", "before", 0644);
	assert_int_equal(in_child(save_despite_a_signal), 0);
	content_is("old", "after");
	assert_int_equal(files(), 1);
}

static int save_without_reader(void)
{
	struct fault f;
	char name[32];
	int fd[2];

	stop_install();
	if (pipe(fd))
		return 1;
	close(fd[0]);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd[1]);
	if (save(name, "x", &f) != -EPIPE)
		return 2;
	return stop_signal() == SIGPIPE ? 0 : 3;
}

static void a_reader_that_left_asks_for_the_end(void **state _unused_)
{
	assert_int_equal(in_child(save_without_reader), 0);
}

static void memory_takes_all_and_begins_anew(void **state _unused_)
{
	_cleanup_(outfile_abort) struct outfile o = {.fd = -1};
	static char part[5000];

	assert_int_equal(outfile_open_memory(&o), 0);
	for (unsigned i = 0; i < 400; i++) {
		memset(part, (int)('a' + i % 26), sizeof(part));
		outfile_write(&o, part, sizeof(part));
	}
	assert_int_equal(o.error, 0);
	assert_int_equal(o.used, 400 * sizeof(part));
	for (unsigned i = 0; i < 400; i++)
		assert_int_equal(o.buf[i * sizeof(part) + i], (int)('a' + i % 26));
	o.used = 0;
	outfile_write(&o, "x", 1);
	assert_int_equal(o.used, 1);
	assert_int_equal(o.buf[0], 'x');
}

int main(void)
{
#define test(name) cmocka_unit_test_setup_teardown(name, enter, leave)
	const struct CMUnitTest tests[] = {
		test(a_new_file_appears_whole_at_commit),
		test(the_old_file_stays_until_commit_and_its_mode_after),
		test(an_aborted_file_leaves_no_trace),
		test(a_symbolic_link_is_followed_and_stays),
		test(more_than_the_buffer_is_written_in_order),
		test(a_full_disk_is_seen_at_commit),
		test(a_write_cut_short_leaves_the_old_file),
		test(senseless_names_are_refused),
		test(what_may_not_be_written_is_not_replaced),
		test(a_pipe_is_written_in_place),
		test(a_descriptor_of_a_file_goes_on_where_it_is),
		test(a_long_name_still_has_room_for_the_new_file),
		test(a_signal_in_between_keeps_the_old_file),
		test(what_is_whole_despite_a_signal_takes_the_name),
		test(a_reader_that_left_asks_for_the_end),
		cmocka_unit_test(memory_takes_all_and_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
