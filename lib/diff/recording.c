/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff/recording.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "diff/recording_forms.h"
#include "trace/input.h"

#define FIRST_BYTES ((size_t)1 << 18)

void recording_fini(struct recording *r)
{
	for (size_t i = 0; i < r->figures; i++) {
		free(r->figure[i].phase);
		free(r->figure[i].name);
		free(r->figure[i].run);
		free(r->figure[i].part);
	}
	for (size_t i = 0; i < r->facts; i++) {
		free(r->fact[i].name);
		free(r->fact[i].text);
	}
	free(r->figure);
	free(r->fact);
	*r = (struct recording){0};
}

char *recording_copy(const char *s, size_t n)
{
	char *copy = malloc(n + 1);

	if (!copy)
		return NULL;
	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

int recording_fault(struct fault *fault, int err, uint64_t line)
{
	if (err == -ENOMEM)
		return fault_set(fault, err, "no memory");
	if (err == -E2BIG)
		return fault_set_line(fault, -EINVAL, line, "more than %d fields or %d phases", RECORDING_COLUMNS_MAX,
				      RECORDING_PHASES_MAX);
	if (err == -ERANGE)
		return fault_set_line(fault, -EINVAL, line, "a number over 10^30");
	return err;
}

static struct figure *find(struct recording *r, const char *phase, const char *name, enum figure_kind kind)
{
	for (size_t i = 0; i < r->figures; i++) {
		/* the next one is likely to stand behind the last */
		size_t at = (r->last + 1 + i) % r->figures;
		struct figure *f = &r->figure[at];

		if (f->kind != kind || strcmp(f->name, name) != 0 || strcmp(f->phase, phase) != 0)
			continue;
		r->last = at;
		return f;
	}
	return NULL;
}

const struct figure *recording_find(const struct recording *r, const char *phase, const char *name,
				    enum figure_kind kind)
{
	for (size_t i = 0; i < r->figures; i++) {
		const struct figure *f = &r->figure[i];

		if (f->kind == kind && strcmp(f->name, name) == 0 && strcmp(f->phase, phase) == 0)
			return f;
	}
	return NULL;
}

static struct figure *make(struct recording *r, const char *phase, const char *name, enum figure_kind kind,
			   const char *unit)
{
	struct figure *more, *f;

	more = reallocarray(r->figure, r->figures + 1, sizeof(*more));
	if (!more)
		return NULL;
	r->figure = more;
	f = &more[r->figures];
	*f = (struct figure){.phase = strdup(phase), .name = strdup(name), .kind = kind, .unit = unit, .events = -1};
	r->last = r->figures++;
	return f->phase && f->name ? f : NULL;
}

int recording_add(struct recording *r, const char *phase, const char *name, enum figure_kind kind, const char *unit,
		  double value, double events, struct figure **out)
{
	struct figure *f = find(r, phase, name, kind);
	double *more;

	if (!f && r->figures == RECORDING_FIGURES_MAX)
		return -E2BIG;
	if (!(fabs(value) <= RECORDING_VALUE_MAX * 1e12))
		return -ERANGE;
	*out = NULL;
	if (!f)
		f = make(r, phase, name, kind, unit);
	if (!f)
		return -ENOMEM;
	if (f->last_run == r->runs + 1)
		return 0;
	more = reallocarray(f->run, f->runs + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	f->run = more;
	f->run[f->runs++] = value;
	f->last_run = r->runs + 1;
	if (events >= 0)
		f->events = MAX(f->events, 0.0) + events;
	*out = f;
	return 0;
}

int recording_tell(struct recording *r, const char *name, const char *text, size_t n)
{
	struct fact *more;

	for (size_t i = 0; i < r->facts; i++) {
		_cleanup_free_ char *several = NULL;

		if (strcmp(r->fact[i].name, name) != 0)
			continue;
		if (strncmp(r->fact[i].text, text, n) == 0 && !r->fact[i].text[n])
			return 0;
		several = r->fact[i].text;
		r->fact[i].text = strdup("(several)");
		return r->fact[i].text ? 0 : -ENOMEM;
	}
	more = reallocarray(r->fact, r->facts + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->fact = more;
	more[r->facts] = (struct fact){.name = strdup(name), .text = recording_copy(text, n)};
	r->facts++;
	return more[r->facts - 1].name && more[r->facts - 1].text ? 0 : -ENOMEM;
}

static bool is_report(const char *form)
{
	return strcmp(form, "report") == 0;
}

int recording_is_of(struct recording *r, const char *form, struct fault *fault)
{
	if (r->form && is_report(r->form) != is_report(form))
		return fault_set(fault, -EINVAL, "holds %s, and the file before it %s",
				 is_report(form) ? "reports of plays" : "rows",
				 is_report(form) ? "rows" : "reports of plays");
	if (!r->form)
		r->form = form;
	return 0;
}

bool lines_next(struct lines *l, const char **line, size_t *length)
{
	const char *end;

	if (l->at >= l->n)
		return false;
	*line = l->text + l->at;
	end = memchr(*line, '\n', l->n - l->at);
	*length = end ? (size_t)(end - *line) : l->n - l->at;
	l->at += *length + 1;
	l->number++;
	if (*length && (*line)[*length - 1] == '\r')
		--*length;
	return true;
}

int recording_parse(struct recording *r, const char *text, size_t n, struct fault *fault)
{
	static const struct recording_form *const forms[] = {
	    &recording_document, &recording_dumps, &recording_csv, &recording_text,
	};
	struct lines l = {.text = text, .n = n};
	const char *line = text;
	size_t length = 0, runs = r->runs;
	int err;

	r->plays = 0;
	r->before = r->runs;
	r->mute = 0;
	if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		l.at = 3;
	while (lines_next(&l, &line, &length) && length == 0)
		;
	if (length == 0)
		return fault_set(fault, -EINVAL, "is empty");
	if (memchr(text, '\0', n))
		return fault_set(fault, -EINVAL, "is no text, so no recording");
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!forms[i]->is(line, length))
			continue;
		err = forms[i]->parse(r, line, (size_t)(text + n - line), fault);
		/* blank lines at the top were not counted */
		if (err && fault->line)
			fault->line += l.number - 1;
		if (!err && r->runs == runs)
			return fault_set(fault, -EINVAL, "has no rows");
		return err;
	}
	return fault_set(fault, -EINVAL, "is no recording");
}

/* All that there is to read; *n bytes. Caller frees. */
static int read_all(struct input *in, char **out, size_t *n, struct fault *fault)
{
	_cleanup_free_ char *buf = NULL;
	size_t capacity = 0;

	for (*n = 0;;) {
		ssize_t got;

		if (*n == capacity) {
			char *more;

			if (capacity >= RECORDING_BYTES_MAX)
				return fault_set(fault, -EFBIG, "is longer than %zu bytes", RECORDING_BYTES_MAX);
			capacity = capacity ? 2 * capacity : FIRST_BYTES;
			more = realloc(buf, capacity);
			if (!more)
				return fault_set(fault, -ENOMEM, "no memory");
			buf = more;
		}
		got = input_read(in, buf + *n, capacity - *n, fault);
		if (got < 0)
			return (int)got;
		if (got == 0)
			break;
		*n += (size_t)got;
	}
	*out = TAKE_PTR(buf);
	return 0;
}

int recording_read(struct recording *r, const char *path, struct fault *fault)
{
	_cleanup_(input_freep) struct input *in = NULL;
	_cleanup_free_ char *text = NULL;
	size_t n;
	int err = input_open(&in, path, fault);

	if (!err)
		err = read_all(in, &text, &n, fault);
	return err ? err : recording_parse(r, text, n, fault);
}
