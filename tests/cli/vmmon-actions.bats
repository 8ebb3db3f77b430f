#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vmmon with the actions of iotrace: sampling while a trace is played.

# shellcheck disable=SC2154,SC2086,SC2016 # variables of bats; lines split into words; text for an inner shell
bats_require_minimum_version 1.5.0
load vmmon

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'nr_dirty 500\npgfault 1000\n' >vmstat
	printf '0 16\n16 16\n' >trace
	head -c 131072 /dev/zero >file
}

@test "it ends with the play, with the report of the play and then the table" {
	run --separate-stderr "$VMMON" --proc . --load trace --play file pgfault nr_dirty
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" =~ ^[0-9.]+MB/s\ [0-9.]+s\ 1x\ 131072b\ --proc\ \.\ --load\ trace\ --play\ file\ pgfault\ nr_dirty$ ]]
	grep -qx 'requests 2' <<<"$output"
	grep -qE '^pgfault +1000 +1000 +0 +[0-9.]+$' <<<"$output"
	[ "$(grep -n '^engine ' <<<"$output" | cut -d: -f1)" -lt "$(grep -n '^pgfault ' <<<"$output" | cut -d: -f1)" ]
}

@test "rows come while the play runs" {
	run "$VMMON" --proc . -r -d 0.02 --load trace --think-time 200 --play file pgfault
	[ "$status" -eq 0 ]
	[ "$(xargs <<<"${lines[0]}")" = pgfault ]
	[ "$(xargs <<<"${lines[1]}")" = 1000 ]
	[ "$(grep -cE '^ +1000$' <<<"$output")" -ge 2 ]
}

@test "actions and parameters stand anywhere among fields and options" {
	for line in 'pgfault --load trace --play file -r' '--load trace -d 0.5 pgfault --mplay file nr_dirty' \
		'--max-requests 2 nr_dirty --load trace --play=file'; do
		run --separate-stderr "$VMMON" --proc . $line
		[ "$status" -eq 0 ]
		grep -qx 'requests 2' <<<"$output"
	done
}

@test "plays take all parameters of iotrace, and each run of one has its table" {
	run "$VMMON" --proc . --jobs 2 --loops 3 --repeat 2 --play-json plays --load trace --play file pgfault
	[ "$status" -eq 0 ]
	[ "$(grep -c 'MB/s ' <<<"$output")" -eq 2 ]
	# its loops are phases, unless they were too quick to be seen
	grep -qE '^play 1(,| +pgfault$)' <<<"$output"
	grep -qE '^play 2(,| +pgfault$)' <<<"$output"
	[ "$(grep -c '"tool":"vmmon".*"requests":6,' plays)" -eq 2 ]
	run --separate-stderr "$VMMON" --proc . --play-json - --load trace --play file pgfault
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"give -o FILE"* ]]
	run --separate-stderr "$VMMON" --proc . --play-json - -o rows --load trace --play file pgfault
	[ "$status" -eq 0 ]
	[[ "$output" == '{"schema":1,'* ]]
	[ "${#lines[@]}" -eq 1 ]
	refused "--timed" --timed --think-time 1 --load trace --play file pgfault
}

@test "complaints call the report of plays by the name that it has here" {
	refused "--play-json: /nowhere/report: no file can be made in /nowhere/" --play-json /nowhere/report --load trace \
		--play file pgfault
	refused "--play-json: vmstat: a log and a report as JSON cannot both go to vmstat" --log vmstat --play-json vmstat \
		--load trace --play file pgfault
	[ -w /dev/full ] || skip "no /dev/full here"
	run --separate-stderr "$VMMON" --proc . --play-json /dev/full --load trace --play file pgfault
	echo "$stderr"
	[ "$status" -eq 1 ]
	[[ "$stderr" == "vmmon: --play-json: /dev/full: "* ]]
}

@test "each play has its table" {
	run "$VMMON" --proc . --load trace --play file --sleep 0.01 --play file pgfault
	[ "$status" -eq 0 ]
	grep -qE '^play 1, [0-9.]+ s +begin' <<<"$output"
	grep -qE '^play 2, [0-9.]+ s +begin' <<<"$output"
	[ "$(grep -c '^pgfault ' <<<"$output")" -eq 2 ]
}

