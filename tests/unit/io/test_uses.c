/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What engines can be asked for beyond the usual, each by what it does to the target or says of itself. */
#include "rig.h"

#include "io/residency.h"
#include "io/target.h"

static char path[] = "/var/tmp/iotrace-uses-XXXXXX";

static void open_target(struct target *t, unsigned flags)
{
	struct fault f;

	if (target_open(t, path, flags, &f) < 0)
		fail_msg("%s", f.text);
}

static int try_rig(struct rig *r, const char *engine, const struct target *t, unsigned use)
{
	const struct engine *e = engine_of_name(engine);
	struct engine_params p = {.fd = t->fd, .size = t->size, .direct = t->direct, .use = use};

	*r = (struct rig){.engine = e};
	p.depth = MIN(4, e->max_depth);
	assert_int_equal(engine_check(e, &p, &r->fault), 0);
	return e->probe(&r->fault) < 0 ? -EOPNOTSUPP : rig_open(r, e, p);
}

static void open_rig(struct rig *r, const char *engine, const struct target *t, unsigned use)
{
	if (try_rig(r, engine, t, use) < 0)
		fail_msg("%s: %s", engine, r->fault.text);
}

static bool is_there(const char *engine, unsigned flags, unsigned use, struct fault *why)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	int err = target_open(&t, path, flags, why);

	if (err == 0) {
		err = try_rig(&r, engine, &t, use);
		*why = r.fault;
	}
	return err != -EOPNOTSUPP;
}

/* Skips, before anything is open, what kernel or file do not have. */
static void need(const char *engine, unsigned flags, unsigned use)
{
	struct fault why;

	if (is_there(engine, flags, use, &why))
		return;
	print_message("# %s\n", why.text);
	skip();
}

static bool can_drop_cache;

/* Pages that are still being read ahead leave it a little later. */
static bool drop_cache(const struct target *t)
{
	uint64_t left = 1;

	for (int i = 0; i < 200 && left != 0; i++) {
		assert_int_equal(target_drop_cache(t, &left), 0);
		if (left != 0)
			usleep(10000);
	}
	return left == 0;
}

static void need_a_cache_that_can_be_dropped(void)
{
	if (can_drop_cache)
		return;
	print_message("# the cache cannot be dropped here\n");
	skip();
}

static void nowait_reads_what_is_cached_alone(const char *engine)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};

	need_a_cache_that_can_be_dropped();
	need(engine, 0, USE_NOWAIT);
	open_target(&t, 0);
	assert_true(drop_cache(&t));
	open_rig(&r, engine, &t, USE_NOWAIT);
	/* Not at the beginning: to find out whether it works, that may have been read, and a miss starts readahead. */
	assert_int_equal(rig_read(&r, 3 * MIB - 8192, 4096), -EAGAIN);
	assert_int_equal(rig_read(&r, 2 * MIB, 3 * BUF_SIZE), -EAGAIN);
	r.ios[0].wait = true;
	assert_int_equal(rig_read(&r, MIB / 2 + 5, 4000), 4000);
	assert_pattern_in(&r.ios[0], MIB / 2 + 5, 4000, BUF_SIZE);
	r.ios[0].wait = false;
	assert_int_equal(rig_read(&r, MIB / 2, 4096), 4096);
	/* What is there up to the first miss is given. How much that is, readahead decides. */
	assert_in_range(rig_read(&r, MIB / 2 + 8, BUF_SIZE), 4088, BUF_SIZE);
	assert_pattern_in(&r.ios[0], MIB / 2 + 8, 4088, BUF_SIZE);
	/* The end is no miss. */
	assert_int_equal(rig_read(&r, PATTERN_SIZE + 8192, 4096), 0);
}

static void preadv2_without_waiting_reads_what_is_cached_alone(void **state _unused_)
{
	nowait_reads_what_is_cached_alone("preadv2");
}

static void libaio_without_waiting_reads_what_is_cached_alone(void **state _unused_)
{
	nowait_reads_what_is_cached_alone("libaio");
}

static void io_uring_without_waiting_reads_what_is_cached_alone(void **state _unused_)
{
	nowait_reads_what_is_cached_alone("io_uring");
}

