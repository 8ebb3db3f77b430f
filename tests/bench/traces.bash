# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For tests/bench/run: traces made, saved, loaded and imported.

bench_generate() {
	row "iotrace --create --save" process 10000000 - \
		"$iotrace" --offset 1000000000 --size 1 --stride 100 --create --save -
	row "seq 0 100 N" process 10000000 ">=8" seq 0 100 999999900
	row "seq N (its fast path)" process 10000000 - seq 10000000
	table "Generate and save 10 M sequential requests" line
	row "iotrace --pattern random" process 10000000 - \
		"$iotrace" --seed 1 --pattern random --max-requests 10000000 --offset 268435456 --size 1 --align 1 --create --save -
	row "shuf -r" process 10000000 - shuf -r -n 10000000 -i 0-268435455
	table "Generate and save 10 M random requests" line
}

bench_load() {
	seq -f '%.0f 110' 0 100 999999900 >"$memory/lines"
	row "floor: scalar parse into 16 bytes" process 10000000 - "$bin/floor_parse" "$memory/lines"
	row "iotrace --load" process 10000000 "<=1.3" "$iotrace" --quiet --load "$memory/lines"
	row "wc -l" process 10000000 - wc -l "$memory/lines"
	table "Load 10 M lines of OFFSET LENGTH" line
	load_by_others
	rm "$memory/lines"
}

# One round: they take their time. fio ends its replay, by an engine that does nothing, as soon as it has begun.
load_by_others() {
	local rounds=1
	awk 'BEGIN { print "fio version 2 iolog"; print "f add"; print "f open" }
		{ printf "f read %.0f %d\n", $1 * 4096, $2 * 4096 }
		END { print "f close" }' "$memory/lines" >"$memory/iolog10"
	head -1000000 "$memory/lines" >"$memory/lines1"
	row "iotrace --load" process 10000000 - "$iotrace" --quiet --load "$memory/lines"
	! has fio || row "fio --read_iolog" process 10000000 ">=40" fio --name=peer --thread --ioengine=null \
		--read_iolog="$memory/iolog10" --runtime=1ms --output-format=json
	! has ruby || row "a loop in ruby (1 M)" process 1000000 - ruby tests/bench/parse.rb "$memory/lines1"
	table "The same by others" line
	rm "$memory"/{iolog10,lines1}
}

# More requests than are read before the first is issued. --tail needs the whole trace, and here leaves it as it is.
bench_stream() {
	replay_files
	local n=2000000
	"$iotrace" --seed 2 --pattern random --max-requests $n --offset 262144 --size 1 --align 1 --create --save "$memory/long"
	# shellcheck disable=SC2016 # for the inner shell
	printf '%s\n' '#!/bin/sh' 'f=$1; shift; cat "$f" | "$@"' >"$disk/from_pipe"
	chmod +x "$disk/from_pipe"
	row "loaded" report $n - "$iotrace" --keep-cache --load "$memory/long" --tail $n --play "$disk/file"
	row "streamed from a file" report $n "<=1.05" "$iotrace" --keep-cache --load "$memory/long" --play "$disk/file"
	row "streamed from a pipe" report $n "<=1.05" "$disk/from_pipe" "$memory/long" "$iotrace" --keep-cache --load - --play "$disk/file"
	table "Replay of 2 M random reads of 4 KiB, by the thread that issues them" request
	rm "$memory/long" "$disk/from_pipe"
}

# row_import FORMAT: of the log $memory/FORMAT. 150 MB/s are 6667 ns for 1000 bytes.
row_import() {
	row "iotrace --import $1" process $(($(stat -c %s "$memory/$1") / 1000)) "<6667" \
		"$iotrace" --quiet --import "$1:$memory/$1"
}

# The lines are those that the tools write; numbers of blocks jump about as in a real log.
bench_import() {
	local n=500000 format
	awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) { x = (x * 1103515245 + 12345) % 2147483648
		printf "  8,16  %2d %8d %5d.%09d %5d  Q  RA %d + 8 [some process]\n", i % 8, i, i / 1000, i % 1000 * 1000000, 700, x
		} }' >"$memory/blkparse"
	"$iotrace" --quiet --import "blkparse:$memory/blkparse" --export "fio:$memory/fio" --export "csv:$memory/csv"
	awk -v n=$n 'BEGIN { print "812 1700000000.000000 openat(AT_FDCWD, \"/srv/db\", O_RDONLY) = 3</srv/db>"
		for (i = 0; i < n; i++) { x = (x * 1103515245 + 12345) % 2147483648
		printf "812 %d.%06d pread64(3</srv/db>, \"\\0\\1abcdefgh\\\"hij\"..., 8192, %d) = 8192 <0.000020>\n", \
			1700000000 + i / 1000000, i % 1000000, x * 8192 } }' >"$memory/strace"
	awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) { x = (x * 1103515245 + 12345) % 1048576
		printf "              dd-11719   [000] .....  %d.%06d: mm_filemap_get_pages: dev=254:0 ino=a744a5 ofs=%d-%d\n", \
			1332 + i / 1000000, i % 1000000, x * 4096, x * 4096 + 16383 } }' >"$memory/ftrace"
	awk -v n=$n 'BEGIN { for (i = 0; i < n; i++) { x = (x * 1103515245 + 12345) % 2147483648
		printf "128166372%09d,hm,%d,%s,%d,32768,413\n", i * 1000, i % 2, i % 3 ? "Read" : "Write", x } }' >"$memory/msr"
	row "wc -l (blkparse)" process $(($(stat -c %s "$memory/blkparse") / 1000)) - wc -l "$memory/blkparse"
	for format in fio csv blkparse strace ftrace msr; do
		row_import $format
	done
	table "Import of half a million lines" "1000 bytes"
	rm "$memory"/{fio,csv,blkparse,strace,ftrace,msr}
}
