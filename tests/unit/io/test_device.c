/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Engines on a block device: what they write, discard and sync there, and what is refused. */
#include "rig.h"

#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "io/target.h"
#include "loop.h"

#define DEVICE_SIZE (4 * MIB)

static char dir[] = "/var/tmp/iotrace-device-XXXXXX";
static char device[64]; /* empty: none here */

static int make_device(void **state _unused_)
{
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	make_pattern("f");
	if (truncate("f", DEVICE_SIZE) < 0)
		return -1;
	if (!loop_device(device, sizeof(device), ""))
		device[0] = '\0';
	return 0;
}

static int remove_device(void **state _unused_)
{
	if (device[0])
		detach(device);
	unlink("f");
	return chdir("/") < 0 ? -1 : rmdir(dir);
}

static void need_device(void)
{
	if (device[0])
		return;
	print_message("# no loop device here\n");
	skip();
}

static const struct engine *each(size_t *i)
{
	const struct engine *e;
	struct fault why;

	while ((e = engine_at((*i)++)))
		if (strcmp(e->name, "null") != 0 && e->probe(&why) == 0)
			return e;
	return NULL;
}

static void open_rig(struct rig *r, const struct engine *e, struct target *t, unsigned flags)
{
	struct engine_params p = {.depth = 4, .touch = e->flags & ENGINE_TOUCH ? TOUCH_COPY : TOUCH_PAGE};
	struct fault f;

	if (target_open(t, device, flags, &f) < 0)
		fail_msg("%s", f.text);
	p.fd = t->fd;
	p.size = t->size;
	p.write = flags & TARGET_WRITE;
	p.direct = flags & TARGET_DIRECT;
	if (rig_open(r, e, p) < 0)
		fail_msg("%s: %s", e->name, r->fault.text);
}

static void assert_bytes(const struct target *t, uint64_t from, uint64_t n, char byte)
{
	_cleanup_free_ char *back = malloc(n);

	assert_non_null(back);
	assert_int_equal(pread(t->fd, back, n, (off_t)from), n);
	for (uint64_t i = 0; i < n; i++)
		if (back[i] != byte)
			fail_msg("byte %llu is %02x", (unsigned long long)(from + i), (unsigned char)back[i]);
}

static void reads_end_with_the_device(void **state _unused_)
{
	const struct engine *e;

	need_device();
	for (size_t i = 0; (e = each(&i));) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};

		open_rig(&r, e, &t, 0);
		assert_int_equal(t.size, DEVICE_SIZE);
		assert_int_equal(rig_read(&r, MIB - 5000, 5000), 5000);
		assert_pattern_in(&r.ios[0], MIB - 5000, 5000, BUF_SIZE);
		assert_int_equal(rig_read(&r, DEVICE_SIZE - 100, 4096), 100);
		assert_int_equal(rig_read(&r, DEVICE_SIZE, 4096), 0);
	}
}

static void what_is_written_stays_and_what_is_discarded_goes(void **state _unused_)
{
	const struct engine *e;
	char letter = 'a';

	need_device();
	for (size_t i = 0; (e = each(&i)); letter++) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};

		open_rig(&r, e, &t, TARGET_WRITE);
		memset(r.ios[0].buf, letter, BUF_SIZE);
		assert_int_equal(rig_do(&r, IO_WRITE, 2 * MIB, 4 * BUF_SIZE), 4 * BUF_SIZE);
		assert_int_equal(rig_do(&r, IO_SYNC, 0, 0), 0);
		assert_bytes(&t, 2 * MIB, 4 * BUF_SIZE, letter);
		/* A loop device discards by a hole in its file. */
		assert_int_equal(rig_do(&r, IO_TRIM, 2 * MIB + BUF_SIZE, BUF_SIZE), BUF_SIZE);
		assert_int_equal(rig_do(&r, IO_DATASYNC, 0, 0), 0);
		assert_bytes(&t, 2 * MIB, BUF_SIZE, letter);
		assert_bytes(&t, 2 * MIB + BUF_SIZE, BUF_SIZE, 0);
		assert_bytes(&t, 2 * MIB + 2 * BUF_SIZE, 2 * BUF_SIZE, letter);
		assert_int_equal(rig_do(&r, IO_TRIM, 2 * MIB + 1, 4096), -EINVAL);
	}
}

static void direct_writes_reach_the_device(void **state _unused_)
{
	const struct engine *e;
	char letter = 'A';

	need_device();
	for (size_t i = 0; (e = each(&i)); letter++) {
		_cleanup_(target_close) struct target t = TARGET_NONE, reader = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL};
		struct fault f;

		if (!(e->flags & ENGINE_DIRECT))
			continue;
		open_rig(&r, e, &t, TARGET_WRITE | TARGET_DIRECT);
		memset(r.ios[0].buf, letter, BUF_SIZE);
		assert_int_equal(rig_do(&r, IO_WRITE, 3 * MIB, BUF_SIZE), BUF_SIZE);
		assert_int_equal(rig_do(&r, IO_WRITE, 3 * MIB + 100, 4096), -EINVAL);
		assert_int_equal(target_open(&reader, device, 0, &f), 0);
		assert_bytes(&reader, 3 * MIB, BUF_SIZE, letter);
	}
}

static void a_mounted_device_is_read_and_never_written(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE, reader = TARGET_NONE;
	struct fault f = {.text = ""};
	char mkfs[160];
	int err;

	need_device();
	snprintf(mkfs, sizeof(mkfs), "PATH=$PATH:/sbin:/usr/sbin mkfs.ext4 -q -F %s >/dev/null 2>&1", device);
	if (system(mkfs) != 0 || unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mkdir("mnt", 0755) < 0 || mount(device, "mnt", "ext4", 0, NULL) < 0) {
		print_message("# no ext4 can be mounted here\n");
		rmdir("mnt");
		skip();
	}
	err = target_open(&t, device, TARGET_WRITE, &f);
	assert_int_equal(target_open(&reader, device, 0, &f), 0);
	umount2("mnt", MNT_DETACH);
	rmdir("mnt");
	assert_int_equal(err, -EBUSY);
	assert_non_null(strstr(f.text, "mounted"));
}

static void a_read_only_device_is_read_and_refused_for_writing(void **state _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE, reader = TARGET_NONE;
	struct fault f = {.text = ""};
	int read_only = 1, fd, err;

	need_device();
	fd = open(device, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, BLKROSET, &read_only) < 0) {
		if (fd >= 0)
			close(fd);
		print_message("# no device can be made read-only here\n");
		skip();
	}
	err = target_open(&t, device, TARGET_WRITE, &f);
	assert_int_equal(target_open(&reader, device, 0, &f), 0);
	read_only = 0;
	assert_int_equal(ioctl(fd, BLKROSET, &read_only), 0);
	close(fd);
	assert_int_equal(err, -EROFS);
	assert_non_null(strstr(f.text, "read-only"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_end_with_the_device),
		cmocka_unit_test(what_is_written_stays_and_what_is_discarded_goes),
		cmocka_unit_test(direct_writes_reach_the_device),
		cmocka_unit_test(a_read_only_device_is_read_and_refused_for_writing),
		cmocka_unit_test(a_mounted_device_is_read_and_never_written),
	};

	return cmocka_run_group_tests_name("device", tests, make_device, remove_device);
}
