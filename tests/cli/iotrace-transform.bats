#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The actions that change a trace. Expected lists without a remark are those of the program of 2009.

# shellcheck disable=SC2016,SC2086 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '0 10\n20 3\n7\n' >t
}

@test "break-up cuts to the size and leaves the rest shorter" {
	"$IOTRACE" --load t --size 4 --break-up --save o
	[ "$(pages o)" = "0.4 4.4 8.2 20.3 7.1 " ]
}

@test "break-up FILE has step, offset and length, and loads as what it is" {
	"$IOTRACE" --load t --size 4 --break-up steps --save o
	[ "$(grep -v '^#' steps)" = $'1\t0p\t4p\n1\t4p\t4p\n1\t8p\t2p\n2\t20p\t3p\n3\t7p\t1p' ]
	"$IOTRACE" --load steps --save again
	[ "$(pages again)" = "$(pages o)" ]
	"$IOTRACE" --load t --size 1 --break-up steps
	[ "$(grep -v '^#' steps | awk 'NF != 3')" = "" ]
}

@test "break-up draws each size once, covers the same bytes and keeps their order" {
	"$IOTRACE" --seed 5 --load t --size 1k,3k --align 512b --break-up --save o
	bytes o | awk '
		BEGIN { at[1] = 0; end[1] = 40960; at[2] = 81920; end[2] = 94208; at[3] = 28672; end[3] = 32768; i = 1 }
		$1 != at[i] || $2 > 3072 || ($2 < 1024 && $1 + $2 != end[i]) { exit 1 }
		{ at[i] += $2; if (at[i] == end[i]) i++ }
		END { exit i != 4 }'
}

@test "round-up covers and aligns" {
	"$IOTRACE" --load t --align 4 --round-up --save o
	[ "$(pages o)" = "0.12 20.4 4.4 " ]
}

@test "round-up without --align changes nothing, past 1 TiB as well" {
	printf '2000g 1\n5b 7b\n' >u
	"$IOTRACE" --load u --round-up --save o
	[ "$(bytes o | tr '\n' ' ')" = "2147483648000 4096 5 7 " ]
}

@test "shuffle keeps the requests, within the locality when one is given" {
	"$IOTRACE" --offset 1000 --create --save o
	"$IOTRACE" --load o --shuffle --save all
	"$IOTRACE" --load o --shuffle 1000,5 --save near
	"$IOTRACE" --load o --shuffle ,5 --save near2
	for f in all near near2; do
		bytes $f | sort -n | cmp - <(bytes o)
		run ! cmp -s <(bytes $f) <(bytes o)
	done
	for f in near near2; do
		bytes $f | awk '{ d = $1 / 4096 - (NR - 1); if (d >= 5 || d <= -5) exit 1 }'
	done
	bytes all | awk '{ d = $1 / 4096 - (NR - 1); if (d > 100) far = 1 } END { exit !far }'
}

@test "shuffle 0 exchanges nothing" {
	"$IOTRACE" --load t --shuffle 0,2 --save o
	[ "$(pages o)" = "0.10 20.3 7.1 " ]
}

@test "interleave keeps both orders and mixes them" {
	"$IOTRACE" --offset 0,1000 --create --save a
	"$IOTRACE" --offset 5000,6000 --create --save b
	"$IOTRACE" --load a --interleave b --save o
	bytes o | awk '$1 < 5000 * 4096' | cmp - <(bytes a)
	bytes o | awk '$1 >= 5000 * 4096' | cmp - <(bytes b)
	# Half of the first thousand come from either side: 400 is more than six standard deviations away.
	n=$(bytes o | head -1000 | awk '$1 < 5000 * 4096' | wc -l)
	[ "$n" -gt 400 ] && [ "$n" -lt 600 ]
}

@test "transforms of no requests do nothing" {
	: >empty
	for o in --round-up --shuffle '--interleave empty' --break-up '--save o'; do
		"$IOTRACE" --load empty $o --save p
		[ "$(grep -vc '^#' p)" -eq 0 ]
	done
}

@test "what is saved is read back the same under every unit" {
	printf '1b 1b\n4097b 3k\n1 1\n1g 1m\n15664672768b 2k\n1099511627776b 1b\n9223372036854767616b 4096b\n' >u
	"$IOTRACE" --load u --save wanted
	for write in p b k m g t; do
		"$IOTRACE" --load u --unit $write --save o
		for read in p b k m g t; do
			"$IOTRACE" --unit $read --load o --unit p --save again
			cmp <(grep -v '^#' wanted) <(grep -v '^#' again)
		done
	done
}
