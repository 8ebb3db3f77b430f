# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the recipes share: options, the sparse file, the clean-up. Sourced at their top, after they have set
#   about     what the recipe reproduces
#   source    the mail that it is from, with the figures there; if it is from one
#   fields    what vmmon samples, unless the user names other fields; none: nothing
#   options   letters of the options that it takes, as for getopts, but for c and h
# and whatever is not to have the default that it has here (seconds, runs, jobs, size).
set -eu
: "${about:?}" "${source:=}" "${fields:?}" "${options:=f:n:t:d:g:}"
: "${seconds:=}" "${runs:=5}" "${jobs:=$(nproc)}" "${size:=512}"

option_help() {
	case $1 in
	f) cat <<-END ;;
		  -f FILE      replay on this file or block device, which is only read
		               (without: a sparse file in \${TMPDIR:-/tmp}, removed at the end)
	END
	n) echo '  -n REQUESTS  no more requests than that' ;;
	t) echo "  -t SECONDS   end each replay after that time${seconds:+ (default $seconds)}" ;;
	d) echo '  -d SECONDS   time between two samples (default 1)' ;;
	m) echo '  -m MIB       size of the experiment: of its memory cgroup, if it has one, and so of its files (default 256)' ;;
	g) echo '  -g NAME      draw what vmmon samples: NAME-1.svg and so on; needs gnuplot' ;;
	j) echo "  -j JOBS      threads that play, job i on CPU i (default $jobs)" ;;
	p) echo '  -p N         processes that sleep beside it (default 200)' ;;
	r) echo "  -r RUNS      how often each replay or command is run, for a mean (default $runs)" ;;
	s) echo "  -s PAGES     memory of each job, in pages of 4096 bytes (default $size)" ;;
	esac
}

usage() {
	printf 'Usage: %s [OPTION...]%s\n\n%s\n\n' "${0##*/}" "${operands-$([ "$fields" = none ] || echo ' [FIELD...]')}" "$about"
	[ -z "$source" ] || printf '%s\n\n' "$source"
	for letter in $(echo "$options" | tr -d : | sed 's/./& /g'); do
		option_help "$letter"
	done
	echo '  -c, --check  say whether the result has the shape that is expected, and fail if not'
	[ "$fields" = none ] || echo "  FIELD        what vmmon samples (default $fields)"
	case $fields in *@*) echo '               @NAME is NAME of the memory cgroup' ;; esac
}

file='' requests='' interval=1 mib=256 sleepers=200 check='' graph='' graphs=0
for word; do
	shift
	[ "$word" != --check ] || word=-c
	set -- "$@" "$word"
done
while getopts "${options}ch" option; do
	case $option in
	j) jobs=$OPTARG ;;
	p) sleepers=$OPTARG ;;
	r) runs=$OPTARG ;;
	s) size=$OPTARG ;;
	m) mib=$OPTARG ;;
	g) graph=$OPTARG ;;
	c) check=yes ;;
	f) file=$OPTARG ;;
	n) requests=$OPTARG ;;
	t) seconds=$OPTARG ;;
	d) interval=$OPTARG ;;
	h) usage && exit 0 ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || [ "$fields" = none ] || fields=$*
[ "$runs" -ge 2 ] || { echo "${0##*/}: -r $runs: there is no mean of fewer than 2 runs" >&2 && exit 2; }

# The programs of this tree when it was built, else those installed.
here=$(cd "$(dirname "$0")" && pwd)
[ ! -x "$here/../build/iotrace" ] || PATH=$here/../build:$PATH
iotrace() { command "${IOTRACE:-iotrace}" "$@"; }
vmmon() { command "${VMMON:-vmmon}" "$@"; }

