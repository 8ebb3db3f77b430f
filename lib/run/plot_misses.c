/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/plot_misses.h"

#include <errno.h>
#include <stdlib.h>

#include "base/macro.h"
#include "run/gnuplot.h"
#include "run/survey_report.h"

/* Powers of two with their units, not too many. */
static void put_size_tics(FILE *f, uint64_t max)
{
	unsigned octaves = 64 - (unsigned)__builtin_clzll(max | 1), step = (octaves - PAGE_SHIFT) / 10 + 1;
	const char *comma = "";

	fputs("set xtics (", f);
	for (unsigned shift = PAGE_SHIFT; shift < octaves + step && shift < 63; shift += step) {
		double unit;
		const char *name = gnuplot_unit(UINT64_C(2) << shift, &unit);

		fprintf(f, "%s'%g %s' %.17g", comma, (double)(UINT64_C(1) << shift) / unit, name,
			(double)(UINT64_C(1) << shift));
		comma = ", ";
	}
	fputs(")\n", f);
}

static void put_curve(FILE *f, const struct reuse_point *point, size_t last, bool band)
{
	for (size_t b = 1; b <= last; b++) {
		double misses = point[b].misses * 100, error = point[b].error * 200;

		if (b > 1 && b < last && !point[b].touches && !point[b - 1].touches && !band)
			continue;
		fprintf(f, "%.17g %.9g %.9g\n", (double)reuse_edge(b) * (double)PAGE_BYTES,
			band ? MAX(misses - error, 0) : misses, MIN(misses + error, 100));
	}
	fputs("e\n", f);
}

int plot_misses(FILE *f, bool text, const struct survey *s)
{
	_cleanup_free_ struct reuse_point *point = calloc(REUSE_BUCKETS, sizeof(*point));
	uint64_t needed = survey_cache_needed(s), max = MAX(4 * needed, 16);
	size_t last = MIN(reuse_bucket(max), REUSE_BUCKETS - 1);
	bool sampled = s->reuse.rate;
	double unit;
	const char *name = gnuplot_unit(needed * PAGE_BYTES, &unit);

	if (!point)
		return -ENOMEM;
	reuse_curve(&s->reuse, point);
	fprintf(f, "unset title\nunset arrow\nunset label\nset origin 0,0\nset size 1,%s\n", text ? "0.45" : "0.4");
	fputs(
	    "set xlabel 'size of a cache (LRU)'\nset ylabel 'misses, % of page touches'\nset logscale x 2\nunset key\n",
	    f);
	put_size_tics(f, max * PAGE_BYTES);
	fprintf(f, "set xrange [4096:%.17g]\nset yrange [0:105]\n", (double)max * (double)PAGE_BYTES);
	fprintf(f, "set arrow 1 from %.17g, graph 0 to %.17g, graph 1 nohead%s\n", (double)needed * (double)PAGE_BYTES,
		(double)needed * (double)PAGE_BYTES, text ? "" : " lc rgb '#808080' dt 2");
	fprintf(f, "set label 1 ' %s%.4g %s: only first touches miss ' at %.17g, graph 0.07 %s\n",
		sampled ? "about " : "", (double)(needed * PAGE_BYTES) / unit, name,
		(double)needed * (double)PAGE_BYTES, needed > 64 ? "right" : "left");
	if (sampled && !text)
		fputs("plot '-' using 1:2:3 with filledcurves lc rgb '#c8d4e8', '-' using 1:2 with steps lw 2 lc rgb "
		      "'#1f63b0'\n",
		      f);
	else
		fprintf(f, "plot '-' using 1:2 with steps%s\n", text ? "" : " lw 2 lc rgb '#1f63b0'");
	if (sampled && !text)
		put_curve(f, point, last, true);
	put_curve(f, point, last, false);
	return 0;
}
