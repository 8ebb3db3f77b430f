#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --log: a record of each request, and the latencies of the report.

# shellcheck disable=SC2086,SC2154 # option lists that are to be split; set by run

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '0 2\n10 1\n11 1\n3 1\n' >t
	head -c 65536 /dev/zero >f
}

# csv FILE COLUMN...: columns of a log by their names.
csv() {
	local file=$1
	shift
	awk -F , -v want="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(want, name, " "); next }
		{ for (i = 1; i <= n; i++) printf "%s%s", $at[name[i]], i < n ? " " : "\n" }' "$file"
}

@test "--log has a record of each request, by every engine" {
	for engine in $(engines); do
		run --separate-stderr "$IOTRACE" --engine "$engine" --load t --log l.csv --play f
		[ "$status" -eq 0 ]
		[ "$(value log_records)" = 4 ]
		[ "$(value log_waits)" = 0 ]
		[ "$(csv l.csv op offset length result job play | sort)" = \
			"$(printf '%s\n' 'R 0 8192 8192 0 1' 'R 12288 4096 4096 0 1' 'R 40960 4096 4096 0 1' 'R 45056 4096 4096 0 1')" ]
		csv l.csv start_ns latency_ns | awk '$1 < last || $2 <= 0 { exit 1 } { last = $1 }'
		rm l.csv
	done
}

@test "the latencies of the log are those of the report, at a rate that is missed too" {
	for load in '--loops 50' '--rate 100000000 --loops 50'; do
		rm -f l.csv
		run --separate-stderr "$IOTRACE" --load t $load --log l.csv --play f
		csv l.csv latency_ns | sort -n | awk '
			{ v[NR] = $1; sum += $1 }
			END { printf "count %d min %d mean %.0f max %d\n", NR, v[1], sum / NR, v[NR] }' >wanted
		value latency_ns | awk '{ print $2, $3, $4, $5, $6, $7, $(NF - 1), $NF }' >got
		diff wanted got
	done
}

@test "a log as text is a trace that can be played again" {
	"$IOTRACE" --load t --rate 100 --log first --play f
	run --separate-stderr "$IOTRACE" --load first --timed --log second --play f
	[ "$status" -eq 0 ]
	[ "$(value requests)" = 4 ]
	[ -n "$(value stretch)" ]
	awk '!/^#/ { print $2, $3, $4 }' first >a
	awk '!/^#/ { print $2, $3, $4 }' second >b
	diff a b
	# the gaps of 10 ms: never shorter than they were
	awk '!/^#/ { last = $1 } END { exit last < 0.03 }' second
}

@test "the binary log has 48 bytes a request behind its header" {
	"$IOTRACE" --load t --log l.bin --play f
	[ "$(stat -c %s l.bin)" -eq $((64 + 4 * 48)) ]
	[ "$(head -c 8 l.bin)" = iotrlog1 ]
	[ "$(od -An -t u8 -j $((64 + 48 + 16)) -N 24 --endian=little l.bin | xargs)" = "40960 4096 4096" ]
	[ "$(od -An -c -j $((64 + 46)) -N 1 l.bin | xargs)" = R ]
}

@test "plays and runs share a log and are numbered" {
	"$IOTRACE" --load t --log l.csv --play f --jobs 2 --repeat 2 --play f
	[ "$(csv l.csv play | sort | uniq -c | awk '{ print $1 }' | xargs)" = "4 4 4" ]
	[ "$(csv l.csv job play | sort -u | xargs)" = "0 1 0 2 0 3 1 2 1 3" ]
}

@test "what lies past the end and what fails is in the log" {
	printf '15 2\n20 1\n0 0\n0 1\n' >far
	for e in $(engines); do
		run "$IOTRACE" --load far --engine $e --log l.csv --play f
		echo "$e: $output"
		[ "$status" -eq 1 ]
		[ "$(value requests) $(value log_records)" = "4 4" ]
		[ "$(csv l.csv offset length result | sort | xargs)" = "0 0 0 0 4096 4096 61440 8192 4096 81920 4096 0" ]
	done
}

@test "a slow reader of the log loses nothing, and the waits are told" {
	seq 0 15 >all
	mkfifo p.csv
	(exec 8<p.csv; sleep 1; cat <&8 >got.csv) &
	run --separate-stderr "$IOTRACE" --engine null --load all --loops 5000 --log p.csv --play f
	wait
	[ "$status" -eq 0 ]
	[ "$(value log_records)" = 80000 ]
	[ "$(value log_waits)" -gt 0 ]
	[[ "$stderr" == *"p.csv: the log could not be written as fast as it came"* ]]
	[ "$(csv got.csv offset | sort -n | uniq -c | awk '{ print $1 }' | sort -u)" = 5000 ]
}

@test "a log on a full disk is told when the play is over" {
	run --separate-stderr "$IOTRACE" --load t --log /dev/full --play f
	[ "$status" -eq 1 ]
	[ "$(value requests)" = 4 ]
	[[ "$stderr" == *"--log: /dev/full: "*"No space left on device"* ]]
	refused 2 "--log: nowhere/l: " --load t --log nowhere/l --play f
	refused 2 "--no-latency" --load t --log l --no-latency --play f
}

@test "an interrupted play has its log" {
	seq 0 7 >slow
	"$IOTRACE" --load slow --think-time 10s --log l.csv --play f >out &
	local pid=$! status=0
	# it is open under a name of its own, and the first request takes no time
	until [ -e "$(echo l.csv.?*)" ]; do sleep 0.1; done
	sleep 0.5
	kill -INT "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	[ "$(csv l.csv offset)" = 0 ]
}

@test "processes log too" {
	run --separate-stderr "$IOTRACE" --load t --jobs 2 --processes --loops 10000 --log l.csv --play f
	[ "$status" -eq 0 ]
	[ "$(value log_records)" = 40000 ]
	[ "$(csv l.csv job | sort | uniq -c | xargs)" = "20000 0 20000 1" ]
}

@test "--no-latency takes no times" {
	run --separate-stderr "$IOTRACE" --load t --no-latency --play f
	[ "$status" -eq 0 ]
	[ -z "$(value latency_ns)$(value clock)" ]
	run --separate-stderr "$IOTRACE" --load t --play f
	[[ "$(value latency_ns)" =~ ^read\ count\ 4\ min\ [0-9]+\ mean\ [0-9]+\ stddev\ [0-9]+\ p50\ [0-9]+\ p90\ [0-9]+\ p99\ [0-9]+\ p99\.9\ [0-9]+\ p99\.99\ [0-9]+\ max\ [0-9]+$ ]]
	[[ "$(value clock)" =~ ^(tsc|clock_gettime\ \(.+\))$ ]]
}

@test "whether a timing was kept is told in words" {
	run --separate-stderr "$IOTRACE" --load t --rate 1 --max-requests 2 --play f
	# which of the two, a busy machine decides
	[[ "$(value timing)" =~ ^(valid|lost):\ p99\ lag\ [0-9]+\ (ns|us|ms|s),\ median\ gap\ 1000\ ms ]]
	[ -n "$(value lag_ns)" ]
	# as many a second as no disk and no page cache can give
	run --separate-stderr "$IOTRACE" --load t --loops 1000 --rate 100000000 --play f
	[[ "$(value timing)" == "lost: "*" late by more than that"* ]]
}
