/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays of real files through every engine that runs here. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "run/play.h"

#define PAGES 64
#define SIZE (PAGES * PAGE_BYTES)

/* On a file system with backing store where the machine has one: /tmp may be tmpfs. */
static char dir[] = "/var/tmp/iotrace-play-XXXXXX";

static int make_dir(void **state _unused_)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int remove_dir(void **state _unused_)
{
	unlink("f");
	return rmdir(dir);
}

static void make_file(uint64_t size)
{
	_cleanup_close_ int fd = open("f", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
}

static int full_file(void **state _unused_)
{
	make_file(SIZE);
	return 0;
}

/* n requests of one page in order, from the start. */
static struct trace pages(size_t n)
{
	struct trace t;

	trace_init(&t);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_push(&t, req_make(i * PAGE_BYTES, PAGE_BYTES, OP_READ)), 0);
	return t;
}

static struct trace one(uint64_t offset, uint64_t length, enum op op)
{
	struct trace t;

	trace_init(&t);
	assert_int_equal(trace_push(&t, req_make(offset, length, op)), 0);
	return t;
}

static struct play_params params_of(const char *engine)
{
	return (struct play_params){
		.target = "f",
		.engine = engine,
		.max_requests = PLAY_UNLIMITED,
		.max_bytes = PLAY_UNLIMITED,
		.max_ns = INT64_MAX,
		.depth = 1,
	};
}

static struct play *opened(const struct play_params *p, const struct trace *t)
{
	struct play *play = NULL;
	struct fault fault = {.text = ""};

	if (play_open(&play, p, t, &fault) != 0)
		fail_msg("%s: %s", p->engine, fault.text);
	return play;
}

static struct play_result run(struct play *play)
{
	struct play_result r = {0};
	struct fault fault = {.text = ""};

	if (play_prepare(play, &fault) != 0 || play_run(play, false, &r, &fault) != 0)
		fail_msg("%s", fault.text);
	return r;
}

static struct play_result play_once(const struct play_params *p, const struct trace *t)
{
	_cleanup_(play_closep) struct play *play = opened(p, t);

	return run(play);
}

/* Skip the test with its reason. Before anything is allocated: it does not return. */
static void skip_because(const char *why)
{
	print_message("# %s\n", why);
	skip();
}

/* Step through the engines that run here: `while ((e = each(&i)))`. */
static const struct engine *each(size_t *i)
{
	const struct engine *e;
	struct fault why;

	while ((e = engine_at((*i)++)))
		if (e->probe(&why) == 0)
			return e;
	return NULL;
}

static unsigned deep(const struct engine *e)
{
	return e->flags & ENGINE_ASYNC ? 8 : 1;
}

static void check(const struct engine *e, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		fail_msg("%s: %s is %ju, not %ju", e->name, what, (uintmax_t)got, (uintmax_t)want);
}

#define CHECK(e, r, field, want) check(e, #field, (uint64_t)(r).field, (uint64_t)(want))

static void plays_every_request(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests, PAGES);
		CHECK(e, r, bytes, SIZE);
		CHECK(e, r, seeks, 1);
		CHECK(e, r, short_reads + r.errors + r.past_end_requests + r.hit_limit, 0);
		assert_true(r.elapsed_ns > 0);
	}
}

static void counts_a_seek_where_a_request_does_not_follow(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	const struct engine *e;

	trace_swap(&t, 1, 2); /* 0 2 1 3: all four are seeks */
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		p.depth = deep(e);
		CHECK(e, play_once(&p, &t), seeks, 4);
	}
}

static void a_second_run_gives_the_same_counts(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(10);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = opened(&p, &t);

		run(play);
		CHECK(e, run(play), bytes, 10 * PAGE_BYTES);
	}
}

static void every_depth_plays_all(void **state _unused_)
{
	static const unsigned depths[] = {1, 2, 7, 64, 1000};
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		for (size_t d = 0; e->flags & ENGINE_ASYNC && d < ARRAY_SIZE(depths); d++) {
			struct play_params p = params_of(e->name);
			struct play_result r;

			p.depth = depths[d];
			r = play_once(&p, &t);
			CHECK(e, r, requests, PAGES);
			CHECK(e, r, bytes, SIZE);
			CHECK(e, r, seeks, 1);
		}
	}
}

