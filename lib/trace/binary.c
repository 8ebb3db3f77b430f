/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/binary.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "trace/binary_layout.h"

_Static_assert(sizeof(struct binary_header) == 128, "no gaps");
_Static_assert(sizeof(struct req) == 16, "an array of pairs of words");

const size_t binary_element[BINARY_COLUMNS] = {
	[BINARY_REQ] = sizeof(struct req),
	[BINARY_TIME] = sizeof(int64_t),
	[BINARY_FILE] = sizeof(uint32_t),
	[BINARY_STEP] = sizeof(uint64_t),
};

bool binary_is(const void *head, size_t n)
{
	return n >= BINARY_MAGIC_SIZE && memcmp(head, BINARY_MAGIC, BINARY_MAGIC_SIZE) == 0;
}

#define SUM_LANES 4
#define SUM_STRIPE (SUM_LANES * sizeof(uint64_t))

/* Odd: each step can be undone, so no change of a single word is ever lost. (2^64 / the golden ratio) */
#define SUM_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t sum_step(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * SUM_MULTIPLIER;
	return lane << 29 | lane >> 35;
}

static inline void sum_stripe(uint64_t lane[SUM_LANES], const void *data)
{
	uint64_t word[SUM_LANES];

	memcpy(word, data, sizeof(word));
	for (int i = 0; i < SUM_LANES; i++)
		lane[i] = sum_step(lane[i], word[i]);
}

uint64_t binary_sum(const void *data, size_t n)
{
	uint64_t lane[SUM_LANES] = {1, 2, 3, 4}, sum = n;
	const unsigned char *p = data;
	size_t left = n;

	for (; left >= SUM_STRIPE; left -= SUM_STRIPE, p += SUM_STRIPE)
		sum_stripe(lane, p);
	if (left) {
		unsigned char last[SUM_STRIPE] = {0};

		memcpy(last, p, left);
		sum_stripe(lane, last);
	}
	for (int i = 0; i < SUM_LANES; i++)
		sum = sum_step(sum, lane[i]);
	return sum ^ sum >> 32;
}

uint64_t binary_lay_out(struct binary_header *h)
{
	uint64_t at = BINARY_ALIGN, sums, arrays = 0;

	for (int c = 0; c < BINARY_COLUMNS; c++) {
		h->at[c] = 0;
		if (!(h->columns >> c & 1))
			continue;
		h->at[c] = at;
		at = binary_round(at + h->count * binary_element[c], BINARY_ALIGN);
		arrays++;
	}
	h->tail = at;
	sums = binary_round(at + h->names + h->comment, 8);
	h->size = sums + binary_blocks(h->count) * arrays * sizeof(uint64_t);
	return sums;
}

/* 0 when the header is whole and makes sense for a file of size bytes. */
static int check_header(const struct binary_header *h, uint64_t size, struct fault *fault)
{
	struct binary_header right = *h;

	if (size < sizeof(*h))
		return fault_set(fault, -EINVAL, "is cut off: a binary trace has a header of %zu bytes", sizeof(*h));
	if (h->order == __builtin_bswap32(BINARY_ORDER))
		return fault_set(fault, -EINVAL,
				 "was written in the other byte order; save it as text there, which can be read everywhere");
	if (h->order != BINARY_ORDER)
		return fault_set(fault, -EINVAL, "the header is damaged");
	if (h->version != BINARY_VERSION)
		return fault_set(fault, -EINVAL,
				 "is a binary trace of version %" PRIu32 "; this program reads version %d", h->version,
				 BINARY_VERSION);
	if (h->header_sum != binary_sum(h, offsetof(struct binary_header, header_sum)))
		return fault_set(fault, -EINVAL, "the header is damaged");
	if (h->count > BINARY_COUNT_MAX || h->names > size || h->comment > size || h->block != BINARY_BLOCK ||
	    !(h->columns & 1 << BINARY_REQ) || h->columns >> BINARY_COLUMNS || h->reserved[0] || h->reserved[1])
		return fault_set(fault, -EINVAL, "the header makes no sense");
	binary_lay_out(&right);
	if (memcmp(&right, h, sizeof(right)) != 0)
		return fault_set(fault, -EINVAL, "the header makes no sense");
	if (size < h->size)
		return fault_set(fault, -EINVAL, "is cut off: %" PRIu64 " of %" PRIu64 " bytes are there", size,
				 h->size);
	if (size > h->size)
		return fault_set(fault, -EINVAL, "has %" PRIu64 " bytes behind its end", size - h->size);
	return 0;
}

static bool is_zero(const char *p, uint64_t n)
{
	return n == 0 || (*p == 0 && memcmp(p, p + 1, (size_t)n - 1) == 0);
}

/* No sum covers what fills up to where the next array begins. */
static bool gaps_are_zero(const char *base, const struct binary_header *h)
{
	uint64_t end = sizeof(*h);

	for (int i = 0; i < BINARY_COLUMNS; i++) {
		if (!h->at[i])
			continue;
		if (!is_zero(base + end, h->at[i] - end))
			return false;
		end = h->at[i] + h->count * binary_element[i];
	}
	return is_zero(base + end, h->tail - end);
}

