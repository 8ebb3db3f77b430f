/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/hits.h"

#include <errno.h>
#include <sys/resource.h>

#include "base/macro.h"

/*
 * No page comes from a device in less: the exception alone takes a good part of it, and to ask for the page more.
 * Touches that are shorter need no system call to know that they hit.
 */
#define FAULT_NS 250

int hits_plan(const struct engine *e, const struct play_params *p, enum play_hits *by, unsigned *use,
	      struct fault *fault)
{
	*by = HITS_NONE;
	if (!p->hits)
		return 0;
	if (p->direct)
		return fault_set(fault, -EINVAL, "--hits: direct I/O goes past the page cache, where nothing can hit");
	if (!p->latency)
		return fault_set(fault, -EINVAL, "--hits, --no-latency: hits and misses are told by their latencies");
	if (p->use & USE_NOWAIT && p->miss == MISS_COUNT)
		return fault_set(fault, -EINVAL, "--hits, --nowait count: a miss that is not read has no latency");
	if (e->uses & USE_NOWAIT) {
		*by = HITS_PROBE;
		*use |= USE_NOWAIT;
		return 0;
	}
	if (!(e->flags & ENGINE_TOUCH))
		return fault_set(fault, -EINVAL,
				 "--hits: engine %s does not tell what was cached; preadv2, mmap, libaio and io_uring do",
				 e->name);
	*by = HITS_FAULTS;
	return 0;
}

const char *hits_method(enum play_hits by)
{
	return by == HITS_PROBE ? "probe" : "faults";
}

const char *hits_trust(enum play_hits by)
{
	return by == HITS_PROBE ? "exact at the moment of each call: what readahead has brought by then hits, what it "
				  "is still reading misses"
				: "a touch misses when its thread has a major fault or sleeps: what it waits for but a "
				  "page counts too";
}

uint64_t hits_count(const struct play_result *r)
{
	return r->hit ? r->hit->count : 0;
}

double hits_percent(const struct play_result *r)
{
	uint64_t hits = hits_count(r), all = hits + r->misses;

	return all ? 100 * (double)hits / (double)all : 0;
}

/*
 * Faults that began to read a page, and waits of any kind: a fault that only waits for a page that is being read
 * already is no major one since faults take the lock of their mapping alone (Linux 6.4).
 */
static long stops_of_thread(void)
{
	struct rusage now;

	getrusage(RUSAGE_THREAD, &now);
	return now.ru_majflt + now.ru_nvcsw;
}

void hits_ask(struct job *j)
{
	j->stops = stops_of_thread();
}

void hits_look(struct job *j, struct flight *f, uint64_t ticks)
{
	long stops;

	if (tick_ns(&j->tick, ticks) < FAULT_NS || f->io.op != IO_READ)
		return;
	stops = stops_of_thread();
	if (stops > j->stops && f->error == 0) {
		f->missed = true;
		j->result.misses++;
	}
	j->stops = stops;
	j->now = tick_now(&j->tick);
}
