#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Plays on storage that fails where it is told to (tests/fuse/failing.c): every engine counts alike.

# shellcheck disable=SC2086,SC2154 # option lists that are to be split; set by run

bats_require_minimum_version 1.5.0
load iotrace

SIZE=1048576

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir mnt
	seq 0 19 >pages
}

teardown() {
	[ ! -s pid ] || kill "$(cat pid)"
	# The mount goes with the server; the folder of the test is removed after it.
	for _ in {1..50}; do
		mountpoint -q mnt || return 0
		sleep 0.1
	done
	fusermount3 -uz mnt
}

# failing RULE...: mnt/data is there, and fails by the rules.
failing() {
	[ -x "$BUILD/fuse/failing" ] || skip "libfuse3 was not there when the tests were built"
	[ -e /dev/fuse ] || skip "no /dev/fuse here"
	"$BUILD/fuse/failing" -f -o auto_unmount mnt "$SIZE" "$@" >server.log 2>&1 3>&- &
	echo $! >pid
	for _ in {1..100}; do
		[ ! -e mnt/data ] || return 0
		kill -0 "$(cat pid)" 2>/dev/null || break
		sleep 0.05
	done
	rm pid
	grep -iq 'permi\|mount failed\|not found' server.log || return 1
	skip "no FUSE mount here: $(tail -n 1 server.log)"
}

# The engines that can run here, each with a depth: in flight together where it can be.
engines() {
	"$IOTRACE" --engine help |
		awk '$1 != "null" && $2 == "yes" { print $1, ($1 ~ /libaio|io_uring/ ? 8 : 1) }'
}

# outcome ARGUMENT...: status and the counts of a play, on one line.
outcome() {
	run --separate-stderr "$IOTRACE" "$@"
	awk -v status="$status" 'NR > 1 && /^(requests|bytes|past_end|short|errors|error) |^(past_end|short)_/ { s = s "; " $0 }
		END { print status s }' <<<"$output"
}

# alike WANTED ARGUMENT...: what every engine makes of it.
alike() {
	local want=$1 engine depth got
	shift
	while read -r engine depth; do
		got=$(outcome --engine "$engine" --depth "$depth" "$@")
		echo "$engine: $got"
		[ "$got" = "$want" ] || return 1
	done <<<"$(engines)"
}

@test "the good reads around bad ones count alike in every engine" {
	failing read:EIO:40960:45056 read:EIO:65536:73728
	alike "1; requests 20; bytes 69632; errors 3; error EIO 3 offset 40960 length 4096 request 11" \
		--load pages --on-error continue --play mnt/data
}

@test "what has failed before succeeds when the storage does" {
	failing read:EIO:40960:45056
	echo '11 3' >good
	alike "1; requests 20; bytes 77824; errors 1; error EIO 1 offset 40960 length 4096 request 11" \
		--load pages --on-error continue --play mnt/data
	alike "0; requests 1; bytes 12288" --load good --play mnt/data
}

@test "the first error ends the play in every engine, with status 1" {
	failing read:EIO:40960:45056
	while read -r engine depth; do
		run --separate-stderr "$IOTRACE" --engine $engine --depth $depth --load pages --play mnt/data
		echo "$engine: $status: $output: $stderr"
		[ "$status" -eq 1 ]
		[ "$(value error)" = "EIO 1 offset 40960 length 4096 request 11" ]
		# What was in flight when the error came is brought back; the error may come late among them.
		[ "$(value requests)" -ge 11 ]
		[ "$depth" -gt 1 ] || [ "$(value requests)" = 11 ]
		[ "$(value bytes)" = $((4096 * ($(value requests) - 1))) ]
		[[ "$stderr" == *"mnt/data: Input/output error: 1 of"*"the first at byte 40960"* ]]
		[[ "$stderr" == *"the play ended at the first failed request"* ]]
	done <<<"$(engines)"
}

