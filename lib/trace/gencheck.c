/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which parameters make a pattern. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/macro.h"
#include "trace/gen.h"

static const char *const names[PATTERN_COUNT] = {
	[PATTERN_SEQUENTIAL] = "sequential", [PATTERN_BACKWARD] = "backward",
	[PATTERN_RANDOM] = "random",	 [PATTERN_OOO] = "ooo",
	[PATTERN_STRIDE] = "stride",
};

const char *pattern_name(enum pattern p)
{
	return names[p];
}

int pattern_of_name(const char *name)
{
	for (int p = 0; p < PATTERN_COUNT; p++)
		if (strcmp(name, names[p]) == 0)
			return p;
	return -1;
}

void gen_params_init(struct gen_params *p)
{
	*p = (struct gen_params){
		.pattern = PATTERN_SEQUENTIAL,
		.dist = {.kind = DIST_UNIFORM},
		.end = UINT64_C(10) << 20,
		.size_min = PAGE_BYTES,
		.size_max = PAGE_BYTES,
		.align = 1,
		.max_requests = GEN_UNLIMITED,
		.max_bytes = GEN_UNLIMITED,
		.op = OP_READ,
	};
}

bool gen_span_init(struct gen_span *s, int64_t min, int64_t max, uint64_t align)
{
	/* Division rounds towards 0, and bounds round inwards. */
	int64_t a = (int64_t)align, first = min / a + (min % a > 0), last = max / a - (max % a < 0);

	*s = (struct gen_span){.first = first, .more = (uint64_t)last - (uint64_t)first};
	return first <= last;
}

int gen_check_size(const struct gen_params *p, struct fault *fault)
{
	struct gen_span size;

	if (!p->align || p->align & (p->align - 1) || p->align > REQ_MAX)
		return fault_set(fault, -EINVAL, "--align: %" PRIu64 " bytes is not a power of two", p->align);
	if (!p->size_min)
		return fault_set(fault, -EINVAL, "--size: a request of 0 bytes makes no sense");
	if (p->size_min > p->size_max)
		return fault_set(fault, -EINVAL,
				 "--size: the smallest (%" PRIu64 " bytes) is over the largest (%" PRIu64 " bytes)",
				 p->size_min, p->size_max);
	if (p->size_max > REQ_MAX)
		return fault_set(fault, -EINVAL, "--size: %" PRIu64 " bytes does not fit into 63 bits", p->size_max);
	if (!gen_span_init(&size, (int64_t)p->size_min, (int64_t)p->size_max, p->align))
		return fault_set(fault, -EINVAL,
				 "--size, --align: no multiple of %" PRIu64 " bytes lies in %" PRIu64 "..%" PRIu64,
				 p->align, p->size_min, p->size_max);
	return 0;
}

static bool walks(enum pattern p)
{
	return p == PATTERN_SEQUENTIAL || p == PATTERN_BACKWARD || p == PATTERN_STRIDE;
}

static int check_range(const struct gen_params *p, uint64_t largest, struct fault *fault)
{
	/* Rounded inwards; the sum stays below 2^64. */
	uint64_t begin = (p->begin + p->align - 1) & ~(p->align - 1), end = p->end & ~(p->align - 1);

	if (p->end > REQ_MAX)
		return fault_set(fault, -EINVAL, "--offset: %" PRIu64 " bytes does not fit into 63 bits", p->end);
	if (p->begin >= p->end)
		return fault_set(fault, -EINVAL,
				 "--offset: begin (%" PRIu64 " bytes) is not below end (%" PRIu64 " bytes)", p->begin,
				 p->end);
	if (begin >= end)
		return fault_set(fault, -EINVAL,
				 "--offset, --align: the range holds no aligned block of %" PRIu64 " bytes", p->align);
	if (largest > end - begin)
		return fault_set(fault, -EINVAL,
				 "--size, --offset: %" PRIu64 " bytes is larger than the range (%" PRIu64 " bytes)",
				 largest, end - begin);
	return 0;
}

static int check_walk(const struct gen_params *p, int64_t smallest, struct fault *fault)
{
	struct gen_span skip;

	if (p->pattern == PATTERN_STRIDE && !p->stride)
		return fault_set(fault, -EINVAL, "--pattern stride needs --stride");
	if (p->skip_min > p->skip_max)
		return fault_set(fault, -EINVAL,
				 "--skip: the smallest (%" PRId64 " bytes) is over the largest (%" PRId64 " bytes)",
				 p->skip_min, p->skip_max);
	if (p->stride) {
		if (p->skip_min || p->skip_max)
			return fault_set(fault, -EINVAL, "--stride and --skip exclude each other");
		if (p->stride > REQ_MAX)
			return fault_set(fault, -EINVAL, "--stride: %" PRIu64 " bytes does not fit into 63 bits",
					 p->stride);
		if (p->stride & (p->align - 1))
			return fault_set(fault, -EINVAL,
					 "--stride, --align: %" PRIu64 " bytes is no multiple of %" PRIu64, p->stride,
					 p->align);
		return 0;
	}
	if (!gen_span_init(&skip, p->skip_min, p->skip_max, p->align))
		return fault_set(fault, -EINVAL,
				 "--skip, --align: no multiple of %" PRIu64 " bytes lies in %" PRId64 "..%" PRId64,
				 p->align, p->skip_min, p->skip_max);
	if (skip.first <= -smallest / (int64_t)p->align)
		return fault_set(fault, -EINVAL,
				 "--skip, --size: a skip of %" PRId64 " bytes behind %" PRId64 " bytes does not advance",
				 skip.first * (int64_t)p->align, smallest);
	return 0;
}

int gen_check(const struct gen_params *p, struct fault *fault)
{
	struct gen_span size;
	uint64_t smallest, largest;
	int err = gen_check_size(p, fault);

	if (err)
		return err;
	gen_span_init(&size, (int64_t)p->size_min, (int64_t)p->size_max, p->align);
	smallest = (uint64_t)size.first * p->align;
	largest = smallest + size.more * p->align;
	err = check_range(p, largest, fault);
	if (err)
		return err;
	if ((p->op == OP_SYNC || p->op == OP_DATASYNC) && p->max_requests == GEN_UNLIMITED)
		return fault_set(fault, -EINVAL,
				 "--op %c never ends without --max-requests: a sync has no place in the range",
				 op_letter(p->op));
	if (!p->max_requests)
		return fault_set(fault, -EINVAL, "--max-requests: a pattern of 0 requests makes no sense");
	if (p->max_bytes < smallest)
		return fault_set(fault, -EINVAL,
				 "--max-bytes, --size: %" PRIu64 " bytes is less than the smallest request (%" PRIu64
				 ")",
				 p->max_bytes, smallest);
	if (walks(p->pattern))
		return check_walk(p, (int64_t)smallest, fault);
	if (p->stride)
		return fault_set(fault, -EINVAL, "--stride makes no sense with --pattern %s", pattern_name(p->pattern));
	if (p->pattern == PATTERN_OOO && p->dist.kind != DIST_UNIFORM)
		return fault_set(fault, -EINVAL, "--pdf: --pattern ooo takes each slot once, which only uniform can");
	if (p->pattern == PATTERN_RANDOM && p->max_requests == GEN_UNLIMITED && p->max_bytes == GEN_UNLIMITED)
		return fault_set(fault, -EINVAL, "--pattern random never ends without --max-requests or --max-bytes");
	return 0;
}
