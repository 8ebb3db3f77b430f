# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # sourced by run, which sets what is not set here
# Page faults. A goal of 0.95 times the faults a second is one of 1.05 times the time of one.

# fault_rows JOBS LIST [FLOOR OPTION...]: JOBS threads that each touch 2 MiB, page by page, and give it back, as LIST says.
# What two threads pay whose areas lie side by side, as the kernel puts them by default, has a row of its own.
fault_rows() {
	local jobs=$1 list=$2 loops=2000
	shift 2
	local n=$((512 * loops * jobs))
	local play=("$iotrace" --offset 512 --op W --create --engine mmap --advise nohugepage --after-loop "$list" --jobs "$jobs"
		--split copy --pin "0-$((jobs - 1))" --loops $loops)
	row "floor: touch, $list" floor $n - "$bin/floor_fault" 512 $loops "$jobs" "$@"
	row "iotrace --no-latency" report $n "<=1.05" "${play[@]}" --no-latency --play anon:2m
	row "iotrace" report $n - "${play[@]}" --play anon:2m
	if [ "$jobs" -gt 1 ] && [ $# -eq 0 ]; then
		row "floor, areas side by side" floor $n - "$bin/floor_fault" 512 $loops "$jobs" side-by-side
	fi
	table "$jobs times 2 MiB of anonymous memory, touched by page, in $loops loops" fault
}

bench_fault() {
	fault_rows 1 dontneed
	[ "$(nproc)" -ge 2 ] || return 0
	fault_rows 2 dontneed
	fault_rows 2 barrier,dontneed barrier
}
