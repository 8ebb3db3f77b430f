#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Plays in a memory cgroup, of the version that this machine has.
# shellcheck disable=SC2016 # expressions are for the inner shell

bats_require_minimum_version 1.5.0
load iotrace

# The folder of the group that this process is in, and where groups can be made.
find_groups() {
	local line
	line=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
	if [ -n "$line" ]; then
		mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts) v2=
	else
		line=$(sed -n 's/^0:://p' /proc/self/cgroup)
		mount=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts) v2=1
	fi
	[ -n "$mount" ] || skip "no cgroups here"
	own=$mount${line%/}
	[ -d "$own" ] || own=$mount
	place=$own
	[ -z "$v2" ] || while ! grep -qsw memory "$place/cgroup.subtree_control"; do
		[ "$place" != "$mount" ] || skip "no memory controller for groups of cgroup v2"
		place=${place%/*}
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	[ "$(id -u)" = 0 ] || skip "only root makes memory cgroups"
	find_groups
	mkdir "$place/iotrace-test-$$" || skip "no memory cgroup can be made in $place"
	group=$place/iotrace-test-$$
	head -c 64M /dev/urandom >file
	sync file
	"$IOTRACE" --offset 64m --size 128k --create --save t
}

teardown() {
	[ -z "${group:-}" ] || rmdir "$group"
}

# until_gone NAME-PID: at most ten seconds.
until_gone() {
	for _ in $(seq 100); do
		[ -d "$place/$1" ] || return 0
		sleep 0.1
	done
	return 1
}

# number NAME: of the group in the current folder's report.
number() {
	awk -v name="$1" '$1 == name { print $2 }' report
}

needs_room() {
	case $BUILD in *asan | *tsan) skip "a sanitizer needs more memory than the cgroup has" ;; esac
	case $(stat -f -c %T .) in tmpfs | ramfs) skip "$PWD is in memory, where nothing is read again" ;; esac
}

@test "a play in a new cgroup stays under its limit and reads again what did not fit" {
	needs_room
	"$IOTRACE" --in-cgroup new:16m --load t --loops 2 --play file >report
	[ "$(number cgroup_limit)" -eq $((16 << 20)) ]
	[ "$(number cgroup_peak)" -le $((16 << 20)) ]
	[ "$(number cgroup_peak)" -gt $((8 << 20)) ]
	[ "$(number cgroup_at_limit)" -gt 0 ]
	"$IOTRACE" --load t --loops 2 --play file >report
	[ -z "$(number cgroup)" ]
}

@test "pages are charged to the cgroup of the play, and not to the one around it" {
	needs_room
	"$IOTRACE" --in-cgroup "$group" --load t --play file >report
	charged=$(sed -nE 's/^(total_cache|file) //p' "$group/memory.stat")
	echo "$charged"
	[ "$charged" -ge $((64 << 20)) ]
	[ "$(number cgroup)" = "$group" ]
	# what is left in the cache keeps no group from going
	[ -d "$group" ]
}

@test "a new cgroup is gone at the end, and after a failure" {
	"$IOTRACE" --in-cgroup new:64m --load t --play file >report
	[ -n "$(number cgroup)" ]
	[ ! -e "$(number cgroup)" ]
	echo bad >bad
	"$IOTRACE" --in-cgroup new:64m --load t --play file --load bad >report 2>err && return 1
	grep -q 'bad:1' err
	[ ! -e "$(number cgroup)" ]
}

@test "a new cgroup is gone after SIGINT, SIGTERM, a second one and SIGKILL" {
	for signals in INT TERM HUP "INT INT" KILL; do
		"$IOTRACE" --in-cgroup new:64m --load t --loops 0 --max-seconds 60 --play file >report 2>/dev/null &
		pid=$!
		for _ in $(seq 100); do
			[ ! -d "$place/iotrace-$pid" ] || ! grep -qs . "$place/iotrace-$pid/cgroup.procs" || break
			sleep 0.1
		done
		grep -qx "$pid" "$place/iotrace-$pid/cgroup.procs"
		for signal in $signals; do
			kill "-$signal" "$pid" || true
			sleep 0.15
		done
		wait "$pid" || true
		until_gone "iotrace-$pid"
	done
}

@test "a play that the kernel kills for want of memory is told of, with the cgroup and its limit" {
	needs_room
	[ "$(awk '$1 == "SwapTotal:" { print $2 }' /proc/meminfo)" = 0 ] || skip "there is swap, where the memory would go"
	local events=$group/memory.events limit=memory.max
	[ -n "$v2" ] || events=$group/memory.oom_control limit=memory.limit_in_bytes
	grep -q '^oom_kill ' "$events" || skip "this kernel does not count what it kills"
	echo $((8 << 20)) >"$group/$limit"
	for tool in "$IOTRACE" "$VMMON pgfault"; do
		for where in new:8m "$group"; do
			name=
			# shellcheck disable=SC2086 # a program and a word
			$tool --in-cgroup "$where" --offset 64m --op W --create --engine mmap --write --jobs 2 \
				--play anon:64m >out 2>&1 &
			name=$!
			status=0
			wait $name || status=$?
			[ "$status" -eq 137 ]
			# the one who tells it may be a moment behind
			for _ in $(seq 100); do
				grep -q "killed by" out && break
				sleep 0.1
			done
			cat out
			folder=$group
			[ "$where" = "$group" ] || folder=$place/${tool##*/}
			[ "$where" = "$group" ] || folder=${folder% pgfault}-$name
			grep -qE "^(iotrace|vmmon): killed by the kernel for want of memory in the cgroup $folder, whose limit is 8388608 bytes$" out
			[ "$where" = "$group" ] || until_gone "${folder##*/}"
		done
	done
	# one that is killed otherwise says nothing, whatever was killed there before
	"$IOTRACE" --in-cgroup "$group" --sleep 60 --load t --play file >out 2>&1 &
	pid=$!
	for _ in $(seq 100); do
		pgrep -P $pid >/dev/null && break
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	sleep 0.3
	[ ! -s out ]
}