static void max_requests_is_exact(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(20);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		p.depth = deep(e);
		for (p.max_requests = 0; p.max_requests <= 21; p.max_requests += 7) {
			struct play_result r = play_once(&p, &t);

			CHECK(e, r, requests, MIN(p.max_requests, 20));
			CHECK(e, r, bytes, MIN(p.max_requests, 20) * PAGE_BYTES);
			CHECK(e, r, hit_limit, p.max_requests < 20);
		}
		p.max_requests = 20;
		CHECK(e, play_once(&p, &t), hit_limit, false);
	}
}

static void a_request_that_would_pass_max_bytes_ends_the_play(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(20);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.depth = deep(e);
		p.max_bytes = 3 * PAGE_BYTES + PAGE_BYTES - 1;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 3);
		CHECK(e, r, bytes, 3 * PAGE_BYTES);
		CHECK(e, r, hit_limit, true);
		p.max_bytes = 20 * PAGE_BYTES;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 20);
		CHECK(e, r, hit_limit, false);
	}
}

static void bytes_past_the_end_do_not_use_up_max_bytes(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one(SIZE, 100 * PAGE_BYTES, OP_READ);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(0, PAGE_BYTES, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		p.max_bytes = PAGE_BYTES;
		CHECK(e, play_once(&p, &t), bytes, PAGE_BYTES);
	}
}

static void max_seconds_ends_a_pause(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.think_ns = 1000 * NS_PER_SEC;
		p.max_ns = 20 * NS_PER_MSEC;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 1);
		CHECK(e, r, hit_limit, true);
		CHECK(e, r, stopped_by, 0);
		p.max_ns = 0;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 0);
		CHECK(e, r, hit_limit, true);
	}
}

static void think_time_lies_behind_each_request(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(5);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		int64_t start = clock_now();
		struct play_result r;

		p.think_ns = 10 * NS_PER_MSEC;
		r = play_once(&p, &t);
		assert_true(clock_now() - start >= 5 * p.think_ns);
		assert_true(r.elapsed_ns >= 4 * p.think_ns);
		CHECK(e, r, requests, 5);
	}
}

static void a_request_across_the_end_is_played_up_to_it(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one(SIZE - 100, PAGE_BYTES, OP_READ);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = opened(&p, &t);
		struct play_result r = run(play);
		struct play_info info;

		play_get_info(play, &info);
		assert_true(info.past_end);
		CHECK(e, r, bytes, 100);
		CHECK(e, r, past_end_requests, 1);
		CHECK(e, r, past_end_bytes, PAGE_BYTES - 100);
		CHECK(e, r, short_reads + r.errors, 0);
	}
}

static void a_request_past_the_end_moves_nothing(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one(SIZE, 10, OP_READ);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(REQ_MAX - 7, 7, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests, 2);
		CHECK(e, r, bytes, 0);
		CHECK(e, r, past_end_requests, 2);
		CHECK(e, r, past_end_bytes, 17);
		CHECK(e, r, short_reads + r.errors, 0);
	}
}

static void a_request_of_no_length_counts_and_moves_nothing(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = one(0, 0, OP_READ);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(0, PAGE_BYTES, OP_READ)), 0);
	assert_int_equal(trace_push(&t, req_make(2 * SIZE, 0, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests, 3);
		CHECK(e, r, bytes, PAGE_BYTES);
		CHECK(e, r, past_end_requests, 0);
	}
}

static void an_empty_trace_gives_zeros(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(0);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests + r.bytes + r.seeks + r.errors + r.hit_limit, 0);
	}
}

static void an_empty_file_has_nothing_to_read(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	const struct engine *e;

	make_file(0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r = play_once(&p, &t);

		CHECK(e, r, requests, 1);
		CHECK(e, r, bytes, 0);
		CHECK(e, r, past_end_bytes, PAGE_BYTES);
	}
}

/* A mapping cannot tell a missing page from a failing one; a read can. */
static void a_file_cut_during_the_play_gives_short_reads_or_errors(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		_cleanup_(play_closep) struct play *play = NULL;
		struct play_result r;

		if (strcmp(e->name, "null") == 0)
			continue;
		make_file(SIZE);
		p.continue_on_error = true;
		p.depth = deep(e);
		play = opened(&p, &t);
		make_file(2 * PAGE_BYTES);
		r = run(play);
		CHECK(e, r, requests, 4);
		CHECK(e, r, bytes, 2 * PAGE_BYTES);
		CHECK(e, r, past_end_requests, 0);
		if (e->flags & ENGINE_BUFFER) {
			CHECK(e, r, short_reads, 2);
			CHECK(e, r, short_bytes, 2 * PAGE_BYTES);
			CHECK(e, r, errors, 0);
		} else {
			CHECK(e, r, errors, 2);
			CHECK(e, r, error_kinds, 1);
			CHECK(e, r, error[0].error, EIO);
			CHECK(e, r, error[0].count, 2);
			CHECK(e, r, error[0].first_offset, 2 * PAGE_BYTES);
			CHECK(e, r, error[0].first_request, 3);
		}
	}
}

