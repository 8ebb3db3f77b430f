#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vmmon --plot: a panel for each unit, marks with their names.

# shellcheck disable=SC2154,SC2016 # variables of bats; text for an inner shell
bats_require_minimum_version 1.5.0
load vmmon

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'nr_dirty 500\nnr_writeback 7\npgfault 1000\npgpgin 3\n' >vmstat
	command -v gnuplot >/dev/null || skip "no gnuplot here"
}

@test "a picture as SVG has the fields, their units, the marks and the command" {
	run --separate-stderr "$VMMON" --proc . -a -d 0.02 --tail 0.2 --plot p.svg nr_dirty nr_writeback pgfault pgpgin \
		'x=nr_dirty/pgfault' -- sleep 0.3
	echo "$stderr"
	[ "$status" -eq 0 ]
	grep -q '<svg' p.svg
	grep -q '</svg>' p.svg
	for text in nr_dirty nr_writeback pgfault pgpgin '>x<' 'begin' 'end' 'restore' 'pages' 'events/s' 'KiB/s' ratio 'time, s' \
		'--plot p.svg'; do
		grep -qF -- "$text" p.svg
	done
	# not the two that share a unit
	[ "$(grep -cE '>(pages|events/s|KiB/s|ratio)<' p.svg)" -eq 4 ]
}

@test "a picture as PNG, or by letters behind the summary" {
	run --separate-stderr "$VMMON" --proc . -r -d 0.02 -n 5 --plot p.png nr_dirty
	[ "$status" -eq 0 ]
	[ "$(head -c 4 p.png | tail -c 3)" = PNG ]
	run --separate-stderr "$VMMON" --proc . -r -d 0.02 -n 5 --plot - nr_dirty pgfault
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	grep -qF '* nr_dirty' <<<"$output"
	grep -qF '* pgfault' <<<"$output"
	[ "$(grep -n '^rows 5' <<<"$output" | cut -d: -f1)" -lt "$(grep -nF '* pgfault' <<<"$output" | cut -d: -f1)" ]
}

@test "there is a picture of what has no row, and of what a signal ended" {
	run --separate-stderr "$VMMON" --proc . --plot p.svg nr_dirty -- true
	[ "$status" -eq 0 ]
	grep -q '</svg>' p.svg
	env --default-signal=INT "$VMMON" --proc . -d 0.02 --plot q.svg -o rows nr_dirty >out &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[ ! -s rows ] || break
		sleep 0.1
	done
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 130 ]
	grep -q '</svg>' q.svg
}

@test "the names and texts of users do not become part of the script" {
	mkfifo marks
	exec 5<>marks
	run --separate-stderr "$VMMON" --proc . -d 0.02 --mark-fd 5 --plot p.svg nr_dirty -- sh -c '
		echo "it'\''s <a> \"mark\" {_x} \`touch bad\`" >marks; sleep 0.4' "'; system 'touch bad'; '"
	exec 5>&-
	[ "$status" -eq 0 ]
	[ ! -e bad ]
	grep -qE "<text>it.*s &lt;a(>|&gt;) .*mark.* \{_x\} .touch bad." p.svg
}

@test "a place where no picture can be is refused before anything is sampled" {
	refused ".svg or .png" --plot p.gif nr_dirty
	refused "absent" --plot absent/p.svg nr_dirty
	run --separate-stderr env PATH=/nowhere "$VMMON" --proc . --plot p.svg nr_dirty
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"no gnuplot"* ]]
}
