/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/payload.h"

#include <endian.h>
#include <string.h>

#include "base/macro.h"

static void fill_random(char *buf, size_t n, struct rng *rng)
{
	for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
		uint64_t r = rng_next(rng);

		memcpy(buf + i, &r, MIN(n - i, sizeof(r)));
	}
}

/* The part of the word at offset (rounded down) that lies in buf, to which offset belongs. Returns its bytes. */
static size_t fill_part(char *buf, size_t n, uint64_t offset)
{
	uint64_t skew = offset % PAYLOAD_WORD, word = htole64(offset - skew);
	size_t part = (size_t)MIN(PAYLOAD_WORD - skew, (uint64_t)n);

	memcpy(buf, (const char *)&word + skew, part);
	return part;
}

static void fill_offset(char *buf, size_t n, uint64_t offset)
{
	size_t i = offset % PAYLOAD_WORD ? fill_part(buf, n, offset) : 0;

	for (; n - i >= PAYLOAD_WORD; i += PAYLOAD_WORD) {
		uint64_t word = htole64(offset + i);

		memcpy(buf + i, &word, PAYLOAD_WORD);
	}
	if (i < n)
		fill_part(buf + i, n - i, offset + i);
}

void payload_fill(char *buf, size_t n, enum play_data data, uint64_t offset, struct rng *rng, bool ready)
{
	switch (data) {
	case DATA_ZERO:
		if (!ready)
			memset(buf, 0, n);
		break;
	case DATA_RANDOM:
		if (!ready)
			fill_random(buf, n, rng);
		for (size_t i = 0; ready && i < n; i += PAYLOAD_BLOCK)
			fill_random(buf + i, MIN(n - i, sizeof(uint64_t)), rng);
		break;
	case DATA_OFFSET:
		fill_offset(buf, n, offset);
		break;
	}
}

static void check_part(const char *buf, size_t n, uint64_t offset, struct payload_bad *bad)
{
	uint64_t skew = offset % PAYLOAD_WORD, word = htole64(offset - skew), got = word;

	memcpy((char *)&got + skew, buf, n);
	if (got == word)
		return;
	if (bad->words++ == 0) {
		bad->offset = offset - skew;
		bad->value = le64toh(got);
	}
}

void payload_check(const char *buf, size_t n, uint64_t offset, struct payload_bad *bad)
{
	size_t head = (size_t)MIN(-offset % PAYLOAD_WORD, (uint64_t)n), i;

	*bad = (struct payload_bad){0};
	if (head)
		check_part(buf, head, offset, bad);
	for (i = head; n - i >= PAYLOAD_WORD; i += PAYLOAD_WORD) {
		uint64_t got;

		memcpy(&got, buf + i, PAYLOAD_WORD);
		if (unlikely(got != htole64(offset + i)))
			check_part(buf + i, PAYLOAD_WORD, offset + i, bad);
	}
	if (i < n)
		check_part(buf + i, n - i, offset + i, bad);
}
