#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vmmon runs a command and samples meanwhile: what it passes on, what it keeps from it, phases and repetitions.

# shellcheck disable=SC2154,SC2016 # variables of bats; text for an inner shell
bats_require_minimum_version 1.5.0
load vmmon

# until_row TEXT, in a command: wait until a row in the file "rows" has it, as those of CSV have their phase; for 20 s at most.
until_row='until_row() { n=0; until grep -q -- "$1" rows || [ $((n += 1)) -gt 400 ]; do sleep 0.05; done; }; '

# put VALUE: pgfault in the file, in place and in one write.
put='printf "nr_dirty 500\npgfault %010d\n" $1 | dd of=vmstat conv=notrunc status=none'

@test "the command has its arguments, standard output and status, and the summary is on standard error" {
	run --separate-stderr "$VMMON" --proc . pgfault -- sh -c 'printf "%s|" "$@"; '"$put"'; exit 7' sh 4000 -r -- 'a b'
	[ "$status" -eq 7 ]
	[ "$output" = "4000|-r|--|a b|" ]
	grep -qE '^pgfault +1000 +4000 +3000 +[0-9.]+$' <<<"$stderr"
	grep -qE '^rows [0-9]+, ticks missed' <<<"$stderr"
}

@test "rows go to standard error too, or to the file of -o" {
	run --separate-stderr "$VMMON" --proc . -r -d 0.01 pgfault -- sleep 0.3
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(grep -c '^ *1000$' <<<"$stderr")" -ge 2 ]
	run --separate-stderr "$VMMON" --proc . -r -d 0.01 -o rows pgfault -- sleep 0.3
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ *1000$' rows)" -ge 2 ]
	not grep -q '^ *1000$' <<<"$stderr"
	grep -qE '^pgfault +1000 +1000 ' <<<"$stderr"
}

@test "what cannot be started is 127 or 126, as with env, and leaves no table" {
	run -127 --separate-stderr "$VMMON" --proc . pgfault -- ./absent
	[ "$stderr" = "vmmon: ./absent: No such file or directory" ]
	touch plain
	run -126 --separate-stderr "$VMMON" --proc . pgfault -- ./plain
	[ "$stderr" = "vmmon: ./plain: Permission denied" ]
}

@test "the status of a command that a signal ended is 128 and its number" {
	run --separate-stderr "$VMMON" --proc . pgfault -- sh -c 'kill -KILL $$'
	[ "$status" -eq 137 ]
	grep -q '^pgfault' <<<"$stderr"
}

@test "the command inherits no descriptor, signal, timer slack, lock or name of ours" {
	[ -r /proc/self/timerslack_ns ] || skip "no timer slack in /proc"
	# the signals above 28 are the C library's own business
	show='ls /proc/self/fd | wc -l; grep -E "^(SigBlk|VmLck)" /proc/self/status; grep ^SigIgn: /proc/self/status | tail -c 8; cat /proc/self/timerslack_ns /proc/self/comm'
	sh -c "$show" >wanted 2>errors 3>&-
	"$VMMON" --proc . -d 0.01 -o rows pgfault -- sh -c "$show" >found 2>errors 3>&-
	cat errors
	diff wanted found
}

@test "SIGTERM is passed on, and the summary comes after the command" {
	"$VMMON" --proc . pgfault -- sh -c 'trap "echo ended; exit 5" TERM; echo ready; while :; do sleep 0.1; done' >out 2>err 3>&- &
	pid=$!
	wait_for grep -q ready out
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 5 ]
	grep -qx ended out
	grep -q '^pgfault' err
}

@test "it outlives Ctrl-C, however often it comes, as long as the command does" {
	need_terminal
	command -v script >/dev/null || skip "no script(1)"
	cat >inner <<-'END'
		n=0
		trap 'n=$((n + 1)); echo got $n' INT
		echo ready
		while [ $n -lt 2 ]; do sleep 0.1; done
		echo survived
	END
	mkfifo keys
	# exec: a shell in between would be ended by the key
	env --default-signal=INT script -qec "exec '$VMMON' --proc . pgfault -- sh inner" /dev/null <keys >out 2>&1 3>&- &
	pid=$!
	exec 5>keys
	wait_for grep -q ready out
	printf '\003' >&5
	wait_for grep -q 'got 1' out
	sleep 0.3
	printf '\003' >&5
	wait_for grep -q survived out
	exec 5>&-
	wait $pid
	grep -q '^pgfault' out
}

@test "the sampling begins before the command and ends after it" {
	[ -r /proc/vmstat ] || skip "no /proc/vmstat"
	"$VMMON" pgfault -- sh -c 'grep "^pgfault" /proc/vmstat; head -c 20m /dev/zero | tail -n 1 | wc -c; grep "^pgfault" /proc/vmstat' >out 2>table
	read -r _ first < <(sed -n 1p out)
	read -r _ last < <(sed -n 3p out)
	read -r _ begin end _ < <(grep '^pgfault' table)
	[ "$begin" -le "$first" ] && [ "$end" -ge "$last" ]
}

