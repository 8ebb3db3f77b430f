#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vmmon: fields of other files than /proc/vmstat, against the files of this kernel, and formulas over them.

# shellcheck disable=SC2154,SC2016 # variables of bats; text for an inner shell
bats_require_minimum_version 1.5.0

setup() {
	data=$BATS_TEST_DIRNAME/../data/vmstat
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	[ -z "${victim:-}" ] || kill "$victim" 2>/dev/null || true
	[ -z "${group:-}" ] || rmdir "$group" 2>/dev/null || true
}

# once FIELD...: the row of raw values, one reading of this kernel.
once() {
	"$VMMON" -r -d 0.001 -n 1 "$@" 2>/dev/null | awk 'NR == 2 { $1 = $1; print }'
}

refused() {
	local status_wanted=$1 text=$2
	shift 2
	run --separate-stderr "$VMMON" -d 0.01 -n 1 "$@"
	echo "$*: status $status: $stderr"
	[ "$status" -eq "$status_wanted" ]
	[ -z "$output" ]
	[[ "$stderr" == *"$text"* ]]
}

wait_for() {
	local i
	for ((i = 0; i < 200; i++)); do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	return 1
}

@test "meminfo is what the file says" {
	[ -r /proc/meminfo ] || skip "no /proc/meminfo"
	[ "$(once meminfo:MemTotal meminfo:VmallocTotal)" = "$(awk '/^(MemTotal|VmallocTotal):/ { print $2 }' /proc/meminfo | xargs)" ]
	[ "$("$VMMON" --list 'meminfo:*' | awk 'NR > 1 { print $1 }')" = "$(sed -E 's/^(.*):.*/meminfo:\1/' /proc/meminfo)" ]
}

@test "a node has the gauges of vmstat, by prefix and by --node" {
	[ -r /sys/devices/system/node/node0/vmstat ] || skip "no nodes here"
	[ "$("$VMMON" --list 'node:0:*' | awk 'NR > 1 { print $1 }')" = "$(sed -E 's/ .*//; s/^/node:0:/' /sys/devices/system/node/node0/vmstat)" ]
	run --separate-stderr "$VMMON" --node 0 -r -d 0.001 -n 1 nr_active_file vmstat:pgfault
	[ "$status" -eq 0 ]
	[ "$(xargs <<<"${lines[0]}")" = "nr_active_file vmstat:pgfault" ]
	refused 2 "no node '9999'" node:9999:nr_dirty
	refused 2 "/node0/vmstat: no field 'nr_drity'; nearest: nr_dirty" --node 0 nr_drity
}

@test "pressure and disks are what their files say" {
	if [ -r /proc/pressure/io ] && cat /proc/pressure/io >/dev/null 2>&1; then
		before=$(sed -nE 's/^some .*total=//p' /proc/pressure/io)
		now=$(once pressure:io:some:total)
		[ "$now" -ge "$before" ]
		[ "$now" -le "$(sed -nE 's/^some .*total=//p' /proc/pressure/io)" ]
		[[ "$(once pressure:io:some:avg10)" =~ ^[0-9]+\.[0-9][0-9]$ ]]
	fi
	for disk in /sys/class/block/*; do
		[ -r "$disk/stat" ] || continue
		before=$(awk '{ printf "%.0f\n", $3 * 512 }' "$disk/stat")
		now=$(once "disk:${disk##*/}:read_bytes")
		[ "$now" -ge "$before" ]
		[ "$now" -le "$(awk '{ printf "%.0f\n", $3 * 512 }' "$disk/stat")" ]
		[ "$(once "disk:${disk##*/}:*" | wc -w)" -eq "$(wc -w <"$disk/stat")" ]
		break
	done
	refused 2 "no disk 'nothing_at_all'" disk:nothing_at_all:reads
}

@test "a process is sampled to its end, and the sampling goes on" {
	sleep 1000 3>&- &
	victim=$!
	"$VMMON" -r -d 0.05 "pid:$victim:threads" self:threads pgfault >rows 2>err 3>&- &
	pid=$!
	wait_for grep -qE '^ +1 +[0-9]+ +[0-9]+$' rows
	kill "$victim"
	wait "$victim" || true
	wait_for grep -qE '^ +- +[0-9]+ +[0-9]+$' rows
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 143 ]
	[ ! -s err ]
	grep -qE "^pid:$victim:threads +1 +- +- +-$" rows
	refused 2 "no process '$victim'" "pid:$victim:threads"
}

@test "a cgroup is sampled by the names of vmstat, and to its end" {
	[ "$(id -u)" = 0 ] || skip "only root makes memory cgroups"
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		grep -qw memory /sys/fs/cgroup/cgroup.subtree_control || skip "no memory controller for groups of cgroup v2"
		group=/sys/fs/cgroup/vmmon-test-$$ key=active_file
	elif [ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ]; then
		group=/sys/fs/cgroup/memory/vmmon-test-$$ key=total_active_file
	else
		skip "no memory cgroups here"
	fi
	name=${group##*/}
	mkdir "$group" || { group=; skip "no memory cgroup can be made"; }
	case $(stat -f -c %T .) in tmpfs | ramfs) skip "$PWD is in memory" ;; esac
	head -c 8M /dev/urandom >file
	sync file
	# read twice by a process in the group, so that the pages are active and charged to it
	dd if=file iflag=nocache count=0 2>/dev/null
	bash -c 'echo $$ >"$1/cgroup.procs" && cat file file >/dev/null' - "$group"
	pages=$(($(awk -v k="$key" '$1 == k { print $2 }' "$group/memory.stat") / $(getconf PAGESIZE)))
	[ "$pages" -gt 1000 ]
	[ "$(once "cgroup:$name:nr_active_file")" -eq "$pages" ]
	[ "$(once "cgroup:$group:nr_active_file")" -eq "$pages" ]
	[ "$(once --cgroup "/$name" nr_active_file)" -eq "$pages" ]
	[ "$(once "cgroup:vmmon-test*:nr_active_file")" -eq "$pages" ]
	"$VMMON" -r -d 0.05 "cgroup:$name:nr_file_pages" pgfault >rows 2>err 3>&- &
	pid=$!
	wait_for grep -qE '^ +[0-9]+ +[0-9]+$' rows
	rmdir "$group"
	wait_for grep -qE '^ +- +[0-9]+$' rows
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" -eq 143 ]
	refused 2 "no memory cgroup '$name'" "cgroup:$name:nr_dirty"
}

