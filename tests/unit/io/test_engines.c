/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same requests through every engine on every kind of file system that this machine can mount: identical bytes,
 * counts and errors.
 */
#include "rig.h"

#include <assert.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "io/residency.h"
#include "io/target.h"
#include "places.h"

#define DEPTH 8

/* An engine, and how it is asked to work; the first of each engine is the usual. */
struct variant {
	const char *engine, *label;
	unsigned use;
	const struct io_hint *hint;
	enum io_touch touch;
	bool dsync;
};

static const struct io_hint huge_pages = {.advice = ADVISE_HUGEPAGE, .length = HINT_TO_END};

static const struct variant variants[] = {
	{.engine = "pread"},
	{.engine = "pread", .label = "dsync", .dsync = true},
	{.engine = "preadv2"},
	{.engine = "preadv2", .label = "dontcache", .use = USE_DONTCACHE},
	{.engine = "mmap"},
	{.engine = "mmap", .label = "every byte", .touch = TOUCH_BYTE},
	{.engine = "mmap", .label = "copied", .touch = TOUCH_COPY},
	{.engine = "mmap", .label = "copied, dsync", .touch = TOUCH_COPY, .dsync = true},
	{.engine = "mmap", .label = "populated", .use = USE_POPULATE},
	{.engine = "mmap", .label = "huge pages", .hint = &huge_pages},
	{.engine = "libaio"},
	{.engine = "libaio", .label = "dontcache", .use = USE_DONTCACHE},
	{.engine = "io_uring"},
	{.engine = "io_uring", .label = "plain buffers", .use = USE_PLAIN_BUFFERS},
	{.engine = "io_uring", .label = "sqpoll", .use = USE_SQPOLL},
	{.engine = "io_uring", .label = "dontcache", .use = USE_DONTCACHE},
};

struct subject {
	struct place *place;
	const struct engine *engine;
	const struct variant *variant;
	void (*run)(const struct subject *s, const char *file);
};

static void file_of(const struct subject *s, char *path, size_t cap, const char *name)
{
	snprintf(path, cap, "%s/%s", s->place->dir, name);
}

static void open_target(struct target *t, const char *path, unsigned flags)
{
	struct fault f;

	if (target_open(t, path, flags, &f) < 0)
		fail_msg("%s: %s", path, f.text);
}

static struct engine_params params_of(const struct target *t)
{
	return (struct engine_params){.fd = t->fd, .size = t->size, .depth = DEPTH, .direct = t->direct};
}

static int try_rig(struct rig *r, const struct subject *s, struct engine_params p)
{
	const struct variant *v = s->variant;

	p.use = v->use;
	p.hints = v->hint;
	p.hint_count = v->hint ? 1 : 0;
	p.touch = v->touch;
	p.dsync = v->dsync && p.write;
	return rig_open(r, s->engine, p);
}

static void open_rig(struct rig *r, const struct subject *s, struct engine_params p)
{
	if (try_rig(r, s, p) < 0)
		fail_msg("open: %s", r->fault.text);
}

/* Can this file system do what the variant asks for? */
static bool can_run(const struct subject *s, const char *file, struct fault *why)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	int err;

	open_target(&t, file, 0);
	err = try_rig(&r, s, params_of(&t));
	*why = r.fault;
	return err != -EOPNOTSUPP;
}

static const struct {
	uint64_t offset, length, res;
} requests[] = {
	{0, 1, 1},
	{0, 4096, 4096},
	{5, 3, 3},
	{8192, 4096, 4096},
	{4090, 20, 20},                                     /* over a page boundary */
	{100, 10000, 10000},                                /* not aligned, several pages */
	{0, BUF_SIZE, BUF_SIZE},
	{3, BUF_SIZE + 1, BUF_SIZE + 1},                    /* longer than the buffer */
	{12345, 9 * BUF_SIZE + 777, 9 * BUF_SIZE + 777},
	{0, PATTERN_SIZE, PATTERN_SIZE},
	{HOLE - 4096, 8192, 8192},                          /* into the hole */
	{HOLE + 8, 65000, 65000},                           /* all hole */
	{HOLE_END - 1, 2, 2},
	{PATTERN_SIZE - 1, 1, 1},
	{PATTERN_SIZE - 1234, 1234, 1234},                  /* the page that straddles the end */
	{PATTERN_SIZE - 1234, 4096, 1234},                  /* up to the end of that page */
	{PATTERN_SIZE - 10000, 20000, 10000},               /* past the end */
	{PATTERN_SIZE - 100, 5 * BUF_SIZE, 100},
	{PATTERN_SIZE, 1, 0},
	{PATTERN_SIZE + 3, 10, 0},                          /* past the end, in the last page */
	{PATTERN_SIZE + 4096, 4096, 0},
	{UINT64_C(1) << 42, 4096, 0},                       /* far past it */
	{INT64_MAX - 4096, 4096, 0},
};

