#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Plays on memory, and what jobs do after each loop.

bats_require_minimum_version 1.5.0
load iotrace.bash

# 512 writes of a page, in order.
touch_all=(--offset 512 --op W --create --engine mmap --advise nohugepage)

pages_of_4096() {
	[ "$(getconf PAGESIZE)" = 4096 ] || skip "pages are not of 4096 bytes here"
}

# faults N: the report has so many, and fewer than 4000 of the jobs themselves (sanitizers take some).
faults() {
	local have
	have=$(value minor_faults)
	echo "$have faults, wanted $1"
	[ "$have" -ge "$1" ] && [ "$have" -lt $(($1 + 4000)) ]
}

@test "a page-fault benchmark is an ordinary replay" {
	pages_of_4096
	run -0 "$IOTRACE" "${touch_all[@]}" --after-loop dontneed --jobs 2 --split copy --loops 10 --play anon:2m
	[ "$(value requests) $(value loops)" = "10240 10" ]
	faults 10240
	[[ "$(value faults_per_second)" =~ ^[1-9][0-9]*\.[0-9]$ ]]
}

@test "memory that is kept is touched for nothing from the second loop on" {
	pages_of_4096
	run -0 "$IOTRACE" "${touch_all[@]}" --jobs 2 --split copy --loops 10 --play anon:2m
	[ "$(value requests)" = 10240 ]
	faults 1024
}

@test "a barrier between touch and give-back, and a fork, are words of the same list" {
	pages_of_4096
	for list in barrier,dontneed barrier,fork dontneed,barrier,fork; do
		run -0 "$IOTRACE" "${touch_all[@]}" --after-loop $list --jobs 2 --split copy --loops 10 --play anon:2m
		[ "$(value loops)" = 10 ]
		faults 10240
	done
}

@test "a time limit ends jobs that meet after each loop" {
	run -0 timeout 60 "$IOTRACE" "${touch_all[@]}" --after-loop barrier,dontneed --jobs 3 --split copy \
		--loops 0 --max-seconds 0.2 --play anon:2m
	[ "$(value ended_by)" = limit ]
	[ "$(value requests)" -gt 0 ]
}

@test "the size of memory has the unit that holds, or a letter" {
	run -0 "$IOTRACE" --offset 512 --create --engine mmap --unit k --json out.json --play memfd:2048
	[ "$(value requests)" = 512 ]
	grep -q '"path":"memfd:2048k","kind":"memfd","size":2097152,' out.json
	run -0 "$IOTRACE" --offset 512 --create --engine mmap --json out.json --play anon:512
	grep -q '"path":"anon:512p","kind":"anonymous memory","size":2097152,' out.json
	run -1 "$IOTRACE" --offset 512 --create --engine mmap --play anon:511p
	[ "$(value past_end_bytes)" = 4096 ]
}

@test "memory is written without --write, and nothing else is" {
	truncate -s 1m file
	run -0 "$IOTRACE" --offset 16 --op W --create --play memfd:16p
	[ "$(value bytes)" = 65536 ]
	refused 2 "only reads without --write" --offset 16 --op W --create --play file
	# one action's memory is not the next one's leave
	run -2 "$IOTRACE" --offset 16 --op W --create --quiet --play memfd:16p --play file
	[[ "$output" == *"--play: file: request 1: a play only reads without --write, and the trace has 16 writes"* ]]
	refused 2 "only reads without --write" --offset 16 --op W --create --file-map 0=file --play memfd:16p
	refused 2 "only reads without --write" --offset 16 --op W --create --file-map 0=memfd:16p --play file
}

@test "all engines play on a memfd what they play on a file" {
	for engine in $(engines); do
		run -0 "$IOTRACE" --offset 64 --op W --create --engine "$engine" --data offset --fsync-every 10 --write \
			--keep-cache --play memfd:64p
		echo "$engine: $output"
		[ "$(value requests) $(value bytes)" = "64 262144" ]
	done
}

@test "what memory and engines cannot do is refused before anything is played" {
	refused 2 "anonymous memory has no descriptor, which engine pread needs" --offset 1 --create --engine pread --play anon:1
	refused 2 "no direct I/O" --offset 1 --create --direct --play memfd:1
	refused 2 "'7x' is no size of memory: unknown unit" --play anon:7x
	refused 2 "memfd:0: memory of no size" --play memfd:0
	refused 2 "'' is no size of memory" --play memfd:
	refused 2 "'9z' is no size of memory" --file-map 1=anon:9z --play f
	refused 2 "not one of barrier dontneed cold pageout fork" --after-loop barrier,nosuch --play memfd:1
	refused 2 "engine pread has mapped nothing" --offset 1 --create --engine pread --after-loop dontneed --play memfd:1
	refused 2 "the list is too long" --after-loop fork,fork,fork,fork,fork,fork,fork,fork,fork --play memfd:1
}

@test "memory that is not to be had is refused in words" {
	! grep -q fsanitize "$BUILD/flags" || skip "a sanitizer takes all address space"
	limited() {
		bash -c 'ulimit -v 500000; exec "$IOTRACE" "$@"' - "$@"
	}
	run -2 limited --offset 1 --create --engine mmap --play anon:1g
	[[ "$output" == *"anon:1g: no memory of 1073741824 bytes in an address space that is limited to 512000000 (ulimit -v)"* ]]
	run -1 limited --offset 1 --create --engine mmap --jobs 4 --play anon:200m
	[[ "$output" == *"no memory of 209715200 bytes for another job"* ]]
}

@test "the report says what jobs do after a loop, and how many faults a second they took" {
	run -0 "$IOTRACE" "${touch_all[@]}" --after-loop barrier,dontneed --repeat 3 --json out.json --play anon:2m
	[ "$(grep -c '^repeat faults_per_second mean [1-9]' <<<"$output")" = 1 ]
	grep -q '"after_loop":\["barrier","dontneed"\]' out.json
	grep -q '"faults_per_second":[1-9]' out.json
}

@test "a file whose name looks like memory is played by its path" {
	truncate -s 8k anon:2
	run -0 "$IOTRACE" --offset 2 --create --play ./anon:2
	[ "$(value bytes)" = 8192 ]
}