static void dontcache_leaves_nothing_behind(void **state _unused_)
{
	static const char *const engines[] = {"preadv2", "libaio", "io_uring"};

	need_a_cache_that_can_be_dropped();
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++)
		need(engines[i], 0, USE_DONTCACHE);
	for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
		_cleanup_(target_close) struct target t = TARGET_NONE;
		_cleanup_(rig_close) struct rig r = {.state = NULL}, plain = {.state = NULL};
		struct residency before, after;

		open_target(&t, 0);
		assert_int_equal(posix_fadvise(t.fd, 0, 0, POSIX_FADV_RANDOM), 0);
		assert_true(drop_cache(&t));
		open_rig(&r, engines[i], &t, USE_DONTCACHE);
		for (uint64_t at = 0; at < MIB; at += BUF_SIZE)
			assert_int_equal(rig_read(&r, at, BUF_SIZE), BUF_SIZE);
		assert_int_equal(target_residency(&t, &after), 0);
		assert_int_equal(after.cached, 0);
		/* What was there before stays. */
		open_rig(&plain, engines[i], &t, 0);
		assert_int_equal(rig_read(&plain, 0, BUF_SIZE), BUF_SIZE);
		assert_int_equal(target_residency(&t, &before), 0);
		assert_true(before.cached >= BUF_SIZE / 4096);
		assert_int_equal(rig_read(&r, 0, BUF_SIZE), BUF_SIZE);
		assert_int_equal(target_residency(&t, &after), 0);
		assert_int_equal(after.cached, before.cached);
	}
}

/* Through the device, polling for it: the same bytes, and in flight together. */
static void polled_reads_give_the_bytes(const char *engine, unsigned use)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct io *done[4];
	uint64_t unit;

	need(engine, TARGET_DIRECT, use);
	open_target(&t, TARGET_DIRECT);
	unit = MAX(t.dio_offset, 4096);
	open_rig(&r, engine, &t, use);
	for (uint64_t i = 0; i < 20; i++) {
		assert_int_equal(rig_read(&r, i * unit, unit), unit);
		assert_pattern_in(&r.ios[0], i * unit, unit, BUF_SIZE);
	}
	assert_int_equal(rig_read(&r, 0, 3 * BUF_SIZE), 3 * BUF_SIZE);
	assert_int_equal(rig_do(&r, IO_SYNC, 0, 0), 0);
	if (!(r.engine->flags & ENGINE_ASYNC))
		return;
	assert_int_equal(r.engine->reap(r.state, done, 1, 4, 1000000), 0);
	for (unsigned i = 0; i < 4; i++) {
		r.ios[i].op = IO_READ;
		r.ios[i].length = unit;
		r.ios[i].offset = i * unit;
		assert_int_equal(r.engine->submit(r.state, &r.ios[i]), 0);
	}
	for (int n = 0; n < 4;) {
		int got = r.engine->reap(r.state, done, 4, 4, 2000000);

		assert_true(got >= 0);
		n += got;
	}
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(r.ios[i].res, unit);
		assert_pattern_in(&r.ios[i], i * unit, unit, BUF_SIZE);
	}
}

static void preadv2_polls_for_the_end_of_a_request(void **state _unused_)
{
	polled_reads_give_the_bytes("preadv2", USE_HIPRI);
}

static void io_uring_polls_the_device(void **state _unused_)
{
	polled_reads_give_the_bytes("io_uring", USE_IOPOLL);
}

static void io_uring_polls_both_sides(void **state _unused_)
{
	polled_reads_give_the_bytes("io_uring", USE_IOPOLL | USE_SQPOLL | USE_PLAIN_BUFFERS);
}

static void describes(const char *engine, unsigned use, const char *word, const char *absent)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	char text[240] = "";

	need(engine, 0, use);
	open_target(&t, 0);
	open_rig(&r, engine, &t, use);
	r.engine->describe(r.state, text, sizeof(text));
	if (!strstr(text, word))
		fail_msg("no '%s' in '%s'", word, text);
	if (absent && strstr(text, absent))
		fail_msg("'%s' in '%s'", absent, text);
}

static void tells_what_was_really_set_up(void **state _unused_)
{
	describes("mmap", USE_POPULATE, "populated", "window");
	describes("preadv2", USE_NOWAIT, "RWF_NOWAIT", "RWF_DONTCACHE");
	describes("libaio", USE_NOWAIT, "RWF_NOWAIT", NULL);
	describes("io_uring", 0, "registered file and buffers", "SQPOLL");
	describes("io_uring", USE_PLAIN_BUFFERS, "buffers not registered: as asked", NULL);
	describes("io_uring", USE_SQPOLL, "SQPOLL", "DEFER_TASKRUN");
}

struct request_of_engine {
	const char *engine;
	struct engine_params params;
	const char *words;     /* NULL: it can be had */
};

