/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/ahead.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/macro.h"
#include "io/engine.h"

static void ahead_fini(struct ahead *a)
{
	for (unsigned i = 0; i < a->count; i++)
		readahead_close(&a->device[i]);
	free(a->device);
	free(a->undo);
	*a = (struct ahead){.bytes = AHEAD_AS_IT_IS};
}

/*
 * A descriptor can be told to read nothing ahead, or twice as much as its device (mm/fadvise.c); a mapping only the
 * first.
 */
static int find_hint(struct ahead *a, const struct play_params *p, int err, struct fault *fault)
{
	const struct engine *e = engine_of_name(p->engine);
	bool doubles = !e || !(e->flags & ENGINE_TOUCH);
	char twice[32] = "";

	a->by_hint = true;
	a->hint.advice = a->bytes ? ADVISE_SEQUENTIAL : ADVISE_RANDOM;
	for (unsigned i = 0; i < a->count; i++) {
		const struct readahead *r = &a->device[i];

		if (a->bytes == 0 || (doubles && a->bytes == 2 * r->was))
			continue;
		if (doubles)
			snprintf(twice, sizeof(twice), " or %" PRIu64 "k", 2 * r->was >> 10);
		return fault_set(fault, err, "%s cannot be written (%s), and without that only 0%s can be had", r->file,
				 strerror(-err), twice);
	}
	return 0;
}

/* The device of one more target. */
static int find_one(struct ahead *a, const char *path, struct fault *fault)
{
	_cleanup_(target_close) struct target t = TARGET_NONE;
	_cleanup_(readahead_close) struct readahead r = READAHEAD_NONE;
	int err = target_open(&t, path, TARGET_MEMORY, fault);

	if (err < 0)
		return err;
	err = readahead_find(&r, &t, fault);
	/* as in a container without /sys: nothing ahead can be had all the same */
	if (err == -ENOENT && (t.kind == TARGET_FILE || t.kind == TARGET_BLOCK)) {
		struct fault why = *fault;

		if (a->bytes)
			return fault_set(fault, err, "%s; without one only 0 can be had", why.text);
		a->by_hint = true;
		return 0;
	}
	if (err < 0)
		return err;
	for (unsigned i = 0; i < a->count; i++)
		if (strcmp(a->device[i].file, r.file) == 0)
			return 0;
	a->device[a->count++] = r;
	r = READAHEAD_NONE;
	return 0;
}

/* Is there nothing to change? */
static bool is_so(const struct ahead *a)
{
	for (unsigned i = 0; i < a->count; i++)
		if (a->device[i].was != a->bytes)
			return false;
	return true;
}

static int find(struct ahead *a, const struct play_params *p, struct fault *fault)
{
	int err;

	a->hint = (struct io_hint){.advice = ADVISE_RANDOM, .length = HINT_TO_END};
	a->device = calloc(p->map_count + 1, sizeof(*a->device));
	a->undo = calloc(p->map_count + 1, sizeof(*a->undo));
	if (!a->device || !a->undo)
		return fault_set(fault, -ENOMEM, "no memory");
	err = find_one(a, p->target, fault);
	for (unsigned i = 0; i < p->map_count && err == 0; i++)
		err = find_one(a, p->map[i].target, fault);
	if (err < 0 || a->by_hint)
		return err;
	for (unsigned i = 0; i < a->count && err == 0; i++)
		err = readahead_check(&a->device[i]);
	a->as_is = err < 0 && is_so(a);
	return err < 0 && !a->as_is ? find_hint(a, p, err, fault) : 0;
}

int ahead_find(struct ahead *a, const struct play_params *p, uint64_t bytes, struct fault *fault)
{
	int err;

	*a = (struct ahead){.bytes = bytes};
	if (bytes == AHEAD_AS_IT_IS)
		return 0;
	err = find(a, p, fault);
	if (err < 0)
		ahead_fini(a);
	return err;
}

int ahead_begin(struct ahead *a, struct program *p, struct fault *fault)
{
	if (a->by_hint || a->as_is)
		return 0;
	for (unsigned i = 0; i < a->count; i++) {
		struct readahead *r = &a->device[i];
		char text[READAHEAD_TEXT];
		int err = readahead_lock(r, fault);

		if (err == 0)
			err = program_undo(p, fault);
		if (err < 0)
			return err;
		readahead_text(text, r->was);
		err = undo_add(p->undo, UNDO_WRITE, r->file, text, fault);
		if (err < 0)
			return err;
		a->undo[i] = err;
		err = readahead_set(r, a->bytes, fault);
		if (err < 0)
			return err;
	}
	return 0;
}

int ahead_end(struct ahead *a, struct program *p, struct fault *fault)
{
	int err = 0;

	for (unsigned i = 0; i < a->count; i++) {
		struct readahead *r = &a->device[i];
		struct fault why;
		int e;

		if (!a->undo[i])
			continue;
		e = readahead_set(r, r->was, err < 0 ? &why : fault);
		if (e == 0)
			undo_drop(p->undo, a->undo[i]);
		err = err < 0 ? err : e;
	}
	ahead_fini(a);
	return err;
}