dir=$(mktemp -d "${TMPDIR:-/tmp}/iotrace.XXXXXX")
group=''
clean() {
	# not by $(jobs -p): in the shell of a substitution dash knows of no jobs
	jobs -p >"$dir/jobs"
	# dash tells how each has ended
	while read -r job; do
		kill "$job" || :
		wait "$job" || :
	done <"$dir/jobs" 2>/dev/null
	[ -z "$group" ] || rmdir "$group"
	rm -rf "$dir"
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
# the shell would end without the trap above
trap 'exit 141' PIPE
trap 'exit 143' TERM

# largest GIB: make $file as large as it can be below that. Sets $gib.
largest() {
	low=0 high=$1
	while [ $((high - low)) -gt 1 ]; do
		gib=$(((low + high) / 2))
		if truncate -s "${gib}G" "$file" 2>/dev/null; then low=$gib; else high=$gib; fi
	done
	gib=$low
	[ "$gib" -gt 0 ] || { echo "${0##*/}: no sparse file can be made in $dir" >&2 && exit 1; }
	truncate -s "${gib}G" "$file"
}

# sparse GIB PAGES: see to it that $file can be read up to PAGES pages. Sets $pages, which is less when it cannot.
sparse() {
	pages=$2
	if [ -z "$file" ]; then
		file=$dir/sparse gib=$1
		truncate -s "${gib}G" "$file" 2>/dev/null || largest "$gib"
		[ "$gib" = "$1" ] || echo "The file system of $dir holds no file of $1 GiB: the sparse file has $gib GiB."
		[ "$(stat -f -c %T "$dir")" != tmpfs ] || cat <<-END
			$dir is on tmpfs, which reads holes without filling the page cache.
			Set TMPDIR to a folder on a disk to see the VM at work.
		END
		[ $((gib * 262144)) -ge "$pages" ] || pages=$((gib * 262144))
	elif [ -f "$file" ]; then
		have=$(($(stat -L -c %s "$file") / 4096))
		[ "$have" -ge "$pages" ] || pages=$have
	fi
	[ "$pages" = "$2" ] || echo "The pattern ends at page $pages in place of $2, with the file."
}

# run COMMAND...: show it, then run it.
run() {
	printf '\n$ %s\n' "$*"
	"$@"
}

# create NAME OPTION...: make the trace $dir/NAME. replay NAME PLAY OPTION...: play it by PLAY while vmmon samples; under
# --check the output is in $dir/played, the report in $dir/json, and $available pages could be had before.
create() {
	name=$1
	shift
	run iotrace ${requests:+--max-requests "$requests"} "$@" --create --save "$dir/$name"
}

replay() {
	name=$1 play=$2
	shift 2
	draw
	played=run
	[ -z "$check" ] || played="keep played"
	available=$(awk '$1 == "MemAvailable:" { print int($2 / 4) }' /proc/meminfo)
	# shellcheck disable=SC2086 # one word a field
	$played vmmon -d "$interval" $drawn ${check:+--play-json "$dir/json"} ${seconds:+--max-seconds "$seconds"} "$@" \
		--load "$dir/$name" "$play" "$file" $fields
}

# draw: set $drawn to the options with which vmmon draws the next picture of -g.
draw() {
	graphs=$((graphs + 1)) drawn=
	[ -z "$graph" ] || drawn="-a --plot $graph-$graphs.svg"
}

# skip REASON: the experiment cannot be made here.
skip() {
	echo "${0##*/}: skipped: $1"
	exit 77
}

# memory_group MIB: make the memory cgroup $group with that limit. "@" before a field becomes "cgroup:", its name and ":".
memory_group() {
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		above=/sys/fs/cgroup limit=memory.max
		grep -qw memory $above/cgroup.subtree_control || skip "no memory controller for groups of cgroup v2"
	else
		above=/sys/fs/cgroup/memory limit=memory.limit_in_bytes
		[ -e $above/$limit ] || skip "no memory cgroups here"
	fi
	mkdir "$above/io-$$" 2>/dev/null || skip "no memory cgroup can be made here; that takes root"
	group=$above/io-$$
	echo $(($1 * 1048576)) >"$group/$limit"
	fields=$(echo "$fields" | sed "s/@/cgroup:${group##*/}:/g")
}

# data NAME MIB: make the file $dir/NAME of random bytes, which the disk has to read, and let it go to the disk.
data() {
	case $(stat -f -c %T "$dir") in
	tmpfs | ramfs) skip "$dir is in memory; set TMPDIR to a folder on a disk" ;;
	esac
	dd if=/dev/urandom of="$dir/$1" bs=1M count="$2" 2>/dev/null || skip "no room for $2 MiB in $dir"
	sync "$dir/$1"
}

# keep NAME COMMAND...: run it, with its output in $dir/NAME too.
keep() {
	kept=$dir/$1
	shift
	{ run "$@" || echo "$?" >"$kept.status"; } | tee "$kept"
	[ ! -e "$kept.status" ] || exit "$(cat "$kept.status")"
}

# behind NAME OPTION...: iotrace in the background, its output in $dir/NAME. end_behind: end the last one.
behind() {
	name=$1
	shift
	printf '\n$ iotrace %s &\n' "$*"
	(exec "${IOTRACE:-iotrace}" "$@") >"$dir/$name" &
}
end_behind() {
	kill -TERM $!
	wait $! || :
}

