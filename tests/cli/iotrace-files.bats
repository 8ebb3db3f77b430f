#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Traces in files, pipes and the standard streams.

# shellcheck disable=SC2016,SC2086 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '0\n100 8\n2k 512b\n' >t
	list="0.1 100.8 0.5.0.125 "
}

@test "a trace is loaded from standard input and pipes" {
	"$IOTRACE" --load - --save o <t
	[ "$(pages o)" = "$list" ]
	"$IOTRACE" --load t --save - | "$IOTRACE" --load /dev/stdin --save o
	[ "$(pages o)" = "$list" ]
	"$IOTRACE" --load <(cat t) --save o
	[ "$(pages o)" = "$list" ]
	"$IOTRACE" --load t --interleave - --save o </dev/null
	[ "$(pages o)" = "$list" ]
}

@test "a trace on standard output is alone there: reports go to standard error" {
	head -c 4096 /dev/zero >f
	for out in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
		printf '0 1\n' | "$IOTRACE" --load - --play f --save $out >o 2>e
		[ "$(grep -v '^#' o)" = $'0p\t1p' ]
		grep -q '^[0-9.]*MB/s ' e
		"$IOTRACE" --load t --size 4 --break-up $out 2>&1 | grep -q $'^1\t0p\t1p$'
	done
}

@test "a reader of the trace that goes away ends the program by SIGPIPE's status, quietly" {
	run --separate-stderr bash -c '"$IOTRACE" --offset 10m --size 1b --create --save - | head -1 >/dev/null; exit ${PIPESTATUS[0]}'
	[ "$status" -eq 141 ]
	[ -z "$stderr" ]
}

@test "bad lines stop the run with file, line and token, and nothing is saved" {
	printf '1\n2\n0x10 1\n' >bad
	refused 2 "iotrace: bad:3: " --load bad --save o
	[[ "$stderr" == *"0x10"* ]]
	refused 2 "iotrace: bad:3: " --load t --interleave bad --save o
	run --separate-stderr bash -c '"$IOTRACE" --load - --save o <bad'
	[ "$status" -eq 2 ]
	[[ "$stderr" == "iotrace: standard input:3: "* ]]
	[ ! -e o ]
}

@test "messages about foreign bytes are printable and short" {
	head -c 3000000 /dev/zero | tr '\0' '1' >long
	printf '1\0002 3\n' >nul
	for f in long nul /dev/zero /bin/sh; do
		run --separate-stderr "$IOTRACE" --load $f --save o
		[ "$status" -eq 2 ]
		[ "${#stderr}" -lt 500 ]
		! grep -q '[^[:print:]]' <<<"$stderr"
	done
}

@test "a failed save leaves the file that was there" {
	[ -e /dev/full ] || skip "no /dev/full"
	echo old >o
	refused 2 "iotrace: " --load t --load absent --save o
	[ "$(cat o)" = old ]
	refused 1 "No space left on device" --load t --save /dev/full
}

@test "a saved file keeps permissions and links" {
	touch real
	chmod 640 real
	ln -s real link
	"$IOTRACE" --load t --save link
	[ -L link ]
	[ "$(stat -c %a real)" = 640 ]
	[ "$(pages real)" = "$list" ]
	[ "$(echo *)" = "link real t" ]
}

@test "the name - is no file here" {
	"$IOTRACE" --load t --save - >o
	"$IOTRACE" --load t --break-up - >p
	[ ! -e ./- ]
	[ -s o ] && [ -s p ]
}

@test "commands with line feeds stay one comment" {
	"$IOTRACE" --load t --save $'o\n9 9'
	"$IOTRACE" --load $'o\n9 9' --save p
	[ "$(pages p)" = "$list" ]
}

@test "a closed standard stream is not taken by a file" {
	run --separate-stderr bash -c '"$IOTRACE" --load t --save o --save - >&-'
	[ "$status" -eq 1 ]
	[[ "$stderr" == "iotrace: --save: standard output: "* ]]
	[ "$(pages o)" = "$list" ]
	head -c 4096 /dev/zero >f
	run --separate-stderr bash -c '"$IOTRACE" --play f >&-'
	[ "$status" -eq 1 ]
	cmp f <(head -c 4096 /dev/zero)
	run --separate-stderr bash -c '"$IOTRACE" --load - <&-'
	[ "$status" -eq 1 ]
}

@test "an output that may not grow further leaves nothing behind" {
	local out
	mkdir d
	for out in o o.bin; do
		run -1 --separate-stderr bash -c "ulimit -f 8; exec '$IOTRACE' --max-requests 50000 --pattern random --create --save d/$out"
		[ "$stderr" = "iotrace: --save: d/$out: cannot be written: File too large" ]
		[ -z "$(ls -A d)" ]
	done
}

@test "a terminal that goes away leaves nothing behind, and nohup keeps the program" {
	local status=0
	mkdir d
	mkfifo in
	env --default-signal=HUP "$IOTRACE" --load in --save d/o 3>&- &
	exec 9>in
	kill -HUP $!
	wait $! || status=$?
	[ "$status" -eq 129 ]
	exec 9>&-
	[ -z "$(ls -A d)" ]
	env --ignore-signal=HUP "$IOTRACE" --load in --save d/o 3>&- 9>&- &
	exec 9>in
	kill -HUP $!
	printf '0\n' >&9
	exec 9>&-
	wait $!
	[ -e d/o ]
}

@test "a pipe with a name is opened once, so that its writer keeps its reader" {
	for _ in 1 2 3 4 5; do
		rm -f in
		mkfifo in
		{ printf '0\n'; sleep 0.05; printf '7\n'; } >in &
		run "$IOTRACE" --load in --save -
		[ "$status" -eq 0 ]
		[ "$(grep -v '^#' <<<"$output" | tr -d '\t\n')" = "0p1p7p1p" ]
		wait $!
	done
}
