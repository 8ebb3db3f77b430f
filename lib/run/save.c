/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/save.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "run/files.h"

static bool is_binary(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && strcmp(path + n - 4, ".bin") == 0;
}

int save_check(const char *path, struct fault *fault)
{
	struct stat st;

	if (is_binary(path) && stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return fault_set(fault, -EINVAL, "a binary trace can only be written to a file");
	return 0;
}

int save_open(struct save *v, const struct program *p, const struct step *s, bool steps, struct fault *fault)
{
	_cleanup_free_ char *comment = NULL;
	int err;

	*v = SAVE_NONE;
	if (asprintf(&comment, "%s %s seed %" PRIu64 ": %s", p->tool, VERSION, s->params.seed, p->command) < 0) {
		comment = NULL;
		return fault_set(fault, -ENOMEM, "no memory");
	}
	err = outfile_open(&v->o, s->file, fault);
	if (err < 0)
		return err;
	if (is_binary(s->file))
		return binary_writer_new(&v->binary, &v->o, comment, fault);
	(steps ? trace_writer_init_steps : trace_writer_init)(&v->text, &v->o, comment, s->params.shift);
	return 0;
}

int save_put(struct save *v, const struct trace *t, struct fault *fault)
{
	if (v->binary)
		return binary_writer_put(v->binary, t, fault);
	trace_writer_put(&v->text, t);
	return 0;
}

int save_end(struct save *v, const struct trace *t, struct fault *fault)
{
	int err = v->binary ? binary_writer_end(v->binary, t, fault) : 0;

	return err ? err : outfile_commit(&v->o, fault);
}

void save_abort(struct save *v)
{
	binary_writer_free(v->binary);
	outfile_abort(&v->o);
	*v = SAVE_NONE;
}
