/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"
#include "io/residency.h"
#include "io/target.h"
#include "loop.h"

/* A directory on a file system with backing store where the machine has one: /tmp may be tmpfs. */
static char dir[] = "/var/tmp/iotrace-target-XXXXXX";

/* In place of the C library's: counted. */
static unsigned syncs;

int fsync(int fd)
{
	syncs++;
	return (int)syscall(SYS_fsync, fd);
}

static int make_dir(void **state _unused_)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int remove_dir(void **state _unused_)
{
	static const char *const names[] = {"f", "fifo", "sock", "loop", "link", "sub"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		remove(names[i]);
	return rmdir(dir);
}

/* File f of n bytes 'x'. */
static void write_file(size_t n, int sync)
{
	_cleanup_free_ char *data = malloc(n + 1);
	_cleanup_close_ int fd = open("f", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_non_null(data);
	assert_true(fd >= 0);
	memset(data, 'x', n);
	assert_int_equal(write(fd, data, n), n);
	if (sync)
		assert_int_equal(fsync(fd), 0);
}

static void assert_refused(const char *path, int err, const char *word)
{
	struct target t;
	struct fault f = {.text = ""};

	assert_int_equal(target_open(&t, path, 0, &f), err);
	if (!strstr(f.text, word))
		fail_msg("%s: '%s' has no '%s'", path, f.text, word);
	assert_int_equal(t.fd, -1);
}

static void opens_a_file_and_a_link_to_it(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE, l = TARGET_NONE;
	struct fault f;

	write_file(5000, 0);
	assert_int_equal(symlink("f", "link"), 0);
	assert_int_equal(target_open(&t, "f", 0, &f), 0);
	assert_int_equal(target_open(&l, "link", 0, &f), 0);
	assert_int_equal(t.kind, TARGET_FILE);
	assert_int_equal(t.size, 5000);
	assert_int_equal(l.size, 5000);
	assert_string_equal(l.path, "link");
	assert_false(t.direct || t.writable);
	assert_int_equal(fcntl(t.fd, F_GETFL) & (O_NONBLOCK | O_ACCMODE), O_RDONLY);
	assert_int_equal(truncate("f", 6000), 0);
	assert_int_equal(target_resize(&t), 0);
	assert_int_equal(t.size, 6000);
}

static void refuses_what_has_no_offsets_by_its_name(void **state _unused_)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX, .sun_path = "sock"};
	_cleanup_close_ int s = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_int_equal(mkfifo("fifo", 0644), 0);
	assert_int_equal(mkdir("sub", 0755), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(bind(s, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_refused("fifo", -EINVAL, "fifo");
	assert_refused("sub", -EINVAL, "directory");
	assert_refused("sock", -EINVAL, "socket");
	assert_refused("loop", -ELOOP, "symbolic link");
	assert_refused("absent", -ENOENT, "No such file");
	assert_refused("", -ENOENT, "No such file");
}

static void refuses_a_terminal(void **state _unused_)
{
	_cleanup_close_ int m = posix_openpt(O_RDWR | O_NOCTTY);

	if (m < 0 || grantpt(m) < 0 || unlockpt(m) < 0)
		skip();
	assert_refused(ptsname(m), -EINVAL, "terminal");
}

static void a_character_device_has_no_size(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct fault f;
	uint64_t left = 9;
	struct residency r;

	assert_int_equal(target_open(&t, "/dev/zero", 0, &f), 0);
	assert_int_equal(t.kind, TARGET_CHAR);
	assert_int_equal(t.size, INT64_MAX);
	assert_int_equal(target_drop_cache(&t, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(target_residency(&t, &r), -ENODEV);
}

static void writing_needs_the_flag(void **state _unused_)
{
	_cleanup_(target_close) struct target r = TARGET_NONE, w = TARGET_NONE;
	struct fault f;

	write_file(4096, 0);
	assert_int_equal(target_open(&r, "f", 0, &f), 0);
	assert_int_equal(write(r.fd, "y", 1), -1);
	assert_int_equal(target_open(&w, "f", TARGET_WRITE, &f), 0);
	assert_true(w.writable);
	assert_int_equal(pwrite(w.fd, "y", 1, 0), 1);
	assert_int_equal(target_sync(&w), 0);
	assert_int_equal(w.size, 4096);
}

static void direct_tells_the_alignment_or_is_refused_in_words(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_free_ void *buf = NULL;
	struct fault f;
	int r;

	write_file(1 << 17, 1);
	r = target_open(&t, "f", TARGET_DIRECT, &f);
	if (r == -EOPNOTSUPP) {
		assert_non_null(strstr(f.text, "direct I/O"));
		return;
	}
	assert_int_equal(r, 0);
	assert_true(t.direct);
	assert_true(fcntl(t.fd, F_GETFL) & O_DIRECT);
	assert_true(t.dio_offset >= 1 && (t.dio_offset & (t.dio_offset - 1)) == 0);
	assert_true(t.dio_memory >= 1);
	assert_int_equal(posix_memalign(&buf, MAX(4096, t.dio_memory), MAX(4096, t.dio_offset)), 0);
	assert_int_equal(pread(t.fd, buf, t.dio_offset, t.dio_offset), t.dio_offset);
}

static void dropping_the_cache_leaves_nothing_of_a_dirty_file(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct residency before, after;
	uint64_t left;
	struct fault f;
	int r;

	/* a new file: ext4 writes one that was emptied as soon as it is closed */
	assert_true(unlink("f") == 0 || errno == ENOENT);
	write_file(1 << 20, 0);
	assert_int_equal(target_open(&t, "f", 0, &f), 0);
	r = target_residency(&t, &before);
	if (r == -EPERM)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(before.pages, 256);
	assert_int_equal(before.cached, 256);
	if (before.exact)
		assert_true(before.dirty + before.writeback <= 256);
	syncs = 0;
	assert_int_equal(target_drop_cache(&t, &left), 0);
	/* DONTNEED alone only begins to write them, and the writing would go on beside the play */
	if (!before.exact || before.dirty)
		assert_int_equal(syncs, 1);
	assert_int_equal(target_residency(&t, &after), 0);
	assert_int_equal(after.cached, left);
	if (left == 256)
		skip(); /* no backing store here: tmpfs, overlay on tmpfs */
	assert_int_equal(left, 0);
	assert_int_equal(after.dirty, 0);
}

static void dropping_the_cache_tells_what_stays(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	uint64_t left;
	struct fault f;
	char *map;

	write_file(1 << 16, 1);
	assert_int_equal(target_open(&t, "f", 0, &f), 0);
	map = mmap(NULL, 1 << 16, PROT_READ, MAP_SHARED | MAP_POPULATE, t.fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(map[5], 'x');
	assert_int_equal(target_drop_cache(&t, &left), 0);
	munmap(map, 1 << 16);
	assert_true(left >= 1);
	assert_true(left <= 16 || left == UINT64_MAX);
}

static void a_block_device_has_the_size_of_its_medium(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	char device[64], buf[4096];
	struct residency before, after;
	uint64_t left;
	struct fault f;

	write_file(2 << 20, 1);
	if (!loop_device(device, sizeof(device), ""))
		skip();
	assert_int_equal(target_open(&t, device, 0, &f), 0);
	detach(device);
	assert_int_equal(t.kind, TARGET_BLOCK);
	assert_int_equal(t.size, 2 << 20);
	assert_int_equal(pread(t.fd, buf, 4096, (2 << 20) - 4096), 4096);
	assert_int_equal(buf[4095], 'x');
	assert_int_equal(target_residency(&t, &before), 0);
	assert_int_equal(before.pages, 512);
	assert_true(before.cached >= 1);
	assert_int_equal(target_drop_cache(&t, &left), 0);
	assert_int_equal(target_residency(&t, &after), 0);
	assert_int_equal(after.cached, 0);
	assert_int_equal(left, 0);
}

static void direct_takes_the_sectors_of_the_device(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	char device[64];
	struct fault f;

	write_file(1 << 20, 1);
	if (!loop_device(device, sizeof(device), "-b 4096"))
		skip();
	assert_int_equal(target_open(&t, device, TARGET_DIRECT, &f), 0);
	detach(device);
	assert_int_equal(t.dio_offset, 4096);
}

static void a_device_in_use_is_not_opened_for_writing(void **state _unused_)
{
	_cleanup_(target_close) struct target holder = TARGET_NONE, t = TARGET_NONE, reader = TARGET_NONE;
	char device[64];
	struct fault f;

	write_file(1 << 20, 1);
	if (!loop_device(device, sizeof(device), ""))
		skip();
	assert_int_equal(target_open(&holder, device, TARGET_WRITE, &f), 0);
	detach(device);
	assert_int_equal(target_open(&t, device, TARGET_WRITE, &f), -EBUSY);
	assert_non_null(strstr(f.text, "in use"));
	assert_int_equal(target_open(&reader, device, 0, &f), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_a_file_and_a_link_to_it),
		cmocka_unit_test(refuses_what_has_no_offsets_by_its_name),
		cmocka_unit_test(refuses_a_terminal),
		cmocka_unit_test(a_character_device_has_no_size),
		cmocka_unit_test(writing_needs_the_flag),
		cmocka_unit_test(direct_tells_the_alignment_or_is_refused_in_words),
		cmocka_unit_test(dropping_the_cache_leaves_nothing_of_a_dirty_file),
		cmocka_unit_test(dropping_the_cache_tells_what_stays),
		cmocka_unit_test(a_block_device_has_the_size_of_its_medium),
		cmocka_unit_test(direct_takes_the_sectors_of_the_device),
		cmocka_unit_test(a_device_in_use_is_not_opened_for_writing),
	};

	return cmocka_run_group_tests_name("target", tests, make_dir, remove_dir);
}
