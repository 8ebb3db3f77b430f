/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same writes, trims and refusals through every engine on every file system, and what they leave in the cache. */
#include "subject.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "io/residency.h"

#define WRITES 300
#define WRITE_GAP 3000
#define WRITTEN_SIZE (2 * MIB)

/* Disjoint, so that their order does not matter: some bytes, some over a page boundary, one longer than the buffer. */
static void place_of_write(unsigned i, uint64_t *offset, uint64_t *length)
{
	*offset = (uint64_t)i * WRITE_GAP + i % 7;
	*length = i == WRITES - 1 ? 3 * BUF_SIZE + 1 : 1 + i * UINT64_C(40503) % (WRITE_GAP - 7);
}

/* What a write leaves at a place that it covers; the buffer starts with the pattern of the write's own offset. */
static unsigned char written_byte(const struct subject *s, uint64_t offset, uint64_t at)
{
	if (s->engine->flags & ENGINE_TOUCH && s->variant->touch == TOUCH_PAGE && at != offset && at % 4096 != 0)
		return 0;
	return pattern_byte(offset + (at - offset) % BUF_SIZE) | 1;
}

static void start_write(struct rig *r, struct io *io, unsigned i)
{
	io->op = IO_WRITE;
	place_of_write(i, &io->offset, &io->length);
	for (uint64_t k = 0; k < BUF_SIZE; k++)
		io->buf[k] = (char)(pattern_byte(io->offset + k) | 1);
	assert_int_equal(r->engine->submit(r->state, io), 0);
}

static void assert_written(const struct subject *s, int fd)
{
	_cleanup_free_ unsigned char *data = malloc(WRITTEN_SIZE), *want = calloc(1, WRITTEN_SIZE);

	assert_true(data && want);
	for (unsigned i = 0; i < WRITES; i++) {
		uint64_t offset, length;

		place_of_write(i, &offset, &length);
		for (uint64_t at = offset; at < offset + length; at++)
			want[at] = written_byte(s, offset, at);
	}
	assert_int_equal(pread(fd, data, WRITTEN_SIZE, 0), WRITTEN_SIZE);
	for (size_t i = 0; i < WRITTEN_SIZE; i++)
		if (data[i] != want[i])
			fail_msg("byte %zu is %02x, not %02x", i, data[i], want[i]);
}

