#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Plays that write, and the proof that what was written is there.

# shellcheck disable=SC2016,SC2086,SC2154 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	head -c 65536 /dev/urandom >f
	cp f before
	printf '#columns offset length op\n2 1 W\n10 2 W\n' >w
}

# same FIRST COUNT: these pages of f are as before.
same() {
	cmp <(tail -c +$(($1 * 4096 + 1)) f | head -c $(($2 * 4096))) <(tail -c +$(($1 * 4096 + 1)) before | head -c $(($2 * 4096)))
}

# page N: page N of f.
page() {
	tail -c +$(($1 * 4096 + 1)) f | head -c 4096
}

@test "nothing is written without --write, and no option of writing goes without it" {
	refused 2 "a play only reads without --write, and the trace has 2 writes" --load w --play f
	refused 2 "--sync needs --write" --sync --load w --play f
	refused 2 "--fsync-every needs --write" --fsync-every 2 --load w --play f
	refused 2 "zero random offset" --write --data ones --load w --play f
	refused 2 "--verify reads back what --data offset has written" --write --verify --load w --play f
	cmp f before
}

@test "each engine writes the bytes of the trace and no others" {
	for e in $(engines); do
		cp before f
		run "$IOTRACE" --engine $e --touch page --write --load w --play f
		echo "$e: $output"
		[ "$status" -eq 0 ]
		[ "$(value requests) $(value bytes)" = "2 12288" ]
		[ "$(stat -c %s f)" -eq 65536 ]
		same 0 2 && same 3 7 && same 12 4
		[ $e = mmap ] || [ "$(page 2; page 10; page 11 | tr -d '\0' | wc -c)" = 0 ] || { page 2; page 10; page 11; } | tr -d '\0' | wc -c | grep -qx 0
	done
	cp before f
	"$IOTRACE" --engine mmap --touch copy --write --load w --play f
	{ page 2; page 10; page 11; } | tr -d '\0' | wc -c | grep -qx 0
	same 0 2 && same 3 7 && same 12 4
}

@test "--data offset is each word's own offset, and --verify finds it" {
	for e in $(engines); do
		cp before f
		copy=
		[ $e != mmap ] || copy='--touch copy'
		"$IOTRACE" --engine $e $copy --write --data offset --load w --play f
		[ "$(page 10 | od -An -tu8 -N16 | tr -s ' ')" = " 40960 40968" ]
		[ "$(page 2 | od -An -tu8 -j4088 | tr -s ' ')" = " 12280" ]
		same 0 2 && same 3 7 && same 12 4
		run --separate-stderr "$IOTRACE" --engine $e $copy --verify --load w --set-op R --play f
		echo "$e: $output $stderr"
		[ "$status" -eq 0 ]
		# A block in a wrong place, and a torn one.
		page 10 | dd of=f bs=4096 seek=11 conv=notrunc status=none
		printf 'xxxxxxxx' | dd of=f bs=1 seek=$((2 * 4096 + 512)) conv=notrunc status=none
		run --separate-stderr "$IOTRACE" --engine $e $copy --verify --load w --set-op R --play f
		echo "$e: $output $stderr"
		[ "$status" -eq 1 ]
		[[ "$output$stderr" == *8704* ]]
		[[ "$output" == *513* ]]
	done
}

@test "--data random is drawn from the seed" {
	for i in 1 2 3; do
		cp before f
		"$IOTRACE" --seed $((i / 3)) --write --data random --load w --play f
		cp f f$i
	done
	cmp f1 f2
	run ! cmp -s f1 f3
	run ! cmp -s <(page 10) <(page 11)
	same 0 2 && same 3 7 && same 12 4
}

@test "a write past the end is cut there and counted: files do not grow" {
	printf '#columns offset length op\n15 4 W\n100 1 W\n' >u
	for e in $(engines); do
		run --separate-stderr "$IOTRACE" --engine $e --write --load u --play f
		echo "$e: $output $stderr"
		[ "$status" -eq 1 ]
		[ "$(value requests) $(value bytes)" = "2 4096" ]
		[ "$(value past_end_requests) $(value past_end_bytes)" = "2 16384" ]
		[ "$(stat -c %s f)" -eq 65536 ]
	done
}