static void gives_the_bytes_and_counts_of_the_file(const struct subject *s, const char *file)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};

	open_target(&t, file, 0);
	open_rig(&r, s, params_of(&t));
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		int64_t res = rig_read(&r, requests[i].offset, requests[i].length);

		if (res != (int64_t)requests[i].res)
			fail_msg("%llu %llu: %lld, not %llu", (unsigned long long)requests[i].offset,
				 (unsigned long long)requests[i].length, (long long)res,
				 (unsigned long long)requests[i].res);
		if (r.buffers)
			assert_pattern_in(&r.ios[0], requests[i].offset, requests[i].res, BUF_SIZE);
	}
}

/* 500 requests, as many in flight as the engine takes, in an order that is no order; each comes back once. */
static void completes_each_of_many_requests_once(const struct subject *s, const char *file)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct io *idle[DEPTH], *done[DEPTH];
	unsigned spare, submitted = 0, completed = 0;
	bool out[DEPTH] = {false};

	open_target(&t, file, 0);
	open_rig(&r, s, params_of(&t));
	for (spare = 0; spare < r.depth; spare++)
		idle[spare] = &r.ios[spare];
	while (completed < 500) {
		int n = 0;

		while (spare > 0 && submitted < 500) {
			struct io *io = idle[--spare];

			io->offset = submitted * UINT64_C(2654435761) % (PATTERN_SIZE - BUF_SIZE);
			io->length = 1 + submitted * UINT64_C(40503) % BUF_SIZE;
			io->res = INT64_MIN;
			assert_false(out[io->slot]);
			out[io->slot] = true;
			assert_int_equal(r.engine->submit(r.state, io), 0);
			submitted++;
			if (!(r.engine->flags & ENGINE_ASYNC))
				done[n++] = io;
		}
		if (r.engine->flags & ENGINE_ASYNC)
			n = r.engine->reap(r.state, done, 1 + submitted % r.depth, r.depth, -1);
		assert_true(n >= 1);
		for (int i = 0; i < n; i++) {
			assert_true(out[done[i]->slot]);
			out[done[i]->slot] = false;
			assert_int_equal(done[i]->res, done[i]->length);
			if (r.buffers)
				assert_pattern_in(done[i], done[i]->offset, done[i]->length, BUF_SIZE);
			idle[spare++] = done[i];
			completed++;
		}
	}
	assert_int_equal(submitted, completed);
}

static void takes_no_more_than_its_depth(const struct subject *s, const char *file)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct engine_params p;
	struct io *done[8];

	open_target(&t, file, 0);
	p = params_of(&t);
	p.depth = 3;
	open_rig(&r, s, p);
	assert_int_equal(r.engine->reap(r.state, done, 1, 8, -1), 0);
	for (unsigned round = 0; round < 3; round++) {
		struct io extra = r.ios[2];

		for (unsigned i = 0; i < 3; i++) {
			r.ios[i].length = 4096;
			assert_int_equal(r.engine->submit(r.state, &r.ios[i]), 0);
		}
		extra.length = 1;
		assert_int_equal(r.engine->submit(r.state, &extra), -EAGAIN);
		if (round == 1)
			assert_int_equal(r.engine->flush(r.state), 0);
		/* More than is out is not waited for. */
		assert_int_equal(r.engine->reap(r.state, done, 8, 8, -1), 3);
		assert_int_equal(r.ios[1].res, 4096);
	}
	/* min 0 does not wait; in the end it is there all the same. */
	r.ios[0].res = INT64_MIN;
	assert_int_equal(r.engine->submit(r.state, &r.ios[0]), 0);
	for (int n = 0; n == 0; n = r.engine->reap(r.state, done, 0, 8, 0))
		;
	assert_int_equal(r.ios[0].res, 4096);
	assert_int_equal(r.engine->submit(r.state, &r.ios[0]), 0);
	for (int n = 0; n == 0; n = r.engine->reap(r.state, done, 2, 8, 1000000))
		;
	assert_int_equal(r.engine->reap(r.state, done, 1, 8, 1000000), 0);
}

