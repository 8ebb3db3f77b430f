#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How far the kernel reads ahead, on file systems of a loop device that the test has for itself.
# shellcheck disable=SC2016 # expressions are for the inner shell

bats_require_minimum_version 1.5.0
load iotrace

# with FILE-SYSTEM SCRIPT: run it in a mount namespace of its own, where d/big is on that file system.
with() {
	run unshare -m bash -c '
		mount --make-rprivate / 2>/dev/null
		tests/lib/mountfs.sh "$2" "$1/img" "$1/d" || exit
		device=$(findmnt -n -o SOURCE "$1/d")
		setting=/sys/class/bdi/$(mountpoint -d "$1/d")/read_ahead_kb
		[ "$2" != btrfs ] || setting=$(echo /sys/fs/btrfs/*/devices/"${device##*/}" | sed "s,/devices/.*,/bdi/read_ahead_kb,")
		head -c 16M /dev/urandom >"$1/d/big"
		sync "$1/d/big"
		cd "$1" || exit
		pages() { fincore -n -b -o PAGES d/big | tr -d " "; }
		play() { "$IOTRACE" --offset 4k --create "$@" d/big; }
		set -e
		eval "$3"' - "$PWD" "$1" "$2"
	echo "$output"
	[ "$status" -ne 77 ] || skip "$output"
	[ "$status" -eq 0 ]
}

setup() {
	[ "$(id -u)" = 0 ] || skip "only root mounts, and changes the readahead"
	command -v fincore >/dev/null || skip "no fincore"
	unshare -m true || skip "no mount namespaces"
	work=$BATS_TEST_TMPDIR
	mkdir "$work/d"
	cd "$work" || return 1
	ln -s "$BATS_TEST_DIRNAME/.." tests
}

@test "ext4: a read of a page brings that page with no readahead, and more with some" {
	with ext4 '
		echo 128 >"$setting"
		play --readahead 0 --play | grep -x "readahead 0 was 131072 $setting"
		[ "$(pages)" -eq 1 ]
		play --readahead 128k --play >/dev/null
		[ "$(pages)" -gt 1 ]
		play --readahead 0 --mplay >/dev/null
		[ "$(pages)" -eq 1 ]
		play --readahead 64k --mplay >/dev/null
		[ "$(pages)" -gt 1 ]
		[ "$(cat "$setting")" -eq 128 ]'
}

@test "with no readahead the device is asked for page by page, and with advice for all at once" {
	with ext4 '
		reads() { awk "{ print \$1 }" /sys/dev/block/"$(mountpoint -d d)"/stat; }
		one() { "$IOTRACE" --offset 1m,1152k --size 128k --create "$@" d/big >/dev/null; }
		one --play
		before=$(reads)
		one --readahead 0 --play
		[ $(($(reads) - before)) -ge 32 ]
		before=$(reads)
		one --advise random --play
		[ $(($(reads) - before)) -lt 32 ]'
}

@test "btrfs and xfs: a read of a page brings that page with no readahead, and more with some" {
	for type in btrfs xfs; do
		with $type '
			was=$(cat "$setting")
			play --readahead 0 --play | grep -x "readahead 0 was $((was << 10)) $setting"
			[ "$(pages)" -eq 1 ]
			play --readahead 128k --play >/dev/null
			[ "$(pages)" -gt 1 ]
			[ "$(cat "$setting")" -eq "$was" ]'
		rm -f img
	done
}

@test "the setting is put back after failures, SIGINT, SIGTERM, a second one and SIGKILL" {
	with ext4 '
		echo 128 >"$setting"
		wait_for() {
			for i in $(seq 100); do
				[ "$(cat "$setting")" != "$1" ] || return 0
				sleep 0.1
			done
			return 1
		}
		play --readahead 0 --log /dev/full --play && exit 1
		"$IOTRACE" --readahead 0 --offset 4k,1g --max-requests 1 --create --play d/big || true
		[ "$(cat "$setting")" -eq 128 ]
		for signals in INT TERM HUP "INT INT" KILL; do
			"$IOTRACE" --readahead 4k --offset 16m --create --loops 0 --max-seconds 60 --play d/big >/dev/null 2>&1 &
			pid=$!
			wait_for 4
			for signal in $signals; do
				kill -$signal $pid || true
				sleep 0.15
			done
			wait $pid || true
			wait_for 128
		done'
}

