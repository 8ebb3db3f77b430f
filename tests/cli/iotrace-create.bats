#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --create: the patterns as a user meets them. Where the program of 2009 was right its output is the measure.

# shellcheck disable=SC2016,SC2086 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0
load iotrace

@test "pattern-hot-10 by --skip -10 is the file of the shell loop, request for request" {
	# In a shell of its own: bats would trace each of the rounds.
	bash -c 'for i in `seq 0 100 10000000`; do echo $i 110; done > loop'
	"$IOTRACE" --load loop --save wanted
	"$IOTRACE" --offset 10000110 --size 110 --skip -10 --create --save got
	[ "$(grep -vc '^#' got)" -eq 100001 ]
	diff <(grep -v '^#' wanted) <(grep -v '^#' got)
}

@test "pattern-hot-10 by --stride 100 is the same" {
	"$IOTRACE" --offset 10000110 --size 110 --skip -10 --create --save wanted
	"$IOTRACE" --offset 10000110 --size 110 --stride 100 --create --save got
	"$IOTRACE" --offset 10000110 --size 110 --stride 100 --pattern stride --create --save got2
	diff <(grep -v '^#' wanted) <(grep -v '^#' got)
	diff <(grep -v '^#' wanted) <(grep -v '^#' got2)
}

@test "stride-100 is seq 0 100 1000000" {
	seq 0 100 1000000 >loop
	"$IOTRACE" --load loop --save wanted
	"$IOTRACE" --offset 1000001 --stride 100 --create --save got
	diff <(grep -v '^#' wanted) <(grep -v '^#' got)
}

@test "sequential is as in 2009 where that ended within the range" {
	"$IOTRACE" --offset 4,10 --create --save o
	[ "$(grep -v '^#' o | cut -f1 | tr '\n' ' ')" = "4p 5p 6p 7p 8p 9p " ]
	"$IOTRACE" --offset 0,40k --size 4k --create --save o
	[ "$(pages o)" = "0.1 1.1 2.1 3.1 4.1 5.1 6.1 7.1 8.1 9.1 " ]
}

@test "sequential stops before a request that would pass the end" {
	"$IOTRACE" --offset 0,10 --size 2 --skip 1 --create --save o
	[ "$(pages o)" = "0.2 3.2 6.2 " ]
}

@test "backward ends at the end and begins at the beginning" {
	"$IOTRACE" --offset 4,10 --pattern backward --create --save o
	[ "$(pages o)" = "9.1 8.1 7.1 6.1 5.1 4.1 " ]
	"$IOTRACE" --offset 0,10 --size 3 --pattern backward --create --save o
	[ "$(pages o)" = "7.3 4.3 1.3 " ]
}

@test "ooo gives each slot once and ends by itself" {
	"$IOTRACE" --offset 16,1016 --pattern ooo --create --save o
	bytes o | sort -n | diff - <(for i in $(seq 16 1015); do echo $((i * 4096)) 4096; done)
	[ "$(bytes o | head -1)" != "65536 4096" ] || [ "$(bytes o | sed -n 2p)" != "69632 4096" ]
}

@test "random stays within the range, aligned, and stops at the limit" {
	"$IOTRACE" --offset 2000g,2001g --size 512b,64k --align 512b --pattern random --max-requests 1000 --create --save o
	bytes o | awk '
		$1 < 2000 * 2^30 || $1 + $2 > 2001 * 2^30 || $1 % 512 || $2 % 512 || $2 < 512 || $2 > 65536 { exit 1 }
		END { exit NR != 1000 }'
}

@test "--max-bytes is never passed" {
	"$IOTRACE" --max-bytes 5 --offset 0,100 --size 2 --create --save o
	[ "$(pages o)" = "0.2 2.2 " ]
	"$IOTRACE" --max-bytes 100k --offset 1g --size 1k,16k --align 1k --pattern random --create --save o
	bytes o | awk '{ n += $2 } END { exit n > 102400 || n < 102400 - 16384 }'
}

