/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Behaviours of engines, each tried with every engine on every kind of file system that this machine can mount. */
#pragma once

#include "rig.h"

#include <assert.h>

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

static inline void file_of(const struct subject *s, char *path, size_t cap, const char *name)
{
	snprintf(path, cap, "%s/%s", s->place->dir, name);
}

static inline void open_target(struct target *t, const char *path, unsigned flags)
{
	struct fault f;

	if (target_open(t, path, flags, &f) < 0)
		fail_msg("%s: %s", path, f.text);
}

static inline struct engine_params params_of(const struct target *t)
{
	return (struct engine_params){.fd = t->fd, .size = t->size, .depth = DEPTH, .direct = t->direct};
}

static inline int try_rig(struct rig *r, const struct subject *s, struct engine_params p)
{
	const struct variant *v = s->variant;

	p.use = v->use;
	p.hints = v->hint;
	p.hint_count = v->hint ? 1 : 0;
	p.touch = v->touch;
	p.dsync = v->dsync && p.write;
	return rig_open(r, s->engine, p);
}

static inline void open_rig(struct rig *r, const struct subject *s, struct engine_params p)
{
	if (try_rig(r, s, p) < 0)
		fail_msg("open: %s", r->fault.text);
}

/* Can this file system do what the variant asks for? */
static inline bool can_run(const struct subject *s, const char *file, struct fault *why)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(rig_close) struct rig r = {.state = NULL};
	int err;

	open_target(&t, file, 0);
	err = try_rig(&r, s, params_of(&t));
	*why = r.fault;
	return err != -EOPNOTSUPP;
}

struct behaviour {
	const char *name;
	void (*run)(const struct subject *s, const char *file);
	unsigned needs;        /* flags of the engine */
	bool all;              /* for each variant, not only for the usual */
};

static inline void run_subject(void **state)
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

static inline void add_test(size_t *n, struct subject s, const char *name)
{
	assert(*n < MAX_TESTS);
	subjects[*n] = s;
	snprintf(names[*n], sizeof(names[*n]), "%s, %s", place_name(s.place), name);
	tests[*n] = (struct CMUnitTest){.name = names[*n], .test_func = run_subject, .initial_state = &subjects[*n]};
	++*n;
}

static inline void add_variant(size_t *n, struct place *place, const struct variant *v, const struct behaviour *b,
			       size_t count)
{
	const struct engine *e = engine_of_name(v->engine);
	char name[80];

	assert(e);
	for (const struct behaviour *end = b + count; b < end; b++) {
		if (b->needs & ~e->flags || (v->label && !b->all))
			continue;
		snprintf(name, sizeof(name), "%s%s%s%s: %s", v->engine, v->label ? " (" : "", v->label ? v->label : "",
			 v->label ? ")" : "", b->name);
		add_test(n, (struct subject){place, e, v, b->run}, name);
	}
}

/* On each place; n tests were added before. The exit status. */
static inline int run_behaviours(const char *group, const struct behaviour *b, size_t count, size_t n)
{
	for (size_t p = 0; p < ARRAY_SIZE(places); p++)
		for (size_t v = 0; v < ARRAY_SIZE(variants); v++)
			add_variant(&n, &places[p], &variants[v], b, count);
	return _cmocka_run_group_tests(group, tests, n, make_places, remove_places);
}
