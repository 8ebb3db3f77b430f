#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The state of the page cache before each loop of a play.

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	head -c 16M /dev/urandom >file
	sync file
	"$IOTRACE" --offset 16m --size 64k --create --save t
}

pages() {
	fincore -n -b -o PAGES file | tr -d ' '
}

# number NAME: of the report.
number() {
	awk -v name="$1" '$1 == name { print $2 }' report
}

# misses STATE ARGUMENT...: how many reads in 3 loops over the trace do not find all in the cache.
misses() {
	local state=$1
	shift
	"$IOTRACE" ${state:+--cache $state} --nowait=reread --engine preadv2 --loops 3 --advise random "$@" --load t --play file >report
	number misses
}

@test "each loop finds the cache dropped, warm, or cold in a part, as it was asked for" {
	needs_cache
	[ "$(misses drop)" -ge 700 ] # a miss begins a read, which may be done before the next look
	[ "$(number cache_set_times)" -eq 3 ] && [ "$(number cache_left_pages)" -lt 16 ]
	[ "$(misses cold=0-4m,12m-13m)" -ge 200 ] && [ "$(number misses)" -le 240 ]
	[ "$(number cache_set_times)" -eq 3 ] && [ "$(number cache_missing_pages)" -eq 0 ] && [ "$(number cache_left_pages)" -eq 0 ]
	[ "$(number cache_warm_pages)" -eq $((11 * 256)) ]
	[ -z "$(misses warm)" ]
	[ "$(number cache_warm_pages)" -eq 4096 ] && [ "$(number cache_missing_pages)" -eq 0 ]
	[ -z "$(misses keep)" ]
	[ -z "$(number cache_set_times)" ] && grep -qx "cache keep" report
	# without the option only the first loop finds it dropped
	[ "$(misses '')" -ge 200 ] && [ "$(number misses)" -le 256 ]
	[ -z "$(number cache)" ]
}

@test "so do the loops of several jobs and processes, in flight together, and of mappings" {
	needs_cache
	for how in "--jobs 3" "--jobs 3 --processes" "--jobs 2 --split copy"; do
		# shellcheck disable=SC2086 # options
		[ "$(misses cold=0-8m $how)" -ge 300 ]
		# shellcheck disable=SC2086 # options
		[ -z "$(misses warm $how)" ]
		[ "$(number cache_set_times)" -eq 3 ]
	done
	for engine in $(engines); do
		depth=1
		case $engine in libaio | io_uring) depth=8 ;; esac
		"$IOTRACE" --engine "$engine" --depth $depth --cache drop --loops 3 --load t --play file >report
		echo "$engine: $(number read_bytes) bytes read"
		[ "$(number cache_set_times)" -eq 3 ] && [ "$(number cache_left_pages)" -lt 16 ]
		[ -z "$(number read_bytes)" ] || [ "$(number read_bytes)" -ge $((48 << 20)) ]
		"$IOTRACE" --engine "$engine" --depth $depth --cache cold=4m-8m --loops 2 --load t --play file >report
		[ "$(number cache_missing_pages)" -eq 0 ] && [ "$(number cache_left_pages)" -eq 0 ]
	done
}

@test "each run of a repeated play finds it too" {
	needs_cache
	"$IOTRACE" --cache cold=0-1m --repeat 3 --json runs --load t --play file >report
	[ "$(grep -c '"cache_state":{"state":"cold","cold":\[{"offset":0,"length":1048576}\],"times":1,' runs)" -eq 3 ]
	[ "$(grep -c '"warm_pages":3840,"missing_pages":0,"left_pages":0}' runs)" -eq 3 ]
}

@test "only what the trace asks for becomes warm, and what is cached beside it stays" {
	needs_cache
	"$IOTRACE" --offset 16m --size 64k --create --head 1 --play file >report
	"$IOTRACE" --offset 1m,2m --size 4097b --align 1b --skip 100000b --create --save few
	"$IOTRACE" --advise random --cache warm --load few --play file >report
	[ "$(number cache_warm_pages)" -lt 64 ]
	[ "$(number cache_missing_pages)" -eq 0 ]
	[ "$(number pages_after)" -eq "$(number pages_before)" ]
}

# apart ARGUMENT...: a play, of which the time on its first line and that of the setting are no part of each other. That the
# program takes longer than both of them is always so; on a quiet machine not by much.
apart() {
	local from=$EPOCHREALTIME
	"$IOTRACE" "$@" --load t --head 20 --play file >report
	awk -v wall=$((${EPOCHREALTIME/./} - ${from/./})) -v set="$(number cache_set_seconds)" 'NR == 1 {
		print "in all", wall / 1e6, "play", $2, "setting", set
		exit !(set > 0 && wall / 1e6 >= $2 + set)
	}' report
}

@test "the time of the setting is in no figure, and in no limit" {
	needs_cache
	apart --cache cold=0-4m --loops 0 --max-seconds 0.5
	[ "$(number requests)" -ge 1 ]
	awk 'NR == 1 { exit $2 + 0 < 0.45 }' report
	apart --cache drop --rate 2000 --loops 2
	[ "$(number requests)" -eq 40 ]
}

@test "a trace from a pipe is read whole before it can be warm" {
	needs_cache
	"$IOTRACE" --cache warm --load - --play file <t >report
	[ "$(number cache_warm_pages)" -eq 4096 ]
}

@test "of several targets each is set" {
	needs_cache
	cp file other
	sync other
	printf '#columns offset length file\n0 16 0\n0 32 1\n100 1 0\n' >two
	"$IOTRACE" --cache cold=0-32k --loops 2 --load two --file-map 1=other --play file >report
	[ "$(number cache_warm_pages)" -eq $((8 + 24 + 1)) ]
	[ "$(number cache_missing_pages)" -eq 0 ] && [ "$(number cache_left_pages)" -eq 0 ]
}

@test "pages that did not stay are told of" {
	[ "$(id -u)" = 0 ] || skip "only root makes memory cgroups"
	case $BUILD in *asan | *tsan) skip "a sanitizer needs more memory than the cgroup has" ;; esac
	needs_cache
	"$IOTRACE" --in-cgroup new:8m --cache warm --load t --play file >report 2>err || skip "no memory cgroup here: $(cat err)"
	[ "$(number cache_missing_pages)" -gt 1000 ]
	grep -q "of 4096 pages that were read in first were not in the page cache" err
}

@test "a signal ends the setting" {
	truncate -s 200g huge
	printf '0 200g\n' >all
	"$IOTRACE" --cache warm --load all --play huge >report 2>&1 &
	pid=$!
	sleep 0.5
	kill -INT $pid
	wait $pid || status=$?
	[ "$status" -eq 130 ]
}

@test "states that cannot be are refused" {
	refused 2 "'hot': not one of drop keep warm cold=A-B" --cache hot --load t --play file
	refused 2 "'': not a range" --cache cold= --load t --play file
	refused 2 "the range is empty" --cache cold=2m-1m --load t --play file
	refused 2 "--cache warm, --direct" --direct --cache warm --load t --play file
	refused 2 "has no page cache that could be warm or cold" --cache warm --load t --play memfd:16m
	refused 2 "has no page cache that could be warm or cold" --cache cold=0-1m --load t --mplay anon:16m
}
