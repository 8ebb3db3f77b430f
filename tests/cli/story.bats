#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The story for which the two programs exist: the commands as they stood in the mails of 2009, program names aside.

bats_require_minimum_version 1.5.0

fields="nr_mapped nr_active_file nr_inactive_file pgmajfault pgdeactivate pgfree"

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	# in a shell of its own, which bats does not trace command by command
	bash <<-'END'
		for i in `seq 0 100 10000000`; do echo $i 110; done > pattern-hot-10
	END
	# where a file system holds no 1000 GiB, or the whole of it, 64 GiB carry the pattern as well
	dd if=/dev/zero of=sparse bs=1M count=1 seek=1024000 2>/dev/null ||
		dd if=/dev/zero of=sparse bs=1M count=1 seek=65536 2>/dev/null || touch too-small
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

big_enough() {
	[ ! -e too-small ] || skip "no file of 64 GiB on this file system"
}

# What the last column of a summary is: a gauge has no rate.
rate_of() {
	case $1 in
	nr_*) echo - ;;
	*) echo '[0-9.]+' ;;
	esac
}

bytes() {
	"$IOTRACE" --load "$1" --unit b --save - | grep -v '^#'
}

@test "one command makes the trace of the shell loop, request for request" {
	"$IOTRACE" --offset 10000110 --size 110 --skip -10 --create --save skip
	"$IOTRACE" --offset 10000110 --size 110 --stride 100 --create --save stride
	bytes pattern-hot-10 >loop.b
	[ "$(wc -l <loop.b)" = 100001 ]
	# what the loop says, by awk: pages of 4096 bytes
	[ "$(awk '{ s += $1; n += $2 } END { printf "%.0f %.0f", s, n }' pattern-hot-10)" = "500005000000 11000110" ]
	bytes skip | cmp - loop.b
	bytes stride | cmp - loop.b
}

@test "iotrace replays it and vmmon watches, in two terminals" {
	big_enough
	# shellcheck disable=SC2086 # one word a field
	env --default-signal=INT "$VMMON" -d 0.1 $fields >watched 2>errors 3>&- &
	pid=$!
	run -0 "$IOTRACE" --max-requests 500 --load pattern-hot-10 --play sparse
	[[ ${lines[0]} =~ ^[0-9]+\.[0-9]{6}MB/s\ [0-9]+\.[0-9]{6}s\ 500x\ 450560b\ .*--load\ pattern-hot-10\ --play\ sparse$ ]]
	for _ in $(seq 100); do
		[ "$(wc -l <watched)" -lt 5 ] || break
		sleep 0.1
	done
	kill -INT $pid
	status=0
	wait $pid || status=$?
	[ "$status" = 130 ]
	# but for what vmmon knows of such fields at ten rows a second
	[ "$(grep -cv 'may lag behind' errors)" = 0 ]
	[[ "$(head -n 1 watched | tr -s ' ')" == *"nr_mapped nr_active_file nr_inactive_file pgmajfault pgdeactivate pgfree" ]]
	[ "$(grep -cE '^( +-?[0-9]+){6}$' watched)" -ge 3 ]
	for field in $fields; do
		grep -qE "^ *$field( +-?[0-9.]+){3} +$(rate_of "$field")\$" watched
	done
}

@test "vmmon replays it itself and ends with the replay" {
	big_enough
	# shellcheck disable=SC2086 # one word a field
	run -0 "$VMMON" -d 0.05 --max-requests 500 --load pattern-hot-10 --play sparse $fields
	[[ $output =~ [0-9]+\.[0-9]{6}MB/s\ [0-9]+\.[0-9]{6}s\ 500x\ 450560b ]]
	for field in $fields; do
		grep -qE "^ *$field( +-?[0-9.]+){3} +$(rate_of "$field")\$" <<<"$output"
	done
}

@test "what was read is in the page cache afterwards" {
	big_enough
	[ "$(stat -f -c %T .)" != tmpfs ] || skip "tmpfs reads holes without the page cache"
	command -v fincore >/dev/null || skip "no fincore here"
	run -0 "$IOTRACE" --max-requests 500 --load pattern-hot-10 --play sparse
	# 500 requests of 110 pages, 100 apart; readahead may have brought in more behind them
	[ "$(fincore -nb -o PAGES sparse)" -ge 50010 ]
}