@test "the process is back in its own cgroup after a play" {
	"$IOTRACE" --in-cgroup new:64m --load t --play file --sleep 30 >report &
	pid=$!
	for _ in $(seq 100); do
		[ ! -s report ] || break
		sleep 0.1
	done
	cmp <(grep -E 'memory|^0::' /proc/$pid/cgroup) <(grep -E 'memory|^0::' /proc/self/cgroup)
	[ -d "$place/iotrace-$pid" ]
	kill "$pid"
	wait "$pid" || true
	until_gone "iotrace-$pid"
}

@test "jobs and processes play in it too" {
	needs_room
	for jobs in "--jobs 3" "--jobs 3 --processes" "--engine io_uring --depth 4"; do
		# shellcheck disable=SC2086 # options
		"$IOTRACE" --in-cgroup new:24m $jobs --load t --play file >report || continue
		[ "$(number cgroup_used)" -gt $((12 << 20)) ]
	done
}

@test "what cannot be is refused before any I/O" {
	refused 2 "a play does not fit" --in-cgroup new:1m --load t --play file
	refused 2 "a number is missing" --in-cgroup new: --load t --play file
	refused 2 "there is no cgroup 'no/such'" --in-cgroup no/such --load t --play file
	refused 2 "no action stands behind it" --load t --play file --in-cgroup new:64m
	"$IOTRACE" --cgroup new:64m --load t --quiet --play file
}

@test "who may not make or join a cgroup is told so" {
	command -v setpriv >/dev/null || skip "no setpriv"
	chmod 755 . && chmod 644 t file
	setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$IOTRACE" -a -r t || skip "another user cannot run it"
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$IOTRACE" --in-cgroup new:64m --load t --play file
	[ "$status" -eq 2 ] && [[ $output == *"--in-cgroup: no permission to make a memory cgroup in"* ]]
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$IOTRACE" --in-cgroup "$group" --load t --play file
	[ "$status" -eq 2 ] && [[ $output == *"--in-cgroup: no permission to move into the cgroup"* ]]
}

@test "a machine without the controller, or with a read-only mount, is told of" {
	unshare -m true || skip "no mount namespaces"
	run unshare -m sh -c 'mount -o remount,bind,ro "$1" && "$IOTRACE" --in-cgroup new:64m --load t --play file' - "$mount"
	[ "$status" -eq 2 ] && [[ $output == *"read-only"* ]]
	[ -z "$v2" ] || return 0
	run unshare -m sh -c 'umount -l "$1" && "$IOTRACE" --in-cgroup new:64m --load t --play file' - "$mount"
	[ "$status" -eq 2 ] && [[ $output == *"no cgroup file system with the memory controller is mounted"* ]]
}

@test "vmmon samples the cgroup of its play, from before the first request" {
	needs_room
	"$VMMON" -d 0.1 cgroup:replay:nr_inactive_file --cgroup replay workingset_refault_file \
		--in-cgroup new:16m --load t --loops 2 --play file >report
	[ ! -e "$(number cgroup)" ]
	# 4096 pages stay of the first loop, and most of the second were there before
	read -r _ cached refaults < <(grep '^begin ' report)
	[ "$cached" -lt 512 ] && [ "$refaults" -eq 0 ]
	read -r _ cached refaults < <(grep '^end ' report)
	echo "$cached pages, $refaults refaults"
	[ "$cached" -gt 2048 ] && [ "$cached" -le 4096 ]
	[ "$refaults" -gt 12288 ]
	run "$VMMON" cgroup:replay:nr_inactive_file --load t --play file
	[ "$status" -eq 2 ] && [[ $output == *"no memory cgroup 'replay' below "*"and no play is in one"* ]]
}

@test "vmmon plays in a cgroup too" {
	"$VMMON" nr_file_pages --in-cgroup new:64m --load t --play file >report
	[ ! -e "$(number cgroup)" ]
	[ "$(number cgroup_limit)" -eq $((64 << 20)) ]
}
