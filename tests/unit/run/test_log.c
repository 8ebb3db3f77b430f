/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/log.h"
#include "trace/format.h"

static char folder[] = "/tmp/test_log.XXXXXX";
static char path[64];

static const char *file(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static struct log *open_log(const char *name)
{
	struct fault fault;
	struct log *l;

	if (log_open(&l, name, &fault) < 0)
		fail_msg("%s: %s", name, fault.text);
	return l;
}

static void begin(struct log *l, unsigned jobs)
{
	struct fault fault;

	if (log_begin(l, jobs, &fault) < 0)
		fail_msg("%s", fault.text);
}

static void close_log(struct log *l)
{
	struct fault fault;

	if (log_close(l, &fault) < 0)
		fail_msg("%s", fault.text);
}

static size_t slurp(const char *name, char *text, size_t cap)
{
	FILE *f = fopen(name, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, cap - 1, f);
	fclose(f);
	text[n] = '\0';
	return n;
}

static const struct log_record two[] = {
    {.start = 0, .latency = 1234, .offset = 8192, .length = 110, .result = 110, .op = OP_READ, .cache = LOG_MISS},
    {.start = 12000000345, .latency = 5, .offset = INT64_MAX - 1, .length = 1, .result = -EIO, .op = OP_WRITE},
};

static size_t log_two(const char *name, char *text, size_t cap)
{
	struct log *l = open_log(name);
	struct log_stats stats;

	begin(l, 3);
	log_put(log_ring(l, 2), &two[0]);
	log_end(l, &stats);
	assert_int_equal(stats.records, 1);
	assert_int_equal(stats.waits, 0);
	begin(l, 1);
	log_put(log_ring(l, 0), &two[1]);
	log_end(l, &stats);
	assert_int_equal(stats.records, 1);
	close_log(l);
	return slurp(name, text, cap);
}

static void text_tells_what_was_issued_and_what_came_of_it(void **state _unused_)
{
	char text[512];

	log_two(file("log"), text, sizeof(text));
	assert_string_equal(text, "# iotrace log: time op offset length # latency(ns) result job play [hit|miss]\n"
				  "#columns time op offset length\n"
				  "0.000000000 R 8192b 110b # 1234 110 2 1 miss\n"
				  "12.000000345 W 9223372036854775806b 1b # 5 -5 0 2\n");
}

static void text_is_a_trace(void **state _unused_)
{
	_cleanup_(trace_reader_freep) struct trace_reader *reader = NULL;
	_cleanup_(trace_fini) struct trace t;
	_cleanup_close_ int fd = -1;
	char text[512];
	struct fault fault;

	log_two(file("log"), text, sizeof(text));
	fd = open(path, O_RDONLY);
	trace_init(&t);
	reader = trace_reader_new(fd, 20);
	assert_non_null(reader);
	assert_int_equal(trace_reader_rest(reader, &t, &fault), 0);
	assert_int_equal(t.count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(req_offset(t.req[i]), two[i].offset);
		assert_int_equal(req_length(t.req[i]), two[i].length);
		assert_int_equal(req_op(t.req[i]), two[i].op);
		assert_int_equal(t.time[i], two[i].start);
	}
}

static void csv_has_a_line_of_names(void **state _unused_)
{
	char text[512];

	log_two(file("log.csv"), text, sizeof(text));
	assert_string_equal(text, "start_ns,latency_ns,op,offset,length,result,job,play,cache\n"
				  "0,1234,R,8192,110,110,2,1,miss\n"
				  "12000000345,5,W,9223372036854775806,1,-5,0,2,\n");
}

static void binary_records_are_little_endian(void **state _unused_)
{
	static const unsigned char second[48] = {0x59, 0x79, 0x41, 0xcb, 2, 0, 0, 0, /* 12000000345 */
						 5,    0,    0,	   0,	 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff,
						 0xff, 0x7f, 1,	   0,	 0, 0, 0, 0, 0,	   0,	 0xfb, 0xff, 0xff, 0xff,
						 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 2,	   0,	 'W',  0};
	static const unsigned char head[16] = {'i', 'o', 't', 'r', 'l', 'o', 'g', '1', 64, 0, 0, 0, 48};
	char text[512];

	assert_int_equal(log_two(file("log.bin"), text, sizeof(text)), 64 + 2 * 48);
	assert_memory_equal(text, head, sizeof(head));
	assert_memory_equal(text + 64 + 48, second, sizeof(second));
	assert_int_equal(text[64 + 47], LOG_MISS);
}

/* A reader of the log that is slow at first, so that every ring runs full. */
struct reader {
	int fd;
	int64_t pause;
	uint64_t lines, next[8];
	bool ordered;
};

static void *read_lines(void *arg)
{
	struct reader *r = arg;
	struct timespec ts = {.tv_nsec = r->pause};
	FILE *f = fdopen(r->fd, "r");
	char line[256];

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
	r->ordered = fgets(line, sizeof(line), f) != NULL;
	for (; fgets(line, sizeof(line), f); r->lines++) {
		uint64_t number;
		unsigned job;

		/* The requests of a job are numbered by their offset. */
		r->ordered = r->ordered && sscanf(line, "%*d,%*d,R,%" SCNu64 ",%*d,%*d,%u,1,", &number, &job) == 2 &&
			     job < 8 && number == r->next[job]++;
	}
	fclose(f);
	return NULL;
}

enum { EACH = 60000 };

static void *put_many(void *arg)
{
	struct log_ring *ring = arg;

	for (uint64_t i = 0; i < EACH; i++)
		log_put(ring, &(struct log_record){.offset = i, .op = OP_READ});
	return NULL;
}

static void nothing_is_dropped_and_waits_are_counted(void **state _unused_)
{
	struct reader reader = {.pause = 300 * NS_PER_MSEC};
	pthread_t jobs[4], thread;
	struct log_stats stats;
	struct log *l;
	char name[32];
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	reader.fd = fds[0];
	/* The name decides the form: a link to the pipe that ends in .csv. */
	snprintf(name, sizeof(name), "/dev/fd/%d", fds[1]);
	assert_int_equal(symlink(name, file("pipe.csv")), 0);
	l = open_log(path);
	close(fds[1]);
	begin(l, ARRAY_SIZE(jobs));
	assert_int_equal(pthread_create(&thread, NULL, read_lines, &reader), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(jobs); i++)
		assert_int_equal(pthread_create(&jobs[i], NULL, put_many, log_ring(l, i)), 0);
	for (unsigned i = 0; i < ARRAY_SIZE(jobs); i++)
		pthread_join(jobs[i], NULL);
	log_end(l, &stats);
	close_log(l);
	pthread_join(thread, NULL);
	assert_int_equal(stats.records, ARRAY_SIZE(jobs) * EACH);
	assert_true(stats.waits >= ARRAY_SIZE(jobs));
	assert_true(stats.waited_ns > 0);
	assert_int_equal(reader.lines, ARRAY_SIZE(jobs) * EACH);
	assert_true(reader.ordered);
}

static void processes_may_put_too(void **state _unused_)
{
	struct log *l = open_log(file("forked.csv"));
	struct log_stats stats;
	int status = -1;
	pid_t pid;

	begin(l, 1);
	pid = fork();
	if (pid == 0) {
		put_many(log_ring(l, 0));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	log_end(l, &stats);
	close_log(l);
	assert_int_equal(stats.records, EACH);
}

static void a_full_disk_does_not_stop_the_jobs_and_is_told(void **state _unused_)
{
	struct log *l = open_log("/dev/full");
	struct log_stats stats;
	struct fault fault;

	begin(l, 1);
	put_many(log_ring(l, 0));
	log_end(l, &stats);
	assert_int_equal(stats.records, EACH);
	assert_int_equal(log_close(l, &fault), -ENOSPC);
	assert_non_null(strstr(fault.text, "No space left on device"));
}

static void an_aborted_log_leaves_no_file(void **state _unused_)
{
	struct log *l = open_log(file("aborted"));

	begin(l, 1);
	log_put(log_ring(l, 0), &two[0]);
	log_abort(l);
	assert_int_equal(access(path, F_OK), -1);
	log_abort(NULL);
}

static void many_jobs_share_little_memory(void **state _unused_)
{
	struct log *l = open_log(file("many"));
	struct log_stats stats;

	/* Not one job's ring may run over into the next one's. */
	begin(l, 1000);
	for (unsigned i = 0; i < 1000; i++)
		for (uint64_t n = 0; n < 300; n++)
			log_put(log_ring(l, i), &(struct log_record){.offset = n, .op = OP_READ});
	log_end(l, &stats);
	assert_int_equal(stats.records, 300000);
	log_abort(l);
}

static int make_folder(void **state _unused_)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state _unused_)
{
	static const char *const names[] = {"log", "log.csv", "log.bin", "pipe.csv", "forked.csv"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		unlink(file(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(text_tells_what_was_issued_and_what_came_of_it),
	    cmocka_unit_test(text_is_a_trace),
	    cmocka_unit_test(csv_has_a_line_of_names),
	    cmocka_unit_test(binary_records_are_little_endian),
	    cmocka_unit_test(nothing_is_dropped_and_waits_are_counted),
	    cmocka_unit_test(processes_may_put_too),
	    cmocka_unit_test(a_full_disk_does_not_stop_the_jobs_and_is_told),
	    cmocka_unit_test(an_aborted_log_leaves_no_file),
	    cmocka_unit_test(many_jobs_share_little_memory),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