static void what_an_engine_has_not_is_refused_in_words(void **state _unused_)
{
	static const struct request_of_engine requests[] = {
		{"pread", {.depth = 1}, NULL},
		{"pread", {.depth = 0}, "depth of 0"},
		{"pread", {.depth = 2}, "one request in flight, not 2"},
		{"libaio", {.depth = 32768}, NULL},
		{"libaio", {.depth = 32769}, "at most 32768 requests"},
		{"pread", {.depth = 1, .direct = true, .write = true}, NULL},
		{"mmap", {.depth = 1, .direct = true}, "cannot do direct"},
		{"mmap", {.depth = 1, .write = true, .touch = TOUCH_COPY, .use = USE_POPULATE}, NULL},
		{"pread", {.depth = 1, .touch = TOUCH_BYTE}, "how to touch"},
		{"pread", {.depth = 1, .use = USE_NOWAIT}, "engine pread has no nowait"},
		{"io_uring", {.depth = 1, .use = USE_NOWAIT | USE_POPULATE}, "has no populate"},
		{"libaio", {.depth = 1, .use = USE_SQPOLL}, "has no sqpoll"},
		{"preadv2", {.depth = 1, .use = USE_HIPRI}, "hipri is for direct I/O"},
		{"preadv2", {.depth = 1, .use = USE_HIPRI, .direct = true}, NULL},
		{"io_uring", {.depth = 1, .use = USE_IOPOLL}, "iopoll is for direct I/O"},
		{"io_uring", {.depth = 1, .use = USE_IOPOLL | USE_SQPOLL, .direct = true}, NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		const struct request_of_engine *q = &requests[i];
		struct fault why = {.text = ""};
		int err = engine_check(engine_of_name(q->engine), &q->params, &why);

		if (err != (q->words ? -EINVAL : 0) || !strstr(why.text, q->words ? q->words : ""))
			fail_msg("%zu: %d, '%s'", i, err, why.text);
	}
}

static void buffers_are_needed_to_move_bytes(void **state _unused_)
{
	const struct engine *pread = engine_of_name("pread"), *map = engine_of_name("mmap"), *null = engine_of_name("null");

	assert_true(engine_needs_buffers(pread, &(struct engine_params){.depth = 1}));
	assert_false(engine_needs_buffers(map, &(struct engine_params){.touch = TOUCH_BYTE}));
	assert_true(engine_needs_buffers(map, &(struct engine_params){.touch = TOUCH_COPY}));
	assert_true(engine_needs_buffers(map, &(struct engine_params){.write = true}));
	assert_false(engine_needs_buffers(null, &(struct engine_params){.write = true}));
}

/* Files of proc cannot say whether a read would wait. */
static void a_flag_that_the_file_lacks_is_named(void **state _unused_)
{
	_cleanup_close_ int fd = open("/proc/self/mem", O_RDONLY);
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	struct engine_params p = {.fd = fd, .size = PATTERN_SIZE, .depth = 1, .use = USE_NOWAIT};

	assert_true(fd >= 0);
	assert_int_equal(rig_open(&r, engine_of_name("preadv2"), p), -EOPNOTSUPP);
	assert_non_null(strstr(r.fault.text, "RWF_NOWAIT"));
}

static int look_at_cache(void)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;

	open_target(&t, 0);
	can_drop_cache = drop_cache(&t);
	return 0;
}

static int make_file(void **state _unused_)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return -1;
	close(fd);
	make_pattern(path);
	return look_at_cache();
}

static int remove_file(void **state _unused_)
{
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preadv2_without_waiting_reads_what_is_cached_alone),
		cmocka_unit_test(libaio_without_waiting_reads_what_is_cached_alone),
		cmocka_unit_test(io_uring_without_waiting_reads_what_is_cached_alone),
		cmocka_unit_test(dontcache_leaves_nothing_behind),
		cmocka_unit_test(preadv2_polls_for_the_end_of_a_request),
		cmocka_unit_test(io_uring_polls_the_device),
		cmocka_unit_test(io_uring_polls_both_sides),
		cmocka_unit_test(tells_what_was_really_set_up),
		cmocka_unit_test(what_an_engine_has_not_is_refused_in_words),
		cmocka_unit_test(buffers_are_needed_to_move_bytes),
		cmocka_unit_test(a_flag_that_the_file_lacks_is_named),
	};

	return cmocka_run_group_tests_name("uses", tests, make_file, remove_file);
}