@test "one play at a time may change it" {
	with ext4 '
		echo 128 >"$setting"
		"$IOTRACE" --readahead 4k --offset 16m --create --loops 0 --max-seconds 60 --play d/big >/dev/null 2>&1 &
		pid=$!
		for i in $(seq 100); do
			[ "$(cat "$setting")" != 4 ] || break
			sleep 0.1
		done
		play --readahead 0 --play 2>err && exit 1
		grep "another play has changed it" err
		kill $pid
		wait $pid || true
		[ "$(cat "$setting")" -eq 128 ]
		play --readahead 0 --play d/big --readahead 8k --play | grep -c "was 131072" | grep -x 2'
}

@test "the recipe waits for another play to give it back" {
	with ext4 '
		"$IOTRACE" --readahead 4k --offset 16m --create --loops 0 --max-seconds 3 --quiet --play d/big >/dev/null 2>&1 &
		pid=$!
		for i in $(seq 100); do
			[ "$(cat "$setting")" != 4 ] || break
			sleep 0.1
		done
		"$(readlink -f tests)/../patterns/readahead" -f "$PWD/d/big" -m 64 -n 20 >out
		[ "$(grep -cE "^(streams|strided|mapped|backward) +[0-9]" out)" -eq 16 ]
		wait $pid'
}

@test "who may not change it says to the descriptor what can be said" {
	command -v setpriv >/dev/null || skip "no setpriv"
	with ext4 '
		echo 128 >"$setting"
		chmod 755 . d
		chmod 644 d/big
		other() { setpriv --reuid 65534 --regid 65534 --clear-groups "$IOTRACE" --offset 4k --create "$@" d/big; }
		other --play >/dev/null || { echo "another user cannot run it here"; exit 77; }
		drop() { play --play >/dev/null; "$IOTRACE" --offset 4k --create --quiet --play d/big >/dev/null; }
		drop
		other --readahead 0 --play | grep -x "readahead 0 by POSIX_FADV_RANDOM"
		[ "$(pages)" -eq 1 ]
		other --readahead 0 --mplay | grep -x "readahead 0 by MADV_RANDOM"
		[ "$(pages)" -eq 1 ]
		other --readahead 256k --play | grep -x "readahead 262144 by POSIX_FADV_SEQUENTIAL"
		[ "$(pages)" -gt 1 ]
		other --readahead 128k --play
		other --readahead 64k --play 2>err && exit 1
		grep -F "Permission denied), and without that only 0 or 256k can be had" err
		other --readahead 256k --mplay 2>err && exit 1
		grep -F "and without that only 0 can be had" err
		[ "$(cat "$setting")" -eq 128 ]'
}

@test "without /sys nothing ahead is had by advice, and nothing else" {
	with ext4 '
		drop() { play --play >/dev/null; }
		drop
		mount -t tmpfs none /sys || { echo "nothing can be mounted over /sys"; exit 77; }
		play --readahead 0 --play | grep -x "readahead 0 by POSIX_FADV_RANDOM"
		[ "$(pages)" -eq 1 ]
		play --readahead 0 --mplay | grep -x "readahead 0 by MADV_RANDOM"
		[ "$(pages)" -eq 1 ]
		play --readahead 64k --play 2>err && exit 1
		grep -F "it is on nothing that has a readahead of its own: ext4; without one only 0 can be had" err'
}

@test "what has no readahead, and what is no size of it, is refused" {
	refused 2 "not a multiple of 4096 bytes" --readahead 100b --create --play d/x
	refused 2 "it is on nothing that has a readahead of its own" --readahead 0 --create --play /dev/zero
}
