/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/effect.h"

#include "base/macro.h"
#include "io/reads.h"
#include "io/site.h"

/* Where only a look at each page tells what is cached, this takes some 20 ms. */
#define LOOKED_AT (UINT64_C(4) << 30)

static void add(struct residency *sum, const struct residency *r)
{
	sum->pages += r->pages;
	sum->cached += r->cached;
	sum->dirty += r->dirty;
	sum->writeback += r->writeback;
	sum->evicted += r->evicted;
	sum->recently_evicted += r->recently_evicted;
	sum->exact &= r->exact;
}

/* Of all targets together; false when one of them does not tell. */
static bool look(const struct targets *all, struct residency *sum)
{
	*sum = (struct residency){.exact = true};
	for (unsigned i = 0; i < all->count; i++) {
		struct residency r;

		if (target_residency_below(&all->target[i], LOOKED_AT, &r) < 0)
			return false;
		add(sum, &r);
	}
	return true;
}

static bool find_device(const struct targets *all, dev_t *device)
{
	for (unsigned i = 0; i < all->count; i++) {
		dev_t other;

		if (!site_device(&all->target[i], &other) || (i > 0 && other != *device))
			return false;
		*device = other;
	}
	return true;
}

void effect_begin(struct effect *e, const struct targets *targets)
{
	*e = (struct effect){.targets = targets, .device_reads = -1};
	e->has_device = find_device(targets, &e->device);
	e->told = look(targets, &e->before);
	if (e->has_device)
		e->device_reads = reads_of_device(e->device);
	e->process_reads = reads_of_process();
}

static bool since(int64_t before, int64_t now, uint64_t *reads)
{
	*reads = before >= 0 && now > before ? (uint64_t)(now - before) : 0;
	return before >= 0 && now >= before;
}

void effect_end(const struct effect *e, struct play_effect *out)
{
	*out = (struct play_effect){.before = e->before};
	out->process_told = since(e->process_reads, reads_of_process(), &out->process_reads);
	out->device_told = since(e->device_reads, e->has_device ? reads_of_device(e->device) : -1, &out->device_reads);
	out->told = look(e->targets, &out->after) && e->told;
}

bool effect_amplification(const struct play_result *r, double *value)
{
	const struct play_effect *e = &r->effect;
	uint64_t reads = e->process_told ? e->process_reads : e->device_reads, asked = r->op[OP_READ].bytes;

	if (!(e->process_told || e->device_told) || asked == 0 || r->ramp_requests > 0)
		return false;
	*value = (double)reads / (double)asked;
	return true;
}
