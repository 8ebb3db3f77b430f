/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same reads through every engine on every file system: identical bytes, counts and errors. */
#include "subject.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

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

static const struct behaviour behaviours[] = {
	{"gives the bytes and counts of the file", gives_the_bytes_and_counts_of_the_file, 0, true},
	{"completes each of many requests once", completes_each_of_many_requests_once, 0, true},
	{"takes no more than its depth", takes_no_more_than_its_depth, ENGINE_ASYNC, true},
	{"an error of each request is its result", an_error_of_each_request_is_its_result, 0, false},
	{"one misaligned direct read spoils no other", one_misaligned_direct_read_spoils_no_other, ENGINE_DIRECT, false},
	{"reads beyond 2 TiB", reads_beyond_2_TiB, 0, false},
	{"reads leave holes alone", reads_leave_holes_alone, 0, false},
	{"survives a truncation", survives_a_truncation, 0, false},
};

int main(void)
{
	return run_behaviours("engines", behaviours, ARRAY_SIZE(behaviours), 0);
}
