#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # set by run
# Traces that are played or saved while they are read: longer than 2^20 requests, or from a pipe that does not end.

load iotrace
bats_require_minimum_version 1.5.0

# numbers N: so many requests of a page each, over 256 pages.
numbers() {
	awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print i % 256 " 1" }'
}

# The most memory that COMMAND... had, in KiB, is left in the file peak.
peak() {
	command -v python3 >/dev/null || skip "no python3 here"
	python3 - "$@" <<-'END'
		import resource, subprocess, sys
		status = subprocess.call(sys.argv[1:])
		open("peak", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
		sys.exit(status)
	END
}

@test "a long trace plays whole, by one job or several, and limits are exact" {
	truncate -s 1m file
	numbers 1200000 >t
	for jobs in 1 3; do
		run "$IOTRACE" --load t --engine null --jobs $jobs --play file
		[ "$status" -eq 0 ]
		[ "$(value requests)" -eq 1200000 ] && [ "$(value bytes)" -eq 4915200000 ]
	done
	run "$IOTRACE" --load t --engine null --jobs 3 --max-requests 1100001 --play file
	[ "$(value requests)" -eq 1100001 ]
	run "$IOTRACE" --load t --engine null --max-bytes 1100002p --play file
	[ "$(value requests)" -eq 1100002 ]
}

@test "a long trace is saved as it is, changed on the way, and binary" {
	numbers 1100000 >t
	"$IOTRACE" --load t --save o
	cmp <(grep -v '^#' o | tr -d p | tr '\t' ' ') t
	"$IOTRACE" --load t --filter offset=100p- --shift 1p --save o.bin
	"$IOTRACE" --load o.bin --save o
	cmp <(grep -v '^#' o | tr -d p | tr '\t' ' ') <(awk '$1 >= 100 { print $1 + 1 " 1" }' t)
}

@test "a sample of a long trace is the one of the whole" {
	numbers 1100000 >t
	"$IOTRACE" --seed 5 --load t --sample 0.01 --save parts
	"$IOTRACE" --seed 5 --load t --sample 0.01 --save whole --save again
	[ "$(grep -vc '^#' parts)" -gt 9000 ]
	cmp <(tail -n +2 parts) <(tail -n +2 whole)
}

@test "files and times beyond the beginning keep their names and values" {
	{
		printf '#file 0 a\n'
		numbers 1060000
		printf '#file 7 b c\n#columns offset length time file\n5 1 1.5 7\n'
	} >t
	"$IOTRACE" --load t --save o --sleep 0
	"$IOTRACE" --load t --save o.bin
	"$IOTRACE" --load o.bin --save back
	for f in o back; do
		grep -qx '#file 0 a' $f
		grep -qx '#file 7 b c' $f
		[ "$(tail -n 1 $f)" = "$(printf '5p\t1p\t1.5\t7')" ]
		[ "$(grep -vc '^#' $f)" -eq 1060001 ]
	done
}

@test "a pipe that never ends plays until a limit" {
	truncate -s 1m file
	(while echo "3 1"; do sleep 0.01; done) 2>/dev/null |
		timeout 20 "$IOTRACE" --load - --max-seconds 0.2 --engine null --play file >out
	[ "$(sed -n 's/^requests //p' out)" -ge 1 ]
	# nothing more comes, but nobody says so
	(echo "3 1"; exec sleep 3) | timeout 20 "$IOTRACE" --load - --max-seconds 0.2 --play file >out
	grep -qx 'requests 1' out
}

@test "what comes slowly is played when it comes" {
	truncate -s 1m file
	(echo "3 1"; sleep 1.5; echo "4 1"; echo "# end") | "$IOTRACE" --load - --engine libaio --depth 4 --play file >out
	grep -qx 'requests 2' out
}

@test "a first line that is shorter than a byte-order mark is played before the next one comes" {
	truncate -s 1m file
	mkfifo pipe
	(echo 0 && exec sleep 60) >pipe 3>&- &
	writer=$!
	run "$IOTRACE" --load pipe --max-seconds 0.1 --play file
	kill $writer
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(value requests) $(value ended_by)" = "1 limit" ]
}

@test "a bad line far behind the beginning of a file stops before anything is issued" {
	truncate -s 1m file
	{ numbers 1100000; echo "7 x"; numbers 5; } >t
	refused 2 "iotrace: t:1100001: length 'x': not a number" --load t --engine null --play file
	# in the second of two, with changes on the way
	echo "1 1" >one
	refused 2 "iotrace: t:1100001: length 'x': not a number" --load one --load t --filter op=r --engine null --play file
	# packed, and of another tool
	gzip -c t >t.gz
	refused 2 "iotrace: t.gz:1100001: length 'x': not a number" --load t.gz --engine null --play file
	{ awk 'BEGIN { for (i = 0; i < 1100000; i++) print "0," i % 256 ",512,r," i }'; echo "0,1,512,q,0"; } >spc
	refused 2 "iotrace: spc:1100001: " --quiet --import spc:spc --engine null --play file
	# not if it is never reached
	run "$IOTRACE" --load t --engine null --max-requests 1099999 --play file
	[ "$status" -eq 0 ]
	run "$IOTRACE" --load t --head 1099999 --engine null --play file
	[ "$status" -eq 0 ]
}

@test "a file that has become shorter since it was looked at is told after the report" {
	local played
	truncate -s 1m file
	numbers 2000000 >t
	# the play waits for who reads its log
	mkfifo log
	exec 4<>log
	"$IOTRACE" --load t --engine null --log log --play file >out 2>err 3>&- 4>&- &
	played=$!
	head -c 100 <&4 >/dev/null
	truncate -s 9000000 t
	exec 5<log 4>&-
	cat <&5 >/dev/null
	exec 5<&-
	status=0
	wait "$played" || status=$?
	[ "$status" -eq 1 ]
	grep -q "^requests 1[0-9]*$" out
	grep -Eq "^iotrace: --load: t: it has changed: 1[0-9]* requests came of 2000000 that there were before" err
}

@test "a name of --file-map that a long trace does not have is refused before anything is issued" {
	truncate -s 1m file own
	numbers 1100000 >t
	{ echo "#file 0 a"; cat t; echo "#file 1 b"; } >named
	refused 2 "iotrace: --play: file: --file-map: the trace has no file called 'c'" \
		--quiet --load named --file-map c=own --file-map b=own --engine null --play file
	# which is not known where a limit ends it before
	run "$IOTRACE" --load named --file-map c=own --engine null --max-requests 1099999 --play file
	[ "$status" -eq 0 ]
}

@test "a bad line found while a pipe is played ends the play with its line, after the report" {
	need_jq
	truncate -s 1m file
	{ numbers 1100000; echo "7 x"; numbers 5; } >t
	# shellcheck disable=SC2016 # the shell that is started expands it
	run --separate-stderr sh -c 'cat t | "$1" --load - --engine null --play file' sh "$IOTRACE"
	[ "$status" -eq 2 ]
	[ "$(value requests)" -eq 1100000 ]
	[[ "$stderr" == *"standard input:1100001: length 'x': not a number"* ]]
	[ "$(value ended_by)" = failure ]
	# a pipe, which cannot be looked through before
	# shellcheck disable=SC2002
	cat t | "$IOTRACE" --load - --engine null --json json --play file >/dev/null 2>&1 || true
	[ "$(jq -r .ended_by json)" = failure ]
	[ "$(jq -r .failure json)" = "line 1100001 of the trace: length 'x': not a number" ]
}

@test "nothing is written before the whole of a trace in a file has been looked at" {
	head -c 1m /dev/zero | tr '\0' x >file
	cp file before
	{
		printf '#columns offset length op file\n'
		numbers 1100000 | sed 's/$/ W 0/'
		printf '3 1 W 1\n'
	} >t
	refused 2 "iotrace: t:1100002: --play: file: request 1100001: the trace is of several files" --write --load t --play file
	cmp file before
}

@test "a bad line in a short trace stops before anything is issued" {
	truncate -s 1m file
	{ numbers 5000; echo "7 x"; } >t
	refused 2 "t:5001: length 'x'" --load t --play file
	run --separate-stderr "$IOTRACE" --load - --play file <t
	[ "$status" -eq 2 ] && [ -z "$output" ]
}

@test "a write far behind the beginning is refused without --write" {
	truncate -s 1m file
	{
		numbers 1100000
		printf '#columns offset length op\n7 1 W\n'
	} >t
	refused 2 "iotrace: t:1100002: --play: file: request 1100001: a play only reads" --load t --engine null --play file
}

@test "nothing is left of a save that meets a bad line" {
	{ numbers 1100000; echo "7 x"; } >t
	refused 2 "t:1100001:" --load t --save o
	[ -z "$(find . -name 'o*')" ]
}

@test "memory does not grow with the trace" {
	truncate -s 1m file
	numbers 8000000 >t
	for what in "--engine null --play file" "--save /dev/null" "--save o.bin"; do
		# shellcheck disable=SC2086 # words
		peak "$IOTRACE" --load t $what >/dev/null
		echo "$what: $(cat peak) KiB"
		[[ $BUILD == *asan* ]] || [ "$(cat peak)" -lt 65536 ]
	done
	peak "$IOTRACE" --load o.bin --engine null --play file >out
	grep -qx 'requests 8000000' out
	[[ $BUILD == *asan* ]] || [ "$(cat peak)" -lt 65536 ]
}

@test "a trace that does not fit where it is needed as a whole is refused before memory is used up" {
	folder=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
	if [ ! -d $folder ]; then
		folder=/sys/fs/cgroup limit=memory.max
	fi
	group=$folder/iotrace-test-$$
	mkdir $group 2>/dev/null || skip "no memory cgroup can be made here"
	if ! echo 200M 2>/dev/null >$group/$limit; then
		rmdir $group
		skip "no limit of memory can be set here"
	fi
	awk 'BEGIN { for (i = 0; i < 12000000; i++) print i " 1" }' >t
	# shellcheck disable=SC2016 # for the inner shell
	inside='echo $$ >'$group'/cgroup.procs && exec "$@"'
	run --separate-stderr sh -c "$inside" sh "$IOTRACE" --load t --shuffle --save o
	sh -c "$inside" sh "$IOTRACE" --load t --save streamed || streamed=failed
	rmdir $group
	echo "status $status: $stderr"
	[ "$status" -eq 1 ] && [[ "$stderr" == *"t: the trace does not fit into memory"* ]]
	[ ! -e o ] && [ "$streamed" != failed ] && [ "$(wc -l <streamed)" -eq 12000001 ]
}

@test "limits of address space and of data are kept, and what needs the whole trace is named" {
	[[ $BUILD != *[at]san* ]] || skip "sanitizers need more address space than that"
	awk 'BEGIN { for (i = 0; i < 12000000; i++) print 12000000 - i " 1" }' >t
	for limit in v d; do
		# shellcheck disable=SC2016 # for the inner shell
		run --separate-stderr bash -c 'ulimit -'$limit' 200000 && exec "$@"' bash "$IOTRACE" --load t --round-up --shuffle --save o
		echo "status $status: $stderr"
		[ "$status" -eq 1 ] && [ ! -e o ]
		[[ "$stderr" == *"--load: t: the trace does not fit into memory: "*" MiB are left; --shuffle needs the whole of it" ]]
	done
	# what a sort needs for itself; it is asked for before the trace is touched
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr bash -c 'ulimit -v 500000 && exec "$@"' bash "$IOTRACE" --load t --sort offset --save o
	echo "status $status: $stderr"
	[ "$status" -eq 1 ] && [ ! -e o ]
	[[ "$stderr" == *"--sort: the trace does not fit into memory: 12000000 requests are in"* ]]
	# shellcheck disable=SC2016 # for the inner shell
	run --separate-stderr bash -c 'ulimit -v 300000 && exec "$@"' bash "$IOTRACE" --offset 1000g --max-requests 50000000 --create --reverse --save o
	echo "status $status: $stderr"
	[ "$status" -eq 1 ] && [ ! -e o ]
	[[ "$stderr" == *"--create: the trace does not fit into memory"*"--reverse needs the whole of it" ]]
	# shellcheck disable=SC2016 # for the inner shell
	bash -c 'ulimit -v 200000 && exec "$@"' bash "$IOTRACE" --load t --save o
	[ "$(wc -l <o)" -eq 12000001 ]
}
