#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Traces of other tools, most of them made by those tools here.

# shellcheck disable=SC2016,SC2030,SC2031 # words for an inner shell; each test is a subshell

bats_require_minimum_version 1.5.0
load iotrace

needs() {
	local tool
	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

# traced LOG COMMAND...: COMMAND under strace, which must be allowed here.
traced() {
	needs strace
	strace -o probe true 2>/dev/null || skip "strace may not trace here"
	strace -f -ttt -y -o "$@"
}

# imported FORMAT:FILE [PARAMETER...]: "OP OFFSET LENGTH" of each request, all ops.
imported() {
	local what=$1
	shift
	"$IOTRACE" --import-ops all "$@" --import "$what" --export csv:imported.csv || return 1
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["op"], $at["offset"], $at["length"] }' imported.csv
}

# transfers LOG NAME: the same of the positioned calls on a file, from a strace log, without our importer.
transfers() {
	awk '/<unfinished \.\.\.>$/ { sub(/<unfinished \.\.\.>$/, ""); half[$1] = $0; next }
		match($0, /<\.\.\. [a-z0-9]+ resumed>/) { $0 = half[$1] substr($0, RSTART + RLENGTH) } { print }' "$1" |
	sed -nE "s/^[0-9]+ +[0-9.]+ p(read|write)64\([0-9]+<[^>]*$2>,.*, [0-9]+, ([0-9]+) ?\) = ([1-9][0-9]*)\$/\1 \2 \3/p"
}

# covers SIZE: do the requests on standard input cover the bytes from 0 to SIZE, and no other?
covers() {
	sort -k2n | awk -v size="$1" '$2 > end { exit 1 } $2 + $3 > end { end = $2 + $3 }
		END { if (end != size) { print "they end at " end; exit 1 } }'
}

@test "a log that fio writes is imported as what fio issued" {
	needs fio
	truncate -s 4m f
	traced calls fio --name=j --filename="$PWD/f" --rw=randrw --bs=4k-64k --size=4m --io_size=1m --ioengine=psync \
		--fsync=8 --invalidate=0 --write_iolog=log --output=out
	imported fio:log 2>said >got
	grep -v sync got >moved
	transfers calls f >want
	[ "$(wc -l <want)" -gt 20 ]
	diff want moved
	[ "$(grep -c '^sync ' got)" = "$(grep -c 'fsync([0-9]*<[^>]*/f>' calls)" ]
	grep -q "^iotrace: log: fio: [0-9]* requests " said
	# and strace's log of it says the same
	imported strace:calls --path '*/f' 2>/dev/null | grep -v sync >got
	diff want got
}

@test "fio replays a log that was exported" {
	needs fio
	truncate -s 4m f
	printf '#file 0 %s/f\n#columns offset length time op\n0 4k 0 R\n1m 8k 0.001 W\n512b 512b 0.002 R\n2m 1m 0.003 R\n' \
		"$PWD" >t
	"$IOTRACE" --load t --export fio:log
	traced calls fio --name=j --read_iolog=log --ioengine=psync --invalidate=0 --output=out
	transfers calls f >got
	printf 'read 0 4096\nwrite 1048576 8192\nread 512 512\nread 2097152 1048576\n' | diff - got
	# what fio does with a wait of version 2, in ms since its start
	printf 'fio version 2 iolog\n%s/f add\n%s/f open\n%s/f wait 700 0\n%s/f read 0 4096\n%s/f close\n' \
		"$PWD" "$PWD" "$PWD" "$PWD" "$PWD" >waits
	start=$EPOCHREALTIME
	fio --name=j --read_iolog=waits --ioengine=psync --output=out
	awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { exit !(b - a > 0.5) }'
}

@test "strace of cp gives the bytes of the file" {
	head -c 3000001 /dev/urandom >f
	traced calls cp f copy
	imported strace:calls --path '*/f' 2>/dev/null | grep '^read ' | covers 3000001
	imported strace:calls --path '*/copy' 2>/dev/null | grep '^write ' | covers 3000001
	# and is replayed to the same
	ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -ttt -y -o again "$IOTRACE" --path '*/f' --import-ops r --import strace:calls --play copy
	imported strace:again --path '*/copy' 2>/dev/null | grep '^read ' | covers 3000001
}

@test "strace of sqlite3 gives its reads and writes" {
	needs sqlite3
	traced calls sqlite3 db 'create table t(a); with recursive c(x) as (select 1 union all select x+1 from c
		where x < 20000) insert into t select hex(randomblob(50)) from c; select count(*) from t where a like "%FF%";'
	transfers calls db >want
	[ "$(grep -c '^write ' want)" -gt 100 ]
	imported strace:calls --path '*/db' 2>/dev/null >all
	grep -v sync all | diff want -
	[ "$(grep -c sync all)" = "$(grep -cE ' f(data)?sync\([0-9]+<[^>]*/db>' calls)" ]
	grep '^write ' all | covers "$(stat -c %s db)"
}

