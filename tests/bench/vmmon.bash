# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For tests/bench/run: starting, and what vmmon does with a tick.

bench_start() {
	row "true" process 1 - true
	row "iotrace --version" process 1 "<2000000" "$iotrace" --version
	row "vmmon --version" process 1 "<2000000" "$vmmon" --version
	row "vmmon, one sample" process 1 "<2000000" "$vmmon" -d 0.01 -n 1 pgfault
	table "Start to end" run
}

bench_vmmon() {
	local fields="nr_mapped nr_active_file nr_inactive_file pgmajfault pgdeactivate pgfree"
	row "floor: bare pread" floor 20000 - "$bin/floor_vmstat" read 20000
	row "read, look up, print 6 fields" floor 20000 "<=1.15" "$bin/vmstat_rows" 20000 "$fields"
	row "all fields" floor 20000 - "$bin/vmstat_rows" 20000 "*"
	table "/proc/vmstat" reading
	row "floor: sleep, pread, parse, write" process 1000 - "$bin/floor_vmstat" loop 1000 2000
	row "vmmon" process 1000 - "$vmmon" -d 0.002 -n 1000 "$fields"
	table "Six fields every 2 ms for 2 s" row
}
