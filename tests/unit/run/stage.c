/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* On a file system with backing store where the machine has one: /tmp may be tmpfs. */
static char dir[] = "/var/tmp/iotrace-play-XXXXXX";

int stage_make(void **state _unused_)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

int stage_remove(void **state _unused_)
{
	unlink("f");
	return rmdir(dir);
}

void make_file(uint64_t size)
{
	_cleanup_close_ int fd = open("f", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
}

int full_file(void **state _unused_)
{
	make_file(SIZE);
	return 0;
}

int data_file(void **state _unused_)
{
	_cleanup_close_ int fd = open("f", O_RDWR | O_CREAT | O_TRUNC, 0644);
	char page[PAGE_BYTES];

	memset(page, 'x', sizeof(page));
	for (int i = 0; i < PAGES; i++)
		if (write(fd, page, sizeof(page)) != sizeof(page))
			return -1;
	return fsync(fd);
}

struct trace pages(size_t n)
{
	struct trace t;

	trace_init(&t);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_push(&t, req_make(i * PAGE_BYTES, PAGE_BYTES, OP_READ)), 0);
	return t;
}

struct trace one_request(uint64_t offset, uint64_t length, enum op op)
{
	struct trace t;

	trace_init(&t);
	assert_int_equal(trace_push(&t, req_make(offset, length, op)), 0);
	return t;
}

struct play_params params_of(const char *engine)
{
	return (struct play_params){
		.target = "f",
		.engine = engine,
		.max_requests = PLAY_UNLIMITED,
		.max_bytes = PLAY_UNLIMITED,
		.max_ns = INT64_MAX,
		.depth = 1,
		.jobs = 1,
		.loops = 1,
	};
}

struct play *opened(const struct play_params *p, const struct trace *t)
{
	struct play *play = NULL;
	struct fault fault = {.text = ""};

	if (play_open(&play, p, t, &fault) != 0)
		fail_msg("%s: %s", p->engine, fault.text);
	return play;
}

struct play_result play_again(struct play *play)
{
	struct play_result r = {0};
	struct fault fault = {.text = ""};

	if (play_prepare(play, &fault) != 0 || play_run(play, false, &r, &fault) != 0)
		fail_msg("%s", fault.text);
	return r;
}

struct play_result play_once(const struct play_params *p, const struct trace *t)
{
	_cleanup_(play_closep) struct play *play = opened(p, t);

	return play_again(play);
}

void skip_because(const char *why)
{
	print_message("# %s\n", why);
	skip();
}

void detach_device(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "losetup --detach %s", name);
	assert_int_equal(system(command), 0);
}

static bool read_fails(const char *name)
{
	_cleanup_close_ int fd = open(name, O_RDONLY | O_CLOEXEC);
	char page[PAGE_BYTES];
	bool fails = pread(fd, page, sizeof(page), 2 * PAGE_BYTES) < 0;

	assert_true(fd >= 0);
	assert_int_equal(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), 0);
	return fails;
}

void broken_device(char *name, size_t cap)
{
	FILE *out;
	bool got;

	if (geteuid() != 0)
		skip_because("only root sets up a loop device");
	make_file(SIZE);
	out = popen("losetup --find --show f 2>/dev/null", "r");
	got = out && fgets(name, (int)cap, out);
	if (out)
		got &= pclose(out) == 0;
	if (!got)
		skip_because("no loop device here");
	name[strcspn(name, "\n")] = '\0';
	assert_int_equal(truncate("f", 2 * PAGE_BYTES), 0);
	if (!read_fails(name)) {
		detach_device(name);
		skip_because("loop devices of this kernel have zeros behind the end of their file");
	}
}

const struct engine *each(size_t *i)
{
	const struct engine *e;
	struct fault why;

	while ((e = engine_at((*i)++)))
		if (e->probe(&why) == 0)
			return e;
	return NULL;
}

unsigned deep(const struct engine *e)
{
	return e->flags & ENGINE_ASYNC ? 8 : 1;
}

void check_count(const struct engine *e, const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		fail_msg("%s: %s is %ju, not %ju", e->name, what, (uintmax_t)got, (uintmax_t)want);
}

#define CHECK(e, r, field, want) check_count(e, #field, (uint64_t)(r).field, (uint64_t)(want))

bool direct_works(void)
{
	_cleanup_close_ int fd = open("f", O_RDONLY | O_DIRECT);

	return fd >= 0;
}

void expect_refusal(const struct play_params *p, const struct trace *t, int err, const char *word)
{
	struct play *play = NULL;
	struct fault fault = {.text = ""};

	assert_int_equal(play_open(&play, p, t, &fault), err);
	assert_null(play);
	if (!strstr(fault.text, word))
		fail_msg("'%s' has no '%s'", fault.text, word);
}
