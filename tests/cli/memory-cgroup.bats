#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What --stats says of LRU caches, against the page cache of this kernel: the trace is played in a memory cgroup. It goes
# through a mapping without readahead, so that each miss is a major fault. Margin: 5 points of 100.

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	[ "$(id -u)" = 0 ] || skip "only root makes memory cgroups"
	case $BUILD in *asan | *tsan) skip "a sanitizer needs more memory than the cgroup has" ;; esac
	case $(stat -f -c %T .) in tmpfs | ramfs) skip "$PWD is in memory, where nothing misses" ;; esac
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		grep -qw memory /sys/fs/cgroup/cgroup.subtree_control || skip "no memory controller for groups of cgroup v2"
		group=/sys/fs/cgroup/iotrace-test-$$ limit=memory.max
	elif [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
		group=/sys/fs/cgroup/memory/iotrace-test-$$ limit=memory.limit_in_bytes
	else
		skip "no memory cgroups here"
	fi
	mkdir "$group" || skip "no memory cgroup can be made in ${group%/*}"
	head -c 16M /dev/urandom >file
	sync file
}

teardown() {
	[ -z "${group:-}" ] || rmdir "$group"
}

# predicted TRACE BYTES: hundredths of a percent of the page touches that miss in an LRU cache of so many bytes.
predicted() {
	"$IOTRACE" --load "$1" --stats | awk -v size="$2" '
		BEGIN { unit["k"] = 1024; unit["m"] = 1024 ^ 2; unit["g"] = 1024 ^ 3 }
		$1 == "cache" && substr($2, 1, length($2) - 1) * unit[substr($2, length($2))] <= size { misses = $3 }
		END { print misses * 100 }'
}

# measured TRACE BYTES: the same in a cgroup of so many.
measured() {
	echo "$2" >"$group/$limit"
	# shellcheck disable=SC2016 # for the inner shell
	bash -c 'echo $$ >"$1/cgroup.procs" && exec "$IOTRACE" --load "$2" --advise random --mplay file' - "$group" "$1" >report
	awk '$1 == "requests" { all = $2 } $1 == "major_faults" { misses = $2 } END { printf "%.0f\n", misses * 10000 / all }' report
}

# agree TRACE BYTES WANTED: prediction and measurement, and both with what must come out, in percent.
agree() {
	local p m
	p=$(predicted "$1" "$2")
	m=$(measured "$1" "$2")
	echo "$1 in $2 bytes: predicted $p, measured $m hundredths of a percent"
	[ "$p" -gt $(($3 * 100 - 100)) ] && [ "$p" -lt $(($3 * 100 + 100)) ]
	[ "$m" -gt $((p - 500)) ] && [ "$m" -lt $((p + 500)) ]
}

@test "a loop misses always in a smaller cache, and once in a larger" {
	"$IOTRACE" --offset 16m --create --create --create --create --save loop
	agree loop $((8 << 20)) 100
	agree loop $((32 << 20)) 25
}

@test "loops within a loop miss as the cache holds the inner ones or not" {
	for begin in 0 4 8 12 0 4 8 12; do
		"$IOTRACE" --offset ${begin}m,$((begin + 4))m --create --create --create --create --save - 2>/dev/null
	done >loops
	agree loops $((12 << 20)) 25
	agree loops $((32 << 20)) 13
}

@test "a mapped trace that would not fit when it is changed is refused, and played as it is" {
	"$IOTRACE" --offset 32g --size 1 --create --save large.bin
	echo $((160 << 20)) >"$group/$limit"
	# shellcheck disable=SC2016 # for the inner shell
	in_group='echo $$ >"$1/cgroup.procs" && shift && exec "$IOTRACE" "$@"'
	run -1 bash -c "$in_group" - "$group" --load large.bin --shuffle --max-requests 10 --engine null --play file
	[[ $output == *"--shuffle: the trace does not fit into memory: 8388608 requests are in"* ]]
	run -0 bash -c "$in_group" - "$group" --load large.bin --max-requests 10 --engine null --play file
}
