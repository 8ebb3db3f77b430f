#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --json, --repeat and what they say of a play.

# shellcheck disable=SC2154 # set by run

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '0 2\n10 1\n11 1\n' >t
	head -c 65536 /dev/zero >f
}

needs_jq() {
	need_jq
}

@test "--json writes one line of JSON that agrees with the report" {
	needs_jq
	run --separate-stderr "$IOTRACE" --seed 9 --load t --json j --play f
	[ "$status" -eq 0 ]
	[ "$(wc -l <j)" -eq 1 ]
	[ "$(jq -r '[.tool, .command, .seed, .play, .run, .runs] | @tsv' j)" = \
		"$(printf 'iotrace\t--seed 9 --load t --json j --play f\t9\t1\t1\t1')" ]
	for name in requests bytes minor_faults major_faults; do
		[ "$(jq ".$name" j)" = "$(value $name)" ]
	done
	[ "$(jq .requests j)" -eq 3 ]
	[ "$(jq .seeks j)" -eq 2 ]
	[ "$(jq -r .version j)" = "$("$IOTRACE" --version | cut -d ' ' -f 2)" ]
	[ "$(jq -r .kernel j)" = "$(uname -s -r -m)" ]
	[ "$(jq -r '[.target.path, .target.kind, .target.size] | @tsv' j)" = "$(printf 'f\tfile\t65536')" ]
	[ "$(jq -r .ended_by j)" = end ]
	awk -v ns="$(jq .elapsed_ns j)" -v line="${lines[0]}" 'BEGIN { split(line, p, " "); exit p[2] + 0 != sprintf("%f", ns / 1e9) + 0 }'
}

@test "vmstat is that of before and after the play" {
	needs_jq
	[ -r /proc/vmstat ] || skip "no /proc/vmstat here"
	"$IOTRACE" --load t --json j --play f
	[ "$(jq -r '.vmstat.pgfault | length' j)" -eq 2 ]
	jq -e '.vmstat.pgfault[0] > 0 and .vmstat.pgfault[1] >= .vmstat.pgfault[0]' j
}

@test "--json - has standard output for itself" {
	needs_jq
	run --separate-stderr "$IOTRACE" --load t --json - --play f
	[ "$status" -eq 0 ]
	[ "$(jq .bytes <<<"$output")" -eq 16384 ]
	[[ "${stderr_lines[0]}" == *"MB/s "*"--load t --json - --play f" ]]
	refused 2 "standard output" --load t --json - --play f --save -
	refused 2 "standard output" --load t --json - --log - --play f
}

@test "several plays are JSON lines" {
	needs_jq
	"$IOTRACE" --load t --json j --play f --max-requests 1 --play f
	[ "$(jq -c '[.play, .run, .requests, .limits.requests, .ended_by]' j)" = \
		"$(printf '%s\n' '[1,1,3,null,"end"]' '[2,1,1,1,"limit"]')" ]
}

@test "--json tells of errors, and is written when a play fails" {
	needs_jq
	printf '0 1\n15 2\n100 1\n' >far
	run "$IOTRACE" --load far --json j --play f
	[ "$status" -eq 1 ]
	[ "$(jq -c '[.past_end_requests, .past_end_bytes, .trace.past_end, .errors]' j)" = '[2,8192,true,0]' ]
	rm j
	run "$IOTRACE" --load t --json j --play f --load missing
	[ "$status" -ne 0 ]
	[ ! -e j ]
}

@test "an interrupted play has its document" {
	needs_jq
	seq 0 7 | sed 's/$/ 1/' >slow
	"$IOTRACE" --load slow --think-time 10s --json j --play f >out &
	local pid=$! status=0
	until [ -e "$(echo j.?*)" ]; do sleep 0.1; done
	sleep 0.5
	kill -INT "$pid"
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	[ "$(jq -c '[.ended_by, .signal]' j)" = '["signal",2]' ]
}

