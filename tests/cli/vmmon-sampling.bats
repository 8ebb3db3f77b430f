#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vmmon: options, rows as they come, the ways it ends, and its summary.

# shellcheck disable=SC2154,SC2086,SC2016 # variables of bats; lines split into words; text for an inner shell
bats_require_minimum_version 1.5.0
load vmmon

# put VALUE: pgfault in the file, in place and in one write.
put() { printf 'nr_dirty 500\npgfault %010d\n' "$1" | dd of=vmstat conv=notrunc status=none; }

@test "--help lists all options, --version is one line, anywhere in the line" {
	for o in --help -h; do
		run --separate-stderr "$VMMON" -r pgfault $o
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		for row in '-r, --raw' '-a, --auto' '-d, --delay SEC' '-n, --rows ROWS' '-t, --elapsed' '-o, --output FILE' \
			'--list [GLOB]' '--proc DIR' '--load FILE' '--play [FILE]' '--max-seconds' '--seed'; do
			grep -qF -- "$row" <<<"$output"
		done
		# the letters of iotrace are not taken
		not grep -qE -- '-(c|p|l|s|x), ' <<<"$output"
	done
	for o in --version -v; do
		run "$VMMON" pgfault $o
		[[ "$output" =~ ^vmmon\ [0-9]+\.[0-9]+ ]]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "intervals that make no sense are refused" {
	for d in 0 -1 abc 1x '' 99999999999 nan inf 1e3 0x10 0.00001 +1 ' 1' 1,5; do
		refused "--delay" -d "$d" pgfault
	done
	refused "argument is missing" pgfault -d
	refused "no such option" -x pgfault
	refused "did you mean --delay" --dela 1 pgfault
}

@test "row numbers that make no sense are refused" {
	for n in 0 -1 abc 1.5 ''; do
		refused "--rows" -n "$n" pgfault
	done
}

@test "options and fields mix freely" {
	for line in '-r -d 0.01 -n 1 pgfault' 'pgfault -rd0.01 -n1' '-d 10ms pgfault --raw --rows=1'; do
		run "$VMMON" --proc . $line
		[ "$status" -eq 0 ]
		[ "$(xargs <<<"${lines[1]}")" = 1000 ]
	done
}

@test "-t shows the elapsed time, with rows on their deadlines" {
	run "$VMMON" --proc . -t -d 0.05 -n 4 pgfault
	[ "$status" -eq 0 ]
	[ "$(xargs <<<"${lines[0]}")" = "time pgfault" ]
	# never before its time, however late
	awk 'NR > 1 && NR < 6 { if ($1 !~ /^[0-9]+\.[0-9][0-9][0-9]$/ || $1 < (NR - 1) * 0.05 - 0.001) exit 1 }' <<<"$output"
}

@test "rows come through a pipe one by one, and follow the file" {
	mkfifo rows
	"$VMMON" --proc . -r -d 0.05 pgfault >rows &
	pid=$!
	exec 5<rows
	read -r -u 5 -t 20 line
	[ "$line" = pgfault ]
	read -r -u 5 -t 20 line
	[ "$line" = 1000 ]
	put 3000
	for ((i = 0; i < 100; i++)); do
		read -r -u 5 -t 20 line
		[ "$line" != 3000 ] || break
	done
	[ "$line" = 3000 ]
	exec 5<&-
	status=0
	wait $pid || status=$?
	[ "$status" -eq 141 ]
}

@test "it ends without a word when its reader is gone" {
	run --separate-stderr bash -c '"$VMMON" --proc . -d 0.01 pgfault | head -n 2; exit ${PIPESTATUS[0]}'
	[ "$status" -eq 141 ]
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "it can be ended while nobody reads its full pipe" {
	mkfifo rows
	exec 5<>rows
	"$VMMON" --proc . -d 0.0001 pgfault >&5 &
	pid=$!
	sleep 2
	kill -TERM $pid
	status=0
	wait_for bash -c "! kill -0 $pid 2>/dev/null || [ \"\$(cut -d' ' -f3 /proc/$pid/stat)\" = Z ]"
	wait $pid || status=$?
	exec 5<&-
	[ "$status" -eq 143 ]
}

@test "a full disk is a failure" {
	run --separate-stderr "$VMMON" --proc . -d 0.01 -n 3 pgfault -o /dev/full
	[ "$status" -eq 1 ]
	[[ "$stderr" == "vmmon: /dev/full: No space left"* ]]
	run --separate-stderr bash -c '"$VMMON" --proc . -d 0.01 -n 3 pgfault >/dev/full'
	[ "$status" -eq 1 ]
	[[ "$stderr" == "vmmon: standard output: No space left"* ]]
	for o in --help --version --list; do
		run --separate-stderr bash -c '"$VMMON" --proc . '$o' >/dev/full'
		[ "$status" -eq 1 ]
	done
}

@test "-o takes the rows while they are made, and the summary stays on standard output" {
	"$VMMON" --proc . -r -d 0.05 -o log pgfault >summary &
	pid=$!
	wait_for bash -c '[ "$(grep -c 1000 log 2>/dev/null)" -ge 2 ]'
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 130 ]
	[ "$(sed -n 1p log)" = "          pgfault" ]
	not grep -q begin log
	grep -qE '^pgfault +1000 +1000 +0 +0\.00$' summary
	run --separate-stderr "$VMMON" --proc . -o absent/log -n 1 pgfault
	[ "$status" -eq 1 ]
	[[ "$stderr" == *absent/log* ]]
}

@test "the summary shows begin, end, difference and rate, and tells the ticks" {
	"$VMMON" --proc . -r -d 0.05 pgfault nr_dirty >out &
	pid=$!
	wait_for grep -q 1000 out
	put 4000
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 130 ]
	grep -qE '^[0-9]+\.[0-9]{3} s +begin +end +difference +per second$' out
	grep -qE '^pgfault +1000 +4000 +3000 +[0-9]+\.[0-9]{2}$' out
	grep -qE '^nr_dirty +500 +500 +0 +-$' out
	grep -qE '^rows [0-9]+, ticks missed [0-9]+, latest by [0-9]+\.[0-9]{3} ms$' out
}

