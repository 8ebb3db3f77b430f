#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What engines have beyond the usual, as a user asks for it.

# shellcheck disable=SC2016,SC2086,SC2154 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	head -c 1048576 /dev/urandom >f
	printf '0 2\n10 1\n200 7\n' >t
}

# runs OPTION...: a play of t on f moves the same as always, or is refused with a reason that names what is missing.
runs() {
	run --separate-stderr "$IOTRACE" "$@" --load t --play f
	echo "$*: status $status: $output $stderr"
	if [ "$status" -eq 0 ]; then
		[ "$(value requests) $(value bytes)" = "3 40960" ]
	else
		[ "$status" -eq 1 ] && [[ "$stderr" == *"not supported"* || "$stderr" == *"cannot"* ]]
	fi
}

@test "--engine help says of each engine what it can do" {
	run "$IOTRACE" --engine help
	[ "$status" -eq 0 ]
	[ "$(grep -oE '^[a-z0-9_]+' <<<"$output" | tr '\n' ' ')" = "pread preadv2 mmap libaio io_uring null " ]
	[ "$(grep -c '^  *reads' <<<"$output")" -eq 6 ]
	[[ "$(grep -A1 '^io_uring' <<<"$output")" == *"writes, syncs, trims; --depth up to "*"; --direct"*"--sqpoll; --iopoll; --fixed-buffers no"* ]]
	[[ "$(grep -A1 '^mmap' <<<"$output")" == *"one request in flight; --touch; --advise (madvise); --populate; --executable"* ]]
	[[ "$(grep -A1 '^mmap' <<<"$output")" != *--direct* ]]
	[[ "$(grep -A1 '^pread ' <<<"$output")" == *"--advise (posix_fadvise)"* ]]
}

@test "an option that the engine has no use for is refused, and those that have one are named" {
	refused 2 "--sqpoll is not for engine pread but for: io_uring" --sqpoll --load t --play f
	refused 2 "--fixed-buffers no is not for engine libaio but for: io_uring" --engine libaio --fixed-buffers no --load t --play f
	refused 2 "--nowait is not for engine mmap but for: preadv2 libaio io_uring" --nowait --load t --mplay f
	refused 2 "--populate is not for engine pread but for: mmap" --populate --load t --play f
	refused 2 "engine pread" --touch copy --load t --play f
	refused 2 "engine mmap cannot do direct I/O" --direct --load t --mplay f
	refused 2 "--hipri needs --direct" --engine preadv2 --hipri --load t --play f
	refused 2 "--iopoll needs --direct" --engine io_uring --iopoll --load t --play f
	refused 2 "--touch: 'bit': not one of page byte copy" --touch bit --load t --mplay f
	refused 2 "--fixed-buffers: 'maybe': not one of yes no" --fixed-buffers maybe --load t --play f
	refused 2 "--nowait: 'f': not one of count reread" --load t --nowait f --play f
}

@test "each way of io_uring moves the same" {
	"$IOTRACE" --engine help | grep -A2 '^io_uring' | grep -q 'cannot run' && skip "no io_uring here"
	runs --engine io_uring
	runs --engine io_uring --fixed-buffers no
	runs --engine io_uring --fixed-buffers no --fixed-buffers yes --depth 3
	runs --engine io_uring --sqpoll --depth 2
	runs --engine io_uring --direct --iopoll --depth 2
	runs --engine io_uring --dontcache
}