@test "a request over a bad place ends before it, and fails when it begins there" {
	failing read:EIO:40960:45056
	printf '0 20\n20 4\n10 2\n' >long
	alike "1; requests 3; bytes 57344; short_requests 1; short_bytes 40960; errors 1; error EIO 1 offset 40960 length 8192 request 3" \
		--load long --on-error continue --play mnt/data
}

# direct_engines: a mapping has no direct I/O.
direct_engines() {
	engines | grep -v '^mmap '
}

@test "different errors are told apart, with direct I/O" {
	failing read:EIO:40960:45056 read:ETIMEDOUT:8192:12288 read:ENOSPC:65536:69632
	while read -r engine depth; do
		run --separate-stderr "$IOTRACE" --engine $engine --depth $depth --direct --load pages --on-error continue \
			--play mnt/data
		echo "$engine: $status: $output: $stderr"
		[ "$status" -eq 1 ]
		[ "$(value requests).$(value bytes).$(value errors)" = 20.69632.3 ]
		[ "$(value error | sort)" = "EIO 1 offset 40960 length 4096 request 11
ENOSPC 1 offset 65536 length 4096 request 17
ETIMEDOUT 1 offset 8192 length 4096 request 3" ]
		[[ "$stderr" == *"Connection timed out: 1 of 20 requests, the first at byte 8192"* ]]
	done <<<"$(direct_engines)"
}

@test "short reads are counted, and are no errors, with direct I/O" {
	failing read:short:41472:45056
	while read -r engine depth; do
		got=$(outcome --engine "$engine" --depth "$depth" --direct --load pages --play mnt/data)
		echo "$engine: $got"
		[ "$got" = "1; requests 20; bytes 78336; short_requests 1; short_bytes 3584" ]
	done <<<"$(direct_engines)"
}

@test "what lies past the end is no I/O in any engine, beside errors and without" {
	failing read:EIO:1044480:1048576
	printf '256 1\n1000 3\n' >past
	{ echo '255 4'; cat past; } >over
	alike "1; requests 2; bytes 0; past_end_requests 2; past_end_bytes 16384" --load past --play mnt/data
	alike "1; requests 3; bytes 0; past_end_requests 3; past_end_bytes 28672; errors 1; error EIO 1 offset 1044480 length 16384 request 1" \
		--on-error continue --load over --play mnt/data
}

@test "slow storage makes a play slow and nothing else" {
	failing read:30:40960:61440
	for depth in 1 4; do
		while read -r engine most; do
			[ "$depth" -le "$most" ] || continue
			got=$(outcome --engine "$engine" --depth "$depth" --load pages --play mnt/data)
			echo "$engine: $got"
			[ "$got" = "0; requests 20; bytes 81920" ]
			[ "$(awk '{ print ($2 + 0 >= 0.03) }' <<<"$(sed -n 1p <<<"$output")")" ]
		done <<<"$(engines)"
	done
}

@test "SIGINT brings back what is in flight on slow storage" {
	failing read:300:0:$SIZE
	while read -r engine depth; do
		"$IOTRACE" --engine $engine --depth $depth --load pages --play mnt/data >out 2>err 3>&- &
		pid=$!
		sleep 0.15
		kill -INT $pid
		status=0
		wait $pid || status=$?
		output=$(cat out)
		echo "$engine: $status: $output"
		[ "$status" -eq 130 ]
		[ "$(value requests)" -ge 1 ] && [ "$(value requests)" -lt 20 ]
		[ "$(value bytes)" = $((4096 * $(value requests))) ]
		[ -z "$(value errors)" ]
	done <<<"$(engines)"
}

@test "SIGSTOP and SIGCONT in the middle of slow requests change no count" {
	failing read:20:0:$SIZE
	while read -r engine depth; do
		"$IOTRACE" --engine $engine --depth $depth --load pages --play mnt/data >out 2>err 3>&- &
		pid=$!
		for _ in {1..6}; do
			sleep 0.02
			kill -STOP $pid 2>/dev/null || break
			sleep 0.02
			kill -CONT $pid 2>/dev/null || break
		done
		wait $pid
		output=$(cat out)
		echo "$engine: $output"
		[ "$(value requests).$(value bytes)" = 20.81920 ]
	done <<<"$(engines)"
}

@test "a tracer that comes and goes changes no count" {
	command -v strace >/dev/null || skip "no strace here"
	failing read:20:0:$SIZE
	while read -r engine depth; do
		# The search for leaks at the end is a tracer too, and there can be only one.
		ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 "$IOTRACE" --engine $engine --depth $depth --load pages --play mnt/data >out 2>err 3>&- &
		pid=$!
		for _ in {1..3}; do
			timeout 0.05 strace -f -q -o /dev/null -p $pid 2>/dev/null || true
		done
		wait $pid
		output=$(cat out)
		echo "$engine: $output"
		[ "$(value requests).$(value bytes)" = 20.81920 ]
	done <<<"$(engines)"
}

# writes FIRST LAST: a trace that writes these pages, then syncs.
writes() {
	echo '#columns offset length op'
	seq -f '%g 1 W' "$1" "$2"
	echo '0 0 S'
}

@test "a place without space fails its write alone in every engine that moves bytes, and the rest is written" {
	failing write:ENOSPC:40960:45056
	writes 8 14 >w
	while read -r engine depth; do
		[ "$engine" != mmap ] || continue
		got=$(outcome --engine "$engine" --depth "$depth" --write --data random --on-error continue --load w --play mnt/data)
		echo "$engine: $got"
		[ "$got" = "1; requests 8; bytes 24576; errors 1; error ENOSPC 1 offset 40960 length 4096 request 3" ]
	done <<<"$(engines)"
}

@test "what a mapping could not write out fails the sync" {
	failing write:ENOSPC:40960:45056
	writes 8 14 >w
	got=$(outcome --engine mmap --write --touch copy --on-error continue --load w --play mnt/data)
	echo "$got"
	[ "$got" = "1; requests 8; bytes 28672; errors 1; error ENOSPC 1 offset 0 length 0 request 8" ]
}

@test "a failed sync is an error of every engine" {
	failing sync:EIO
	writes 8 9 >w
	while read -r engine depth; do
		got=$(outcome --engine "$engine" --write --load w --play mnt/data)
		echo "$engine: $got"
		[ "$got" = "1; requests 3; bytes 8192; errors 1; error EIO 1 offset 0 length 0 request 3" ]
	done <<<"$(engines)"
}

@test "jobs and processes count the errors of all" {
	failing read:EIO:40960:45056 read:EIO:65536:73728
	for how in "--jobs 3" "--jobs 2 --processes" "--jobs 3 --split chunk"; do
		alike "1; requests 20; bytes 69632; errors 3; error EIO 3 offset 40960 length 4096 request 11" \
			--load pages --on-error continue $how --play mnt/data
	done
	alike "1; requests 40; bytes 139264; errors 6; error EIO 6 offset 40960 length 4096 request 11" \
		--load pages --on-error continue --jobs 2 --split copy --play mnt/data
}

@test "one signal ends the filling of a mapping's page tables" {
	local most=32 # seconds: 16384 pages, 2 ms each at least
	SIZE=67108864
	failing read:2:0:$SIZE
	env --default-signal=INT "$IOTRACE" --engine mmap --populate --load pages --play mnt/data >o 2>e 3>&- &
	pid=$!
	until grep -q mnt/data /proc/$pid/maps; do
		sleep 0.05
	done
	SECONDS=0
	kill -INT $pid
	status=0
	wait $pid || status=$?
	cat o e
	[ "$status" -eq 130 ]
	grep -qx 'requests 0' o
	grep -qx 'ended_by signal 2' o
	[ "$SECONDS" -lt $most ]
}