@test "the differences of the rows add up to that of the summary" {
	[ -r /proc/vmstat ] || skip "no /proc/vmstat"
	run "$VMMON" -d 0.05 -n 10 pgfault:delta
	[ "$status" -eq 0 ]
	awk 'NF == 1 && /^ +[0-9]+$/ { sum += $1; rows++ }
		/^pgfault:delta / { exit !(rows == 10 && sum == $4 && $4 == $3 - $2 && sum > 0) }' <<<"$output"
}

@test "the rate is the difference over the measured time" {
	"$VMMON" --proc . -t -d 0.5 -n 6 pgfault:rate pgfault:delta >out &
	pid=$!
	wait_for grep -q ' 0$' out
	put 3000
	wait $pid
	# whichever row the change fell into
	awk '/^ *[0-9.]+ +[0-9]+ +[0-9]+$/ { dt = $1 - before; before = $1 }
		$3 == 2000 { seen = $2 > 2000 / dt * 0.98 && $2 < 2000 / dt * 1.02 }
		END { exit !seen }' out
}

@test "missed ticks are skipped and told, never shown as rows" {
	"$VMMON" --proc . -t -d 0.05 -n 40 pgfault >out &
	pid=$!
	wait_for grep -q ' 0$' out
	kill -STOP $pid
	sleep 0.5
	kill -CONT $pid
	wait $pid
	[ "$(grep -cE '^ +[0-9]+\.[0-9]{3} +0$' out)" -eq 40 ]
	missed=$(sed -nE 's/^rows 40, ticks missed ([0-9]+), .*/\1/p' out)
	[ "$missed" -ge 8 ]
}

@test "a field that goes away shows no number, and comes back" {
	"$VMMON" --proc . -r -d 0.02 nr_dirty pgfault >out &
	pid=$!
	wait_for grep -q 1000 out
	printf 'nr_dirty 500\nxxxxxxx 0000001000\n' | dd of=vmstat conv=notrunc status=none
	wait_for grep -qE '^ +500 +-$' out
	put 7
	wait_for grep -qE '^ +500 +7$' out
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 143 ]
	grep -qE '^readings without a field [0-9]+$' out
}

@test "a file that becomes empty ends it with a message" {
	"$VMMON" --proc . -r -d 0.02 pgfault >out 2>err &
	pid=$!
	wait_for grep -q 1000 out
	: >vmstat
	status=0
	wait $pid || status=$?
	[ "$status" -eq 1 ]
	[[ "$(cat err)" == "vmmon: ./vmstat: "* ]]
}

@test "the heading comes again before it leaves the terminal, elsewhere once" {
	need_terminal
	command -v script >/dev/null || skip "no script(1)"
	run script -qec "stty rows 6 cols 80; '$VMMON' --proc . -r -d 0.01 -n 9 pgfault" /dev/null
	[ "$(grep -c '^  *pgfault' <<<"$output")" -eq 3 ]
	run script -qec "stty rows 50 cols 80; '$VMMON' --proc . -r -d 0.01 -n 9 pgfault" /dev/null
	[ "$(grep -c '^  *pgfault' <<<"$output")" -eq 1 ]
	run "$VMMON" --proc . -r -d 0.001 -n 100 pgfault
	[ "$(grep -c '^  *pgfault' <<<"$output")" -eq 1 ]
}