@test "strace of processes that share a position gives the place of each" {
	seq 100000 >f
	cat >two <<-'END'
		exec 3<f
		head -c 100 <&3 >/dev/null
		(dd bs=1000 count=2 <&3 of=/dev/null; cat <&3 | wc -c) 2>/dev/null
	END
	traced calls bash two
	imported strace:calls --path '*/f' 2>/dev/null >got
	head -3 got | diff - <(printf 'read 0 100\nread 100 1000\nread 1100 1000\n')
	covers "$(stat -c %s f)" <got
}

@test "page-cache events of the kernel give the pages of a file" {
	[ "$(id -u)" = 0 ] || skip "needs root"
	needs unshare
	[ "$(stat -f -c %T .)" != overlayfs ] || skip "the kernel names the file below overlayfs"
	head -c 1m /dev/urandom >f
	sync f
	unshare -m bash -c '
		mount -t tracefs tracefs /sys/kernel/tracing || exit 77
		i=/sys/kernel/tracing/instances/iotrace-test-$$
		mkdir "$i" || exit 77
		ok=1
		echo 1 >"$i/options/event-fork"
		echo $$ >"$i/set_event_pid"
		for e in add_to_page_cache get_pages map_pages fault; do
			echo 1 >"$i/events/filemap/mm_filemap_$e/enable" || ok=0
		done
		dd of=f oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
		cat f >/dev/null
		echo 0 >"$i/tracing_on"
		cat "$i/trace" >log
		rmdir "$i"
		[ $ok = 1 ] || exit 77' || skip "this kernel does not trace its page cache for us"
	grep -q "ino=$(printf %x "$(stat -c %i f)") " log || skip "the file system numbers its files otherwise"
	imported ftrace:log --path f --event get 2>/dev/null | covers 1048576
	imported ftrace:log --path f --event add 2>/dev/null | covers 1048576
	imported auto:log --inode "$(stat -c %i f)" --event get 2>said | covers 1048576
	grep -q "recognised as ftrace" said
}

@test "binary blktrace is what blkparse prints of it" {
	needs blkparse perl
	# two CPUs, out of step; a flush with a write, a discard, a message, a cgroup
	perl -e '
		sub rec { my ($f, $time, $sector, $bytes, $action, $pdu) = @_;
			print $f pack("VVQ<Q<VVVVVvv", 0x65617407, ++$n, $time, $sector, $bytes, $action, 7, 8 << 20 | 16, $cpu, 0,
				length $pdu), $pdu }
		for $cpu (0, 1) {
			open my $f, ">", "vda.blktrace.$cpu";
			rec $f, 0, 0, 0, 0x400 << 16, "name\0\0\0\0" if $cpu == 0;
			for $i (0 .. 99) {
				$t = 1000000 + ($i * 2 + $cpu) * 1000;
				rec $f, $t, $i * 8, 4096, (0x111 + $i % 2) << 16 | 1, "";
				rec $f, $t + 100, $i * 8, 4096, (0x141 + $i % 2) << 16 | 7, "";
			}
			rec $f, 2000000 + $cpu, 4096, 8192, 0x8116 << 16 | 1, "";
			rec $f, 3000000 + $cpu, 8192, 1 << 20, 0x2112 << 16 | 1, "";
		}'
	blkparse -i vda -o text -d binary >/dev/null
	imported blktrace:vda 2>/dev/null >got
	[ "$(grep -c '^read ' got)" = 100 ]
	[ "$(grep -c '^sync ' got)" = 2 ]
	[ "$(grep -c '^write .* 8192$' got)" = 2 ]
	[ "$(grep -c '^trim 4194304 1048576$' got)" = 2 ]
	imported blktrace:binary 2>/dev/null | diff got -
	imported blkparse:text 2>/dev/null | diff got -
	imported auto:vda --event D 2>/dev/null >issued
	imported blkparse:text --event D 2>/dev/null | diff issued -
	[ "$(wc -l <issued)" = 200 ]
}

@test "packed logs are unpacked, from files and from standard input" {
	printf '0,8,512,R,0.5\n0,16,512,W,1.5\n' >log
	for tool in gzip zstd xz lz4; do
		command -v $tool >/dev/null || continue
		$tool -c <log >packed
		[ "$(imported auto:packed 2>said)" = $'read 4096 512\nwrite 8192 512' ]
		grep -q "recognised as spc, $tool: 2 requests" said
		[ "$(imported spc:- 2>/dev/null <packed)" = $'read 4096 512\nwrite 8192 512' ]
		head -c -6 packed >short
		refused 2 "cut off" --import spc:short --save o
		[ ! -e o ]
	done
	for tool in gzip zstd; do
		command -v $tool >/dev/null || continue
		"$IOTRACE" --offset 1m --create --save plain
		$tool -c <plain >packed
		"$IOTRACE" --load packed --save o
		diff <(grep -v '^#' plain) <(grep -v '^#' o)
	done
}

