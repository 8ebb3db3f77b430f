# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For tests/bench/run: starting, and what vmmon does with a tick.

fields="nr_mapped nr_active_file nr_inactive_file pgmajfault pgdeactivate pgfree"

# From the start of the process to its end, with the first readings of /proc/vmstat. What is used again and again is in
# the caches.
bench_start() {
	local rounds=$((rounds * 10)) warm=0
	row "true" process 1 - true
	row "iotrace --version" process 1 "<1000000" "$iotrace" --version
	row "vmmon --version" process 1 "<1000000" "$vmmon" --version
	row "vmmon, one row" process 1 "<1000000 MiB<3" "$vmmon" -d 0.01 -n 1 "$fields"
	table "Start to end" run waits 2> >(grep -v "may lag behind" >&2)
}

# vmstat does not know intervals below a second: its sleep is replaced.
bench_vmmon() {
	row "floor: bare pread" floor 20000 - "$bin/floor_vmstat" read 20000
	row "read, look up, print 6 fields" floor 20000 "<=1.15" "$bin/vmstat_rows" 20000 "$fields"
	row "floor: to the end of the file" floor 20000 - "$bin/floor_vmstat" whole 20000
	row "all fields" floor 20000 - "$bin/vmstat_rows" 20000 "*"
	table "/proc/vmstat" reading
	row "floor: sleep, pread, parse, write" process 1000 - "$bin/floor_vmstat" loop 1000 2000
	row "vmmon" process 1000 "<=1.1 MiB<3" "$vmmon" -d 0.002 -n 1000 "$fields"
	! has vmstat || row "vmstat, made to take 2 ms for 1 s" process 1000 ">>1.18" \
		env LD_PRELOAD="$bin/short_sleep.so" vmstat -n 1 1000
	table "Six fields every 2 ms for 2 s" row waits 2> >(grep -v "may lag behind" >&2)
}

# Reads of a few pages that stay in the processor's cache vary less than those of a whole file; and more rounds, as half
# a percent is little.
bench_session() {
	replay_files
	local rounds=$((rounds * 3))
	local play=(--keep-cache --load "$memory/near" --loops 10 --play "$disk/file")
	"$iotrace" --seed 3 --pattern random --max-requests 300000 --offset 256 --size 1 --align 1 --create --save "$memory/near"
	row "iotrace" process 3000000 - "$iotrace" "${play[@]}"
	row "vmmon, 10 rows a second" process 3000000 "<=1.005" "$vmmon" -d 0.1 "${play[@]}" "$fields"
	table "Replay of 3 M reads of 4 KiB, alone and while six fields are sampled" request 2> >(grep -v "may lag behind" >&2)
	rm "$memory/near"
}