@test "--op says what the requests are" {
	for op in W T; do
		"$IOTRACE" --op $op --offset 0,3 --create --save o
		[ "$(grep -v '^# ' o)" = "#columns offset length op"$'\n'"0p	1p	$op"$'\n'"1p	1p	$op"$'\n'"2p	1p	$op" ]
	done
	"$IOTRACE" --op w --offset 0,1 --create --op S --max-requests 1 --create --op d --create --save o
	[ "$(grep -v '^#' o | cut -f 2,3 | tr '\n' ' ')" = "1p	W 0p	S 0p	D " ]
	refused 2 "--create: --op S never ends without --max-requests" --op S --create --save p
	for op in '' X RW read 1; do
		refused 2 "--op: '$op': not one of R W T S D" --op "$op" --create --save p
	done
	[ ! -e p ]
}

@test "--write-percent mixes writes in, by the seed, and the later of it and --op holds" {
	"$IOTRACE" --seed 5 --offset 0,10000 --write-percent 25 --create --save a
	"$IOTRACE" --seed 5 --offset 0,10000 --write-percent 25 --create --save b
	"$IOTRACE" --seed 6 --offset 0,10000 --write-percent 25 --create --save c
	diff <(grep -v '^# ' a) <(grep -v '^# ' b)
	run ! cmp -s <(grep -v '^# ' a) <(grep -v '^# ' c)
	grep -v '^#' a | awk -F'\t' '$1 != NR - 1 "p" { exit 1 } { n[$3]++ } END { exit n["W"] < 2240 || n["W"] > 2760 || n["R"] + n["W"] != 10000 }'
	"$IOTRACE" --offset 0,9 --write-percent 50 --op T --create --save o
	[ "$(grep -v '^#' o | cut -f3 | sort -u)" = T ]
	"$IOTRACE" --offset 0,9 --op T --write-percent 100 --create --save o
	[ "$(grep -v '^#' o | cut -f3 | sort -u)" = W ]
	"$IOTRACE" --offset 0,9 --write-percent 0 --create --save o
	[ "$(grep -v '^#' o | cut -f1 | wc -l)" = 9 ] && [ "$(grep -c W o)" = 0 ]
	for p in 101 -1 '' x 100.5; do
		refused 2 "--write-percent: " --write-percent "$p" --create
	done
}

@test "one seed gives one trace for every pattern of chance" {
	for p in random ooo 'random --pdf clustered' 'random --pdf zipf:1.2' 'random --pdf pareto:0.2' 'random --pdf normal:10'; do
		for f in a b; do
			"$IOTRACE" --seed 42 --offset 64m --max-requests 500 --pattern $p --create --save $f
		done
		"$IOTRACE" --seed 43 --offset 64m --max-requests 500 --pattern $p --create --save c
		cmp <(grep -v '^#' a) <(grep -v '^#' b)
		run ! cmp -s <(grep -v '^#' a) <(grep -v '^#' c)
	done
}

@test "a trace of one seed is the same on every machine" {
	"$IOTRACE" --seed 1 --offset 1t --max-requests 4 --pattern random --create --save o
	"$IOTRACE" --seed 1 --offset 1t --max-requests 4 --pattern random --pdf zipf:1.2 --create --save z
	"$IOTRACE" --seed 1 --offset 16 --max-requests 8 --pattern ooo --create --save s
	[ "$(bytes o | cut -d' ' -f1 | tr '\n' ' ')" = "772870726097 572226113012 631235890393 430270346623 " ]
	[ "$(bytes z | cut -d' ' -f1 | tr '\n' ' ')" = "127883372572 763474410554 150390704840 80901794857 " ]
	[ "$(pages s)" = "12.1 2.1 15.1 5.1 9.1 4.1 7.1 3.1 " ]
}

@test "the first comment tells how a trace was made, and makes it again" {
	"$IOTRACE" --offset 1g --pattern random --max-requests 50 --create --save o
	[[ "$(head -1 o)" =~ ^'# iotrace '[0-9.]+' seed '([0-9]+)': --offset 1g --pattern random --max-requests 50 --create --save o'$ ]]
	"$IOTRACE" --seed "${BASH_REMATCH[1]}" --offset 1g --pattern random --max-requests 50 --create --save again
	diff <(grep -v '^#' o) <(grep -v '^#' again)
}

@test "ten million requests are made and saved in bounded memory" {
	[[ "$BUILD" != *san ]] || skip "the sanitizer needs more memory"
	(ulimit -v 400000 && "$IOTRACE" --offset 10000000 --create --save o)
	[ "$(wc -l <o)" -eq 10000001 ]
	[ "$(tail -1 o)" = $'9999999p\t1p' ]
}
