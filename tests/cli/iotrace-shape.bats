#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How a play is issued: jobs, loops, times, repetitions, the log of its requests.

# shellcheck disable=SC2016,SC2086,SC2154 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	head -c 1048576 /dev/zero >f
	seq 0 99 >t
}

# job N: the offsets, in pages, that job N has issued according to log.csv, in their order.
job() {
	awk -F, -v job="$1" 'NR > 1 && $7 == job { printf "%s%d", n++ ? " " : "", $4 / 4096 }' log.csv
}

# due COUNT NS: log.csv has COUNT requests, and page number n was issued no earlier than n * NS.
due() {
	awk -F, -v count="$1" -v ns="$2" '
		NR > 1 && $1 < $4 / 4096 * ns { printf "page %d at %d ns\n", $4 / 4096, $1; early = 1 }
		END { exit early || NR != count + 1 }' log.csv
}

@test "what does not go together is refused with the options' names" {
	refused 2 "--arrival poisson needs --rate" --arrival poisson --load t --play f
	refused 2 "--arrival poisson needs --rate" --arrival poisson --timed --load t --play f
	refused 2 "--speed needs --timed" --speed 2 --load t --play f
	refused 2 "--spin needs --timed or --rate" --spin --load t --play f
	refused 2 "--think-time, --rate: " --think-time 1 --rate 5 --load t --play f
	refused 2 "--think-time, --timed: " --timed --think-time 1 --load t --play f
	refused 2 "--loops 0 never ends without" --loops 0 --load t --play f
	refused 2 "--log, --no-latency: " --no-latency --log l --load t --play f
	[ ! -e l ]
}

@test "numbers and words that make no sense are refused" {
	for n in 0 -1 x '' 1.5 10q 9999999999; do
		refused 2 "--rate: " --rate "$n" --load t --play f
	done
	for n in 0 -1 x '' 1e3 0.0000001 10000000; do
		refused 2 "--speed: " --speed "$n" --timed --load t --play f
	done
	refused 2 "--jobs: '0'" --jobs 0 --load t --play f
	refused 2 "--jobs: '1025': is more than 1024" --jobs 1025 --load t --play f
	refused 2 "--repeat: '0'" --repeat 0 --load t --play f
	refused 2 "round-robin chunk copy" --split pages --load t --play f
	refused 2 "even poisson" --arrival bursts --load t --play f
	for n in '' x '1,' ',1' 3-1 -1 1-2-3 99999999; do
		refused 2 "--pin: " --pin "$n" --load t --play f
	done
	refused 2 "65535" --pin 65535 --load t --play f
}

@test "a trace without times cannot be played at its times" {
	refused 2 "the trace has no times" --load t --timed --play f
}

@test "jobs share the trace in turn, in runs, or each has all, and each keeps the order" {
	"$IOTRACE" --load t --head 10 --save ten
	for e in pread mmap; do
		run "$IOTRACE" --engine $e --jobs 3 --load ten --log log.csv --play f
		[ "$status" -eq 0 ]
		[ "$(value requests) $(value bytes)" = "10 40960" ]
		[ "$(job 0)|$(job 1)|$(job 2)" = "0 3 6 9|1 4 7|2 5 8" ]
		run "$IOTRACE" --engine $e --jobs 3 --split chunk --load ten --log log.csv --play f
		[ "$(value requests) $(value bytes)" = "10 40960" ]
		[ "$(job 0) $(job 1) $(job 2)" = "0 1 2 3 4 5 6 7 8 9" ]
		for j in 0 1 2; do
			n=$(job $j | wc -w)
			[ "$n" -eq 3 ] || [ "$n" -eq 4 ]
		done
		run "$IOTRACE" --engine $e --jobs 3 --split copy --load ten --log log.csv --play f
		[ "$(value requests) $(value bytes)" = "30 122880" ]
		[ "$(job 0)|$(job 1)|$(job 2)" = "0 1 2 3 4 5 6 7 8 9|0 1 2 3 4 5 6 7 8 9|0 1 2 3 4 5 6 7 8 9" ]
	done
}

@test "more jobs than requests are no harm" {
	run "$IOTRACE" --jobs 8 --load t --head 3 --play f
	[ "$status" -eq 0 ]
	[ "$(value requests) $(value bytes)" = "3 12288" ]
}

@test "processes do the same as threads" {
	run "$IOTRACE" --processes --jobs 3 --load t --log log.csv --play f
	[ "$status" -eq 0 ]
	[ "$(value requests) $(value bytes)" = "100 409600" ]
	[ "$(job 0)" = "$(seq -s ' ' 0 3 99)" ]
}