/* The map is there. */
static int look(struct binary *b, struct fault *fault)
{
	const char *base = b->map;
	const struct binary_header *h = &b->head;
	int err;

	memcpy(&b->head, base, MIN(sizeof(b->head), b->map_size));
	err = check_header(h, b->map_size, fault);
	if (err)
		return err;
	if (h->tail_sum != binary_sum(base + h->tail, h->size - h->tail))
		return fault_set(fault, -EINVAL, "is damaged behind the requests");
	if (!gaps_are_zero(base, h))
		return fault_set(fault, -EINVAL, "is damaged between its parts");
	b->blocks = binary_blocks(h->count);
	b->req = (const void *)(base + h->at[BINARY_REQ]);
	b->time = h->at[BINARY_TIME] ? (const void *)(base + h->at[BINARY_TIME]) : NULL;
	b->file = h->at[BINARY_FILE] ? (const void *)(base + h->at[BINARY_FILE]) : NULL;
	b->step = h->at[BINARY_STEP] ? (const void *)(base + h->at[BINARY_STEP]) : NULL;
	return 0;
}

static int map_failed(struct fault *fault, uint64_t size)
{
	return fault_set(fault, -errno, "cannot be mapped (%" PRIu64 " MiB): %s", size >> 20, strerror(errno));
}

int binary_open(struct binary *b, int fd, struct fault *fault)
{
	struct stat st;
	int err;

	*b = (struct binary){0};
	if (fstat(fd, &st) < 0)
		return fault_set(fault, -errno, "%s", strerror(errno));
	/* Private and writable, so that a transform may change it; not reserved, as most of it is never changed. */
	b->map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (b->map == MAP_FAILED) {
		b->map = NULL;
		return map_failed(fault, (uint64_t)st.st_size);
	}
	b->map_size = (size_t)st.st_size;
	b->of_file = true;
	err = look(b, fault);
	if (err)
		binary_close(b);
	return err;
}

static int grow(struct binary *b, size_t size, struct fault *fault)
{
	void *map = b->map ? mremap(b->map, b->map_size, size, MREMAP_MAYMOVE) :
			     mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return fault_set(fault, -ENOMEM, "no memory for %zu MiB of a binary trace", size >> 20);
	b->map = map;
	b->map_size = size;
	return 0;
}

static int read_all(struct binary *b, const void *head, size_t n, struct input *in, struct fault *fault)
{
	size_t have = n;
	ssize_t r;
	int err = grow(b, MAX(2 * n, (size_t)1 << 20), fault);

	if (err)
		return err;
	memcpy(b->map, head, n);
	do {
		if (have == b->map_size)
			err = grow(b, 2 * have, fault);
		if (err)
			return err;
		r = input_read(in, (char *)b->map + have, b->map_size - have, fault);
		if (r < 0)
			return (int)r;
		have += (size_t)r;
	} while (r > 0);
	err = grow(b, have, fault);
	return err ? err : look(b, fault);
}

int binary_read(struct binary *b, const void *head, size_t n, struct input *in, struct fault *fault)
{
	int err;

	*b = (struct binary){0};
	err = read_all(b, head, n, in, fault);
	if (err)
		binary_close(b);
	return err;
}

void binary_close(struct binary *b)
{
	if (b->map)
		munmap(b->map, b->map_size);
	*b = (struct binary){0};
}

static size_t block_count(const struct binary *b, uint64_t i)
{
	return (size_t)MIN(b->head.count - i * BINARY_BLOCK, BINARY_BLOCK);
}

/* Are all in the ranges that every request in memory is in? */
static bool in_range(const struct binary *b, size_t first, size_t n)
{
	uint64_t bad = 0;

	for (size_t i = first; i < first + n; i++)
		bad |= req_end(b->req[i]);
	if (bad > REQ_MAX)
		return false;
	for (size_t i = first; b->time && i < first + n; i++)
		bad |= (uint64_t)(b->time[i] < 0 && b->time[i] != TIME_NONE) << 63;
	for (size_t i = first; b->file && i < first + n; i++)
		bad |= (uint64_t)(b->file[i] > TRACE_FILE_MAX) << 63;
	return bad <= REQ_MAX;
}

int binary_check(const struct binary *b, uint64_t i, struct fault *fault)
{
	const char *base = b->map;
	const struct binary_header *h = &b->head;
	const uint64_t *sum = (const void *)(base + binary_round(h->tail + h->names + h->comment, 8));
	uint64_t first = i * BINARY_BLOCK;
	size_t n = block_count(b, i);

	for (int c = 0; c < BINARY_COLUMNS; c++) {
		if (!h->at[c])
			continue;
		if (sum[i] != binary_sum(base + h->at[c] + first * binary_element[c], n * binary_element[c]))
			return fault_set(fault, -EINVAL, "is damaged: requests %" PRIu64 " to %" PRIu64, first + 1,
					 first + n);
		sum += b->blocks;
	}
	if (!in_range(b, (size_t)first, n))
		return fault_set(fault, -EINVAL, "makes no sense: requests %" PRIu64 " to %" PRIu64, first + 1,
				 first + n);
	return 0;
}

void binary_leave(const struct binary *b, uint64_t i)
{
	char *base = b->map;

	for (int c = 0; b->of_file && c < BINARY_COLUMNS; c++)
		if (b->head.at[c])
			madvise(base + b->head.at[c] + i * BINARY_BLOCK * binary_element[c],
				block_count(b, i) * binary_element[c], MADV_DONTNEED);
}
