#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --stats: what a trace is like.

# shellcheck disable=SC2154 # set by run

bats_require_minimum_version 1.5.0
load iotrace

# lines NAME FILE: the lines of a histogram with single blanks and without their name.
lines() {
	sed -n "s/^$1  *//p" "$2" | tr -s ' '
}

@test "of pattern-hot-10 a tenth of the pages is touched again" {
	run -0 "$IOTRACE" --offset 10000110 --size 110 --stride 100 --create --stats
	[ "$(value requests)" = 100001 ]
	[ "$(value bytes)" = $((100001 * 110 * 4096)) ]
	[ "$(value end)" = $((10000110 * 4096)) ]
	[ "$(value page_touches)" = 11000110 ]
	[ "$(value footprint_pages)" = 10000110 ]
	[ "$(value pages_touched_again)" = 1000000 ]
	[ "$(value touched_again_percent)" = 10.00 ]
	[ "$(value cache_needed_bytes)" = 40960 ]
	[ "$(value sequential_requests)" = 0 ]
}

@test "sizes, seeks, reuse and misses are counted" {
	printf '0 4\n4 4\n100 1k\n0 4\n8 4\n' | "$IOTRACE" --load - --stats >o
	[ "$(lines size o)" = $'1k 2k 1 20.00\n16k 32k 4 80.00' ]
	# 100 is 92 pages behind 8, 0 is 100 pages and 1 KiB before its end, 8 is 4 pages behind 4
	[ "$(lines seek o)" = $'-512k -256k 1 20.00\n16k 32k 1 20.00\n256k 512k 1 20.00' ]
	[ "$(lines reuse o)" = $'first - 13 76.47\n8 16 4 23.53' ]
	# nine pages were touched, so that a cache of nine holds them all
	[ "$(lines cache o)" = $'4k 100.00\n32k 100.00\n64k 76.47' ]
	grep -qx 'cache_needed_bytes 36864' o
	grep -qx 'sequential_requests 1' o
	grep -qx 'sequential_percent 20.00' o
}

@test "ops, files and times are told when there are some" {
	printf '#columns offset length op time file\n0 1 R 0.5 0\n0 1 W 1.5 1\n1 1 W 1 1\n0 0 S 2.5 0\n9 1 T 2.5 0\n' >t
	run -0 "$IOTRACE" --load t --stats
	[ "$(value read_requests)$(value write_requests)$(value trim_requests)$(value sync_requests)" = 1211 ]
	[ "$(value datasync_requests)" = "" ]
	[ "$(value files)" = 2 ]
	[ "$(value seconds)" = 2.000000000 ]
	[ "$(value requests_per_second)" = 2 ]
	[ "$(value backward_times)" = 1 ]
	[ "$(value page_touches)" = 3 ]
	run -0 "$IOTRACE" --load t --filter file=0,op=S --stats
	[ "$(value requests)" = 1 ]
	[ "$(value files)" = 0 ]
}

@test "an empty trace has statistics" {
	run -0 "$IOTRACE" --load /dev/null --stats
	[ "$(value requests)" = 0 ]
	[[ "$output" != *nan* && "$output" != *inf* ]]
}

@test "statistics go to standard error when a trace goes to standard output" {
	seq 5 | "$IOTRACE" --load - --stats --save - >o 2>e
	[ "$(grep -vc '^#' o)" = 5 ]
	grep -qx 'requests 5' e
}

@test "JSON has the same numbers" {
	need_jq
	"$IOTRACE" --size 110 --stride 100 --offset 1000110 --json j --create --stats --head 10 --stats >/dev/null
	[ "$(jq -s length j)" = 2 ]
	jq -s -e '.[0].stats | .requests == 10001 and .ops.read.bytes == 10001 * 110 * 4096 and .page_touches == 1100110 and
		.footprint_pages == 1000110 and .pages_touched_again == 100000 and .cache_needed_pages == 10 and
		.sampled_one_in == 1 and .sizes == [[262144, 524287, 10001]] and .seeks == [[-65535, -32768, 10000]] and
		.reuse == [[9, 9, 100000]] and .miss_ratio[0] == [1, 1, 0]' j
	# the last point: only first touches miss
	jq -s -e '.[0].stats | .miss_ratio[-1][0] == 10 and (.miss_ratio[-1][1] - .footprint_pages / .page_touches | fabs) < 1e-8' j
	jq -s -e '.[1].stats.requests == 10 and .[1].schema == 1 and .[1].tool == "iotrace"' j
}

@test "what is sampled says so, and its memory is bounded" {
	# a million pages in random order, and a quarter of them again
	run -0 "$IOTRACE" --seed 1 --pattern ooo --offset 4g --create --offset 1g --create --stats
	[ "$(value page_touches)" = 1310720 ]
	sampled=$(value pages_sampled)
	[[ "$sampled" == 1/[248]* ]]
	within() { awk -v got="$1" -v want="$2" 'BEGIN { exit !(got > want * .99 && got < want * 1.01) }'; }
	within "$(value footprint_pages)" 1048576
	within "$(value pages_touched_again)" 262144
	[[ "$(value cache_percent_error)" == 0.* ]]
}

@test "statistics are made while the trace is read, and are those of the whole" {
	"$IOTRACE" --seed 1 --pattern random --offset 1g --align 4k --size 4k,16k --max-requests 1060000 --create --save all
	"$IOTRACE" --load all --stats >parts
	# what turns the trace around needs the whole of it
	"$IOTRACE" --load all --reverse --reverse --stats >whole
	[ "$(grep -c . whole)" -gt 30 ]
	cmp parts whole
	echo nonsense >>all
	run -2 --separate-stderr "$IOTRACE" --load all --stats
	[ "$output" = "" ]
	[[ "$stderr" == "iotrace: all:1060002: "* ]]
}
