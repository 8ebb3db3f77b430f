/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a recording. What is refused has words; what is taken has runs, and figures that are numbers and can be
 * compared. A recording does not differ from itself, and read a second time it has as many runs again.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "mon/compare.h"
#include "diff/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool right)
{
	if (!right)
		abort();
}

static void check_values(const double *v, size_t n)
{
	struct comparison c;

	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		check(isfinite(v[i]));
	compare_samples(v, n, v, n, &c);
	check(c.p > 0.999);
	/* against another part of itself, whatever comes out */
	compare_samples(v, n / 2, v + n / 2, n - n / 2, &c);
	check(c.p >= 0 && c.p <= 1 + 1e-9);
}

static void check_figure(const struct recording *r, const struct figure *f)
{
	check(f->phase && f->name && f->unit);
	check(f->runs >= 1 && f->runs <= r->runs && f->rows.n <= r->rows);
	check(f->parts <= f->runs * RECORDING_PARTS);
	check(isfinite(f->events) && isfinite(f->rows.mean) && f->rows.squares >= 0);
	check_values(f->run, f->runs);
	check_values(f->part, f->parts);
	check(recording_find(r, f->phase, f->name, f->kind) == f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(recording_fini) struct recording r = {0};
	struct fault fault = {0};
	size_t runs, rows;
	int err = recording_parse(&r, (const char *)data, size, &fault);

	check(err <= 0 && (err == 0 || fault.text[0]));
	if (err)
		return 0;
	check(r.form && r.runs > 0);
	for (size_t i = 0; i < MIN(r.figures, (size_t)300); i++)
		check_figure(&r, &r.figure[i]);
	runs = r.runs;
	rows = r.rows;
	check(recording_parse(&r, (const char *)data, size, &fault) == 0);
	check(r.runs == 2 * runs && r.rows == 2 * rows);
	return 0;
}
