# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For tests/bench/run: replays that follow the times of a trace.

# One trace for each rate, gaps exponential; the same to the microsecond for fio. Stretch is elapsed time over the time
# of the last request. fio tells no issue times: its lag is the end of a request (of its log, whole ms) less its latency.
bench_timed() {
	local seconds=${TIMED_SECONDS:-10} turns=${TIMED_ROUNDS:-3} rate engine peer turn at last fio=1
	replay_files
	printf '\nTimed replay of %s s, cached file, medians of %s; stretch in %% of the time, lag in us, CPU in s\n' "$seconds" "$turns"
	printf '  %-9s %-18s %10s %10s %10s %8s\n' requests/s player stretch% "lag p50" "lag p99" CPU
	has fio || fio=
	for rate in 1000 10000 100000; do
		awk -v rate=$rate -v seconds="$seconds" 'BEGIN { srand(rate); print "#columns offset length time"
			for (t = 0; t < seconds; t -= log(1 - rand()) / rate)
				printf "%dp 1p %.6f\n", rand() * 262144, t }' >"$memory/timed"
		last=$(tail -1 "$memory/timed" | cut -d ' ' -f 3)
		awk -v f="$disk/file" 'BEGIN { print "fio version 3 iolog"; print 0, f, "add"; print 0, f, "open" }
			!/^#/ { printf "%.0f %s read %.0f 4096\n", $3 * 1000000, f, $1 * 4096 }
			END { printf "%.0f %s close\n", $3 * 1000000, f }' "$memory/timed" >"$memory/timed.fio"
		for ((turn = 1; turn <= turns; turn++)); do
			for engine in pread libaio io_uring; do
				peer=$engine
				[ $engine != pread ] || peer=psync
				at=
				[ $engine = pread ] || at="--depth 32"
				# shellcheck disable=SC2086 # no or two words
				"$iotrace" --keep-cache --engine $engine $at --load "$memory/timed" --timed --play "$disk/file" |
					awk -v last="$last" -v label="$rate iotrace-$engine" '
						NR == 1 { sub("s", "", $2); stretch = ($2 / last - 1) * 100 }
						$1 == "lag_ns" { for (i = 2; i < NF; i++) if ($i ~ /^p(50|99)$/) lag[$i] = $(i + 1) / 1000 }
						/^(user|system)_seconds/ { cpu += $2 }
						END { print label, stretch, lag["p50"], lag["p99"], cpu }'
				[ ! "$fio" ] || timed_fio "$rate" $peer "$last"
			done
		done
	done >"$disk/timed"
	awk -v seconds="$seconds" -f tests/bench/timed.awk "$disk/timed"
	rm "$memory"/timed*
}

# timed_fio RATE ENGINE LAST
timed_fio() {
	local depth=32
	[ "$2" != psync ] || depth=1
	fio --name=peer --ioengine="$2" --iodepth=$depth --read_iolog="$memory/timed.fio" --invalidate=0 \
		--write_lat_log="$memory/timed" --output-format=json --output="$memory/timed.json" 2>/dev/null
	awk -v last="$3" -v label="$1 fio-$2" '
		FILENAME ~ /json$/ {
			gsub(/[,:"]/, " ")
			if ($1 == "job_runtime") run = $2 / 1000
			if ($1 == "usr_cpu" || $1 == "sys_cpu") cpu += $2
		}
		FILENAME ~ /fio$/ && $3 == "read" { due[++n] = $1 / 1000 }
		FILENAME ~ /log$/ { printf "%.1f\n", ($1 - $2 / 1000000 - due[++m]) * 1000 | "sort -n >" sorted }
		END { print label, (run / last - 1) * 100, cpu * run / 100 }' sorted="$memory/timed.sorted" \
		"$memory/timed.json" "$memory/timed.fio" "$memory"/timed_lat.*.log >"$memory/timed.line"
	awk 'FNR == NR { split($0, line); next }
		{ lag[FNR] = $1 }
		END { print line[1], line[2], line[3], lag[int((FNR + 1) / 2)], lag[int(FNR * 0.99)], line[4] }' \
		"$memory/timed.line" "$memory/timed.sorted"
	rm "$memory"/timed_*lat.*.log
}
