#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vmmon while memory runs short beside it: in a memory cgroup that reclaims, and in one whose process the kernel ends.

# shellcheck disable=SC2154,SC2016 # variables of bats; text for an inner shell
bats_require_minimum_version 1.5.0
load needs

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	[ -r /proc/vmstat ] || skip "no /proc/vmstat"
	need_jq
}

# group BYTES: a memory cgroup of that limit, without swap.
group() {
	[ "$(id -u)" = 0 ] || skip "only root makes memory cgroups"
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		grep -qw memory /sys/fs/cgroup/cgroup.subtree_control || skip "no memory controller for groups of cgroup v2"
		group=/sys/fs/cgroup/vmmon-test-$$
		mkdir "$group" || skip "no memory cgroup can be made"
		echo "$1" >"$group/memory.max"
		[ ! -e "$group/memory.swap.max" ] || echo 0 >"$group/memory.swap.max"
	elif [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
		group=/sys/fs/cgroup/memory/vmmon-test-$$
		mkdir "$group" || skip "no memory cgroup can be made"
		echo "$1" >"$group/memory.limit_in_bytes"
		echo 0 >"$group/memory.swappiness"
	else
		skip "no memory cgroups here"
	fi
	export group
}

teardown() {
	[ -z "${group:-}" ] || rmdir "$group"
}

# true_rows: no row before the time of its tick, counting those that were missed; times that go on; nothing lost.
true_rows() {
	jq -es '
		(.[-1].summary) as $s | (.[0].interval_ns) as $d | ([.[1:-1][].time_ns]) as $t |
		($s.rows == ($t | length)) and $s.rows > 5 and ($t == ($t | sort)) and
		(($s.rows + $s.missed) as $ticks | ($t[-1] / $d) as $due | $ticks <= $due + 0.5 and $ticks >= $due / 2)' rows
}

@test "rows go on, and stay true, while a cgroup beside it reclaims" {
	group 16777216
	case $(stat -f -c %T .) in tmpfs | ramfs) skip "$PWD is in memory, where nothing is reclaimed" ;; esac
	head -c 64M /dev/zero >file
	sync file
	# out of the cache, so that the group reads it in itself
	dd if=file iflag=nocache count=0 status=none
	"$VMMON" --json -d 0.01 -o rows pgfault pgscan_file pgsteal_file -- bash -c '
		echo $$ >"$group/cgroup.procs"; for i in 1 2 3 4 5 6 7 8; do cat file >/dev/null; done' 2>errors
	cat errors
	true_rows
	jq -es '.[-1].summary.phases[0].values.pgsteal_file.difference > 50000' rows
}

@test "it outlives a command that the kernel ends for want of memory, and passes that on" {
	group 33554432
	run --separate-stderr "$VMMON" --json -d 0.005 -o rows --tail 0.2 pgfault oom_kill -- bash -c '
		echo $$ >"$group/cgroup.procs"; exec tail /dev/zero'
	[ "$status" -eq 137 ]
	jq -es '(.[-1].summary.phases | length == 2) and .[-1].summary.phases[0].values.oom_kill.difference >= 1' rows
	# a row may still come when the last phase is over
	jq -es '[.[1:-1][].phase] | unique - [null] == ["begin", "restore"]' rows
}

@test "there is no page fault after the first row, with few fields and with all" {
	case $BUILD in *asan | *tsan) skip "a sanitizer has pages of its own" ;; esac
	for fields in pgfault '*'; do
		"$VMMON" --json -d 0.001 -n 300 -o rows "$fields" >summary 2>/dev/null
		jq -es '.[-1].summary | .rows == 300 and .faults <= 4' rows
	done
}

@test "what may not be locked is a note in the summary, not a failure" {
	command -v setpriv >/dev/null || skip "no setpriv here"
	[ "$(id -u)" = 0 ] || skip "only root gives up its privileges"
	chmod 777 .
	run --separate-stderr setpriv --bounding-set -ipc_lock bash -c 'ulimit -l 0; "$VMMON" -d 0.01 -n 2 pgfault'
	[ "$status" -eq 0 ]
	grep -qE '^not all locked in memory \(' <<<"$output"
	run --separate-stderr "$VMMON" -d 0.01 -n 2 pgfault
	not_locked=$(grep -c '^not all locked' <<<"$output" || true)
	[ "$not_locked" -eq 0 ]
}

@test "all is locked wherever the stack begins" {
	[ "$(id -u)" = 0 ] || skip "only root may lock as much as it wants"
	for _ in {1..20}; do
		"$VMMON" --json -d 0.001 -n 1 -o rows pgfault >summary 2>/dev/null
		jq -es '.[-1].summary.locked == true' rows
	done
}

@test "--oom-score-adj is that of vmmon and not of the command" {
	read -r before </proc/self/oom_score_adj
	[ "$before" -le 500 ] || skip "the score is $before already"
	"$VMMON" -d 0.05 --repeat 2 --oom-score-adj 500 -o rows pgfault -- sh -c '
		cat /proc/self/oom_score_adj; sleep 0.3; cat /proc/$PPID/oom_score_adj' >scores 2>/dev/null
	[ "$(tr '\n' ' ' <scores)" = "$before 500 $before 500 " ]
	run --separate-stderr "$VMMON" --oom-score-adj 1001 pgfault
	[ "$status" -eq 2 ]
	if [ "$(id -u)" != 0 ]; then
		run --separate-stderr "$VMMON" --oom-score-adj -1000 -n 1 pgfault
		[ "$status" -eq 1 ]
		[[ "$stderr" == *"oom_score_adj: Permission denied"* ]]
	fi
}