@test "a sync has no place that could lie past the end" {
	need_jq
	printf '#columns offset length op\n1g 8k S\n3b 1g D\n0 1 W\n' >u
	for e in $(engines); do
		run --separate-stderr "$IOTRACE" --engine $e --write --load u --json - --play f
		echo "$e: $output $stderr"
		[ "$status" -eq 0 ]
		[[ "$stderr" != *"past the end"* ]]
		[ "$(jq -c '[.trace.bytes, .trace.end, .trace.past_end, .bytes]' <<<"$output")" = '[4096,4096,false,4096]' ]
	done
}

@test "trims make holes, and syncs are requests" {
	fallocate -p -o 0 -l 4096 f 2>/dev/null || skip "no holes on this file system"
	printf '#columns offset length op\n4 2 T\n0 0 S\n0 0 D\n' >u
	for e in $(engines); do
		cp before f
		run "$IOTRACE" --engine $e --write --load u --play f
		echo "$e: $output"
		[ "$status" -eq 0 ]
		[ "$(value requests)" = 3 ]
		{ page 4; page 5; } | tr -d '\0' | wc -c | grep -qx 0
		same 0 4 && same 6 10
		[ "$(stat -c %s f)" -eq 65536 ]
	done
}

@test "--sync and --fsync-every put it on the device" {
	command -v strace >/dev/null && strace -qq true 2>/dev/null || skip "no strace"
	[[ "$BUILD" != *san ]] || skip "the sanitizer does not run under strace"
	seq 0 9 >t
	strace -f -qq -e trace=fsync -o s "$IOTRACE" --keep-cache --write --fsync-every 3 --load t --set-op W --play f
	[ "$(grep -c 'fsync(' s)" -eq 3 ]
	strace -f -qq -e trace=openat,pwritev2,pwrite64 -o s "$IOTRACE" --write --sync --load t --set-op W --play f
	grep -E 'O_DSYNC|RWF_DSYNC' s
}

@test "a mix of reads and writes moves what both move" {
	run "$IOTRACE" --seed 1 --offset 0,16 --write-percent 50 --write --data offset --create --jobs 2 --depth 4 --engine io_uring --play f
	[[ "$output" != *"cannot"* ]] || skip "no io_uring"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(value requests) $(value bytes)" = "16 65536" ]
}

@test "a block device is written, and refused while it is mounted" {
	[ "$(id -u)" = 0 ] || skip "not root"
	truncate -s 16m img
	dev=$(losetup -f --show img 2>/dev/null) || skip "no loop device"
	mkdir mnt
	# Chained, for what is called before && or || does not end at its first failure; and the device has to be freed.
	local failed='' unmounted=''
	"$IOTRACE" --load w --write --data offset --play "$dev" --set-op R --verify --play "$dev" &&
		[ "$(od -An -tu8 -j40960 -N8 "$dev" | tr -d ' ')" = 40960 ] || failed=1
	if mkfs.ext4 -q "$dev" >/dev/null 2>&1 && mount "$dev" mnt; then
		refused 2 "$dev: is in use" --load w --write --play "$dev" &&
			refused 2 "$dev: is in use" --op T --offset 1m --create --write --play "$dev" &&
			"$IOTRACE" --quiet --offset 1m --create --play "$dev" || failed=1
	else
		unmounted=1
	fi
	umount mnt 2>/dev/null || true
	losetup -d "$dev"
	[ -z "$failed" ]
	[ -z "$unmounted" ] || skip "no file system can be mounted here"
}

@test "a target that may only be read is refused for writing" {
	[ "$(id -u)" -ne 0 ] || skip "root may write everything"
	chmod 444 f
	refused 2 "Permission denied" --write --load w --play f
}