static void an_error_stops_the_play_unless_told_to_go_on(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of("mmap");
	_cleanup_(play_closep) struct play *play = opened(&p, &t);
	struct play_result r;

	make_file(2 * PAGE_BYTES);
	r = run(play);
	assert_int_equal(r.requests, 3);
	assert_int_equal(r.bytes, 2 * PAGE_BYTES);
	assert_int_equal(r.errors, 1);
	assert_true(r.stopped_by_error);
	assert_false(r.hit_limit);
}

static bool direct_works(void)
{
	_cleanup_close_ int fd = open("f", O_RDONLY | O_DIRECT);

	return fd >= 0;
}

static void a_request_over_two_gigabytes_is_one_request(void **state _unused_)
{
	const uint64_t size = (UINT64_C(2) << 30) + 3 * PAGE_BYTES + 5;
	_cleanup_(trace_fini) struct trace t = one(0, size + 1, OP_READ);
	const struct engine *e;
	bool direct;

	make_file(size);
	direct = direct_works();
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.depth = deep(e);
		/* Direct reads of a hole fill no page cache, which takes seconds. */
		p.direct = direct && e->flags & ENGINE_DIRECT;
		if (!p.direct && strcmp(e->name, "pread") != 0)
			continue;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 1);
		CHECK(e, r, bytes, size);
		CHECK(e, r, seeks, 1);
		CHECK(e, r, past_end_bytes, 1);
		CHECK(e, r, short_reads, 0);
	}
}

static void expect_refusal(const struct play_params *p, const struct trace *t, int err, const char *word)
{
	struct play *play = NULL;
	struct fault fault = {.text = ""};

	assert_int_equal(play_open(&play, p, t, &fault), err);
	assert_null(play);
	if (!strstr(fault.text, word))
		fail_msg("'%s' has no '%s'", fault.text, word);
}

static void what_makes_no_sense_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("nosuch");

	expect_refusal(&p, &t, -EINVAL, "nosuch");
	p = params_of("pread");
	p.depth = 0;
	expect_refusal(&p, &t, -EINVAL, "depth");
	p.depth = 2;
	expect_refusal(&p, &t, -EINVAL, "one request");
	p = params_of("pread");
	p.target = "missing";
	expect_refusal(&p, &t, -ENOENT, "No such file");
	p.target = ".";
	expect_refusal(&p, &t, -EINVAL, "directory");
	p = params_of("mmap");
	p.direct = true;
	expect_refusal(&p, &t, -EINVAL, "direct");
}

static void nothing_but_reads_is_played(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(1);
	struct play_params p = params_of("pread");

	assert_int_equal(trace_push(&t, req_make(0, 512, OP_WRITE)), 0);
	assert_int_equal(trace_push(&t, req_make(0, 512, OP_WRITE)), 0);
	assert_int_equal(trace_push(&t, req_make(0, 0, OP_SYNC)), 0);
	expect_refusal(&p, &t, -EINVAL, "2 writes, 1 sync");
}

static void a_trace_of_several_files_is_refused(void **state _unused_)
{
	_cleanup_(trace_fini) struct trace t = pages(3);
	struct play_params p = params_of("pread");

	assert_int_equal(trace_need_file(&t), 0);
	assert_int_equal(play_once(&p, &t).requests, 3);
	t.file[2] = 1;
	expect_refusal(&p, &t, -EINVAL, "several files");
}

static void expect_misfit(void)
{
	_cleanup_(trace_fini) struct trace t = pages(3);
	const struct engine *e;

	assert_int_equal(trace_push(&t, req_make(100, PAGE_BYTES, OP_READ)), 0);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);

		p.direct = true;
		if (e->flags & ENGINE_DIRECT)
			expect_refusal(&p, &t, -EINVAL, "request 4 at offset 100,");
	}
}

static void direct_requests_must_be_aligned(void **state _unused_)
{
	if (!direct_works())
		skip_because("no direct I/O under /var/tmp");
	expect_misfit();
}

