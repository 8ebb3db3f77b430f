# SPDX-License-Identifier: GPL-2.0-or-later
# One table of tests/bench/run, from the rows (label, kind, count, goal, command; divided by tabs) and the runs as
# rounds.c prints them ("command round wall_ns cpu_ns peak_kib"). waits: the commands sleep by design.

FNR == NR {
	label[FNR] = $1; kind[FNR] = $2; count[FNR] = $3; goal[FNR] = $4
	n = FNR
	next
}

{
	split($0, run, " ")
	c = run[1]; r = run[2]
	wall[c, r] = run[3]; cpu[c, r] = run[4]
	if (run[5] > peak[c]) peak[c] = run[5]
	if (r > rounds) rounds = r
}

# What a program printed about itself, in wall[] and cpu[] of that run, as nanoseconds for all of its units.
function told(c, r, file, line, w, from) {
	file = folder "/" c "." r
	from = kind[c]
	while ((getline line < file) > 0) {
		if (from == "report") {
			if (line ~ /^[0-9.]+MB\/s [0-9.]+s /) { split(line, w, " "); wall[c, r] = w[2] * 1e9; cpu[c, r] = 0 }
			if (line ~ /^(user|system)_seconds /) { split(line, w, " "); cpu[c, r] += w[2] * 1e9 }
		} else if (from == "floor") {
			if (line ~ /^[0-9]+ [0-9.]+ [0-9.]+$/) { split(line, w, " "); wall[c, r] = w[2] * count[c]; cpu[c, r] = w[3] * count[c] }
		} else if (from == "fio") {
			gsub(/[,:"]/, " ", line)
			split(line, w, " ")
			if (w[1] == "job_runtime") wall[c, r] = w[2] * 1e6
			if (w[1] == "usr_cpu") cpu[c, r] = w[2] * wall[c, r] / 100
			if (w[1] == "sys_cpu") cpu[c, r] += w[2] * wall[c, r] / 100
		}
	}
	close(file)
}

function quiet(c, r) {
	return waits || wall[c, r] <= 1.25 * cpu[c, r] + 1e6
}

function sort(v, k, i, j, x) {
	for (i = 2; i <= k; i++) {
		x = v[i]
		for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
		v[j + 1] = x
	}
}

function median(v, k) {
	return k % 2 ? v[(k + 1) / 2] : (v[k / 2] + v[k / 2 + 1]) / 2
}

function number(x) {
	return x >= 1000 ? sprintf("%.0f", x) : x >= 100 ? sprintf("%.1f", x) : sprintf("%.2f", x)
}

# One goal. ratio: to the first row, of CPU; above: to the row above.
function reached(g, ratio, ns, wall_ratio, above, mib,  n) {
	n = g
	sub(/^[^0-9]*/, "", n)
	n += 0
	if (g ~ /^wall<=/) return g "x " (wall_ratio <= n ? "met" : "MISSED")
	if (g ~ /^faster>=/) return sprintf("%sx: %.2fx ", g, 1 / wall_ratio) (1 / wall_ratio >= n ? "met" : "MISSED")
	if (g ~ /^>>/)
		return sprintf(">=%sx the row above: %.2fx %s", n, above, above >= n ? "met" : \
			ratio < n ? "MISSED, by the first row too" : "MISSED")
	if (g ~ /^<=/) return g "x " (ratio <= n ? "met" : "MISSED")
	if (g ~ /^>=/) return g "x " (ratio >= n ? "met" : "MISSED")
	if (g ~ /^MiB</) return g " " (mib < n ? "met" : "MISSED")
	if (g ~ /^</) return g " ns " (ns < n ? "met" : "MISSED")
	return ""
}

# All goals of a row.
function verdict(goals, ratio, ns, wall_ratio, above, mib,  g, k, i, text) {
	k = split(goals, g, " ")
	for (i = 1; i <= k; i++)
		text = text (i > 1 ? ", " : "") reached(g[i], ratio, ns, wall_ratio, above, mib)
	return text
}

END {
	width = 20
	for (c = 1; c <= n; c++) if (length(label[c]) > width) width = length(label[c])
	printf "  %-" width "s %11s %22s %11s %7s %7s %8s %4s  %s\n", "n = " rounds, "ns/" unit, "min..max", "cpu ns", "x", "x cpu", "peak MiB", "n", "goal (cpu)"
	for (c = 1; c <= n; c++) for (r = 1; r <= rounds; r++)
		told(c, r)
	for (c = 1; c <= n; c++) {
		# A busy machine is told by one thread that waits; what sleeps by design is measured by its CPU time.
		kept = 0
		for (r = 1; r <= rounds; r++)
			if (quiet(c, r)) keep[++kept] = r
		used = kept
		if (kept < 2)
			for (used = 0; used < rounds; ) { used++; keep[used] = used }
		for (k = 1; k <= used; k++) {
			r = keep[k]
			w[k] = wall[c, r]; u[k] = cpu[c, r]
			w[k] /= count[c]; u[k] /= count[c]
		}
		sort(w, used); sort(u, used)
		mw = median(w, used); mu = median(u, used)
		if (!first_cpu) { first_wall = mw; first_cpu = mu }
		printf "  %-" width "s %11s %22s %11s %7.2f %7.2f %8.1f %4s  %s\n", label[c], number(mw), number(w[1]) ".." number(w[used]),
			number(mu), mw / first_wall, mu / first_cpu, peak[c] / 1024, kept < 2 ? used "!" : used,
			verdict(goal[c], mu / first_cpu, mu, mw / first_wall, above ? mu / above : 0, peak[c] / 1024)
		above = mu
		discarded += rounds - kept
	}
	if (discarded) printf "  %d of the runs met a busy machine (wall > 1.25 x CPU) and do not count; \"!\": no others were left\n", discarded
}
