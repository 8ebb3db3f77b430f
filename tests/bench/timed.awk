# SPDX-License-Identifier: GPL-2.0-or-later
# The table of timed replays, from lines "RATE PLAYER STRETCH% LAG50 LAG99 CPU", several of a RATE and PLAYER.

{
	key = $1 SUBSEP $2
	if (!(key in n)) order[++keys] = key
	n[key]++
	for (i = 3; i <= 6; i++) value[key, n[key], i] = $i
}

function median(key, i, k, j, x, v) {
	for (k = 1; k <= n[key]; k++) {
		x = value[key, k, i] + 0
		for (j = k - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
		v[j + 1] = x
	}
	return n[key] % 2 ? v[(n[key] + 1) / 2] : (v[n[key] / 2] + v[n[key] / 2 + 1]) / 2
}

END {
	for (o = 1; o <= keys; o++) {
		split(order[o], part, SUBSEP)
		stretch = median(order[o], 3); cpu = median(order[o], 6)
		printf "  %-9s %-18s %10.4f %10.1f %10.1f %8.3f", part[1], part[2], stretch, median(order[o], 4), median(order[o], 5), cpu
		if (part[2] ~ /^iotrace/) {
			printf "  stretch < 0.01%% %s", stretch < 0.01 ? "met" : "MISSED"
			if (part[1] == 1000) printf ", CPU <= %.2f %s", 0.06 * seconds, cpu <= 0.06 * seconds ? "met" : "MISSED"
		}
		printf "\n"
	}
}
