#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --play and --mplay: the report, limits, the end of the target, signals.

# shellcheck disable=SC2016,SC2086,SC2154 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '0 2\n10 1\n11 1\n' >t
	head -c 65536 /dev/zero >f
}

@test "the first line of the report is that of 2009, then names and values" {
	run --separate-stderr "$IOTRACE" --seed 9 --load t --play f
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ "${lines[0]}" =~ ^[0-9]+\.[0-9]{6}MB/s\ [0-9]+\.[0-9]{6}s\ 2x\ 8192b\ "--seed 9 --load t --play f"$ ]]
	[ "$(value requests)" = 3 ]
	[ "$(value bytes)" = 16384 ]
	[ "$(value engine)" = pread ]
	[ "$(value seed)" = 9 ]
	for name in minor_faults major_faults; do
		[[ "$(value $name)" =~ ^[0-9]+$ ]]
	done
	for name in user_seconds system_seconds; do
		[[ "$(value $name)" =~ ^[0-9]+\.[0-9]+$ ]]
	done
	[ -z "$(value errors)$(value short_requests)$(value past_end_requests)" ]
}

@test "--quiet leaves the first line alone" {
	run --separate-stderr "$IOTRACE" --quiet --load t --play f
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"MB/s "*" 2x 8192b --quiet --load t --play f" ]]
}

@test "--mplay is --engine mmap --play, for itself alone" {
	run "$IOTRACE" --load t --mplay f
	[ "$(value engine)" = mmap ]
	[ "$(value bytes)" = 16384 ]
	run "$IOTRACE" --load t --engine mmap --play f
	[ "$(value engine)" = mmap ]
	run "$IOTRACE" --load t --mplay f --play f
	[ "$(value engine)" = $'mmap\npread' ]
}

@test "the default target is /tmp/sparse/100G" {
	[ ! -e /tmp/sparse/100G ] || skip "there is such a file"
	refused 2 "--play: /tmp/sparse/100G: No such file" --load t --play
	refused 2 "--mplay: /tmp/sparse/100G: No such file" --load t --mplay
}

@test "an empty trace is a line of zeros" {
	for e in $(engines); do
		run --separate-stderr "$IOTRACE" --engine $e --play f
		[ "$status" -eq 0 ]
		[[ "${lines[0]}" =~ ^0\.000000MB/s\ 0\.[0-9]+s\ 0x\ 0b\  ]]
		[ "$(value requests)" = 0 ]
	done
}

@test "each engine plays the same requests and bytes" {
	for e in $(engines); do
		run "$IOTRACE" --engine $e --load t --play f
		echo "$e: $output"
		[ "$status" -eq 0 ]
		[[ "${lines[0]}" == *" 2x 8192b "* ]]
		[ "$(value requests) $(value bytes) $(value engine)" = "3 16384 $e" ]
	done
}

@test "--max-requests and --max-bytes end a play exactly, in every engine" {
	for e in $(engines); do
		run "$IOTRACE" --engine $e --load t --max-requests 2 --play f
		[ "$status" -eq 0 ]
		[ "$(value requests) $(value bytes)" = "2 12288" ]
		run "$IOTRACE" --engine $e --load t --max-bytes 15k --play f
		[ "$status" -eq 0 ]
		[ "$(value requests) $(value bytes)" = "2 12288" ]
		run "$IOTRACE" --engine $e --load t --max-bytes 8k --play f
		[ "$(value requests) $(value bytes)" = "1 8192" ]
	done
}

@test "--max-seconds ends a play that would be longer" {
	for e in $(engines); do
		run timeout 60 "$IOTRACE" --engine $e --load t --think-time 600000 --max-seconds 0.2 --play f
		[ "$status" -eq 0 ]
		[ "$(value requests)" = 1 ]
	done
}

@test "--think-time is a pause after each request, fractions of milliseconds included" {
	for e in $(engines); do
		run "$IOTRACE" --engine $e --load t --think-time 20.5 --play f
		[ "$status" -eq 0 ]
		awk '{ sub("s", "", $2); exit $2 < 0.041 }' <<<"${lines[0]}"
	done
}

@test "a trace past the end is announced, played up to the end, and status 1" {
	printf '15 4\n16 1\n1000 1\n' >u
	for e in $(engines); do
		run --separate-stderr "$IOTRACE" --engine $e --load u --play f
		echo "$e: $output $stderr"
		[ "$status" -eq 1 ]
		[[ "${stderr_lines[0]}" == "iotrace: the trace reaches to byte 4100096 "*"f ends at 65536 "*"3 of 3 requests reach past the end"* ]]
		[ "$(value requests) $(value bytes)" = "3 4096" ]
		[ "$(value past_end_requests) $(value past_end_bytes)" = "3 20480" ]
		[ -z "$(value errors)$(value short_requests)" ]
	done
}

