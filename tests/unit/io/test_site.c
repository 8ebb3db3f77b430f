/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "io/site.h"
#include "places.h"

static void look(const char *path, struct site *site)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct fault fault;

	if (target_open(&t, path, 0, &fault) < 0)
		fail_msg("%s: %s", path, fault.text);
	site_of_target(&t, site);
}

/* 0: none. */
static dev_t device_of(const char *path)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct fault fault;
	dev_t device;

	if (target_open(&t, path, 0, &fault) < 0)
		fail_msg("%s: %s", path, fault.text);
	return site_device(&t, &device) ? device : 0;
}

static struct place *place_of(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (places[i].type && strcmp(places[i].type, type) == 0)
			return &places[i];
	abort();
}

/* The file system's type, and the loop device it was mounted from with its queue. */
static void on_a_disk(const char *type)
{
	struct place *p = place_of(type);
	struct site site, device;
	char path[128];

	if (p->reason[0]) {
		print_message("# %s\n", p->reason);
		skip();
	}
	snprintf(path, sizeof(path), "%s/pattern", p->dir);
	look(path, &site);
	assert_string_equal(site.file_system, type);
	assert_memory_equal(site.device, "/dev/loop", strlen("/dev/loop"));
	assert_true(site.read_ahead_kb > 0);
	look(site.device, &device);
	assert_string_equal(device.file_system, "");
	assert_string_equal(device.device, site.device);
	assert_string_equal(device.scheduler, site.scheduler);
	assert_true(device.scheduler[0] != '\0');
	assert_true(device.read_ahead_kb > 0);
	assert_true(device_of(path) != 0);
	assert_int_equal(device_of(path), device_of(site.device));
}

static void ext4_tells_its_device(void **state _unused_)
{
	on_a_disk("ext4");
}

static void xfs_tells_its_device(void **state _unused_)
{
	on_a_disk("xfs");
}

static void btrfs_tells_its_device(void **state _unused_)
{
	on_a_disk("btrfs");
}

static void tmpfs_has_neither_device_nor_read_ahead(void **state _unused_)
{
	struct place *p = place_of("tmpfs");
	struct site site;
	char path[128];

	if (p->reason[0]) {
		print_message("# %s\n", p->reason);
		skip();
	}
	snprintf(path, sizeof(path), "%s/pattern", p->dir);
	look(path, &site);
	assert_string_equal(site.file_system, "tmpfs");
	assert_string_equal(site.device, "tmpfs");
	assert_string_equal(site.scheduler, "");
	assert_true(site.read_ahead_kb <= 0);
	assert_int_equal(device_of(path), 0);
}

static void a_character_device_tells_nothing(void **state _unused_)
{
	struct site site;

	look("/dev/zero", &site);
	assert_string_equal(site.file_system, "");
	assert_string_equal(site.device, "");
	assert_string_equal(site.scheduler, "");
	assert_int_equal(site.read_ahead_kb, -1);
	assert_int_equal(device_of("/dev/zero"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ext4_tells_its_device),
	    cmocka_unit_test(xfs_tells_its_device),
	    cmocka_unit_test(btrfs_tells_its_device),
	    cmocka_unit_test(tmpfs_has_neither_device_nor_read_ahead),
	    cmocka_unit_test(a_character_device_tells_nothing),
	};

	return cmocka_run_group_tests(tests, make_places, remove_places);
}