@test "what folds slower than rows come is told, and --fresh has it gathered" {
	mkdir -p sys/vm
	printf 'nr_dirty 5\npgfault 7\n' >vmstat
	echo 1 >sys/vm/stat_interval
	run --separate-stderr "$VMMON" --proc . -d 0.01 -n 1 pgfault nr_dirty
	[ "$status" -eq 0 ]
	[ "${stderr_lines[0]}" = "vmmon: nr_dirty and its like may lag behind: they are gathered from the CPUs each 1 s (vm.stat_interval), or before each reading with --fresh" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	run --separate-stderr "$VMMON" --proc . -d 0.01 -n 1 pgfault
	[ -z "$stderr" ]
	run --separate-stderr "$VMMON" --proc . -d 1 -n 1 nr_dirty
	[ -z "$stderr" ]
	: >sys/vm/stat_refresh
	run --separate-stderr "$VMMON" --proc . --fresh -d 0.01 -n 1 nr_dirty
	[ -z "$stderr" ]
	[ "$(cat sys/vm/stat_refresh)" = 1 ]
	rm sys/vm/stat_refresh
	refused 1 "--fresh: ./sys/vm/stat_refresh: No such file" --proc . --fresh nr_dirty
}

@test "--fresh shows what has just been dirtied, or says who may" {
	[ -e /proc/sys/vm/stat_refresh ] || skip "this kernel cannot gather its counts"
	if [ ! -w /proc/sys/vm/stat_refresh ]; then
		refused 1 "only root may" --fresh nr_dirty
		skip "only root may ask for --fresh"
	fi
	run --separate-stderr "$VMMON" --fresh -r -d 0.01 -n 3 nr_dirty
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "formulas are columns, in rows and in the table" {
	printf 'pgfree 208\npgdeactivate 10\nnr_dirty 5\npgscan_a 1\npgscan_b 2\n' >vmstat
	"$VMMON" --proc . -d 0.05 'ratio=pgfree/pgdeactivate' free_per_deactivate 'half=nr_dirty/2' >rows 2>err 3>&- &
	pid=$!
	wait_for grep -qE '^ +- +- +2\.500$' rows
	printf 'pgfree 416\npgdeactivate 20\nnr_dirty 7\npgscan_a 1\npgscan_b 2\n' >new
	# in place and of the same length: no reading finds it empty
	dd if=new of=vmstat conv=notrunc status=none
	wait_for grep -qE '^ +20\.80 +20\.80 +3\.500$' rows
	kill -TERM $pid
	wait $pid || true
	grep -qE '^ratio +- +20\.80 +- +-$' rows
	grep -qE '^free_per_deactivate +- +20\.80 +- +-$' rows
}

@test "a formula that is none is refused with its place" {
	refused 2 "vmmon: x: 'pgfault/', character 9: a field, a number or a ( is missing" --proc "$data/6.18" 'x=pgfault/'
	refused 2 "character 9: a ) or an operator is missing" --proc "$data/6.18" 'x=(pgfault'
	refused 2 "x: $data/6.18/vmstat: no field 'pgfualt'; nearest: pgfault" --proc "$data/6.18" 'x=pgfualt/2'
	refused 2 "several fields: sum()" --proc "$data/6.18" 'x="pg*"/2'
	refused 2 "takes no :raw" --proc "$data/6.18" reclaim_efficiency:raw
	refused 2 "there is no play" --proc "$data/6.18" read_amplification
}

@test "what is replayed is a column beside the fields" {
	head -c 1M /dev/zero >file
	run --separate-stderr "$VMMON" -d 0.05 --offset 1m --size 8k --create --play=file \
		replay:requests replay:bytes 'pages=replay:bytes/4096'
	[ "$status" -eq 0 ]
	# rows have a heading too, where the play takes so long
	[ "$(awk '$1 ~ /^replay:/ && $2 !~ /^replay:/ { print $2, $3, $4 }' <<<"$output" | xargs)" = "0 128 128 0 1048576 1048576" ]
	[ "$(awk '$1 == "pages" { print $2, $3, $4 }' <<<"$output")" = "- 256.0 -" ]
	# two plays one after the other: the second begins where the first has ended
	run --separate-stderr "$VMMON" --offset 1m --create --jobs 2 --play=file --play=file replay:requests
	[ "$(awk '$1 == "replay:requests" { print $2, $3 }' <<<"$output" | xargs)" = "0 256 256 512" ]
}

@test "--list knows every source and the derived columns" {
	run --separate-stderr "$VMMON" --list 'self:*'
	[ "$status" -eq 0 ]
	grep -qE '^self:minflt +counter +faults +always +[0-9]+$' <<<"$output"
	grep -qE '^self:rss +gauge +pages +folded +[0-9]+$' <<<"$output"
	run --separate-stderr "$VMMON" --list 'read_*'
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == derived*unit*formula ]]
	[[ "${lines[1]}" == "read_amplification "*"pgpgin * 1024 / replay:bytes" ]]
	[ "${#lines[@]}" -eq 3 ]
}