@test "--tail samples on after the command, as the phase restore" {
	run --separate-stderr "$VMMON" --proc . -r -d 0.01 --tail 0.5 -o rows pgfault -- sh -c "$put" sh 4000
	[ "$status" -eq 0 ]
	[ "$(grep -c '^ *4000$' rows)" -ge 1 ]
	grep -qE '^begin +1000$' <<<"$stderr"
	grep -qE '^end +4000$' <<<"$stderr"
	grep -qE '^restore +4000$' <<<"$stderr"
	grep -qE '^begin to end, [0-9.]+ s +3000$' <<<"$stderr"
	grep -qE '^end to restore, (0\.[5-9]|[1-9])[0-9.]* s +0$' <<<"$stderr"
}

@test "--tail follows plays too, and needs something to follow" {
	printf '0 16\n' >trace
	head -c 131072 /dev/zero >file
	run --separate-stderr "$VMMON" --proc . --load trace --play file --tail 0.1 pgfault
	[ "$status" -eq 0 ]
	grep -qE '^restore +1000$' <<<"$output"
	run --separate-stderr "$VMMON" --proc . --sleep 0.1 --tail 0.1 pgfault
	[ "$status" -eq 0 ]
	grep -qE '^restore +1000$' <<<"$output"
	refused "--tail" --tail 1 pgfault
	refused "no time at all" --tail 0 pgfault -- true
}

@test "a few loops of a play are phases, and so are lines and signals that come while it runs" {
	printf '0 16\n' >trace
	head -c 131072 /dev/zero >file
	mkfifo marks
	exec 5<>marks
	"$VMMON" --proc . --mark-fd 5 --load trace --loops 2 --think-time 2000 -d 0.05 --csv -o rows --play file pgfault >out 2>err 3>&- &
	pid=$!
	wait_for grep -q ',begin,' rows
	echo "a line" >&5
	status=0
	wait $pid || status=$?
	exec 5>&-
	cat out err
	[ "$status" -eq 0 ]
	grep -qE '^begin +1000$' out
	grep -qE '^a line +1000$' out
	grep -qE '^loop 2 +1000$' out
	grep -qE '^end +1000$' out
}

@test "a line of --mark-fd and SIGUSR1 end a phase and begin the next" {
	mkfifo marks
	exec 5<>marks
	"$VMMON" --proc . --mark-fd 5 -d 0.05 --csv -o rows pgfault -- sh -c "$until_row$put"'
		printf "scan\t it \r\n\n" >marks; until_row ",mark 1,"; kill -USR1 $PPID; until_row ",mark 2,"' sh 4000 2>err 3>&-
	exec 5>&-
	[ "$(sed -nE 's/^([a-z].*[a-z0-9]) +[0-9]+$/\1/p' err | grep -v to | tr '\n' ,)" = "begin,scan  it,mark 1,mark 2,end," ]
	grep -qE '^begin to scan  it, [0-9.]+ s +3000$' err
	grep -qE '^mark 1 to mark 2, [0-9.]+ s +0$' err
}

@test "marks without a name are counted anew in each run" {
	"$VMMON" --proc . --repeat 2 -d 0.05 --csv -o rows pgfault -- sh -c "$until_row"'
		echo >>ran; run=$(wc -l <ran)
		for mark in 1 2; do kill -USR1 $PPID; until_row ",mark $mark,$run,"; done' 2>err
	for phase in begin "mark 1" "mark 2"; do
		grep -q "^2 runs, $phase " err
	done
}

@test "marks that a command sends before it ends are all its own" {
	mkfifo marks
	exec 5<>marks
	for _ in 1 2 3 4 5; do
		"$VMMON" --proc . --repeat 5 --json -o rows --mark-fd 5 pgfault -- sh -c 'seq -f "line %g" 300 >marks; kill -USR1 $PPID' 2>/dev/null
		tail -n 1 rows | grep -oE '"phase":"line 300","from":"line 300","to":"[a-z0-9 ]*"' >found || true
		[ "$(wc -l <found)" -eq 5 ]
		[ "$(tail -n 1 rows | grep -oE '"phase":"mark 1","from":"mark 1"' | wc -l)" -eq 5 ]
		[ "$(tail -n 1 rows | grep -oE '"run":[0-9]+,"phase":"line 1",' | xargs)" = "run:1,phase:line 1, run:2,phase:line 1, run:3,phase:line 1, run:4,phase:line 1, run:5,phase:line 1," ]
	done
	exec 5>&-
}

@test "what repeated runs have in common is told as far as it is defined" {
	mkfifo marks
	exec 5<>marks
	"$VMMON" --proc . --repeat 2 --mark-fd 5 nr_dirty -- sh -c '
		[ -e ran ] && n=500 || n=900; touch ran
		printf "nr_dirty %d\npgfault 0000001000\n" $n | dd of=vmstat conv=notrunc status=none
		printf "work\nrest\nwork\n" >marks' 2>err
	exec 5>&-
	grep -qE '^2 runs, begin ' err
	grep -qE '^4 times in 2 runs, work ' err
	# 400 up and 400 down: no mean of which the deviation would be a part
	sed '1,/^2 runs, begin/d' err | grep -qE '^nr_dirty +0.00 +565.69 +-'
}