static void expect_tail(void)
{
	const uint64_t tail = 77;
	_cleanup_(trace_fini) struct trace t = one(PAGE_BYTES, 8 * PAGE_BYTES, OP_READ);
	const struct engine *e;

	make_file(3 * PAGE_BYTES + tail);
	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		p.direct = true;
		if (!(e->flags & ENGINE_DIRECT))
			continue;
		r = play_once(&p, &t);
		CHECK(e, r, bytes, 2 * PAGE_BYTES + tail);
		CHECK(e, r, past_end_bytes, 6 * PAGE_BYTES - tail);
		CHECK(e, r, short_reads + r.errors, 0);
	}
}

static void direct_reads_reach_the_unaligned_tail(void **state _unused_)
{
	if (!direct_works())
		skip_because("no direct I/O under /var/tmp");
	expect_tail();
}

/* In a child, for the flag that a signal sets stays set. */
static int interrupted_child(const char *engine, int ready)
{
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of(engine);
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	struct fault fault;

	stop_install();
	p.think_ns = 1000 * NS_PER_SEC;
	if (play_open(&play, &p, &t, &fault) < 0 || write(ready, "", 1) != 1)
		return 2;
	if (play_run(play, false, &r, &fault) < 0)
		return 3;
	return r.stopped_by == SIGINT && r.requests <= 1 && r.bytes == r.requests * PAGE_BYTES && !r.hit_limit ? 0 : 4;
}

