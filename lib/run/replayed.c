/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/replayed.h"

#include "base/macro.h"

static struct source_replay total(const struct replayed *r)
{
	struct source_replay sum = {0};

	if (r->now)
		play_shown(r->now, &sum.requests, &sum.bytes);
	sum.requests += r->before.requests;
	sum.bytes += r->before.bytes;
	return sum;
}

void replayed_begin(struct replayed *r, const struct play *p)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->now = p;
	pthread_mutex_unlock(&r->lock);
}

void replayed_end(struct replayed *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->before = total(r);
	r->now = NULL;
	pthread_mutex_unlock(&r->lock);
}

void replayed_read(void *ctx, struct source_replay *out)
{
	struct replayed *r = ctx;

	pthread_mutex_lock(&r->lock);
	*out = total(r);
	pthread_mutex_unlock(&r->lock);
}
