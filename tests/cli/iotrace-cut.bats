#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The actions that cut a trace to size. Their laws are tested beside the library; here is what the user sees of them.

# shellcheck disable=SC2016,SC2086 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '#columns offset length op time file\n#file 0 a\n#file 1 b\n' >t
	printf '0 4 R 0 0\n4 4 R 1 0\n8 2 W 1.5 0\n100 1 R 2 1\n2 1 R 3 1\n0 0 S 4 0\n' >>t
}

# rows ARGUMENT...: the requests of t after these actions, as "offset.length.op.time.file" in pages.
rows() {
	"$IOTRACE" --load t "$@" --unit p --save - | awk '
		/^#columns/ { split("", at); for (i = 2; i <= NF; i++) at[$i] = i - 1 }
		!/^#/ { printf "%s.%s.%s.%s.%s ", $at["offset"] + 0, $at["length"] + 0, "op" in at ? $at["op"] : "R",
			"time" in at ? $at["time"] : "-", "file" in at ? $at["file"] : 0 }'
}

@test "filter keeps what matches all its conditions" {
	[ "$(rows --filter op=R)" = "0.4.R.0.0 4.4.R.1.0 100.1.R.2.1 2.1.R.3.1 " ]
	[ "$(rows --filter op=r,offset=4-100)" = "4.4.R.1.0 " ]
	[ "$(rows --filter length=2-4)" = "0.4.R.0.0 4.4.R.1.0 8.2.W.1.5.0 " ]
	[ "$(rows --filter time=1-2)" = "4.4.R.1.0 8.2.W.1.5.0 " ]
	[ "$(rows --filter file=1)" = "100.1.R.2.1 2.1.R.3.1 " ]
	[ "$(rows --filter 'file=[b-z]' --filter time=-2500ms)" = "100.1.R.2.1 " ]
	[ "$(rows --unit b --filter offset=16384)" = "4.4.R.1.0 " ]
	[ "$(rows --filter length=1t-)" = "" ]
}

@test "head and tail keep the ends" {
	[ "$(rows --head 1)" = "0.4.R.0.0 " ]
	[ "$(rows --tail 2)" = "2.1.R.3.1 0.0.S.4.0 " ]
	[ "$(rows --head 3 --tail 1)" = "8.2.W.1.5.0 " ]
	[ "$(rows --head 0)" = "" ]
}

@test "head takes no more than it needs" {
	# from what never ends
	timeout 60 bash -c 'yes 7 | "$IOTRACE" --load - --head 5 --save o'
	[ "$(pages o)" = "7.1 7.1 7.1 7.1 7.1 " ]
	# from what waits for more
	mkfifo pipe
	exec 9<>pipe
	seq 5 >&9
	timeout 60 "$IOTRACE" --load pipe --head 5 --stats >o 9>&-
	exec 9>&-
	grep -qx 'requests 5' o
	# of two inputs; and the second is added behind it
	"$IOTRACE" --load t --load t --head 8 --save o
	[ "$(bytes o | wc -l)" = 8 ]
	"$IOTRACE" --load t --head 2 --load t --save o
	[ "$(bytes o | wc -l)" = 8 ]
	"$IOTRACE" --load t --head 5 --filter op=W --head 1 --save o
	[ "$(pages o)" = "8.2 " ]
}

@test "a sample is the same for the same seed, and another for another" {
	"$IOTRACE" --offset 4000 --create --save all
	for seed in 1 1 2; do
		"$IOTRACE" --seed $seed --load all --sample 0.25 --save o
		n=$((n + 1))
		bytes o >s$seed.$n
	done
	cmp s1.1 s1.2
	run ! cmp -s s1.1 s2.3
	# a thousand are expected, and 27 are the standard deviation
	[ "$(wc -l <s1.1)" -gt 800 ] && [ "$(wc -l <s1.1)" -lt 1200 ]
	sort -n -C s1.1
	[ "$(comm -13 <(bytes all | sort) <(sort s1.1))" = "" ]
}

@test "merge joins what touches, and undoes a break-up" {
	[ "$(rows --merge)" = "0.8.R.0.0 8.2.W.1.5.0 100.1.R.2.1 2.1.R.3.1 0.0.S.4.0 " ]
	printf '0 100\n200 100\n50 1\n' >u
	"$IOTRACE" --load u --size 1,7 --break-up --merge --save o
	[ "$(pages o)" = "0.100 200.100 50.1 " ]
}

@test "wrap cuts at the edge" {
	[ "$(rows --wrap 6)" = "0.4.R.0.0 4.2.R.1.0 0.2.R.1.0 2.2.W.1.5.0 4.1.R.2.1 2.1.R.3.1 0.0.S.4.0 " ]
	[ "$(rows --wrap 1g)" = "$(rows)" ]
}

@test "scale, shift and time-scale" {
	[ "$(rows --scale 0.5)" = "0.4.R.0.0 2.4.R.1.0 4.2.W.1.5.0 50.1.R.2.1 1.1.R.3.1 0.0.S.4.0 " ]
	[ "$(rows --align 4 --scale 0.5)" = "0.4.R.0.0 0.4.R.1.0 4.2.W.1.5.0 48.1.R.2.1 0.1.R.3.1 0.0.S.4.0 " ]
	[ "$(rows --shift 10)" = "10.4.R.0.0 14.4.R.1.0 18.2.W.1.5.0 110.1.R.2.1 12.1.R.3.1 0.0.S.4.0 " ]
	[ "$(rows --shift 10 --shift -10)" = "$(rows)" ]
	[ "$(rows --time-scale 0.5 --filter op=W)" = "8.2.W.0.75.0 " ]
}

