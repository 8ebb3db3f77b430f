# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# What the page-fault recipes share. Sourced before common.sh, for the defaults, and then faults() is there.
options=t:r:j:s:
fields=none
seconds=2

# touch_all NAME JOBS LIST OPTION...: JOBS threads, each pinned to its CPU, write one byte to each page of private
# anonymous memory of their own, over and over, and do after each time what LIST says. Pages are of the smallest size.
touch_all() {
	name=$1 threads=$2 list=$3
	shift 3
	keep "$name" iotrace --offset "$size" --op W --create --engine mmap --advise nohugepage --after-loop "$list" \
		--jobs "$threads" --split copy --pin "0-$((threads - 1))" --loops 0 --max-seconds "$seconds" --no-latency "$@"
}

# faults NAME JOBS LIST OPTION...: the same with the plays, $runs of them.
faults() {
	name=$1 threads=$2 list=$3
	shift 3
	touch_all "$name" "$threads" "$list" --repeat "$runs" "$@" --play "anon:${size}p"
}

# rates TITLE NAME [TITLE NAME]...: a table of faults a second, and each against the first.
rates() {
	first=$(mean "$2" faults_per_second)
	printf '\n%-34s %14s %9s %7s\n' '' faults/s '+-%' x
	while [ $# -gt 0 ]; do
		awk -v title="$1" -v rate="$(mean "$2" faults_per_second)" -v percent="$(percent "$2" faults_per_second)" \
			-v first="$first" 'BEGIN { printf "%-34s %14.0f %9.2f %7.2f\n", title, rate, percent, rate / first }'
		shift 2
	done
	echo
}

# Of the threads there are no more than CPUs to pin them to.
enough_cpus() {
	[ "$jobs" -le "$(nproc)" ] || { echo "${0##*/}: there are $(nproc) CPUs for $jobs threads" >&2 && exit 2; }
}
