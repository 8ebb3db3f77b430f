/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

static uint32_t hash_of(const char *s, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * UINT64_C(0x9e3779b97f4a7c15) >> 7 ^ h << 29;
	return (uint32_t)(h ^ h >> 32);
}

static bool same(const struct name *e, const char *text, size_t length)
{
	return e->length == length && memcmp(e->text, text, length) == 0;
}

static int grow(struct names *n)
{
	uint32_t capacity = n->capacity ? n->capacity * 2 : 16, slots = capacity * 2;
	struct name *bigger = reallocarray(n->name, capacity, sizeof(*n->name));
	uint32_t *slot;

	if (!bigger)
		return -ENOMEM;
	n->name = bigger;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->count; i++) {
		uint32_t at = n->name[i].hash & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = i + 1;
	}
	free(n->slot);
	n->slot = slot;
	n->slots = slots;
	n->capacity = capacity;
	return 0;
}

static int add(struct names *n, uint32_t at, uint32_t hash, const char *text, size_t length, uint32_t *id)
{
	char *copy;

	if (n->count == NAMES_MAX || length > NAMES_BYTES - n->bytes)
		return -E2BIG;
	copy = malloc(length + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, length);
	copy[length] = '\0';
	n->name[n->count] = (struct name){.text = copy, .length = (uint32_t)length, .hash = hash, .number = -1};
	n->bytes += length;
	*id = n->last = n->count++;
	n->slot[at] = n->count;
	return 0;
}

int names_id(struct names *n, const char *text, size_t length, uint32_t *id)
{
	uint32_t hash, at;

	if (likely(n->count && same(&n->name[n->last], text, length))) {
		*id = n->last;
		return 0;
	}
	if (n->count == n->capacity && grow(n))
		return -ENOMEM;
	hash = hash_of(text, length);
	for (at = hash & (n->slots - 1); n->slot[at]; at = (at + 1) & (n->slots - 1)) {
		const struct name *e = &n->name[n->slot[at] - 1];

		if (e->hash == hash && same(e, text, length)) {
			*id = n->last = n->slot[at] - 1;
			return 0;
		}
	}
	return add(n, at, hash, text, length, id);
}

void names_fini(struct names *n)
{
	for (uint32_t i = 0; i < n->count; i++)
		free(n->name[i].text);
	free(n->name);
	free(n->slot);
}