static void a_signal_ends_the_play_and_its_pause(void **state _unused_)
{
	const struct engine *e;

#ifdef __SANITIZE_THREAD__
	skip_because("ThreadSanitizer holds signals back while a thread waits on a futex");
#endif
	for (size_t i = 0; (e = each(&i));) {
		int ready[2], status = -1;
		pid_t child;
		char byte;

		assert_int_equal(pipe(ready), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0)
			_exit(interrupted_child(e->name, ready[1]));
		close(ready[1]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		usleep(20000);
		assert_int_equal(kill(child, SIGINT), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		close(ready[0]);
		check(e, "status of the interrupted play", (uint64_t)status, 0);
	}
}

/* Pages of f in the page cache; UINT64_MAX: not told. */
static uint64_t cached(void)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	struct residency r;
	struct fault fault;

	assert_int_equal(target_open(&t, "f", 0, &fault), 0);
	return target_residency(&t, &r) < 0 ? UINT64_MAX : r.cached;
}

static void prepare(bool keep)
{
	_cleanup_(trace_fini) struct trace t = pages(PAGES);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = NULL;
	struct fault fault;

	p.keep_cache = true;
	play_once(&p, &t);
	p.keep_cache = keep;
	play = opened(&p, &t);
	assert_int_equal(play_prepare(play, &fault), 0);
}

static void the_cache_is_dropped_before_the_play_unless_kept(void **state _unused_)
{
	_cleanup_close_ int direct = open("f", O_RDONLY | O_DIRECT);

	if (direct < 0)
		skip_because("the file system under /var/tmp may be tmpfs, which keeps its pages");
	if (cached() == UINT64_MAX)
		skip_because("the kernel does not tell what is cached");
	prepare(true);
	assert_int_equal(cached(), PAGES);
	prepare(false);
	assert_int_equal(cached(), 0);
}

/* What a play shows on standard error, kept in file f-err. */
static void shown(bool progress, char *text, size_t cap)
{
	_cleanup_close_ int file = open("f-err", O_RDWR | O_CREAT | O_TRUNC, 0600), saved = dup(STDERR_FILENO);
	_cleanup_(trace_fini) struct trace t = pages(4);
	struct play_params p = params_of("pread");
	_cleanup_(play_closep) struct play *play = NULL;
	struct play_result r;
	struct fault fault;
	ssize_t n;

	p.think_ns = 1000 * NS_PER_SEC;
	p.max_ns = 700 * NS_PER_MSEC;
	play = opened(&p, &t);
	assert_true(file >= 0 && saved >= 0);
	dup2(file, STDERR_FILENO);
	n = play_run(play, progress, &r, &fault);
	dup2(saved, STDERR_FILENO);
	assert_int_equal(n, 0);
	n = pread(file, text, cap - 1, 0);
	assert_true(n >= 0);
	text[n] = '\0';
	unlink("f-err");
}

static void progress_is_shown_when_asked_and_erased_at_the_end(void **state _unused_)
{
	char text[1024];

	shown(true, text, sizeof(text));
	assert_non_null(strstr(text, "% "));
	assert_non_null(strstr(text, " MB/s  0:00:0"));
	assert_non_null(strstr(text, " left\033[K"));
	assert_string_equal(text + strlen(text) - 4, "\r\033[K");
	assert_null(strchr(text, '\n'));
	shown(false, text, sizeof(text));
	assert_string_equal(text, "");
}

/* A loop device whose file ends after two pages: reads behind fail with EIO. Returns false where there is none. */
static bool broken_device(char *name, size_t cap)
{
	FILE *f;
	bool got;

	make_file(SIZE);
	f = popen("losetup --find --show f 2>/dev/null", "r");
	got = f && fgets(name, (int)cap, f);
	if (f)
		got &= pclose(f) == 0;
	if (got)
		name[strcspn(name, "\n")] = '\0';
	assert_int_equal(truncate("f", 2 * PAGE_BYTES), 0);
	return got;
}

static void play_broken(const char *device)
{
	_cleanup_(trace_fini) struct trace t = pages(6);
	const struct engine *e;

	for (size_t i = 0; (e = each(&i));) {
		struct play_params p = params_of(e->name);
		struct play_result r;

		if (strcmp(e->name, "null") == 0)
			continue;
		p.target = device;
		r = play_once(&p, &t);
		CHECK(e, r, requests, 3);
		CHECK(e, r, bytes, 2 * PAGE_BYTES);
		CHECK(e, r, stopped_by_error, true);
		CHECK(e, r, error[0].error, EIO);
		CHECK(e, r, error[0].first_offset, 2 * PAGE_BYTES);
		p.continue_on_error = true;
		p.depth = deep(e);
		r = play_once(&p, &t);
		CHECK(e, r, requests, 6);
		CHECK(e, r, bytes, 2 * PAGE_BYTES);
		CHECK(e, r, stopped_by_error, false);
		CHECK(e, r, errors, 4);
		CHECK(e, r, error_kinds, 1);
		CHECK(e, r, error[0].count, 4);
		CHECK(e, r, error[0].first_request, 3);
		CHECK(e, r, short_reads, 0);
	}
}

static void a_failing_device_gives_the_same_errors_with_every_engine(void **state _unused_)
{
	char device[64], command[128];

	if (geteuid() != 0)
		skip_because("only root sets up a loop device");
	if (!broken_device(device, sizeof(device)))
		skip_because("no loop device here");
	play_broken(device);
	snprintf(command, sizeof(command), "losetup --detach %s", device);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(plays_every_request, full_file),
		cmocka_unit_test_setup(counts_a_seek_where_a_request_does_not_follow, full_file),
		cmocka_unit_test_setup(a_second_run_gives_the_same_counts, full_file),
		cmocka_unit_test_setup(every_depth_plays_all, full_file),
		cmocka_unit_test_setup(max_requests_is_exact, full_file),
		cmocka_unit_test_setup(a_request_that_would_pass_max_bytes_ends_the_play, full_file),
		cmocka_unit_test_setup(bytes_past_the_end_do_not_use_up_max_bytes, full_file),
		cmocka_unit_test_setup(max_seconds_ends_a_pause, full_file),
		cmocka_unit_test_setup(think_time_lies_behind_each_request, full_file),
		cmocka_unit_test_setup(a_request_across_the_end_is_played_up_to_it, full_file),
		cmocka_unit_test_setup(a_request_past_the_end_moves_nothing, full_file),
		cmocka_unit_test_setup(a_request_of_no_length_counts_and_moves_nothing, full_file),
		cmocka_unit_test_setup(an_empty_trace_gives_zeros, full_file),
		cmocka_unit_test_setup(an_empty_file_has_nothing_to_read, full_file),
		cmocka_unit_test_setup(a_file_cut_during_the_play_gives_short_reads_or_errors, full_file),
		cmocka_unit_test_setup(an_error_stops_the_play_unless_told_to_go_on, full_file),
		cmocka_unit_test_setup(a_request_over_two_gigabytes_is_one_request, full_file),
		cmocka_unit_test_setup(what_makes_no_sense_is_refused, full_file),
		cmocka_unit_test_setup(nothing_but_reads_is_played, full_file),
		cmocka_unit_test_setup(a_trace_of_several_files_is_refused, full_file),
		cmocka_unit_test_setup(direct_requests_must_be_aligned, full_file),
		cmocka_unit_test_setup(direct_reads_reach_the_unaligned_tail, full_file),
		cmocka_unit_test_setup(a_signal_ends_the_play_and_its_pause, full_file),
		cmocka_unit_test_setup(progress_is_shown_when_asked_and_erased_at_the_end, full_file),
		cmocka_unit_test(a_failing_device_gives_the_same_errors_with_every_engine),
		cmocka_unit_test_setup(the_cache_is_dropped_before_the_play_unless_kept, full_file),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
