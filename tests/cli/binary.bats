#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The binary form of a trace, see iotrace.5.

load iotrace
bats_require_minimum_version 1.5.0

@test "a trace saved as .bin is loaded by content, the same" {
	"$IOTRACE" --seed 3 --pattern random --max-requests 70000 --offset 1g --size 1b,9k --align 1b --create --save t.bin --save t
	[ "$(head -c 5 t.bin | tail -c 4)" = iotr ]
	mv t.bin other-name
	"$IOTRACE" --load other-name --save back
	cmp <(tail -n +2 t) <(tail -n +2 back)
	# shellcheck disable=SC2002 # a pipe is meant
	cat other-name | "$IOTRACE" --load - --save back
	cmp <(tail -n +2 t) <(tail -n +2 back)
	gzip other-name
	"$IOTRACE" --load other-name.gz --save back
	cmp <(tail -n +2 t) <(tail -n +2 back)
}

@test "text, then binary, then text are appended in order" {
	printf '1 1\n' >a
	"$IOTRACE" --load a --save a.bin
	"$IOTRACE" --load a.bin --load a --load a.bin --shuffle --save o
	[ "$(pages o)" = "1.1 1.1 1.1 " ]
}

@test "a binary trace that was changed is saved as it is, and its file stays" {
	printf '1 1\n2 2\n' >a
	"$IOTRACE" --load a --save a.bin
	cp a.bin before
	"$IOTRACE" --load a.bin --align 2 --round-up --load a.bin --save o --save o.bin
	[ "$(pages o)" = "0.2 2.2 1.1 2.2 " ]
	cmp a.bin before
	"$IOTRACE" --load o.bin --save p
	cmp <(tail -n +2 o) <(tail -n +2 p)
}

@test "a binary trace can be saved over itself" {
	"$IOTRACE" --offset 300 --size 1 --create --save a.bin
	"$IOTRACE" --load a.bin --align 2 --round-up --save a.bin
	"$IOTRACE" --load a.bin --save o
	[ "$(bytes o | sort -u | wc -l)" -eq 150 ] && [ "$(bytes o | wc -l)" -eq 300 ]
}

@test "pieces of a break-up keep their steps in the binary form" {
	printf '0 16\n20 3\n' >t
	"$IOTRACE" --load t --size 4 --break-up steps.bin --save plain
	"$IOTRACE" --load steps.bin --save back
	cmp <(tail -n +2 plain) <(tail -n +2 back)
	grep -qx '#columns offset length step' back
}

@test "a binary trace plays" {
	truncate -s 400k file
	"$IOTRACE" --offset 100 --size 1 --create --save t.bin
	run "$IOTRACE" --load t.bin --play file
	[ "$status" -eq 0 ]
	[ "$(value requests)" -eq 100 ] && [ "$(value bytes)" -eq 409600 ]
}

@test "damage is refused with the name of the file" {
	"$IOTRACE" --offset 300 --size 1 --create --save a.bin
	head -c 6000 a.bin >cut.bin
	printf x | dd of=a.bin bs=1 seek=4100 conv=notrunc 2>/dev/null
	refused 2 "a.bin: is damaged: requests 1 to 300" --load a.bin --save o
	refused 2 "cut.bin: is cut off: 6000 of" --load cut.bin --save o
	[ ! -e o ]
}

@test "a binary trace is not written where it cannot be" {
	mkfifo p.bin
	refused 2 "p.bin: a binary trace can only be written to a file" --create --save p.bin
}
