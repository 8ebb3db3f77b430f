/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of the test's own with a file "vmstat" in it, for vmstat_open() and sampler_open(). */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/macro.h"

struct procdir {
	char dir[64];
	char file[80];
};

/* Replaces the content in one write, so that a reader beside it sees the old text or the new one, or nothing. */
static inline void procdir_put(const struct procdir *p, const char *text)
{
	FILE *f = fopen(p->file, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static inline void procdir_remove(struct procdir *p)
{
	unlink(p->file);
	rmdir(p->dir);
}

static inline void procdir_make(struct procdir *p, const char *text)
{
	strcpy(p->dir, "/tmp/vmstat-test.XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->file, sizeof(p->file), "%s/vmstat", p->dir);
	if (text)
		procdir_put(p, text);
}