# figure NAME KEPT: the figure of a replay's report. change FIELD KEPT: the difference of a field over the first play.
figure() { awk -v name="$1" '$1 == name { print $2; exit }' "$dir/$2"; }
change() {
	awk -v name="$(echo "$1" | sed "s/@/cgroup:${group##*/}:/")" '
		$1 == name && NF == 5 && $4 ~ /^-?[0-9]+$/ { print $4; exit }
		$1 == "begin" && $2 ~ /^[0-9]+$/ { split(heading, title) }
		/^begin to end, / { for (i in title) if (title[i] == name) print $(i + 5); exit }
		{ heading = $0 }' "$dir/$2"
}

# mean NAME FIGURE, percent NAME FIGURE: of what --repeat told of a figure.
mean() { awk -v figure="$2" '$1 == "repeat" && $2 == figure { print $4 }' "$dir/$1"; }
percent() { awk -v figure="$2" '$1 == "repeat" && $2 == figure { print $8 }' "$dir/$1"; }

# claim WORDS A RELATION B: under --check, say whether A < B (or <=, >, >=) for these numbers.
failed=''
claim() {
	[ -n "$check" ] || return 0
	if awk "BEGIN { exit !($2 $3 $4) }"; then verdict=holds; else verdict=FAILS failed=yes; fi
	printf 'check: %s: %s %s %s: %s\n' "$1" "$2" "$3" "$4" "$verdict"
}

# not_asked WORDS REASON: under --check, say that this cannot be claimed here.
not_asked() { [ -z "$check" ] || printf 'check: %s: not asked: %s\n' "$1" "$2"; }

# in_memory FILE: has it no other place than the page cache, or none at all for holes?
in_memory() {
	[ -f "$1" ] || return 1
	case $(stat -L -f -c %T "$1") in tmpfs | ramfs) ;; *) return 1 ;; esac
}

# came_in PAGES: behind a replay that asked for so many different pages: they are in the cache, and little else is.
came_in() {
	[ -n "$check" ] || return 0
	ahead=$(sed -n 's/.*"read_ahead_kb":\([0-9]*\).*/\1/p' "$dir/json")
	if in_memory "$file"; then
		not_asked 'what was read is in the cache' 'the file system is in memory'
	elif [ "$available" -lt $((2 * $1)) ]; then
		not_asked 'what was read is in the cache' 'there is no memory for all of it'
	else
		claim 'what was read is in the cache' "$(figure pages_after played)" '>=' "0.9 * $1"
		# readahead may have gone on behind the last request
		claim 'and little that was not' "$(figure pages_after played)" '<=' "1.1 * $1 + ${ahead:-0} / 2"
	fi
}

# counted NAME: what a counter of /proc/vmstat counted in a replay, in the whole machine; nothing: it is not there.
counted() {
	sed -n 's/.*"vmstat":{[^}]*"'"$1"'":\[\([0-9]*\),\([0-9]*\)\].*/\1 \2/p' "$dir/json" | awk '{ print $2 - $1 }'
}

# played_requests, seeks: of a replay. Without --check there is none, and nobody asks.
played_requests() { [ -n "$check" ] && figure requests played || echo 0; }
seeks() { [ -z "$check" ] || awk '$1 ~ /MB\/s$/ { print $3 + 0; exit }' "$dir/played"; }

# cpu NAME: the CPU time of a repeated play. had_cpus NAME OTHER: had the one half as much again as the other?
cpu() { awk "BEGIN { print $(mean "$1" user_seconds) + $(mean "$1" system_seconds) }"; }
had_cpus() { awk "BEGIN { exit !($(cpu "$1") > 1.5 * $(cpu "$2")) }"; }

# touches_are_faults WORDS NAME: in a repeated play, as often as pages are touched, and hardly ever beside.
touches_are_faults() {
	claim "$1: each touch of a page is a fault" "$(mean "$2" faults_per_second)" '>' "0.98 * $(mean "$2" requests_per_second)"
	claim "$1: and there are few others" "$(mean "$2" faults_per_second)" '<' "1.05 * $(mean "$2" requests_per_second) + 5000"
}

# At the end of a recipe that has claims.
conclude() { [ -z "$failed" ]; }

printf '%s\n' "$about"
[ -z "$source" ] || printf '\n%s\n' "$source"