@test "a limit before the end of the target leaves nothing to announce" {
	printf '15 1\n1000 1\n' >u
	run --separate-stderr "$IOTRACE" --load u --max-requests 1 --play f
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "plays follow each other, and a later action still runs" {
	run "$IOTRACE" --load t --play f --offset 0,1 --create --save o --play f
	[ "$(value requests)" = $'3\n4' ]
	[ -s o ]
}

@test "what is no target is refused before the play" {
	mkdir d
	mkfifo p
	ln -s loop loop
	for target in d p loop absent; do
		refused 2 "--play: $target: " --load t --save o --play $target
	done
	[ ! -e o ]
}

@test "--depth and --direct are refused where the engine has no use for them" {
	refused 2 "--play: f: " --load t --depth 2 --play f
	refused 2 "--mplay: f: " --load t --direct --mplay f
	refused 2 "--depth: '0'" --load t --depth 0 --play f
}

@test "writes in a trace are not played" {
	printf '#columns offset length op\n0 1 W\n' >w
	refused 2 "only reads" --load w --play f
}

@test "SIGINT and SIGTERM end the play with the report of what was done" {
	for _ in $(seq 100); do seq 0 15; done >long
	for e in $(engines); do
		for signal in INT TERM; do
			# An asynchronous command of a shell ignores SIGINT; env gives the default back.
			env --default-signal=INT "$IOTRACE" --engine $e --load long --think-time 50 --play f >o 2>err &
			pid=$!
			for _ in $(seq 100); do
				# Bit 14: SIGTERM is caught.
				grep -q '^SigCgt:.*[4-7c-f]...$' /proc/$pid/status 2>/dev/null && break
				sleep 0.05
			done
			sleep 0.3
			kill -$signal $pid
			wait $pid && status=0 || status=$?
			echo "$e $signal: $status"
			[ "$status" -eq $((128 + $(kill -l $signal))) ]
			grep -qE '^[0-9.]+MB/s [0-9.]+s [0-9]+x [0-9]+b --engine ' o
			n=$(sed -n 's/^requests //p' o)
			[ "$n" -ge 1 ] && [ "$n" -lt 1600 ]
		done
	done
}

@test "SIGINT ends a sleep and the actions after it" {
	env --default-signal=INT "$IOTRACE" --load t --save o1 --sleep 1000 --save o2 &
	for _ in $(seq 100); do
		[ -s o1 ] && break
		sleep 0.1
	done
	sleep 0.2
	kill -INT $!
	wait $! && status=0 || status=$?
	[ "$status" -eq 130 ]
	[ ! -e o2 ]
}

@test "the cache of the target is dropped first, unless --keep-cache" {
	command -v fincore >/dev/null || skip "no fincore"
	[ "$(stat -f -c %T .)" != tmpfs ] || skip "tmpfs keeps its pages"
	head -c 8388608 /dev/zero >big
	cached() { fincore -n -o PAGES big | tr -d ' '; }
	[ "$(cached)" -eq 2048 ] || skip "the file is not cached after it was written"
	"$IOTRACE" --keep-cache --max-requests 1 --load t --play big
	[ "$(cached)" -eq 2048 ]
	"$IOTRACE" --play big
	[ "$(cached)" -lt 256 ]
}

@test "nothing is printed about progress when standard error is no terminal" {
	run --separate-stderr "$IOTRACE" --load t --think-time 300 --play f
	[ -z "$stderr" ]
}

@test "a long play shows its progress on a terminal, and --quiet does not" {
	need_terminal
	command -v script >/dev/null || skip "no script"
	script -qec "\"$IOTRACE\" --load t --think-time 700 --play f >/dev/null" /dev/null >o </dev/null
	grep -q '%' o
	script -qec "\"$IOTRACE\" --quiet --load t --think-time 700 --play f >/dev/null" /dev/null >o </dev/null
	[ ! -s o ]
}

@test "the decimal comma of a locale changes nothing" {
	command -v localedef >/dev/null || skip "no localedef"
	mkdir loc
	localedef -i de_DE -f UTF-8 loc/de_DE.UTF-8 2>/dev/null || skip "the locale cannot be made"
	LOCPATH=$PWD/loc LC_ALL=de_DE.UTF-8 run "$IOTRACE" --load t --think-time 0.5 --play f
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" =~ ^[0-9]+\.[0-9]{6}MB/s\ [0-9]+\.[0-9]{6}s\  ]]
	LOCPATH=$PWD/loc LC_ALL=de_DE.UTF-8 refused 2 "--think-time: " --load t --think-time 0,5 --play f
}
