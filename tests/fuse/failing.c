/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file system with one file, "data", that fails where it is told to:
 *
 *     failing [FUSE-OPTION...] FOLDER SIZE RULE...
 *
 * A rule is OP:WHAT:BEGIN:END and holds for the bytes from BEGIN up to, not including, END. OP is read, write or sync
 * (which looks at no range). WHAT is the name of an error (EIO, ENOSPC, ETIMEDOUT), "short" (what is moved ends before
 * BEGIN), or a number of milliseconds to wait first. All numbers are bytes in decimal. The first rule that matches
 * holds, and those of delays beside it. Eight bytes at a multiple of 8 hold their own offset, the least byte first;
 * what is written is kept.
 *
 * Nothing is read ahead, so that a request is seen as it was made.
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse3/fuse.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct rule {
	char op;            /* r, w, s */
	int error;          /* 0: none */
	long delay_ms;
	bool cuts;
	off_t begin, end;
};

static struct rule rules[32];
static size_t rule_count;
static char *data;
static off_t size;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool matches(const struct rule *r, char op, off_t at, size_t length)
{
	return r->op == op && (op == 's' || (at < r->end && at + (off_t)length > r->begin));
}

/* Bytes to move, or -errno; after the delays. */
static int judge(char op, off_t at, size_t length)
{
	long wait = 0;
	int result = (int)length;

	for (size_t i = rule_count; i-- > 0;) {
		const struct rule *r = &rules[i];

		if (!matches(r, op, at, length))
			continue;
		if (r->error)
			result = -r->error;
		else if (r->cuts)
			result = r->begin > at ? (int)(r->begin - at) : 0;
		else
			wait += r->delay_ms;
	}
	if (wait)
		nanosleep(&(struct timespec){.tv_sec = wait / 1000, .tv_nsec = wait % 1000 * 1000000}, NULL);
	return result;
}

static int get_attr(const char *path, struct stat *st, struct fuse_file_info *fi)
{
	(void)fi;
	memset(st, 0, sizeof(*st));
	if (strcmp(path, "/") == 0) {
		st->st_mode = S_IFDIR | 0755;
		st->st_nlink = 2;
		return 0;
	}
	if (strcmp(path, "/data") != 0)
		return -ENOENT;
	st->st_mode = S_IFREG | 0666;
	st->st_nlink = 1;
	st->st_size = size;
	return 0;
}

static int read_folder(const char *path, void *buf, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *fi,
		       enum fuse_readdir_flags flags)
{
	(void)path, (void)at, (void)fi, (void)flags;
	fill(buf, "data", NULL, 0, 0);
	return 0;
}

static int open_file(const char *path, struct fuse_file_info *fi)
{
	(void)fi;
	return strcmp(path, "/data") == 0 ? 0 : -ENOENT;
}

static int read_file(const char *path, char *buf, size_t length, off_t at, struct fuse_file_info *fi)
{
	int n;

	(void)path, (void)fi;
	if (at >= size)
		return 0;
	n = judge('r', at, at + (off_t)length > size ? (size_t)(size - at) : length);
	if (n > 0) {
		pthread_mutex_lock(&lock);
		memcpy(buf, data + at, (size_t)n);
		pthread_mutex_unlock(&lock);
	}
	return n;
}

static int write_file(const char *path, const char *buf, size_t length, off_t at, struct fuse_file_info *fi)
{
	int n;

	(void)path, (void)fi;
	if (at + (off_t)length > size)
		return -EFBIG;
	n = judge('w', at, length);
	if (n > 0) {
		pthread_mutex_lock(&lock);
		memcpy(data + at, buf, (size_t)n);
		pthread_mutex_unlock(&lock);
	}
	return n;
}

static int sync_file(const char *path, int only_data, struct fuse_file_info *fi)
{
	int r = judge('s', 0, 0);

	(void)path, (void)only_data, (void)fi;
	return r < 0 ? r : 0;
}

static void *start(struct fuse_conn_info *conn, struct fuse_config *config)
{
	conn->max_readahead = 0;
	config->attr_timeout = 0;
	return NULL;
}

static const struct fuse_operations operations = {
	.init = start,
	.getattr = get_attr,
	.readdir = read_folder,
	.open = open_file,
	.read = read_file,
	.write = write_file,
	.fsync = sync_file,
};

static bool take_rule(const char *text)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"ETIMEDOUT", ETIMEDOUT}};
	char op[8], what[16];
	long long begin = 0, end = 0;
	struct rule r = {.op = '\0'};

	if (rule_count == sizeof(rules) / sizeof(rules[0]) ||
	    sscanf(text, "%7[a-z]:%15[A-Za-z0-9]:%lld:%lld", op, what, &begin, &end) < 2)
		return false;
	r.op = op[0];
	r.begin = begin;
	r.end = end;
	r.cuts = strcmp(what, "short") == 0;
	r.delay_ms = r.cuts ? 0 : strtol(what, NULL, 10);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(what, errors[i].name) == 0)
			r.error = errors[i].error;
	if (!strchr("rws", r.op) || (!r.error && !r.cuts && r.delay_ms == 0))
		return false;
	rules[rule_count++] = r;
	return true;
}

int main(int argc, char **argv)
{
	int first = 1;

	/* Options of the library, each with its argument behind it, then the folder. */
	while (first < argc && argv[first][0] == '-')
		first += strcmp(argv[first], "-o") == 0 ? 2 : 1;
	if (first + 1 >= argc) {
		fprintf(stderr, "usage: failing [FUSE-OPTION...] FOLDER SIZE RULE...\n");
		return 2;
	}
	size = (off_t)strtoll(argv[first + 1], NULL, 10);
	for (int i = first + 2; i < argc; i++)
		if (!take_rule(argv[i])) {
			fprintf(stderr, "failing: not a rule: %s\n", argv[i]);
			return 2;
		}
	data = malloc((size_t)size);
	if (!data)
		return 1;
	for (off_t i = 0; i < size; i++)
		data[i] = (char)((uint64_t)(i & ~7) >> (8 * (i & 7)));
	return fuse_main(first + 1, argv, &operations, NULL);
}