@test "what was asked for is what the report says was set up" {
	for line in 'executable --engine mmap --executable' 'populated, MADV_HUGEPAGE --engine mmap --populate --advise hugepage' 'RWF_NOWAIT --engine preadv2 --nowait=reread' \
		'buffers not registered --engine io_uring --fixed-buffers no' 'SQPOLL --engine io_uring --sqpoll'; do
		run --separate-stderr "$IOTRACE" --${line#* --} --load t --play f
		[ "$status" -eq 0 ] || { echo "$stderr" | grep -E 'not supported|cannot' && continue; }
		echo "$line: $output"
		[[ "$(value engine_setup)" == *"${line%% --*}"* ]]
	done
}

@test "each way of preadv2 moves the same" {
	runs --engine preadv2
	runs --engine preadv2 --dontcache
	runs --engine preadv2 --direct --hipri
}

@test "each touch moves the same" {
	for touch in page byte copy; do
		for advice in normal random sequential willneed hugepage; do
			runs --engine mmap --touch $touch --advise $advice
		done
		runs --engine mmap --populate --touch $touch
		runs --engine mmap --executable --touch $touch
	done
}

@test "an executable mapping needs a file system that allows it" {
	[ "$(id -u)" = 0 ] || skip "mounting needs root"
	mkdir -p noexec
	mount -t tmpfs -o noexec none noexec || skip "no tmpfs can be mounted here"
	truncate -s 1M noexec/f
	run "$IOTRACE" --executable --offset 1m --create --mplay noexec/f
	umount noexec
	[ "$status" -eq 1 ]
	[[ $output == *"cannot be mapped executable: its file system is mounted noexec"* ]]
}

@test "a populated mapping has no faults left" {
	[[ "$BUILD" != *san ]] || skip "the sanitizer has faults of its own"
	run "$IOTRACE" --engine mmap --populate --offset 1m --create --play f
	[ "$status" -eq 0 ]
	[ "$(value requests)" = 256 ]
	[ "$(value major_faults)" = 0 ]
	[ "$(value minor_faults)" -lt 64 ]
}

@test "--nowait counts what is not cached, and reads it again if asked to" {
	[ "$(stat -f -c %T .)" != tmpfs ] || skip "tmpfs keeps its pages"
	for e in preadv2 io_uring; do
		engines | grep -qx $e || continue
		run --separate-stderr "$IOTRACE" --engine $e --nowait --load t --play f
		echo "$e: $output $stderr"
		[[ "$stderr" != *"not supported"* ]] || skip "$stderr"
		[ "$status" -eq 0 ]
		[ "$(value requests)" = 3 ]
		[ "$(value misses)" = 3 ]
		[ "$(value bytes)" = 0 ]
		[ "$(value miss_bytes)" = 40960 ]
		run --separate-stderr "$IOTRACE" --engine $e --nowait reread --load t --play f
		echo "$e: $output $stderr"
		[ "$status" -eq 0 ]
		[ "$(value bytes) $(value misses)" = "40960 3" ]
		run --separate-stderr "$IOTRACE" --keep-cache --engine $e --nowait=count --load t --play f
		[ "$(value bytes)" = 40960 ]
		[ -z "$(value misses)" ]
	done
}

@test "--hits tells hits from misses, each with its latencies" {
	[ "$(stat -f -c %T .)" != tmpfs ] || skip "tmpfs keeps its pages"
	told=0
	for e in preadv2 io_uring libaio mmap; do
		engines | grep -qx $e || continue
		"$IOTRACE" --load /dev/null --play f
		printf '0 1\n' >first
		"$IOTRACE" --load first --willneed f
		run --separate-stderr "$IOTRACE" --keep-cache --engine $e --hits --load first --load first --load t --json j --play f
		echo "$e: $output $stderr"
		[[ "$stderr" != *"not supported"* ]] || continue
		[ "$status" -eq 0 ]
		[ "$(value bytes)" = 49152 ]
		[ "$(($(value hits) + $(value misses)))" -eq 5 ]
		[ "$(value hits)" -ge 2 ]
		[ "$(value misses)" -ge 1 ] # a mapping may read all around
		[[ "$(value hits_by)" == probe:* ]] || [[ "$e $(value hits_by)" == "mmap faults:"* ]]
		[[ "$(value latency_hit_ns)" == "count $(value hits) min "* ]]
		[[ "$(value latency_miss_ns)" == "count $(value misses) min "* ]]
		if command -v jq >/dev/null; then
			[ "$(jq -c '[.hits.hits, .hits.misses]' j)" = "[$(value hits),$(value misses)]" ]
			jq -e '.latency_hit.count == .hits.hits and .latency_miss.count == .hits.misses' j
		fi
		told=1
	done
	[ "$told" = 1 ]
	"$IOTRACE" --load /dev/null --play f --load t --load t --keep-cache --engine mmap --hits --log l.csv --log l.csv --play f
	[ "$(sed -n '2p;$p' l.csv | cut -d, -f9 | tr '\n' ' ')" = "miss hit " ]
	run --separate-stderr "$IOTRACE" --engine mmap --hits --repeat 2 --load t --play f
	[ "$(grep -c '^hit_percent' <<<"$output")" -eq 2 ]
	[[ "$output" == *"repeat latency_hit_ns count"*"repeat latency_miss_ns count"* ]]
	refused 2 "engine pread does not tell what was cached; preadv2, mmap, libaio and io_uring do" --hits --load t --play f
	refused 2 "--hits: direct I/O" --hits --direct --engine preadv2 --load t --play f
	refused 2 "--hits, --no-latency" --hits --no-latency --load t --mplay f
	refused 2 "--hits, --nowait count" --hits --nowait --engine preadv2 --load t --play f
}

@test "direct I/O wants aligned requests, and plays them past the cache" {
	printf '512b 512b\n1b 1b\n' >u
	run --separate-stderr "$IOTRACE" --direct --load t --play f
	[[ "$stderr" != *"no direct I/O"* ]] || skip "$stderr"
	[ "$status" -eq 0 ]
	[ "$(value bytes)" = 40960 ]
	run --separate-stderr "$IOTRACE" --direct --load u --play f
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"iotrace: u:2: --play: f: request 2: offset 1, length 1: "*"--align"* ]]
	for e in $(engines | grep -vx mmap); do
		run "$IOTRACE" --engine $e --direct --load u --align 4k --round-up --play f
		echo "$e: $output"
		[ "$status" -eq 0 ]
		[ "$(value bytes)" = 8192 ]
	done
}