@test "jobs are threads, or processes, where they are pinned to" {
	[ "$(nproc)" -ge 2 ] || skip "one CPU"
	last=$(taskset -pc $$ | grep -oE '[0-9]+$')
	for how in '' --processes; do
		"$IOTRACE" $how --jobs 2 --pin $last --think-time 100000 --load t --max-seconds 20 --play f >o 2>&1 &
		pid=$!
		found=
		for _ in $(seq 100); do
			if [ "$how" ]; then
				found=$(for p in $(pgrep -P $pid); do sed -n 's/^Cpus_allowed_list:\s*//p' /proc/$p/status; done)
			else
				found=$(sed -n 's/^Cpus_allowed_list:\s*//p' /proc/$pid/task/*/status | grep -x $last || true)
			fi
			[ "$(tr '\n' ' ' <<<"$found")" = "$last $last " ] && break
			sleep 0.1
		done
		kill $pid
		wait $pid || true
		echo "$how: $found"
		[ "$(tr '\n' ' ' <<<"$found")" = "$last $last " ]
		run ! pgrep -P $pid
	done
}

@test "jobs that keep all CPUs under a realtime policy are still ended by time and signals" {
	command -v chrt >/dev/null && chrt -f 2 true 2>/dev/null || skip "no realtime policy is allowed here"
	# timeout comes before them, so that a failure costs seconds and not the machine
	for how in '--max-seconds 0.3' '--max-seconds 20'; do
		run --separate-stderr env --default-signal=INT chrt -f 3 timeout -s INT -k 5 2 chrt -f 1 "$IOTRACE" \
			--engine null --jobs "$(nproc)" --split copy --loops 0 $how --load t --play f
		echo "$how: status $status: $output $stderr"
		case $how in
		*20) [ "$status" -eq 124 ] && [ "$(value ended_by)" = "signal 2" ] ;;
		*) [ "$status" -eq 0 ] ;;
		esac
		[ "$(value requests)" -gt 0 ]
	done
}

@test "a signal ends all jobs, threads or processes, with the report of what was done" {
	for how in '' --processes; do
		env --default-signal=INT "$IOTRACE" $how --jobs 3 --think-time 100000 --load t --play f >o 2>e &
		pid=$!
		for _ in $(seq 100); do
			n=$(if [ "$how" ]; then pgrep -c -P $pid || true; else sed -n 's/^Threads:\s*//p' /proc/$pid/status; fi)
			[ "${n:-0}" -ge 3 ] && grep -q '^SigCgt:.*[4-7c-f]...$' /proc/$pid/status && break
			sleep 0.05
		done
		sleep 0.3
		kill -INT $pid
		wait $pid && status=0 || status=$?
		echo "$how: $status $(cat o e)"
		[ "$status" -eq 130 ]
		[ "$(sed -n 's/^requests //p' o)" = 3 ]
		[ "$(grep -c '^job . requests 1 bytes 4096 errors 0 ' o)" = 3 ]
		run ! pgrep -P $pid
	done
}

@test "--loops plays the trace again within one play, and limits hold over all of it" {
	run "$IOTRACE" --loops 3 --load t --play f
	[ "$(value requests) $(value bytes)" = "300 1228800" ]
	run "$IOTRACE" --loops 0 --max-requests 777 --load t --play f
	[ "$status" -eq 0 ]
	[ "$(value requests) $(value bytes)" = "777 3182592" ]
	run "$IOTRACE" --loops 3 --jobs 2 --barrier --max-bytes 1m --load t --play f
	[ "$(value requests) $(value bytes)" = "256 1048576" ]
	run timeout 60 "$IOTRACE" --loops 0 --max-seconds 0.2 --load t --play f
	[ "$status" -eq 0 ]
	[ "$(value requests)" -gt 0 ]
	run "$IOTRACE" --loops 5 --play f
	[ "$(value requests)" -eq 0 ]
	run "$IOTRACE" --max-requests 10 --max-bytes 9 --max-seconds 9 --create --loops 3 --play f \
		--max-requests none --play f --max-bytes none --max-seconds none --play f
	[ "$(value requests | tr '\n' ' ')" = "9 9 27 " ]
}

@test "--barrier lets no job begin a loop before all have ended the one before" {
	# Shares of two requests and of one, so that one job would be far ahead of the other by the last loop.
	"$IOTRACE" --load t --head 3 --jobs 2 --split chunk --loops 5 --think-time 10 --barrier --log log.csv --play f
	awk -F, '
		NR > 1 {
			share = $7 == 0 ? 2 : 1
			n = seen[$7]++
			loop = int(n / share)
			if (!(loop in begin) || $1 < begin[loop]) begin[loop] = $1
			if ($1 + $2 > end[loop]) end[loop] = $1 + $2
		}
		END {
			for (i = 1; i < 5; i++)
				if (begin[i] < end[i - 1]) early = 1
			exit early || NR != 16
		}' log.csv
}

@test "--rate spreads requests, and with a unit letter bytes, over time" {
	run "$IOTRACE" --rate 200 --load t --head 41 --log log.csv --play f
	[ "$status" -eq 0 ]
	[ "$(value requests)" -eq 41 ]
	# Number n is due at n * 5 ms, and never issued earlier.
	due 41 5000000
	run "$IOTRACE" --rate 800k --load t --head 41 --log log.csv --play f
	due 41 5000000
	run "$IOTRACE" --rate 200 --jobs 2 --load t --head 41 --log log.csv --play f
	due 41 5000000
}

@test "--arrival poisson draws the gaps" {
	for i in 1 2; do
		"$IOTRACE" --seed $i --rate 2000 --arrival poisson --load t --log log$i --play f
	done
	"$IOTRACE" --seed 3 --rate 2000 --arrival poisson --load t --log log3 --play f
	[ "$(grep -vc '^#' log1)" -eq 100 ]
	# A hundred gaps of 0.5 ms are 50 ms, give or take 5.
	for l in log1 log2 log3; do
		awk '!/^#/ { t = $1 } END { exit t < 0.025 }' $l
	done
}

@test "--timed issues no request before its time, --speed passes it faster or slower" {
	printf '#columns offset time\n0 0\n1 0.05\n2 0.05\n3 0.2\n' >u
	due='0 50000000 50000000 200000000'
	for e in $(engines); do
		for speed in 1 2 0.5; do
			run "$IOTRACE" --engine $e --timed --speed $speed --load u --log log.csv --play f
			echo "$e $speed: $output $(cat log.csv)"
			[ "$status" -eq 0 ]
			[ "$(value requests)" = 4 ]
			awk -F, -v due="$due" -v speed=$speed 'BEGIN { split(due, d, " ") }
				NR > 1 && $1 < d[NR - 1] / speed { early = 1 }
				END { exit early || NR != 5 }' log.csv
		done
	done
}

@test "--spin is no earlier than without" {
	run "$IOTRACE" --spin --rate 1000 --load t --head 20 --log log.csv --play f
	[ "$status" -eq 0 ]
	due 20 1000000
}

@test "--ramp leaves the beginning out of the figures" {
	run "$IOTRACE" --ramp 0.2 --think-time 5 --load t --play f
	[ "$status" -eq 0 ]
	[ "$(value ramp_requests)" -gt 0 ]
	[ $(($(value requests) + $(value ramp_requests))) -eq 100 ]
	[ "$(value bytes)" -eq $(($(value requests) * 4096)) ]
}

@test "--repeat plays again from the start, with a report each time" {
	run "$IOTRACE" --repeat 3 --quiet --load t --log log.csv --play f
	[ "$status" -eq 0 ]
	[ "$(grep -c 'MB/s .* 1x 409600b ' <<<"$output")" -eq 3 ]
	[ "$(tail -n +2 log.csv | cut -d, -f8 | uniq -c | tr -s ' \n' ' ')" = " 100 1 100 2 100 3 " ]
}

@test "a log holds each request, in the form of its name" {
	printf '#columns offset length op\n3 2 R\n0 1 R\n250 10 R\n' >u
	for e in $(engines); do
		run "$IOTRACE" --engine $e --load u --log l --log l.csv --play f --log l.bin --play f --log l --play f
		echo "$e: $output"
		[ "$status" -eq 1 ]
		# The last request has six pages inside the file.
		[ "$(cut -d, -f3-8 l.csv)" = $'op,offset,length,result,job,play\nR,12288,8192,8192,0,1\nR,0,4096,4096,0,1\nR,1024000,40960,24576,0,1' ]
		[ "$(stat -c %s l.bin)" -eq $((64 + 3 * 48)) ]
		[ "$(head -c 8 l.bin)" = iotrlog1 ]
		"$IOTRACE" --load l --save again
		[ "$(bytes again | tr '\n' ' ')" = "12288 8192 0 4096 1024000 40960 " ]
	done
}

@test "a log that cannot be written is refused before the play, or fails it" {
	refused 2 "--log: no/l: " --log no/l --load t --play f
	refused 2 "--log: '': the name is empty" --log '' --load t --play f || refused 2 "the name is empty" --log '' --load t --play f
	[ -e /dev/full ] || skip "no /dev/full"
	run --separate-stderr "$IOTRACE" --log /dev/full --load t --play f
	[ "$status" -eq 1 ]
	[ "$(value requests)" = 100 ]
	[[ "$stderr" == "iotrace: --log: /dev/full: "*"No space left on device" ]]
}

@test "a log on standard output is alone there" {
	"$IOTRACE" --log - --load t --play f >o 2>e
	[ "$(grep -vc '^#' o)" -eq 100 ]
	grep -q 'MB/s' e
	refused 2 "cannot both go to standard output" --log - --load t --save - --play f
}

@test "a log has what was done when a signal ends the play" {
	env --default-signal=INT "$IOTRACE" --think-time 50 --load t --log log.csv --play f >o 2>e &
	pid=$!
	sleep 1
	for _ in $(seq 100); do
		grep -q '^SigCgt:.*[4-7c-f]...$' /proc/$pid/status 2>/dev/null && break
		sleep 0.05
	done
	kill -INT $pid
	wait $pid && status=0 || status=$?
	[ "$status" -eq 130 ]
	[ "$(tail -n +2 log.csv | wc -l)" -eq "$(sed -n 's/^requests //p' o)" ]
}