@test "--sleep bounds the sampling without a play" {
	run "$VMMON" --proc . -r -d 0.01 --sleep 0.2 pgfault
	[ "$status" -eq 0 ]
	grep -qE '^ +1000$' <<<"$output"
	grep -qE '^pgfault +1000 +1000 +0 +0\.00$' <<<"$output"
	not grep -q MB/s <<<"$output"
}

@test "-n bounds the rows, the play goes on to its end" {
	run "$VMMON" --proc . -r -d 0.01 -n 1 --load trace --think-time 100 --play file pgfault
	[ "$status" -eq 0 ]
	[ "$(grep -cE '^ +1000$' <<<"$output")" -eq 1 ]
	grep -qx 'requests 2' <<<"$output"
}

@test "a trace that is only loaded leaves nothing to sample" {
	refused "--sleep" --load trace pgfault
	refused "--sleep" --load trace --save copy pgfault
	[ ! -e copy ]
}

@test "a field that --play took for its file is explained" {
	refused "is its FILE" --load trace --play pgfault
	refused "--play: pgfault: No such file" --load trace --play pgfault nr_dirty
}

@test "a bad field or action is refused before anything is done" {
	refused "no field 'nr_drity'" --load trace --save copy --play file nr_drity
	refused "absent" --save copy --load absent --play file pgfault -o log
	[ ! -e copy ]
	[ ! -e log ]
}

@test "the status of the play is passed on, and the table is printed all the same" {
	printf '0 16\n1000 16\n' >past
	run --separate-stderr "$VMMON" --proc . --load past --play file pgfault
	[ "$status" -eq 1 ]
	grep -qE '^pgfault +1000 ' <<<"$output"
	[[ "$stderr" == "vmmon: "* ]]
}

@test "SIGINT ends the play, and report and table tell what was done" {
	"$VMMON" --proc . -r -d 0.02 --load trace --think-time 60000 --play file pgfault >out 2>err &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		not grep -q 1000 out || break
		sleep 0.1
	done
	# the first row may be there before the first request
	sleep 0.5
	kill -INT $pid
	status=0
	wait $pid || status=$?
	cat out err
	[ "$status" -eq 130 ]
	grep -qx 'requests 1' out
	grep -qE '^pgfault +1000 +1000 ' out
	[ ! -s err ]
}

@test "a play ends when the reader of the rows is gone" {
	run --separate-stderr bash -c '"$VMMON" --proc . -r -d 0.02 --load trace --think-time 60000 --play file pgfault |
		head -n 2; exit ${PIPESTATUS[0]}'
	[ "$status" -eq 141 ]
	[ -z "$stderr" ]
}

@test "a trace and the rows do not mix on standard output" {
	refused "give -o FILE" --load trace --save - --play file pgfault
	"$VMMON" --proc . -o log --load trace --save - --sleep 0.1 pgfault >out 2>err
	"$IOTRACE" --load trace --save - >wanted
	diff <(grep -v '^#' wanted) <(grep -v '^#' out)
	grep -qE '^pgfault +1000' err
}

@test "the engines are listed" {
	run --separate-stderr "$VMMON" --engine help
	[ "$status" -eq 0 ]
	grep -qE '^pread ' <<<"$output"
}

@test "rows go over no target, and over nothing else that is written" {
	cp file before
	refused "--output: file is the target of --play too, which the rows would take the place of" \
		-o file --load trace --play file pgfault
	refused "--output: file is the target of --play too" -o file --append --load trace --play file pgfault
	cmp before file
	refused "a report as JSON and the rows cannot both go to x" -o x --play-json x --load trace --play file pgfault
	refused "a trace and the rows cannot both go to x" -o x --load trace --save x --play file pgfault
	[ ! -e x ]
	command -v gnuplot || skip "no gnuplot here"
	refused "the rows and the picture cannot both go to x.svg" -o x.svg --plot x.svg -n 1 pgfault
}
