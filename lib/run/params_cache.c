/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of plays that are about the page cache. */
#include <errno.h>
#include <string.h>

#include "base/macro.h"
#include "run/confine.h"
#include "run/rows.h"

/* More is a slip. */
#define READAHEAD_MAX (UINT64_C(1) << 40)

static int take_cgroup(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
	struct confine new = {.group.limit = UINT64_MAX}, *kept;
	size_t n = strlen("new:");
	int err = 0;

	if (strncmp(text, "new:", n) == 0) {
		err = params_bytes(p, text + n, strlen(text + n), &new.bytes, fault);
		if (err == 0 && new.bytes < CGROUP_BYTES_MIN)
			err = params_refuse(fault, text, strlen(text), "a play does not fit into less than 2m");
	} else if (!text[0]) {
		err = fault_set(fault, -EINVAL, "the name is empty");
	} else {
		new.name = program_keep(ctx, text);
		err = new.name ? 0 : fault_set(fault, -ENOMEM, "no memory");
	}
	if (err < 0)
		return err;
	kept = program_adopt(ctx, malloc(sizeof(*kept)));
	if (!kept)
		return fault_set(fault, -ENOMEM, "no memory");
	*kept = new;
	p->confine = kept;
	return 0;
}

static int take_keep_cache(void *ctx, const struct cli_row *row, const char *text _unused_,
			   struct fault *fault _unused_)
{
	row_params(ctx, row)->play.cache = CACHE_KEEP;
	return 0;
}

/* RANGE[,RANGE...] of what is to be cold. */
static int take_cold(void *ctx, struct params *p, const char *text, struct fault *fault)
{
	_cleanup_free_ struct span *cold = NULL;
	unsigned count = 0;

	for (const char *next; text; text = next) {
		struct span *more = reallocarray(cold, count + 1, sizeof(*more));
		size_t n;
		int err;

		if (!more)
			return fault_set(fault, -ENOMEM, "no memory");
		cold = more;
		next = params_split(text, &n);
		err = params_range(p, text, n, &cold[count].offset, &cold[count].length, fault);
		if (err < 0)
			return err;
		count++;
	}
	p->play.cold = program_adopt(ctx, TAKE_PTR(cold));
	p->play.cold_count = count;
	p->play.cache = CACHE_COLD;
	return p->play.cold ? 0 : fault_set(fault, -ENOMEM, "no memory");
}

static int take_cache(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	static const struct {
		const char *name;
		enum play_cache cache;
	} states[] = {{"drop", CACHE_DROP}, {"keep", CACHE_KEEP}, {"warm", CACHE_WARM}};
	struct params *p = row_params(ctx, row);

	if (strncmp(text, "cold=", strlen("cold=")) == 0)
		return take_cold(ctx, p, text + strlen("cold="), fault);
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (strcmp(text, states[i].name) == 0) {
			p->play.cache = states[i].cache;
			return 0;
		}
	}
	return params_refuse(fault, text, strlen(text), "not one of drop keep warm cold=A-B");
}

static int take_readahead(void *ctx, const struct cli_row *row, const char *text, struct fault *fault)
{
	struct params *p = row_params(ctx, row);
	int err = params_bytes(p, text, strlen(text), &p->readahead, fault);

	if (err == 0 && p->readahead % PAGE_BYTES != 0)
		err = params_refuse(fault, text, strlen(text), "not a multiple of 4096 bytes");
	if (err == 0 && p->readahead > READAHEAD_MAX)
		err = params_refuse(fault, text, strlen(text), "more than 1t");
	return err;
}

const struct cli_row rows_cache[] = {
    ROW("cache", "drop|keep|warm|cold=RANGE,...", take_cache, "the cached pages of FILE before each loop of a play"),
    {.name = "keep-cache", .take = take_keep_cache, .help = "the same as --cache keep"},
    ROW_FLAG("hits", play.hits, "tell reads that hit the cache from those that miss, each with its latencies"),
    ROW_USE("dontcache", USE_DONTCACHE, "leave nothing in the cache (RWF_DONTCACHE, Linux 6.14)"),
    ROW("advise", "ADVICE[=RANGE],...", params_take_advise, "tell the kernel how FILE is used; see the manual page"),
    ROW("readahead", "BYTES", take_readahead, "read so far ahead on the device of FILE, as long as a play takes"),
    ROW("in-cgroup", "PATH|new:BYTES", take_cgroup, "play in this memory cgroup, or in a new one of BYTES"),
    {.name = NULL},
};

const struct cli_row program_as_cgroup[] = {
    ROW("cgroup", "PATH|new:BYTES", take_cgroup, "the same as --in-cgroup"),
    {.name = NULL},
};
