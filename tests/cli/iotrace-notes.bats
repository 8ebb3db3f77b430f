#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What iotrace says to those who asked for something that does nothing, or cannot be done.

# shellcheck disable=SC2154 # set by run

bats_require_minimum_version 1.5.0
load iotrace

@test "an empty trace is played without a failure, and told" {
	: >empty
	truncate -s 1m f
	for engine in pread mmap; do
		run -0 --separate-stderr "$IOTRACE" --quiet --load empty --engine $engine --play f
		[ "$stderr" = "iotrace: the trace is empty, so nothing was played on f" ]
		[[ "$output" == "0.000000MB/s "* ]]
	done
	# through a pipe, which is read while it is played
	run -0 --separate-stderr "$IOTRACE" --quiet --load - --play f < <(:)
	[ "$stderr" = "iotrace: the trace is empty, so nothing was played on f" ]
	# nothing is left of it
	echo 1 >t
	run -0 --separate-stderr "$IOTRACE" --quiet --load t --head 0 --play f
	[ "$stderr" = "iotrace: the trace is empty, so nothing was played on f" ]
	run -0 --separate-stderr "$IOTRACE" --quiet --load t --play f
	[ -z "$stderr" ]
}

@test "a shift below 0 is bad input" {
	echo 5 >t
	refused 2 "t:1: --shift: request 1: at 20480 it would begin before 0" --load t --shift -100 --save o
	[ ! -e o ]
}

@test "a depth that an engine has not names those that have it" {
	echo 1 >t
	truncate -s 1m f
	refused 2 "engine pread has one request in flight, not 4; --depth is for " --load t --depth 4 --play f
	[[ "$stderr" == *io_uring* && "$stderr" == *libaio* ]]
	refused 2 "requests in flight, not 1000000000" --load t --depth 1000000000 --engine libaio --play f
}

@test "an import or export without FORMAT lists the formats" {
	refused 2 "FORMAT:FILE is needed, not 'x'; formats: fio blkparse " --import x
	[[ "$stderr" == *" auto"* ]]
	refused 2 "FORMAT:FILE is needed, not 'x'; formats: fio csv blkparse" --export x
}

@test "a trace that no action uses is told, and read all the same" {
	echo 1 >t
	echo x >bad
	truncate -s 1m f
	run -0 --separate-stderr "$IOTRACE" --load t
	[ "$stderr" = "iotrace: --load: no action behind it uses the trace" ]
	run -0 --separate-stderr "$IOTRACE" --load t --play f --load t --sleep 0
	[[ $stderr == *"iotrace: --load: no action behind it uses the trace" ]]
	run -0 --separate-stderr "$IOTRACE" --quiet --load t
	[ "$stderr" = "" ]
	run -0 --separate-stderr "$IOTRACE" --load t --shuffle
	[ "$stderr" = "iotrace: --shuffle: no action behind it uses the trace" ]
	refused 2 "bad:1: " --load bad
	for use in "--save o" "--stats" "--export csv:o" "--play f" "--break-up o" "--willneed f"; do
		# shellcheck disable=SC2086 # an action and its file
		run --separate-stderr "$IOTRACE" --quiet --load t $use
		[ "$status" -eq 0 ]
		[[ "$stderr" != *"no action behind"* ]]
	done
}

@test "what cannot be mapped plays otherwise: a character device" {
	[ -c /dev/zero ] || skip "no /dev/zero here"
	echo 5 >t
	run -0 "$IOTRACE" --quiet --load t --play /dev/zero
	refused 1 "a character device cannot be mapped" --load t --mplay /dev/zero
}

@test "JSON and log name all targets of a play" {
	printf '#file 0 a\n#file 1 b\n#columns offset length file\n1 1 0\n2 1 1\n' >two
	truncate -s 1m f
	truncate -s 2m g
	run -0 "$IOTRACE" --quiet --load two --file-map b=g --log l --json j --play f
	grep -qx '# play 1: file b on g' l
	grep -qx '# play 1: all others on f' l
	[[ "$(<j)" == *'"targets":[{"path":"f","size":1048576},{"path":"g","size":2097152}]'* ]]
	# the log is a trace still
	run -0 "$IOTRACE" --quiet --load l --play f
	run -0 "$IOTRACE" --quiet --load two --file-map one --log l --json k --play f
	[[ "$(<k)" == *'"targets":null'* ]]
	[ "$(grep -c '^# play' l)" -eq 0 ]
}

@test "a request that an action refuses is told with the line it came from" {
	printf '# a comment\n#columns offset length op\n0 1 R\n\n1 1 W\n2 1 S\n' >w
	printf '7 1\n8 1\n' >r
	head -c 64k /dev/zero >f
	refused 2 "iotrace: w:5: --play: f: request 2: a play only reads without --write, and the trace has 1 write, 1 sync" \
		--load w --play f
	# the second of several inputs, and what is behind what leaves requests as they are
	refused 2 "iotrace: w:5: --play: f: request 4: a play" --load r --load w --play f
	refused 2 "iotrace: w:5: --play: f: request 2: a play" --load w --head 2 --save o --sleep 0 --play f
	# packed, and of another tool
	gzip -c w >w.gz
	refused 2 "iotrace: w.gz:5: --play: f: request 2: a play" --load w.gz --play f
	printf '0,0,512,r,0.1\n\n0,8,1024,w,0.2\n0,16,512,w,0.3\n' >s
	refused 2 "iotrace: s:3: --play: f: request 2: a play" --quiet --import spc:s --play f
	# the number alone where the requests have been changed or moved, or there are no lines to be read again
	"$IOTRACE" --load w --save w.bin
	for before in "--load w --reverse" "--load w --head 2 --load r" "--op W --offset 1 --create --load w" "--load w.bin"; do
		# shellcheck disable=SC2086 # words
		refused 2 "iotrace: --play: f: request " $before --play f
	done
	run --separate-stderr "$IOTRACE" --load - --play f <w
	[ "$status" -eq 2 ]
	[[ "$stderr" == "iotrace: --play: f: request 2: "* ]]
}

@test "a request far inside a trace that is streamed is told with its number and its line" {
	yes '0 1' | head -n 1048580 >long
	echo '9223372036854000000b 1' >>long
	refused 2 "iotrace: --shift: request 1048581: it would end" --load long --scale 1 --shift 1g --save o
	refused 2 "iotrace: long:1048581: --shift: request 1048581: it would end" --load long --shift 1g --save o
	# numbers are those of the trace as the action has it
	sed -i 1,3s/1/2/ long
	refused 2 "iotrace: --shift: request 1048578: it would end" --load long --filter length=1p --shift 1g --save o
	[ ! -e o ]
}