/* Through a descriptor that may only write, each read fails, whoever finds it out first. */
static void an_error_of_each_request_is_its_result(const struct subject *s, const char *file)
{
	_cleanup_close_ int fd = open(file, O_WRONLY);
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct engine_params p = {.fd = fd, .size = PATTERN_SIZE, .depth = DEPTH};
	struct io *done[DEPTH];
	int n = 0;

	assert_true(fd >= 0);
	if (!(s->engine->flags & ENGINE_BUFFER)) {
		assert_int_equal(rig_open(&r, s->engine, p), -EACCES);
		assert_non_null(strstr(r.fault.text, "mapped: Permission denied"));
		return;
	}
	open_rig(&r, s, p);
	for (unsigned i = 0; i < r.depth; i++) {
		r.ios[i].length = 4096;
		assert_int_equal(r.engine->submit(r.state, &r.ios[i]), 0);
	}
	if (r.engine->flags & ENGINE_ASYNC)
		for (int all = 0; all < DEPTH; all += n) {
			n = r.engine->reap(r.state, done, DEPTH, DEPTH, -1);
			assert_true(n > 0);
		}
	for (unsigned i = 0; i < r.depth; i++)
		assert_int_equal(r.ios[i].res, -EBADF);
}

/* The bad one fails or, where the file system reads it all the same, is right; those around it are right. */
static void one_misaligned_direct_read_spoils_no_other(const struct subject *s, const char *file)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct fault f = {.text = ""};
	struct io *done[DEPTH];
	uint64_t unit;
	int n = 0;

	if (target_open(&t, file, TARGET_DIRECT, &f) == -EOPNOTSUPP) {
		print_message("# %s\n", f.text);
		skip();
	}
	assert_string_equal(f.text, "");
	unit = MAX(t.dio_offset, 512);
	open_rig(&r, s, params_of(&t));
	for (unsigned i = 0; i < r.depth; i++) {
		r.ios[i].offset = i * unit + (i == 3 ? 100 : 0);
		r.ios[i].length = unit;
		assert_int_equal(r.engine->submit(r.state, &r.ios[i]), 0);
	}
	if (r.engine->flags & ENGINE_ASYNC)
		for (unsigned all = 0; all < r.depth; all += (unsigned)n) {
			n = r.engine->reap(r.state, done, r.depth, r.depth, -1);
			assert_true(n > 0);
		}
	for (unsigned i = 0; i < r.depth; i++) {
		if (i == 3 && r.ios[i].res == -EINVAL)
			continue;
		assert_int_equal(r.ios[i].res, unit);
		assert_pattern_in(&r.ios[i], r.ios[i].offset, unit, BUF_SIZE);
	}
	/* The tail of the file, shorter than the unit, is read by a request of full units. */
	uint64_t tail = PATTERN_SIZE / unit * unit;

	assert_int_equal(rig_read(&r, tail, unit), PATTERN_SIZE - tail);
	assert_pattern_in(&r.ios[0], tail, PATTERN_SIZE - tail, BUF_SIZE);
}

static void reads_beyond_2_TiB(const struct subject *s, const char *file _unused_)
{
	const uint64_t at = (UINT64_C(5) << 39) + 40961; /* 2.5 TiB */
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	char path[128];

	file_of(s, path, sizeof(path), "far");
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (ftruncate(fd, INT64_C(3) << 40) < 0) {
		print_message("# no file of 3 TiB: %s\n", strerror(errno));
		unlink(path);
		skip();
	}
	write_pattern(fd, at, at + 64);
	open_target(&t, path, 0);
	open_rig(&r, s, params_of(&t));
	assert_int_equal(rig_read(&r, at, 64), 64);
	if (r.buffers)
		assert_pattern_in(&r.ios[0], at, 64, BUF_SIZE);
	assert_int_equal(rig_read(&r, at + 4 * MIB, 4096), 4096);
	assert_int_equal(rig_read(&r, (UINT64_C(3) << 40) - 10, 100), 10);
	unlink(path);
}

/* But for a read fault in a shared mapping on tmpfs: that allocates, and so tells that each page was touched. */
static void reads_leave_holes_alone(const struct subject *s, const char *file _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct stat st;
	char path[128];
	struct statfs fs;
	bool fills;

	file_of(s, path, sizeof(path), "hole");
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	assert_int_equal(ftruncate(fd, 8 * MIB), 0);
	assert_int_equal(fstatfs(fd, &fs), 0);
	fills = fs.f_type == TMPFS_MAGIC && !(s->engine->flags & ENGINE_BUFFER);
	open_target(&t, path, 0);
	open_rig(&r, s, params_of(&t));
	assert_int_equal(rig_read(&r, 0, 8 * MIB), 8 * MIB);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_blocks, fills ? 8 * MIB / 512 : 0);
	unlink(path);
}

