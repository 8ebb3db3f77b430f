/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of plays share: a directory with file "f" in it, traces, and plays that must succeed. */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/macro.h"
#include "run/play.h"

#define PAGES 64
#define SIZE (PAGES * PAGE_BYTES)

/* Group set-up and tear-down: a directory of its own, under /var/tmp, as the working directory. */
int stage_make(void **state);
int stage_remove(void **state);

/* "f" of size bytes, all hole; full_file() is the set-up of a test with SIZE bytes. */
void make_file(uint64_t size);
int full_file(void **state);

/* The same of bytes that lie on the device: a hole is read from nowhere. */
int data_file(void **state);

/* A loop device of SIZE bytes, reads of which fail with EIO behind two pages. Skips the test where there is none. */
void broken_device(char *name, size_t cap);
void detach_device(const char *name);

/* Can "f" be read directly? */
bool direct_works(void);

/* n requests of one page in order, from the start; and a single request. */
struct trace pages(size_t n);
struct trace one_request(uint64_t offset, uint64_t length, enum op op);

/* Read "f", at depth 1, without limits. */
struct play_params params_of(const char *engine);

struct play *opened(const struct play_params *p, const struct trace *t);
struct play_result play_again(struct play *play);
struct play_result play_once(const struct play_params *p, const struct trace *t);

/* play_open() must fail with err and a text that has word in it. */
void expect_refusal(const struct play_params *p, const struct trace *t, int err, const char *word);

/* Skip the test with its reason. Before anything is allocated: it does not return. */
void skip_because(const char *why);

/* Step through the engines that run here: `for (size_t i = 0; (e = each(&i));)`. */
const struct engine *each(size_t *i);

/* A depth above 1 where the engine has it. */
unsigned deep(const struct engine *e);

void check_count(const struct engine *e, const char *what, uint64_t got, uint64_t want);

#define CHECK(e, r, field, want) check_count(e, #field, (uint64_t)(r).field, (uint64_t)(want))
