/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --advise: a list of advice, each for the whole target, or for ranges of it, or behind what is read.
 *
 *     ADVICE | ADVICE=RANGE[,RANGE...] | ADVICE-behind[=BYTES]
 *
 * A word of the list that begins with a digit is one more range of the advice before.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "io/advise.h"
#include "run/rows.h"

#define BEHIND "-behind"
#define BEHIND_BYTES (UINT64_C(1) << 20)

int params_range(const struct params *p, const char *s, size_t n, uint64_t *offset, uint64_t *length,
		 struct fault *fault)
{
	const char *dash = memchr(s, '-', n);
	size_t left = dash ? (size_t)(dash - s) : n;
	uint64_t end = UINT64_MAX;
	int err;

	if (!dash)
		return params_refuse(fault, s, n, "not a range A-B or A-");
	err = params_bytes(p, s, left, offset, fault);
	if (err == 0 && left + 1 < n)
		err = params_bytes(p, dash + 1, n - left - 1, &end, fault);
	if (err == 0 && end <= *offset)
		err = params_refuse(fault, s, n, "the range is empty");
	*length = end == UINT64_MAX ? HINT_TO_END : end - *offset;
	return err;
}

/* What the list says so far. */
struct list {
	struct io_hint *hint;
	unsigned count;
	bool ranges;              /* the last may have more ranges */
	enum io_advice behind;
	uint64_t behind_bytes;
};

static int add(struct list *l, struct io_hint h, struct fault *fault)
{
	struct io_hint *more = reallocarray(l->hint, l->count + 1, sizeof(*more));

	if (!more)
		return fault_set(fault, -ENOMEM, "no memory");
	l->hint = more;
	more[l->count++] = h;
	return 0;
}

static int refuse_name(const char *s, size_t n, struct fault *fault)
{
	char why[200] = "not one of";
	size_t used = strlen(why);

	for (int i = 0; i < ADVISE_COUNT; i++)
		used += (size_t)snprintf(why + used, sizeof(why) - used, " %s", advise_name((enum io_advice)i));
	snprintf(why + used, sizeof(why) - used, ", or dontneed%s", BEHIND);
	return params_refuse(fault, s, n, why);
}

/* The advice of that name, or -1. */
static int find(const char *s, size_t n)
{
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)MIN(n, sizeof(name) - 1), s);
	return n < sizeof(name) ? advise_of_name(name) : -1;
}

/* "ADVICE-behind" of n bytes, and what stands behind its '=' (NULL: nothing). */
static int take_behind(const struct params *p, struct list *l, const char *s, size_t n, const char *value,
		       size_t value_n, struct fault *fault)
{
	int advice = find(s, n - strlen(BEHIND));
	int err = 0;

	if (advice != ADVISE_DONTNEED && advice != ADVISE_COLD && advice != ADVISE_PAGEOUT)
		return params_refuse(fault, s, n, "what is behind can be dontneed, cold or pageout");
	if (l->behind_bytes)
		return params_refuse(fault, s, n, "one advice behind is enough");
	l->behind = (enum io_advice)advice;
	l->behind_bytes = BEHIND_BYTES;
	if (value)
		err = params_bytes(p, value, value_n, &l->behind_bytes, fault);
	if (err == 0 && l->behind_bytes < PAGE_BYTES)
		err = params_refuse(fault, value, value_n, "less than a page");
	return err;
}

static bool is_behind(const char *s, size_t n)
{
	size_t tail = strlen(BEHIND);

	return n > tail && memcmp(s + n - tail, BEHIND, tail) == 0;
}

/* One word of the list. */
static int take_word(const struct params *p, struct list *l, const char *s, size_t n, struct fault *fault)
{
	const char *equals = memchr(s, '=', n), *range = equals ? equals + 1 : NULL;
	size_t name = equals ? (size_t)(equals - s) : n, range_n = range ? n - name - 1 : 0;
	struct io_hint h = {.length = HINT_TO_END};
	int advice, err = 0;

	if (n && isdigit((unsigned char)s[0]) && l->ranges) {
		h.advice = l->hint[l->count - 1].advice;
		range = s;
		range_n = n;
	} else if (is_behind(s, name)) {
		l->ranges = false;
		return take_behind(p, l, s, name, range, range_n, fault);
	} else {
		advice = find(s, name);
		if (advice < 0)
			return refuse_name(s, name, fault);
		h.advice = (enum io_advice)advice;
	}
	l->ranges = range;
	if (range)
		err = params_range(p, range, range_n, &h.offset, &h.length, fault);
	return err < 0 ? err : add(l, h, fault);
}

int params_take_advise(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
	_cleanup_free_ struct io_hint *hint = NULL;
	struct list l = {0};
	int err = 0;

	for (const char *next; text && err == 0; text = next) {
		size_t n;

		next = params_split(text, &n);
		err = take_word(p, &l, text, n, fault);
		hint = l.hint;
	}
	if (err < 0)
		return err;
	p->play.hint_count = l.count;
	p->play.behind = l.behind;
	p->play.behind_bytes = l.behind_bytes;
	p->play.hints = l.count ? program_adopt(ctx, TAKE_PTR(hint)) : NULL;
	return l.count && !p->play.hints ? fault_set(fault, -ENOMEM, "no memory") : 0;
}

static int refuse_advice(const struct play_params *p, enum io_advice a, const char *behind, struct fault *fault)
{
	bool memory = advise_is_of_memory(a);

	return fault_set(fault, -EINVAL, "--advise %s%s is %s, and engine %s has %s", advise_name(a), behind,
			 memory ? "for memory (madvise)" : "for a descriptor (posix_fadvise)", p->engine,
			 memory ? "nothing mapped" : "a mapping");
}

int params_check_advise(const struct play_params *p, struct fault *fault)
{
	bool maps = engine_of_name(p->engine)->flags & ENGINE_TOUCH;

	for (unsigned i = 0; i < p->hint_count; i++) {
		const struct io_hint *h = &p->hints[i];

		if (maps ? !advise_is_of_memory(h->advice) : !advise_is_of_file(h->advice))
			return refuse_advice(p, h->advice, "", fault);
		if (!maps && advise_ignores_range(h->advice) && !hint_is_whole(h))
			return fault_set(fault, -EINVAL,
					 "--advise %s: of a descriptor it holds for the whole file; of a range with --engine mmap",
					 advise_name(h->advice));
	}
	if (p->behind_bytes && !maps && !advise_is_of_file(p->behind))
		return refuse_advice(p, p->behind, BEHIND, fault);
	return 0;
}