/* The file loses its second half while it is open: the lost part is nothing, never a dead process. */
static void survives_a_truncation(const struct subject *s, const char *file _unused_)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	char path[128];

	file_of(s, path, sizeof(path), "shrinks");
	_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	write_pattern(fd, 0, MIB);
	open_target(&t, path, 0);
	open_rig(&r, s, params_of(&t));
	assert_int_equal(rig_read(&r, 0, MIB), MIB);
	assert_int_equal(ftruncate(fd, MIB / 2), 0);
	assert_int_equal(rig_read(&r, 0, MIB / 2), MIB / 2);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rig_read(&r, MIB / 2 + 4096 + 5, 10), 0);
		assert_int_equal(rig_read(&r, MIB / 2, MIB / 2), 0);
		assert_int_equal(rig_read(&r, MIB / 4 + 3, MIB / 2), MIB / 4 - 3);
	}
	assert_int_equal(rig_read(&r, MIB / 2 - 4096, 4096), 4096);
	/* It grows again, and what is there is seen again. */
	write_pattern(fd, MIB / 2, MIB);
	assert_int_equal(rig_read(&r, MIB / 2 + 4096, 4096), 4096);
	if (r.buffers)
		assert_pattern_in(&r.ios[0], MIB / 2 + 4096, 4096, BUF_SIZE);
	assert_int_equal(rig_read(&r, 0, MIB), MIB);
	unlink(path);
}

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

static const struct {
	const char *name;
	void (*run)(const struct subject *s, const char *file);
	unsigned needs;        /* flags of the engine */
	bool all;              /* for each variant, not only for the usual */
} behaviours[] = {
	{"gives the bytes and counts of the file", gives_the_bytes_and_counts_of_the_file, 0, true},
	{"completes each of many requests once", completes_each_of_many_requests_once, 0, true},
	{"takes no more than its depth", takes_no_more_than_its_depth, ENGINE_ASYNC, true},
	{"an error of each request is its result", an_error_of_each_request_is_its_result, 0, false},
	{"one misaligned direct read spoils no other", one_misaligned_direct_read_spoils_no_other, ENGINE_DIRECT, false},
	{"reads beyond 2 TiB", reads_beyond_2_TiB, 0, false},
	{"reads leave holes alone", reads_leave_holes_alone, 0, false},
	{"survives a truncation", survives_a_truncation, 0, false},
	{"writes land where they belong", writes_land_where_they_belong, ENGINE_WRITE, true},
	{"trims what it is told and no more", trims_what_it_is_told_and_no_more, ENGINE_TRIM, false},
	{"direct writes land where they belong", direct_writes_land_where_they_belong, ENGINE_WRITE | ENGINE_DIRECT, false},
	{"refuses to write without leave", refuses_to_write_without_leave, 0, false},
};

static void run_subject(void **state)
{
	const struct subject *s = *state;
	struct fault why;
	char file[128];

	if (s->place->reason[0]) {
		print_message("# %s\n", s->place->reason);
		skip();
	}
	if (s->engine->probe(&why) < 0) {
		print_message("# %s\n", why.text);
		skip();
	}
	file_of(s, file, sizeof(file), "pattern");
	if (!can_run(s, file, &why)) {
		print_message("# %s\n", why.text);
		skip();
	}
	s->run(s, file);
}

#define MAX_TESTS 1024

static struct subject subjects[MAX_TESTS];
static struct CMUnitTest tests[MAX_TESTS];
static char names[MAX_TESTS][96];

static void add_test(size_t *n, struct subject s, const char *name)
{
	assert(*n < MAX_TESTS);
	subjects[*n] = s;
	snprintf(names[*n], sizeof(names[*n]), "%s, %s", place_name(s.place), name);
	tests[*n] = (struct CMUnitTest){.name = names[*n], .test_func = run_subject, .initial_state = &subjects[*n]};
	++*n;
}

static void add_variant(size_t *n, struct place *place, const struct variant *v)
{
	const struct engine *e = engine_of_name(v->engine);
	char name[80];

	assert(e);
	for (size_t b = 0; b < ARRAY_SIZE(behaviours); b++) {
		if (behaviours[b].needs & ~e->flags || (v->label && !behaviours[b].all))
			continue;
		snprintf(name, sizeof(name), "%s%s%s%s: %s", v->engine, v->label ? " (" : "", v->label ? v->label : "",
			 v->label ? ")" : "", behaviours[b].name);
		add_test(n, (struct subject){place, e, v, behaviours[b].run}, name);
	}
}

int main(void)
{
	size_t n = 0;

	for (size_t p = 0; p < ARRAY_SIZE(places); p++) {
		add_test(&n, (struct subject){&places[p], engine_of_name("pread"), &variants[0],
					      a_dirty_file_leaves_the_cache_as_a_whole},
			 "a dirty file leaves the cache as a whole");
		for (size_t v = 0; v < ARRAY_SIZE(variants); v++)
			add_variant(&n, &places[p], &variants[v]);
	}
	return _cmocka_run_group_tests("engines", tests, n, make_places, remove_places);
}