@test "a bad line ends the import with file and line, or is counted" {
	printf '0,8,512,R,0.5\nx\n0,16,512,W,1.5\n1,2\n' >log
	refused 2 "iotrace: log:2: 1 field where" --import spc:log --save o
	[ ! -e o ]
	run --separate-stderr "$IOTRACE" --lenient --import spc:log --save o
	[ "$status" -eq 0 ]
	[ "$(pages o)" = "1.0.125 2.0.125 " ]
	[[ "$stderr" == *"2 lines are left out"* && "$stderr" == *"log: line 2: 1 field where"* && "$stderr" == *"log: line 4: "* ]]
	run --separate-stderr "$IOTRACE" --quiet --lenient --import spc:log --save o
	[ -z "$stderr" ]
}

@test "what cannot be imported or exported is said before anything is done" {
	printf '0,8,512,R,0.5\n' >log
	refused 2 "format 'xls' is not one of fio " --import xls:log
	refused 2 "format 'spc' is not one of fio csv blkparse" --import spc:log --export spc:o
	refused 2 "FORMAT:FILE is needed" --import log
	refused 2 "none: No such file" --import spc:none --save o
	refused 2 "--event" --event X --import blkparse:log
	refused 2 "columns" --csv-columns length --import csv:log
	refused 2 "not 'all' or some of" --import-ops rx --import spc:log
	refused 2 "'x'" --inode x --import ftrace:log
	refused 2 "--path: no --import stands behind it" --import spc:log --path x
	refused 2 "not recognised" --import auto:/bin/true --save o
	refused 2 "a directory" --import spc:.
	printf '1 2b\n' >t
	refused 2 "t:1: --export: o: request 1: it is not of whole sectors" --unit b --load t --export blkparse:o
	[ ! -e o ]
}

@test "--load says how a foreign trace is imported" {
	printf '0,8,512,R,0.5\n' >log
	refused 2 "--import spc:log" --load log --save o
	printf 'fio version 3 iolog\n1 /v add\n' >log
	refused 2 "--import fio:log" --load log --save o
}

@test "imports append, and what is exported can be standard output" {
	printf '0,8,512,R,0.5\n' >a
	printf 'offset,length\n1,2\n' >b
	run --separate-stderr "$IOTRACE" --import spc:a --import csv:b --import csv:b --export csv:-
	[ "$status" -eq 0 ]
	[ "$output" = $'time,op,offset,length,file\n0.000000000,read,4096,512,0\n,read,1,2,0\n,read,1,2,0' ]
}

@test "requests of several files are played on one target only when asked to, and it is said" {
	printf '0,1,512,R,0.1\n1,2,512,R,0.2\n' >log
	head -c 4096 /dev/zero >f
	refused 2 "--file-map one" --quiet --import spc:log --play f
	run --separate-stderr "$IOTRACE" --import spc:log --file-map one --play f
	[ "$status" -eq 0 ]
	[ "$(value requests)" = 2 ]
	[[ "$stderr" == *"f takes the requests of several files (0, 1...)"* ]]
	refused 2 "neither one nor" --file-map two --import spc:log --play f
	"$IOTRACE" --path 1 --import spc:log --play f 2>said
	run ! grep -q several said
}