static int new_file(const struct subject *s, char *path, size_t cap, const char *name, uint64_t size)
{
	int fd;

	file_of(s, path, cap, name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static void writes_land_where_they_belong(const struct subject *s, const char *file _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct io *idle[DEPTH], *done[DEPTH];
	unsigned spare, submitted = 0, completed = 0;
	struct engine_params p;
	char path[128];
	_cleanup_close_ int fd = new_file(s, path, sizeof(path), "written", WRITTEN_SIZE);

	open_target(&t, path, TARGET_WRITE | (s->variant->dsync ? TARGET_DSYNC : 0));
	unlink(path);
	p = params_of(&t);
	p.write = true;
	open_rig(&r, s, p);
	for (spare = 0; spare < r.depth; spare++)
		idle[spare] = &r.ios[spare];
	while (completed < WRITES) {
		int n = 0;

		while (spare > 0 && submitted < WRITES) {
			struct io *io = idle[--spare];

			start_write(&r, io, submitted++);
			if (!(r.engine->flags & ENGINE_ASYNC))
				done[n++] = io;
		}
		if (r.engine->flags & ENGINE_ASYNC)
			n = r.engine->reap(r.state, done, 1, r.depth, -1);
		assert_true(n >= 1);
		for (int i = 0; i < n; i++, completed++) {
			assert_int_equal(done[i]->res, done[i]->length);
			idle[spare++] = done[i];
		}
	}
	assert_int_equal(rig_do(&r, IO_DATASYNC, 0, 0), 0);
	assert_int_equal(rig_do(&r, IO_SYNC, 0, 0), 0);
	assert_written(s, fd);
}

static void trims_what_it_is_told_and_no_more(const struct subject *s, const char *file _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct engine_params p;
	char path[128], back[2];
	int64_t res;
	_cleanup_close_ int fd = new_file(s, path, sizeof(path), "trimmed", MIB);

	write_pattern(fd, 0, MIB);
	open_target(&t, path, TARGET_WRITE);
	unlink(path);
	p = params_of(&t);
	p.write = true;
	open_rig(&r, s, p);
	res = rig_do(&r, IO_TRIM, 4097, 3 * BUF_SIZE);
	if (res == -EOPNOTSUPP) {
		print_message("# no holes can be made here\n");
		skip();
	}
	assert_int_equal(res, 3 * BUF_SIZE);
	for (int edge = 0; edge < 2; edge++) {
		uint64_t at = 4097 + (edge ? 3 * BUF_SIZE : 0);

		assert_int_equal(pread(fd, back, 2, (off_t)at - 1), 2);
		assert_int_equal((unsigned char)back[0], edge ? 0 : pattern_byte(at - 1));
		assert_int_equal((unsigned char)back[1], edge ? pattern_byte(at) : 0);
	}
	/* The engine sees the hole that it made. */
	assert_int_equal(rig_read(&r, 8192, 4096), 4096);
	for (int i = 0; r.buffers && i < 4096; i++)
		assert_int_equal(r.ios[0].buf[i], s->engine->flags & ENGINE_TOUCH && s->variant->touch != TOUCH_COPY ? (char)0xee : 0);
}

/* With O_DIRECT, in units of the file system; the rest of the file keeps what it has. */
static void direct_writes_land_where_they_belong(const struct subject *s, const char *file _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct fault f = {.text = ""};
	struct engine_params p;
	char path[128];
	unsigned char back[3 * 65536];
	uint64_t unit;
	_cleanup_close_ int fd = new_file(s, path, sizeof(path), "direct", MIB);

	if (target_open(&t, path, TARGET_WRITE | TARGET_DIRECT, &f) == -EOPNOTSUPP) {
		print_message("# %s\n", f.text);
		skip();
	}
	unlink(path);
	assert_string_equal(f.text, "");
	unit = MAX(t.dio_offset, 512);
	assert_true(unit <= 65536);
	p = params_of(&t);
	p.write = true;
	open_rig(&r, s, p);
	memset(r.ios[0].buf, 'd', BUF_SIZE);
	assert_int_equal(rig_do(&r, IO_WRITE, unit, unit), unit);
	assert_int_equal(rig_do(&r, IO_DATASYNC, 0, 0), 0);
	assert_int_equal(pread(fd, back, 3 * unit, 0), 3 * unit);
	for (uint64_t i = 0; i < 3 * unit; i++)
		assert_int_equal(back[i], i / unit == 1 ? 'd' : 0);
}

static void refuses_to_write_without_leave(const struct subject *s, const char *file)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct io *io, *done[1];
	int err;

	open_target(&t, file, 0);
	open_rig(&r, s, params_of(&t));
	io = &r.ios[0];
	io->op = IO_WRITE;
	io->length = 4096;
	err = r.engine->submit(r.state, io);
	if (err == 0 && r.engine->flags & ENGINE_ASYNC)
		assert_int_equal(r.engine->reap(r.state, done, 1, 1, -1), 1);
	assert_int_equal(err == 0 ? io->res : err, s->engine->flags & ENGINE_TOUCH ? -EOPNOTSUPP : -EBADF);
}

/* Once a place: no engine has a part in it. */
static void a_dirty_file_leaves_the_cache_as_a_whole(const struct subject *s, const char *file _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct residency r;
	struct statfs fs;
	uint64_t left = 0;
	char path[128];

	file_of(s, path, sizeof(path), "dirty");
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	write_pattern(fd, 0, MIB);
	open_target(&t, path, 0);
	assert_int_equal(fstatfs(fd, &fs), 0);
	assert_int_equal(target_residency(&t, &r), 0);
	assert_int_equal(r.cached, 256);
	assert_int_equal(target_drop_cache(&t, &left), 0);
	assert_int_equal(left, fs.f_type == TMPFS_MAGIC ? 256 : 0);
	assert_int_equal(target_residency(&t, &r), 0);
	assert_int_equal(r.cached, left);
	unlink(path);
}

static const struct behaviour behaviours[] = {
	{"writes land where they belong", writes_land_where_they_belong, ENGINE_WRITE, true},
	{"trims what it is told and no more", trims_what_it_is_told_and_no_more, ENGINE_TRIM, false},
	{"direct writes land where they belong", direct_writes_land_where_they_belong, ENGINE_WRITE | ENGINE_DIRECT, false},
	{"refuses to write without leave", refuses_to_write_without_leave, 0, false},
};

int main(void)
{
	size_t n = 0;

	for (size_t p = 0; p < ARRAY_SIZE(places); p++)
		add_test(&n, (struct subject){&places[p], engine_of_name("pread"), &variants[0],
					      a_dirty_file_leaves_the_cache_as_a_whole},
			 "a dirty file leaves the cache as a whole");
	return run_behaviours("writes", behaviours, ARRAY_SIZE(behaviours), n);
}
