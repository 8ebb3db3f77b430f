# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# For tests/bench/run: replays as fast as they go.

# The file and the trace of the replays: a written file in the page cache, and single pages of it at random.
replay_files() {
	[ ! -e "$disk/file" ] || return 0
	dd if=/dev/zero of="$disk/file" bs=1M count=1024 2>/dev/null
	"$iotrace" --seed 1 --pattern random --max-requests 1000000 --offset 262144 --size 1 --align 1 --create --save "$memory/trace"
	{
		echo "fio version 2 iolog"
		echo "$disk/file add"
		echo "$disk/file open"
		awk -v f="$disk/file" '/^[0-9]+p\t1p$/ { printf "%s read %.0f 4096\n", f, $1 * 4096 }' "$memory/trace"
		echo "$disk/file close"
	} >"$memory/iolog"
}

# row_fio LABEL ENGINE GOAL [OPTION...]
row_fio() {
	local label=$1 engine=$2 goal=$3
	shift 3
	! has fio || row "$label" fio 1000000 "$goal" fio --name=peer --ioengine="$engine" --read_iolog="$memory/iolog" \
		--invalidate=0 --output-format=json "$@"
}

bench_pread() {
	replay_files
	row "floor: pread" floor 1000000 - "$bin/floor_pread" "$memory/trace" "$disk/file"
	row "iotrace --play" report 1000000 "<=1.05" "$iotrace" --keep-cache --load "$memory/trace" --play "$disk/file"
	row_fio "fio psync" psync ">>1.25"
	table "Replay 1 M random reads of 4 KiB, cached file of 1 GiB" request
}

# The mapping is populated before the figures begin, as that of the floor is.
bench_mmap() {
	replay_files
	local mplay=("$iotrace" --keep-cache --populate --load "$memory/trace")
	row "floor: touch" floor 1000000 - "$bin/floor_mtouch" "$memory/trace" "$disk/file"
	row "iotrace --mplay --no-latency" report 1000000 "<=1.1" "${mplay[@]}" --no-latency --mplay "$disk/file"
	row "iotrace --mplay" report 1000000 "<=1.5" "${mplay[@]}" --mplay "$disk/file"
	# fio 3.33 cannot map under read_iolog: its own random reads
	! has fio || row "fio mmap, rw=randread" fio 1000000 ">>20" fio --name=peer --ioengine=mmap --filename="$disk/file" \
		--rw=randread --bs=4k --size=1g --io_size=4096000000 --norandommap --invalidate=0 --output-format=json
	table "The same through a populated mapping" request
}

bench_async() {
	replay_files
	row "floor: libaio, 32 in flight" floor 1000000 - "$bin/floor_aio" "$memory/trace" "$disk/file" 32
	row "iotrace --engine libaio --depth 32" report 1000000 "<=1.08" \
		"$iotrace" --keep-cache --load "$memory/trace" --engine libaio --depth 32 --play "$disk/file"
	row_fio "fio libaio" libaio ">>1.8" --iodepth=32
	table "The same by libaio" request
	row "floor: io_uring, 32 in flight" floor 1000000 - "$bin/floor_uring" "$memory/trace" "$disk/file" 32
	row "iotrace --engine io_uring --depth 32" report 1000000 "<=1.08" \
		"$iotrace" --keep-cache --load "$memory/trace" --engine io_uring --depth 32 --play "$disk/file"
	row_fio "fio io_uring" io_uring ">>1.8" --iodepth=32
	table "The same by io_uring" request
	echo "  fio's own t/io_uring is in no package of Debian and is not compared; the floor does what it does"
}

# Telling hits from misses, where all hit.
bench_hits() {
	replay_files
	local play=("$iotrace" --keep-cache --load "$memory/trace" --engine) engine
	for engine in preadv2 io_uring; do
		row "iotrace --engine $engine" report 1000000 - "${play[@]}" $engine --play "$disk/file"
		row "iotrace --engine $engine --hits" report 1000000 "<=1.05" "${play[@]}" $engine --hits --play "$disk/file"
		table "The same by $engine, with hits told from misses" request
	done
}

bench_loop() {
	replay_files
	local null=("$iotrace" --keep-cache --load "$memory/trace" --engine null)
	row "iotrace --engine null --no-latency" report 1000000 "<15" "${null[@]}" --no-latency --play "$disk/file"
	row "iotrace --engine null" report 1000000 "<40" "${null[@]}" --play "$disk/file"
	table "The loop alone: the engine that does nothing" request
}

# Every other request is for the second file, and the second job has those.
bench_jobs() {
	replay_files
	cp "$disk/file" "$disk/file2"
	awk 'BEGIN { print "#columns offset length file" } /^[0-9]/ { print $0, n++ % 2 }' "$memory/trace" >"$memory/two"
	local play=("$iotrace" --keep-cache --load "$memory/two" --file-map "1=$disk/file2")
	row "iotrace --jobs 1" report 1000000 - "${play[@]}" --play "$disk/file"
	row "iotrace --jobs 2" report 1000000 "faster>=1.8" "${play[@]}" --jobs 2 --play "$disk/file"
	table "Two cached files, by one job and by one for each" request 2> >(grep -v " is played on " >&2)
	rm "$disk/file2" "$memory/two"
}

bench_direct() {
	replay_files
	grep -v '^#' "$memory/trace" | head -20000 >"$memory/short"
	row "floor: pread, O_DIRECT" floor 20000 - "$bin/floor_pread" "$memory/short" "$disk/file" direct
	row "iotrace --direct" report 20000 "wall<=1.1" "$iotrace" --direct --load "$memory/short" --play "$disk/file"
	table "20000 random reads of 4 KiB past the cache, from the disk of $disk" request waits
	rm "$memory/short"
}

# What a request of a loaded trace takes: peaks of memory, less that of a trace of one request.
bench_memory() {
	replay_files
	local null=("$iotrace" --quiet --keep-cache --no-latency --engine null) n=0
	awk 'BEGIN { print "#columns offset length time" } /^[0-9]/ { printf "%s %.6f\n", $0, n++ * 0.000001 }' "$memory/trace" >"$memory/timed"
	printf '0p 1p\n' >"$memory/one"
	printf 'fio version 2 iolog\n%s add\n%s open\n%s read 0 4096\n%s close\n' "$disk/file"{,,,} >"$memory/iolog1"
	{
		echo "${null[*]} --load $memory/one --play $disk/file"
		echo "${null[*]} --load $memory/trace --play $disk/file"
		echo "${null[*]} --load $memory/timed --play $disk/file"
		! has fio >&2 || for n in 1 ''; do
			echo "fio --name=peer --thread --ioengine=null --read_iolog=$memory/iolog$n --output-format=json"
		done
	} | "$bin/rounds" 1 "$memory" >"$disk/runs"
	printf '\nMemory of a loaded request, bytes (1 M requests)\n'
	awk 'function tell(what, c, base, goal,  b) {
			b = (peak[c] - peak[base]) * 1024 / 1000000
			printf "  %-24s %6.1f%s\n", what, b, goal ? "  at most " goal " " (b <= goal + 0.5 ? "met" : "MISSED") : ""
		}
		{ peak[$1] = $5 }
		END { tell("iotrace", 2, 1, 16); tell("iotrace, with times", 3, 1, 24); if (5 in peak) tell("fio", 5, 4, 0) }' "$disk/runs"
	rm -rf "${memory:?}"/[0-9]* "$memory"/{timed,one,iolog1}
}
