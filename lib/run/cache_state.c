/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/cache_state.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/event.h"
#include "base/macro.h"
#include "io/residency.h"
#include "io/warm.h"

/* Between two looks at whether the end was asked for. */
#define STEP (UINT64_C(8) << 20)

static uint64_t end_of(struct span s)
{
	return s.offset + s.length;
}

static int by_offset(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sort, and make one of those that touch. */
static void tidy(struct spans *s)
{
	size_t n = 0;

	if (s->count == 0)
		return;
	qsort(s->span, s->count, sizeof(*s->span), by_offset);
	for (size_t i = 1; i < s->count; i++) {
		struct span *last = &s->span[n], now = s->span[i];

		if (now.offset > end_of(*last))
			s->span[++n] = now;
		else
			last->length = MAX(end_of(*last), end_of(now)) - last->offset;
	}
	s->count = n + 1;
}

/* Room for one more: by making less of those that are there, if that gives much. */
static int make_room(struct spans *s)
{
	size_t capacity = MAX(2 * s->capacity, (size_t)1024);
	struct span *more;

	if (s->count < s->capacity)
		return 0;
	tidy(s);
	if (s->capacity && s->count < s->capacity / 2)
		return 0;
	more = reallocarray(s->span, capacity, sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->span = more;
	s->capacity = capacity;
	return 0;
}

/* Whole pages of what is inside size bytes. */
static struct span whole_pages(uint64_t offset, uint64_t length, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), from = MIN(offset, size),
		 end = from + MIN(length, size - from);
	struct span s = {.offset = from - from % page};

	end += (page - end % page) % page;
	s.length = length && from < size ? end - s.offset : 0;
	return s;
}

static int add(struct spans *s, struct span new)
{
	struct span *last = s->count ? &s->span[s->count - 1] : NULL;
	int r;

	if (new.length == 0)
		return 0;
	if (last && new.offset >= last->offset && new.offset <= end_of(*last)) {
		last->length = MAX(end_of(*last), end_of(new)) - last->offset;
		return 0;
	}
	r = make_room(s);
	if (r == 0)
		s->span[s->count++] = new;
	return r;
}

/* What is of one and not of the other list, both tidy. */
static int subtract(struct spans *s, const struct spans *less)
{
	struct spans rest = {0};
	size_t l = 0;
	int r = 0;

	for (size_t i = 0; i < s->count && r == 0; i++) {
		uint64_t at = s->span[i].offset, end = end_of(s->span[i]);

		while (l < less->count && end_of(less->span[l]) <= at)
			l++;
		for (size_t k = l; k < less->count && less->span[k].offset < end && r == 0; k++) {
			if (less->span[k].offset > at)
				r = add(&rest, (struct span){at, less->span[k].offset - at});
			at = MAX(at, end_of(less->span[k]));
		}
		if (at < end && r == 0)
			r = add(&rest, (struct span){at, end - at});
	}
	free(s->span);
	*s = rest;
	return r;
}

static void spans_fini(struct spans *s)
{
	free(s->span);
	*s = (struct spans){0};
}

/* The cold ranges of a target of size bytes. */
static int cold_of(const struct cache_state *s, uint64_t size, struct spans *out)
{
	int r = 0;

	for (unsigned i = 0; i < s->cold_count && r == 0; i++)
		r = add(out, whole_pages(s->cold[i].offset, s->cold[i].length, size));
	if (r == 0)
		tidy(out);
	return r;
}

static int take_trace(struct cache_state *s, const struct trace *t)
{
	int r = 0;

	for (size_t i = 0; i < t->count && r == 0; i++) {
		enum op op = req_op(t->req[i]);
		unsigned target = targets_of(s->targets, t->file ? t->file[i] : 0);

		if (op == OP_READ || op == OP_WRITE)
			r = add(&s->warm[target], whole_pages(req_offset(t->req[i]), req_length(t->req[i]),
							      s->targets->file[target].size));
		if (stop_polled(i))
			return -EINTR;
	}
	return r;
}

static int plan_warm(struct cache_state *s, const struct trace *t)
{
	int r;

	s->warm = calloc(s->targets->count, sizeof(*s->warm));
	r = s->warm ? take_trace(s, t) : -ENOMEM;
	for (unsigned i = 0; i < s->targets->count && r == 0; i++) {
		_cleanup_(spans_fini) struct spans cold = {0};
		struct spans *warm = &s->warm[i];

		tidy(warm);
		r = cold_of(s, s->targets->file[i].size, &cold);
		if (r == 0)
			r = subtract(warm, &cold);
		for (size_t k = 0; k < warm->count; k++)
			warm->pages += warm->span[k].length / PAGE_BYTES;
	}
	return r;
}

int cache_state_init(struct cache_state *s, const struct play_params *params, const struct trace *t,
		     const struct targets *targets, struct fault *fault)
{
	int r;

	*s = (struct cache_state){
		.how = params->cache, .targets = targets, .cold = params->cold, .cold_count = params->cold_count};
	if (s->how != CACHE_WARM && s->how != CACHE_COLD)
		return 0;
	for (unsigned i = 0; i < targets->count; i++)
		if (targets->target[i].kind != TARGET_FILE && targets->target[i].kind != TARGET_BLOCK)
			return fault_set(fault, -EINVAL, "--cache: %s has no page cache that could be warm or cold",
					 targets->target[i].path);
	r = plan_warm(s, t);
	if (r < 0) {
		cache_state_fini(s);
		return fault_set(fault, r, r == -EINTR ? "interrupted" : "no memory for what is to be cached");
	}
	return 0;
}

void cache_state_fini(struct cache_state *s)
{
	for (unsigned i = 0; s->warm && i < s->targets->count; i++)
		spans_fini(&s->warm[i]);
	free(s->warm);
	*s = (struct cache_state){0};
}

static bool called_off(const atomic_bool *stop)
{
	return stop_signal() || atomic_load_explicit(stop, memory_order_relaxed);
}

static int warm_span(struct warm *w, struct span s, const atomic_bool *stop)
{
	int r = 0;

	for (uint64_t at = s.offset; at < end_of(s) && r == 0 && !called_off(stop); at += STEP)
		r = warm_put(w, at, MIN(STEP, end_of(s) - at));
	return r;
}

static int warm_target(const struct target *t, const struct spans *s, const atomic_bool *stop, struct fault *fault)
{
	struct warm w;
	int r = warm_open(&w, t);

	for (size_t i = 0; i < s->count && r == 0 && !called_off(stop); i++)
		r = warm_span(&w, s->span[i], stop);
	if (r == 0)
		r = warm_end(&w);
	warm_close(&w);
	return r < 0 ? fault_set(fault, r, "%s: cannot be read into the cache: %s", t->path, strerror(-r)) : 0;
}

/* Pages of a list that are cached. */
struct found {
	const struct spans *spans;
	size_t at;
	uint64_t pages;
};

static int take_run(void *ctx, uint64_t offset, uint64_t length)
{
	struct found *f = ctx;
	uint64_t end = offset + length;

	while (f->at < f->spans->count && end_of(f->spans->span[f->at]) <= offset)
		f->at++;
	for (size_t i = f->at; i < f->spans->count && f->spans->span[i].offset < end; i++) {
		uint64_t from = MAX(offset, f->spans->span[i].offset), to = MIN(end, end_of(f->spans->span[i]));

		f->pages += (to - from + PAGE_BYTES - 1) / PAGE_BYTES;
	}
	return 0;
}

static int pages_cached(const struct target *t, const struct spans *s, uint64_t *pages)
{
	struct found f = {.spans = s};
	int r = s->count ? residency_runs(t, take_run, &f) : 0;

	*pages = f.pages;
	return r;
}

/* Add to a sum in which UINT64_MAX is one that is not known. */
static void add_known(uint64_t *sum, int r, uint64_t v)
{
	*sum = r < 0 || *sum == UINT64_MAX ? UINT64_MAX : *sum + v;
}

/* What is missing of the warm, and left of the cold, of all targets. */
static int look(const struct cache_state *s, uint64_t *missing, uint64_t *left, struct fault *fault)
{
	*missing = *left = 0;
	for (unsigned i = 0; i < s->targets->count; i++) {
		_cleanup_(spans_fini) struct spans cold = {0};
		const struct target *t = &s->targets->target[i];
		uint64_t pages;
		int r;

		if (cold_of(s, t->size, &cold) < 0)
			return fault_set(fault, -ENOMEM, "no memory for what is to be cached");
		r = pages_cached(t, &s->warm[i], &pages);
		add_known(missing, r, s->warm[i].pages - MIN(pages, s->warm[i].pages));
		r = pages_cached(t, &cold, &pages);
		add_known(left, r, pages);
	}
	return 0;
}

/* The more of two numbers of which UINT64_MAX is none. */
static uint64_t worse(uint64_t a, uint64_t b)
{
	return a == UINT64_MAX || b == UINT64_MAX ? MIN(a, b) : MAX(a, b);
}

static int set_warm(const struct cache_state *s, struct play_cache_set *done, uint64_t *left, const atomic_bool *stop,
		    struct fault *fault)
{
	uint64_t missing = 0, stayed = 0;
	int r = 0;

	done->warm = 0;
	for (unsigned i = 0; i < s->targets->count && r == 0; i++) {
		r = warm_target(&s->targets->target[i], &s->warm[i], stop, fault);
		done->warm += s->warm[i].pages;
	}
	if (r == 0)
		r = look(s, &missing, &stayed, fault);
	if (r < 0 || called_off(stop))
		return r;
	done->missing = done->times > 1 ? worse(done->missing, missing) : missing;
	if (s->how == CACHE_COLD)
		*left = worse(*left, stayed);
	return 0;
}

int cache_state_set(const struct cache_state *s, struct play_cache_set *done, uint64_t *left, const atomic_bool *stop,
		    struct fault *fault)
{
	int64_t start = clock_now();
	uint64_t stayed = UINT64_MAX;
	int r = 0;

	if (s->how == CACHE_KEEP)
		return 0;
	done->times++;
	/* For what is to be cold all is dropped: a folio that lies in a range and beside it would stay. */
	if (s->how != CACHE_WARM) {
		r = targets_drop_cache(s->targets, &stayed);
		if (r < 0)
			return fault_set(fault, r, "cannot drop the cached pages: %s", strerror(-r));
	}
	if (s->how == CACHE_WARM || s->how == CACHE_COLD)
		r = set_warm(s, done, left, stop, fault);
	else
		*left = worse(*left, stayed);
	done->ns += clock_now() - start;
	return r;
}
