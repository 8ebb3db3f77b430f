/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "io/mapping.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

/* The first byte, and of each page after it the first; ends at the first page that could not be had. */
static void touch(const struct mapping *m, const char *from, size_t length)
{
	size_t page = m->guard.page, first = page - ((size_t)from & (page - 1));
	const volatile char *at = from;

	(void)*at;
	for (size_t done = first; done < length && !m->guard.lost; done += page)
		(void)at[done];
}

/* The bytes of one page or less, by copies out of (to: into) the buffer, which is filled over and over. */
static void copy(const struct mapping *m, char *at, size_t n, char *buf, uint64_t done, bool to)
{
	while (n > 0) {
		size_t place = (size_t)(done % m->buf_size), piece = MIN(n, m->buf_size - place);

		if (to)
			memcpy(buf + place, at, piece);
		else
			memcpy(at, buf + place, piece);
		at += piece;
		done += piece;
		n -= piece;
	}
}

/* What is to be done to the bytes of one page or less, which stand behind done bytes of the request. */
static void handle(const struct mapping *m, const struct io *io, volatile char *at, size_t n, uint64_t done)
{
	size_t each = m->touch == TOUCH_BYTE ? n : 1;

	if (m->touch == TOUCH_COPY)
		copy(m, (char *)at, n, io->buf, done, io->op == IO_READ);
	else if (io->op == IO_READ)
		for (size_t i = 0; i < each; i++)
			(void)at[i];
	else
		for (size_t i = 0; i < each; i++)
			at[i] = io->buf[(done + i) % m->buf_size];
	/* The copy is done when the caller looks what was lost. */
	atomic_signal_fence(memory_order_seq_cst);
}

void mapping_touch(const struct mapping *m, const struct io *io, char *at, size_t length, uint64_t done)
{
	size_t page = m->guard.page, piece = page - ((size_t)at & (page - 1));

	if (m->touch == TOUCH_PAGE && io->op == IO_READ) {
		touch(m, at, length);
		return;
	}
	for (size_t i = 0; i < length && !m->guard.lost; i += piece, piece = page)
		handle(m, io, at + i, MIN(piece, length - i), done + i);
}

/* The first byte, and of each page after it the first, becomes zero; ends at the first page that could not be had. */
static void touch_to_write(const struct mapping *m, char *from, size_t length)
{
	size_t page = m->guard.page, first = page - ((size_t)from & (page - 1));
	volatile char *at = from;

	*at = 0;
	for (size_t done = first; done < length && !m->guard.lost; done += page)
		at[done] = 0;
}

/*
 * The loop of a bare touch: what misses the TLB or the cache in one request overlaps with the next ones. A page that
 * could not be had stays marked as lost, for submit() to tell.
 */
static inline __attribute__((always_inline)) size_t touch_many(const struct mapping *m, const struct span *spans,
							       size_t n, const atomic_bool *stop, uint64_t fast,
							       bool write)
{
	char *base = m->guard.base;
	const uint64_t start = m->start, page = m->guard.page;
	size_t i;

	for (i = 0; i < n && !atomic_load_explicit(stop, memory_order_relaxed); i++) {
		uint64_t at = spans[i].offset - start, length = spans[i].length;

		if (unlikely(at >= fast))
			break;
		/* Within a page it needs no look at where the window ends. */
		if (likely((at & (page - 1)) + length <= page)) {
			if (write)
				*(volatile char *)(base + at) = 0;
			else
				(void)*(const volatile char *)(base + at);
		} else if (unlikely(length > fast - at)) {
			break;
		} else if (write) {
			touch_to_write(m, base + at, length);
		} else {
			touch(m, base + at, length);
		}
		if (unlikely(m->guard.lost))
			break;
	}
	return i;
}

size_t mapping_read_many(void *state, const struct span *spans, size_t n, const atomic_bool *stop)
{
	const struct mapping *m = state;

	return touch_many(m, spans, n, stop, m->fast, false);
}

size_t mapping_write_many(void *state, const struct span *spans, size_t n, const atomic_bool *stop)
{
	const struct mapping *m = state;

	return touch_many(m, spans, n, stop, m->prot & PROT_WRITE && !m->dsync ? m->fast : 0, true);
}