@test "set-op makes writes of reads" {
	[ "$(rows --set-op w)" = "0.4.W.0.0 4.4.W.1.0 8.2.W.1.5.0 100.1.W.2.1 2.1.W.3.1 0.0.S.4.0 " ]
}

@test "the op of what is created does not change what is there" {
	refused 2 "--op: no --create stands behind it; --set-op changes" --load t --op W --save o
	refused 2 "--write-percent: no --create stands behind it; --set-op changes" --create --write-percent 5 --save o
	[ ! -e o ]
}

@test "sort and reverse" {
	[ "$(rows --sort offset)" = "0.4.R.0.0 0.0.S.4.0 4.4.R.1.0 8.2.W.1.5.0 2.1.R.3.1 100.1.R.2.1 " ]
	[ "$(rows --sort offset --sort time)" = "$(rows)" ]
	[ "$(rows --reverse --head 3)" = "0.0.S.0.0 2.1.R.1.1 100.1.R.2.1 " ]
	[ "$(rows --reverse --reverse)" = "$(rows)" ]
}

@test "interleave by time merges by time" {
	printf '#columns offset length time\n7 1 1\n8 1 2.5\n' >u
	[ "$(rows --filter op=R --by-time --interleave u)" = "0.4.R.0.0 4.4.R.1.0 7.1.R.1.0 100.1.R.2.1 8.1.R.2.5.0 2.1.R.3.1 " ]
	echo 1 >timeless
	refused 2 "the trace in the file has no times" --load t --by-time --interleave timeless
	refused 2 "the trace so far has no times" --load timeless --by-time --interleave t
	refused 2 "the trace has no times" --load timeless --sort time
}

@test "split-by file saves one trace a file, with its number and name" {
	"$IOTRACE" --load t --save whole --split-by file --save o
	[ ! -e o ] && [ -e o.0 ] && [ -e o.1 ] && [ ! -e o.2 ]
	grep -qx '#file 1 b' o.1
	run ! grep -q '^#file 0' o.1
	[ "$(bytes o.1)" = $'409600 4096\n8192 4096' ]
	# merged again, it is what it was
	"$IOTRACE" --load o.0 --by-time --interleave o.1 --save again
	cmp <(bytes whole) <(bytes again)
	diff <(grep '^#file' whole) <(grep '^#file' again)
	# files without requests are left out, and none stands for one
	"$IOTRACE" --load t --filter file=1 --split-by file --save p.bin --split-by none --save q
	[ ! -e p.0.bin ] && [ -e p.1.bin ] && [ -e q ]
	"$IOTRACE" --load p.1.bin --save back
	cmp <(bytes back) <(bytes q)
}

@test "split-by job saves what each job would play" {
	seq 10 >u
	"$IOTRACE" --load u --save whole --jobs 3 --split-by job --save r --split chunk --save c --split copy --save w
	[ "$(pages r.0)$(pages r.1)$(pages r.2)" = "1.1 4.1 7.1 10.1 2.1 5.1 8.1 3.1 6.1 9.1 " ]
	[ "$(pages c.0)$(pages c.1)$(pages c.2)" = "1.1 2.1 3.1 4.1 5.1 6.1 7.1 8.1 9.1 10.1 " ]
	[ "$(bytes c.0 | wc -l)" = 4 ]
	for i in 0 1 2; do cmp <(bytes w.$i) <(bytes whole); done
	refused 2 "--split-by job needs --jobs" --load u --split-by job --save o
	refused 2 "for which there must be a name" --load u --split-by file --save -
}

@test "what makes no sense is refused before anything is done" {
	for bad in '--filter offset=9-3' '--filter size=3' '--head -1' '--head 1k' '--tail 1.5' '--sample 0' '--sample 1.1' '--sample x' \
		'--wrap 0' '--scale 0' '--scale 2k' '--scale 1e3' '--shift 1.5' '--time-scale -1' '--set-op S' '--set-op read' '--sort size'; do
		run --separate-stderr "$IOTRACE" --load t --save o $bad
		# shellcheck disable=SC2154 # bats sets it
		echo "$bad: $stderr"
		[ "$status" -eq 2 ] && [ ! -e o ]
		[[ "$stderr" == "iotrace: ${bad%% *}: "* ]]
	done
}

@test "what leaves the range of offsets is an error that names the request" {
	refused 2 "t:4: --shift: request 1: at 0 it would begin before 0" --load t --shift -1
	refused 2 "--scale: request 2: it would end at an offset that does not fit into 63 bits" --load t --scale 18000000000 --scale 100000
	refused 1 "--wrap: the trace does not fit into memory: 1 request is in" --offset 8000000t --size 8000000t --create --wrap 1b
}

@test "actions on no requests do nothing" {
	: >empty
	for o in '--filter op=R' '--head 1' '--tail 1' '--sample 1' --merge '--wrap 1' '--scale 2' '--shift 1' '--time-scale 2' \
		'--set-op W' '--sort offset' '--sort time' --reverse '--by-time --interleave empty'; do
		"$IOTRACE" --load empty $o --save p
		[ "$(grep -vc '^#' p)" -eq 0 ]
	done
}