@test "a file that cannot be written is refused before the play" {
	refused 2 "--json: nowhere/j: " --load t --json nowhere/j --play f
	refused 2 "a log and a report as JSON cannot both go to x" --load t --json x --log x --play f
	ln f hard
	ln -s x soft
	cp f before
	refused 2 "hard is the target of --play too, which a report as JSON would take the place of" --load t --json hard --play f
	refused 2 "f is the target of --play too, which a log would take the place of" --load t --log f --sleep 0 --play f
	refused 2 "f is the target of --play too" --load t --json f --file-map "1=f" --play x
	refused 2 "f is the target of --residency too, which a trace would take the place of" --residency f --save f
	refused 2 "f is the target of --willneed too, which the process id" --load t --pid f --willneed f
	cmp before f
	touch x
	refused 2 "a log and a trace cannot both go to soft" --load t --log x --play f --save soft
	run -0 "$IOTRACE" --load t --log /dev/null --json /dev/null --play f
	run --separate-stderr "$IOTRACE" --load t --json /dev/full --play f
	[ "$status" -eq 1 ]
	[[ "$stderr" == *"/dev/full: "*"No space left on device"* ]]
}

@test "--repeat plays so often, and ends with mean and deviation" {
	run --separate-stderr "$IOTRACE" --load t --repeat 3 --play f
	[ "$status" -eq 0 ]
	[ "$(grep -c 'MB/s .*--load t --repeat 3 --play f$' <<<"$output")" -eq 3 ]
	[ "$(value runs)" = 3 ]
	[ "$(value engine)" = pread ]
	awk '/MB\/s / { sum += $2; n++ }
		$1 == "repeat" && $2 == "elapsed_seconds" { mean = $4; found = 1 }
		END { d = mean - sum / n; exit !found || d > 2e-6 || d < -2e-6 }' <<<"$output"
	[[ "$output" =~ repeat\ requests_per_second\ mean\ [0-9.]+\ stddev\ [0-9.]+\ percent\ [0-9.]+\ median ]]
	run --separate-stderr "$IOTRACE" --quiet --load t --repeat 2 --play f
	[ "$(value runs)" = 2 ]
	[ -z "$(value engine)" ]
}

@test "--repeat drops the cache before each run, and a document tells of each" {
	needs_jq
	"$IOTRACE" --load t --repeat 2 --json j --play f
	[ "$(jq -c '[.run, .runs, (.repeat != null)]' j)" = "$(printf '%s\n' '[1,2,false]' '[2,2,true]')" ]
	[ "$(jq -s '.[1].repeat.elapsed_ns.mean * 2 - .[0].elapsed_ns - .[1].elapsed_ns | fabs < 2' j)" = true ]
	refused 2 "--repeat: '0'" --load t --repeat 0 --play f
}

@test "a failed run ends the repetition" {
	printf '100 1\n' >far
	run --separate-stderr "$IOTRACE" --load far --repeat 2 --play f
	[ "$status" -eq 1 ]
	[ "$(value runs)" = 2 ]
	[ "$(grep -c '^past_end_bytes 4096' <<<"$output")" -eq 2 ]
}

@test "every member of a document is in the manual" {
	needs_jq
	sed -n '/^\.Sh JSON OUTPUT/,/^\.Sh EXIT STATUS/p' "$BATS_TEST_DIRNAME/../../man/iotrace.1" >page
	"$IOTRACE" --load t --json j --play f
	jq -r 'del(.vmstat, .command) | [paths | map(strings) | .[]] | unique[]' j >names
	[ "$(wc -l <names)" -gt 50 ]
	while read -r name; do
		grep -qw -e "$name" page || { echo "$name"; return 1; }
	done <names
}

@test "an engine that fails before the first request leaves no report, only why" {
	engines | grep -qx io_uring || skip "no io_uring here"
	needs_jq
	# Enough for the program, but not for a ring beside it; each job has a table of its own.
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr bash -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n 7; "$IOTRACE" --load t --engine io_uring --jobs 4 --json j --play f'
	echo "$output $stderr"
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ "$stderr" == *"io_uring: Too many open files"* ]]
	[ "$(jq -r .ended_by j)" = failure ]
}

@test "a timed play that is stopped before its first request has no valid timing" {
	needs_jq
	printf '#columns offset length time\n0 1 1000\n1 1 1001\n' >late
	run --separate-stderr timeout -s INT 1 "$IOTRACE" --load late --timed --json j --play f
	echo "$output $stderr"
	[ "$(value ended_by)" = "signal 2" ]
	[[ "$output" == *"timing unknown: no request was timed, 2 never issued"* ]]
	[ "$(jq .fidelity.valid j)" = false ]
}

@test "a signal that comes twice at once, as from timeout(1), ends a play with its report" {
	run --separate-stderr timeout -s INT 1 "$IOTRACE" --load t --loops 0 --max-seconds 60 --play f
	echo "$output $stderr"
	[ "$status" -eq 124 ]
	[ "$(value ended_by)" = "signal 2" ]
}
