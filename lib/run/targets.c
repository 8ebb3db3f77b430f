/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/targets.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/macro.h"
#include "base/units.h"

void targets_close(struct targets *all)
{
	for (unsigned i = 0; i < all->count; i++)
		target_close(&all->target[i]);
	free(all->target);
	free(all->file);
	free(all->of);
	free(all->unseen);
	*all = (struct targets){0};
}

/* The number of a path among the targets; it is opened if it is not there. */
static int open_one(struct targets *all, const struct play_params *params, const char *path, unsigned *number,
		    struct fault *fault)
{
	unsigned flags = TARGET_MEMORY | (params->direct ? TARGET_DIRECT : 0) | (params->write ? TARGET_WRITE : 0) |
			 (params->dsync ? TARGET_DSYNC : 0);
	struct fault why = {0};
	int r;

	for (*number = 0; *number < all->count; ++*number)
		if (strcmp(all->target[*number].path, path) == 0)
			return 0;
	r = target_open(&all->target[all->count], path, flags, &why);
	if (r < 0 && all->count == 0)
		return fault_set(fault, r, "%s", why.text);
	if (r < 0)
		return fault_set(fault, r, "--file-map: %s: %s", path, why.text);
	all->file[all->count] =
		(struct engine_file){.fd = all->target[all->count].fd, .size = all->target[all->count].size};
	*number = all->count++;
	return 0;
}

/* The file that a map means by its number or name. TARGETS_NO_FILE: the trace does not have it. */
static uint32_t file_of_map(const struct play_map *m, const struct trace *t)
{
	const char *why;
	uint64_t number;

	for (uint32_t i = 0; i < t->file_count; i++)
		if (t->files[i] && strcmp(t->files[i], m->file) == 0)
			return i;
	if (units_count(m->file, strlen(m->file), &number, &why) == 0 && number <= TRACE_FILE_MAX)
		return (uint32_t)number;
	return TARGETS_NO_FILE;
}

int targets_learn(const struct targets *all, const struct trace *t, struct fault *fault)
{
	for (unsigned i = 0; i < all->map_count; i++) {
		uint32_t file = all->unseen[i] ? file_of_map(&all->map[i], t) : TARGETS_NO_FILE;

		if (file == TARGETS_NO_FILE)
			continue;
		if (all->of[file])
			return fault_set(fault, -EINVAL,
					 "--file-map: file %" PRIu32 " of the trace has two targets, %s and %s", file,
					 all->target[all->of[file] - 1].path, all->map[i].target);
		all->of[file] = all->unseen[i];
		all->unseen[i] = 0;
	}
	return 0;
}

int targets_all_seen(const struct targets *all, struct fault *fault)
{
	for (unsigned i = 0; i < all->map_count; i++)
		if (all->unseen[i])
			return fault_set(fault, -EINVAL, "--file-map: the trace has no file called '%s'",
					 all->map[i].file);
	return 0;
}

static int open_mapped(struct targets *all, const struct play_params *params, const struct trace *t,
		       struct fault *fault)
{
	int r;

	all->of = calloc(TRACE_FILE_MAX + 1, sizeof(*all->of));
	all->unseen = calloc(params->map_count, sizeof(*all->unseen));
	if (!all->of || !all->unseen)
		return fault_set(fault, -ENOMEM, "no memory for the targets");
	all->map = params->map;
	all->map_count = params->map_count;
	for (unsigned i = 0; i < params->map_count; i++) {
		unsigned number;

		r = open_one(all, params, params->map[i].target, &number, fault);
		if (r < 0)
			return r;
		all->unseen[i] = (uint16_t)(number + 1);
	}
	r = targets_learn(all, t, fault);
	return r < 0 || t->count == 0 || params->more ? r : targets_all_seen(all, fault);
}

int targets_open(struct targets *all, const struct play_params *params, const struct trace *t, struct fault *fault)
{
	_cleanup_(targets_close) struct targets made = {0};
	unsigned number;
	int r;

	made.target = calloc(params->map_count + 1, sizeof(*made.target));
	made.file = calloc(params->map_count + 1, sizeof(*made.file));
	if (!made.target || !made.file)
		return fault_set(fault, -ENOMEM, "no memory for the targets");
	r = open_one(&made, params, params->target, &number, fault);
	if (r == 0 && params->map_count > 0)
		r = open_mapped(&made, params, t, fault);
	if (r < 0)
		return r;
	*all = made;
	made = (struct targets){0};
	return 0;
}

uint32_t targets_default_file(const struct targets *all, const struct trace *t, size_t i)
{
	for (; i < t->count; i++) {
		uint32_t file = t->file ? t->file[i] : 0;

		if (!targets_has_own(all, file))
			return file;
		if (!t->file)
			break;
	}
	return TARGETS_NO_FILE;
}

uint32_t targets_dio_offset(const struct targets *all)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < all->count; i++)
		most = MAX(most, all->target[i].dio_offset);
	return most;
}

uint32_t targets_dio_memory(const struct targets *all)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < all->count; i++)
		most = MAX(most, all->target[i].dio_memory);
	return most;
}

int targets_drop_cache(const struct targets *all, uint64_t *left)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < all->count; i++) {
		uint64_t here;
		int r = target_drop_cache(&all->target[i], &here);

		if (r < 0)
			return r;
		sum = sum == UINT64_MAX || here == UINT64_MAX ? UINT64_MAX : sum + here;
	}
	*left = sum;
	return 0;
}