@test "each file of a trace is played on its own target, in the order of the trace, by every engine" {
	# each page of the three targets says which it is
	for f in a b c; do
		for _ in 0 1 2 3 4 5 6 7; do
			head -c 4096 /dev/zero | tr '\0' "$f"
		done >$f
	done
	printf '#file 0 /x\n#file 1 /y\n#file 2 /z\n#columns offset length file\n' >t
	awk 'BEGIN { for (i = 0; i < 240; i++) printf "%dp 1p %d\n", i % 9, i % 3 }' >>t
	for engine in pread preadv2 mmap null libaio io_uring; do
		"$IOTRACE" --engine help | grep -A1 "^$engine " | grep -q "cannot run" && continue
		run --separate-stderr "$IOTRACE" --engine $engine --load t --file-map 1=b --file-map /z=c --play a
		echo "$engine: $output $stderr"
		[ "$status" -eq 1 ]
		[ "$(value requests)" = 240 ]
		# a ninth of the requests is behind the end of eight pages
		[ "$(value past_end_bytes)" = $((26 * 4096)) ]
		[ "$(value bytes)" = $((214 * 4096)) ]
		[[ "$stderr" == *"26 of 240 requests reach past the end of their target"* ]]
		[[ "$stderr" == *"file 1 of the trace is played on b"* ]]
	done
	needs strace
	strace -o probe true 2>/dev/null || skip "strace may not trace here"
	for engine in pread preadv2 libaio; do
		ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 strace -f -y -e trace=pread64,preadv2,io_submit -o calls "$IOTRACE" \
			--engine $engine --quiet --load t --file-map 1=b --file-map 2=c --max-requests 30 --play a || [ $? -eq 1 ]
		case $engine in
		libaio) grep -oE "aio_fildes=[0-9]+<[^>]*/[abc]>|aio_offset=[0-9]+" calls | paste -d ' ' - - |
			sed -nE 's/.*\/([abc])> aio_offset=([0-9]+)/\1 \2/p' ;;
		pread) sed -nE 's/.*pread64\([0-9]+<[^>]*\/([abc])>.*, 4096, ([0-9]+)\) = 4096/\1 \2/p' calls ;;
		*) sed -nE 's/.*preadv2\([0-9]+<[^>]*\/([abc])>.*, 1, ([0-9]+), 0\) = 4096/\1 \2/p' calls ;;
		esac >got
		awk 'BEGIN { for (i = 0; i < 30; i++) if (i % 9 < 8) print substr("abc", i % 3 + 1, 1), i % 9 * 4096 }' | diff - got
	done
}

@test "a file that shows late in a log finds its target" {
	head -c 8192 /dev/zero >a
	tr '\0' '\142' <a >b
	{
		echo '7 open("/x", O_RDWR) = 3'
		echo '7 open("/y", O_RDWR) = 4'
		awk 'BEGIN { for (i = 0; i < 300000; i++) print "7 pread64(3, \"\"..., 4096, 0) = 4096" }'
		echo '7 pwrite64(4, "", 4096, 4096) = 4096'
	} >log
	"$IOTRACE" --write --data offset --import strace:log --file-map /y=b --play a >out
	[ "$(sed -n 's/^requests //p' out)" = 300001 ]
	cmp -n 4096 a <(head -c 4096 /dev/zero)
	[ "$(od -An -tu8 -j 4088 -N 16 b | tr -s ' ' | cut -d ' ' -f 3)" = 4096 ]
	refused 2 "no file called '/z'" --quiet --write --import strace:log --head 10 --file-map /z=b --play a
}

@test "targets of single files are written, and checked before anything is done" {
	printf '#columns offset length op file\n0 1p W 0\n1p 1p W 1\n0 0 S 1\n' >t
	head -c 8192 /dev/zero >a
	cp a b
	for engine in pread libaio io_uring; do
		"$IOTRACE" --engine help | grep -A1 "^$engine " | grep -q "cannot run" && continue
		"$IOTRACE" --write --data offset --engine $engine --load t --file-map 1=b --play a
		[ "$(od -An -tu8 -j 4088 -N 16 a | tr -s ' ')" = " 4088 0" ]
		[ "$(od -An -tu8 -j 4088 -N 16 b | tr -s ' ')" = " 0 4096" ]
	done
	refused 2 "none: No such file" --load t --write --file-map 1=none --play a
	refused 2 "file 0 of the trace has two targets, b and a" --load t --write --file-map 0=b --file-map 0=a --play a
	refused 2 "no file called 'x'" --load t --write --file-map x=b --play a
	printf '2p 1p R 2\n' | cat t - >u
	refused 2 "--file-map 2=FILE" --load u --write --file-map 1=b --play a
	refused 2 "neither one nor" --file-map 1= --load t --play a
}

@test "a log larger than memory allows streams through a pipe without growing" {
	# none of the requests is kept; a sanitizer needs its own terabytes of addresses
	[[ $BUILD != *san ]] || skip "not under a sanitizer"
	run --separate-stderr bash -c 'ulimit -v 200000; yes "0,1,512,R,0.1" | head -5000000 |
		"$IOTRACE" --path none --import spc:- --save o'
	[ "$status" -eq 0 ]
	[[ "$stderr" == *"5000000 requests of other files"* ]]
}

@test "a log that is not in order of time is put in order, with nothing lost" {
	printf 'time,op,offset,length\n5.0,R,8192,4096\n3.5,R,0,4096\n7.25,W,4096,4096\n' >log
	run --separate-stderr -0 "$IOTRACE" --import csv:log --sort time --save -
	[ "$(grep -v '^#' <<<"$output" | tr -s '\t ' ' ')" = "$(printf '0p 1p R 0\n2p 1p R 1.5\n1p 1p W 3.75')" ]
	[[ $stderr == *"1 time lies before the time in front of it"* ]]
	[[ $stderr != *"became 0"* ]]
	run --separate-stderr -0 "$IOTRACE" --import csv:log --save -
	[[ $stderr == *"1 lies before the first and became 0 (--sort time keeps it)"* ]]
}
