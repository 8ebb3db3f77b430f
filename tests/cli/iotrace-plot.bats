#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --plot: pictures of a trace.

# shellcheck disable=SC2154 # set by run

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	# 200 reads upwards, 200 writes downwards
	seq 0 10 1990 | awk '{ print $1, 10, "R"; print 1990 - $1, 5, "W" }' | (echo '#columns offset length op' && cat) >t
}

needs_gnuplot() {
	command -v gnuplot >/dev/null || skip "no gnuplot here"
}

# A gnuplot that keeps its script, or fails.
fake_gnuplot() {
	mkdir -p bin
	printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH
}

@test "a picture is a PNG of the size it should have" {
	needs_gnuplot
	"$IOTRACE" --load t --plot p.png
	[ "$(head -c 24 p.png | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a0000000d49484452000003e800000320 ]
	[ "$(wc -c <p.png)" -gt 10000 ]
}

@test "few requests are strokes, many are an image" {
	needs_gnuplot
	"$IOTRACE" --load t --plot few.svg
	"$IOTRACE" --load t --size 4k --break-up --plot many.svg
	for f in few many; do
		[[ "$(head -c 200 $f.svg)" == *"<svg"* ]] && grep -q '</svg>' $f.svg
		grep -q '>reads<' $f.svg
		grep -q '>writes<' $f.svg
		grep -q 'only first touches miss' $f.svg
	done
	run ! grep -q 'data:image/png' few.svg
	grep -q 'data:image/png' many.svg
}

@test "letters show which way reads and writes go" {
	needs_gnuplot
	run -0 "$IOTRACE" --load t --stats --plot -
	# statistics first
	[ "${lines[0]}" = "requests 400" ]
	rows=$(grep -E '\|[ rwRW]*[rwRW]' <<<"$output" | tr '[:upper:]' '[:lower:]')
	top=$(head -n 1 <<<"$rows") bottom=$(tail -n 1 <<<"$rows")
	[[ "$top" =~ w.*r ]] && [[ ! "$top" =~ r.*w ]]
	[[ "$bottom" =~ r.*w ]] && [[ ! "$bottom" =~ w.*r ]]
}

@test "letters follow reports to standard error" {
	needs_gnuplot
	"$IOTRACE" --load t --plot - --save - >o 2>e
	[ "$(grep -c '^[0-9]' o)" = 400 ]
	grep -q 'number of the request' e
}

@test "the script has each request, its time, and its file" {
	fake_gnuplot 'cat >script; echo picture'
	printf '#columns offset length op time file\n#file 0 it'"'"'s\n0 1k R 1 0\n8k 1k R 2.5 1\n0 0 S 3 0\n' >u
	"$IOTRACE" --load u --plot o.svg
	[ "$(cat o.svg)" = picture ]
	grep -qx "set xlabel 'time, s'" script
	grep -q "^set label 'it''s' at" script
	# the first file is 1 KiB high, so that the second begins there; the sync is nowhere
	[ "$(grep -cxE '1 0 1' script)" -ge 1 ]
	[ "$(grep -cxE '2.5 9 1' script)" -ge 1 ]
	run ! grep -qE '^3 ' script
}

@test "a command line that is longer than the picture loses its end, not half a character" {
	fake_gnuplot 'cat >script; echo picture'
	name=$(printf 'ä%.0s' {1..60})
	"$IOTRACE" --load t --save "$name" --plot o.svg
	grep -qE "^set title '--load t --save (ä)+ \.\.\.'" script
	iconv -f UTF-8 -t UTF-8 script >same
	cmp script same
	"$IOTRACE" --load t --plot o.svg
	grep -qF "set title '--load t --plot o.svg'" script
}

@test "no requests, and requests without pages, are drawn too" {
	needs_gnuplot
	printf '#columns offset length op\n0 1 T\n0 0 S\n' >u
	for t in /dev/null u; do
		for o in p.png p.svg -; do
			run -0 --separate-stderr "$IOTRACE" --load $t --plot $o
			[ "$stderr" = "" ]
		done
	done
	run -0 "$IOTRACE" --load /dev/null --plot -
	[[ "$output" == *"no requests"* ]]
	run -0 --separate-stderr "$IOTRACE" --load t --head 1 --plot p.png
	[ "$stderr" = "" ]
}

@test "other names, and a machine without gnuplot, are refused before anything is done" {
	refused 2 "must end in .svg or .png" --load t --save o --plot p.jpg
	refused 2 "must end in .svg or .png" --load t --save o --plot .png
	fake_gnuplot "exit 0"
	refused 2 "No such file" --load t --save o --plot nowhere/p.png
	run -2 --separate-stderr env PATH=/nonexistent "$IOTRACE" --load t --save o --plot p.png
	[[ "$stderr" == "iotrace: --plot: p.png: there is no gnuplot here"* ]]
	[ ! -e o ]
}

@test "when gnuplot fails there is no picture" {
	fake_gnuplot 'cat >/dev/null; echo part; exit 3'
	echo old >p.svg
	run -1 --separate-stderr "$IOTRACE" --load t --plot p.svg
	[ "$stderr" = "iotrace: --plot: p.svg: gnuplot failed, exit status 3" ]
	[ "$(cat p.svg)" = old ]
	fake_gnuplot 'exit 0'
	# a script that nobody reads
	run -1 --separate-stderr "$IOTRACE" --load t --size 4k --break-up --plot p.svg
	[[ "$stderr" == "iotrace: --plot: p.svg: gnuplot failed"* ]]
	[ "$(cat p.svg)" = old ]
}

@test "a picture that finds no room is an error even if gnuplot says nothing" {
	[ -c /dev/full ] || skip "no /dev/full here"
	fake_gnuplot 'cat >/dev/null; echo part; exit 0'
	ln -s /dev/full p.png
	run -1 --separate-stderr "$IOTRACE" --load t --plot p.png
	[ "$stderr" = "iotrace: --plot: p.png: cannot be written: No space left on device" ]
}

@test "letters that find no room are an error too" {
	[ -c /dev/full ] || skip "no /dev/full here"
	fake_gnuplot 'cat >/dev/null; echo part; exit 0'
	# shellcheck disable=SC2016 # the shell that is started expands it
	run -1 --separate-stderr sh -c '"$0" --load t --plot - >/dev/full' "$IOTRACE"
	[ "$stderr" = "iotrace: standard output: No space left on device" ]
}
