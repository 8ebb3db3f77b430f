/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/backend.h"

static const struct engine *const table[] = {
	&engine_pread,
	&engine_preadv2,
	&engine_mmap,
	&engine_libaio,
	&engine_io_uring,
	&engine_null,
};

const struct engine *engine_at(size_t i)
{
	return i < ARRAY_SIZE(table) ? table[i] : NULL;
}

const struct engine *engine_of_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (strcmp(table[i]->name, name) == 0)
			return table[i];
	return NULL;
}

const char *engine_use_name(unsigned bit)
{
	static const char *const names[USE_COUNT] = {
		"nowait", "dontcache", "hipri", "sqpoll", "iopoll", "registered buffers", "populate",
		"executable",
	};

	return names[bit];
}

bool engine_needs_buffers(const struct engine *e, const struct engine_params *p)
{
	return e->flags & ENGINE_BUFFER || (e->flags & ENGINE_TOUCH && (p->touch == TOUCH_COPY || p->write));
}

/* Name the engines that keep so many requests in flight. */
static int refuse_depth(const struct engine *e, unsigned depth, struct fault *why)
{
	char names[80] = "", own[40] = "one request";
	const struct engine *other;
	size_t used = 0;

	if (e->max_depth > 1)
		snprintf(own, sizeof(own), "at most %u requests", e->max_depth);
	for (size_t i = 0; (other = engine_at(i)) != NULL; i++)
		if (other->max_depth >= depth && used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
						 other->name);
	return fault_set(why, -EINVAL, "engine %s has %s in flight, not %u%s%s", e->name,
			 own, depth, used ? "; --depth is for " : "", names);
}

int engine_check(const struct engine *e, const struct engine_params *p, struct fault *why)
{
	unsigned lacks = p->use & ~e->uses;

	if (p->depth < 1)
		return fault_set(why, -EINVAL, "a depth of 0 issues nothing");
	if (p->depth > e->max_depth)
		return refuse_depth(e, p->depth, why);
	if (p->direct && !(e->flags & ENGINE_DIRECT))
		return fault_set(why, -EINVAL, "engine %s cannot do direct I/O", e->name);
	if (p->write && !(e->flags & ENGINE_WRITE))
		return fault_set(why, -EINVAL, "engine %s cannot write", e->name);
	if (lacks)
		return fault_set(why, -EINVAL, "engine %s has no %s", e->name,
				 engine_use_name((unsigned)__builtin_ctz(lacks)));
	if (p->touch != TOUCH_PAGE && !(e->flags & ENGINE_TOUCH))
		return fault_set(why, -EINVAL, "engine %s moves the bytes, so there is no choice how to touch them",
				 e->name);
	if (p->use & (USE_HIPRI | USE_IOPOLL) && !p->direct)
		return fault_set(why, -EINVAL, "%s is for direct I/O alone: a page cache cannot be polled",
				 p->use & USE_HIPRI ? "hipri" : "iopoll");
	return 0;
}

unsigned engine_iov(struct iovec *iov, unsigned max, char *buf, size_t buf_size, uint64_t length, uint64_t *covered)
{
	unsigned n = 0;

	for (*covered = 0; *covered < length && n < max; n++) {
		iov[n] = (struct iovec){.iov_base = buf, .iov_len = MIN(buf_size, length - *covered)};
		*covered += iov[n].iov_len;
	}
	return n;
}

int vectors_init(struct vectors *v, const struct engine_params *p, struct fault *why)
{
	uint64_t longest = p->max_length ? p->max_length : MIN(IO_MAX, (uint64_t)ENGINE_IOVS * p->buf_size);
	uint64_t each = (longest + p->buf_size - 1) / p->buf_size;

	*v = (struct vectors){.buf_size = p->buf_size};
	if (longest <= p->buf_size)
		return 0;
	if (each > ENGINE_IOVS)
		return fault_set(why, -EINVAL, "a request of %" PRIu64 " bytes is too long for a buffer of %zu bytes",
				 longest, p->buf_size);
	/* Memory that no long request touches is never there, whatever the depth. */
	v->iov = calloc((size_t)each * p->depth, sizeof(*v->iov));
	if (!v->iov)
		return fault_set(why, -ENOMEM, "no memory for the vectors of %u requests", p->depth);
	v->each = (unsigned)each;
	return 0;
}

void vectors_fini(struct vectors *v)
{
	free(v->iov);
	v->iov = NULL;
}

struct iovec *vectors_fill(const struct vectors *v, const struct io *io, unsigned *n)
{
	struct iovec *iov = v->iov + (size_t)io->slot * v->each;
	uint64_t covered = 0;

	if (v->each == 0)
		return NULL;
	*n = engine_iov(iov, v->each, io->buf, v->buf_size, io->length, &covered);
	return covered == io->length ? iov : NULL;
}
