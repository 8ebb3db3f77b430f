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
	refused 2 "request 1 at 20480 would begin before 0" --load t --shift -100 --save o
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