@test "marks work without a command, and many fields are shown phase by phase" {
	[ -r /proc/vmstat ] || skip "no /proc/vmstat"
	mkfifo marks
	exec 5<>marks
	"$VMMON" --mark-fd 5 -d 0.05 --csv -o rows 'nr_*' >out 2>err 3>&- &
	pid=$!
	wait_for grep -q ',begin,' rows
	echo second >&5
	wait_for grep -q ',second,' rows
	kill -INT $pid
	status=0
	wait $pid || status=$?
	exec 5>&-
	[ "$status" -eq 130 ]
	grep -qE '^[0-9.]+ s +begin +second +difference +per second$' out
	grep -qE '^[0-9.]+ s +second +end +difference +per second$' out
	[ "$(grep -c '^nr_dirty ' out)" -eq 2 ]
}

@test "--mark-fd is refused for what cannot be read" {
	refused "not open" --mark-fd 77 pgfault
	refused "cannot be read" --mark-fd 5 pgfault 5>written
	refused "standard input" --mark-fd 0 pgfault -- true
	refused "--mark-fd" --mark-fd x pgfault
}

@test "--repeat runs the command several times and tells mean, deviation and percent" {
	run --separate-stderr "$VMMON" --proc . --repeat 3 pgfault -- sh -c 'echo x >>runs; '"$put"'' sh 1000
	[ "$status" -eq 0 ]
	[ "$(wc -l <runs)" -eq 3 ]
	for i in 1 2 3; do
		grep -qE "^run $i, [0-9.]+ s +begin +end" <<<"$stderr"
	done
	grep -qE '^3 runs, begin +difference +stddev +\+- +per second +stddev +\+-$' <<<"$stderr"
	grep -qE '^seconds +[0-9]+\.[0-9]{6} +[0-9.]+ +[0-9.]+%$' <<<"$stderr"
	grep -qE '^pgfault +0\.00 +0\.00 +0\.00% +0\.00 +0\.00 +0\.00%$' <<<"$stderr"
}

@test "of runs the first failure is the status, and a signal ends them" {
	run --separate-stderr "$VMMON" --proc . --repeat 3 pgfault -- sh -c 'echo x >>runs; exit $(wc -l <runs)'
	[ "$status" -eq 1 ]
	[ "$(wc -l <runs)" -eq 3 ]
	"$VMMON" --proc . --repeat 100000 pgfault -- sh -c 'echo x >>many; sleep 0.1' 2>err 3>&- &
	pid=$!
	wait_for test -s many
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 143 ]
	[ "$(wc -l <many)" -lt 100 ]
}

@test "--repeat of plays sums up their fields too" {
	printf '0 16\n' >trace
	head -c 131072 /dev/zero >file
	run --separate-stderr "$VMMON" --proc . --repeat 2 --load trace --play file pgfault
	[ "$status" -eq 0 ]
	grep -qx 'runs 2' <<<"$output"
	grep -qE '^2 runs, begin ' <<<"$output"
}

@test "a command and actions, or no command, are refused" {
	refused "only one" --sleep 1 pgfault -- true
	refused "no command behind --" pgfault --
	refused "no field to sample" -- true
	refused "no run" --repeat 0 pgfault -- true
	refused "no action stands behind" --depth 3 pgfault -- true
	refused "no command" --list -- true
}

@test "a program without -- before it is no field, and the message tells what was probably meant" {
	printf '#!/bin/sh\n' >tool
	chmod +x tool
	mkdir folder
	refused "no field 'ls'; a command stands behind --: vmmon FIELD... -- ls" pgfault ls
	refused "no field './tool'; a command stands behind --: vmmon FIELD... -- ./tool" pgfault ./tool
	refused "no field 'folder'" pgfault folder
	PATH="$PWD:$PATH" refused "; a command stands behind --: vmmon FIELD... -- tool" pgfault tool
	chmod -x tool
	for words in ./tool ./folder nosuchprogram 'ls -- true'; do
		# shellcheck disable=SC2086 # several words
		refused "no field '${words%% *}'" pgfault $words
		not grep -q "stands behind --" <<<"$stderr"
	done
}

@test "rows that end by -n leave the command alone" {
	run --separate-stderr "$VMMON" --proc . -r -d 0.01 -n 1 pgfault -- sh -c "sleep 0.2; $put; echo done" sh 4000
	[ "$status" -eq 0 ]
	[ "$output" = "done" ]
	[ "$(grep -c '^ *1000$' <<<"$stderr")" -eq 1 ]
	grep -qE '^pgfault +1000 +4000 ' <<<"$stderr"
}
