#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What plays tell the kernel of the use of their target, and what comes of it.

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	head -c 16M /dev/urandom >file
	sync file
	"$IOTRACE" --offset 16m --size 64k --create --save t
}

needs_strace() {
	command -v strace >/dev/null || skip "no strace"
	strace -o probe true 2>/dev/null || skip "strace may not trace here"
	case $BUILD in *asan) skip "a leak checker is a tracer too, and a process has one" ;; esac
}

# pages: of the file in the page cache.
pages() {
	fincore -n -b -o PAGES file | tr -d ' '
}

# number NAME: of the report.
number() {
	awk -v name="$1" '$1 == name { print $2 }' report
}

# calls NAME ARGUMENT...: how often a play makes this call with these words in it; the others are in "calls".
calls() {
	local name=$1 words=$2
	shift 2
	strace -f -qq -e trace="$name" -o calls "$IOTRACE" --keep-cache "$@" >/dev/null
	grep -c "$words" calls || true
}

@test "streams that drop what they have read leave nothing in the cache, with every engine" {
	needs_cache
	for engine in $(engines); do
		# no readahead: that of one job may be behind another
		for how in "" "--jobs 2 --split chunk" "--jobs 2 --split chunk --processes"; do
			# shellcheck disable=SC2086 # options
			"$IOTRACE" --engine "$engine" $how --advise random,dontneed-behind=128k --load t --play file >report
			echo "$engine $how: $(number behind_calls) calls, $(number behind_bytes) bytes, $(pages) pages left"
			[ "$(number behind_bytes)" -ge $((16 << 20)) ]
			[ "$(pages)" -lt 512 ]
		done
	done
	"$IOTRACE" --load t --play file >report
	[ "$(pages)" -eq 4096 ]
	[ -z "$(number behind_calls)" ]
}

@test "several requests in flight are passed as one stream" {
	needs_cache
	for engine in $(engines | grep -E 'libaio|io_uring'); do
		"$IOTRACE" --engine "$engine" --depth 8 --advise dontneed-behind=1m --load t --play file >report
		[ "$(number behind_bytes)" -ge $((16 << 20)) ]
		[ "$(number behind_calls)" -le 64 ]
		[ "$(pages)" -lt 512 ]
	done
}

@test "what is passed is dropped at each step, at a jump, and at the end" {
	needs_strace
	"$IOTRACE" --unit k --offset 0,100 --size 10 --create --offset 8000,8010 --create --offset 7980,8000 --pattern backward \
		--create --save jumps
	[ "$(calls fadvise64 DONTNEED --advise dontneed-behind=32k --load jumps --play file)" -gt 0 ]
	# steps of 40 KiB twice, the rest at the jump, the last three at the end; each reaches back to where its run began
	diff - <(sed -nE 's/.*fadvise64\([0-9]+, ([0-9]+), ([0-9]+), POSIX_FADV_DONTNEED.*/\1 \2/p' calls) <<-EOF
		0 40960
		0 81920
		0 102400
		8171520 30720
	EOF
}

@test "a stream that runs backwards is passed too" {
	needs_cache
	"$IOTRACE" --advise dontneed-behind=256k --load t --reverse --play file >report
	[ "$(number behind_bytes)" -eq $((16 << 20)) ]
	[ "$(number behind_calls)" -le 65 ]
	[ "$(pages)" -lt 512 ]
}

@test "a mapping is advised for ranges, in the order of the line, what lasts first" {
	needs_strace
	calls madvise MADV --engine mmap --advise populate-read=1m-2m,cold=1m-2m,random=2m-3m,5m-6m,nohugepage --load t --play file
	diff - <(sed -nE 's/.*madvise\(0x[0-9a-f]+, ([0-9]+), (MADV_[A-Z_]+).*/\2 \1/p' calls | grep -E ' 1048576$' | uniq) <<-EOF
		MADV_RANDOM 1048576
		MADV_POPULATE_READ 1048576
		MADV_COLD 1048576
	EOF
	[ "$(grep -c 'MADV_RANDOM' calls)" -ge 2 ]
	[ "$(calls madvise MADV_PAGEOUT --engine mmap --advise pageout-behind=1m --load t --play file)" -eq 16 ]
	[ "$(calls madvise MADV_WILLNEED --engine mmap --advise willneed --load t --play file)" -eq 256 ]
	[ "$(calls madvise MADV_WILLNEED --engine mmap --advise willneed=0-1m --load t --play file)" -eq 1 ]
}

@test "a descriptor is advised once for each run, and the report tells it" {
	needs_strace
	[ "$(calls fadvise64 POSIX_FADV_NOREUSE --advise noreuse,willneed=4m-5m,6m- --repeat 3 --load t --play file)" -eq 3 ]
	[ "$(grep -c 'POSIX_FADV_WILLNEED' calls)" -eq 6 ]
	grep -q '4194304, 1048576, POSIX_FADV_WILLNEED' calls
	grep -q '6291456, 0, POSIX_FADV_WILLNEED' calls
	"$IOTRACE" --advise noreuse,willneed=4m-5m,6m- --load t --play file >report
	diff - <(grep advice report) <<-EOF
		advice POSIX_FADV_NOREUSE
		advice POSIX_FADV_WILLNEED 4194304-5242880
		advice POSIX_FADV_WILLNEED 6291456-
	EOF
}

@test "willneed of a range brings it in before the first request" {
	needs_cache
	"$IOTRACE" --advise willneed=8m-9m --load t --head 1 --play file >report
	[ "$(number requests)" -eq 1 ]
	for _ in $(seq 50); do
		[ "$(pages)" -lt 257 ] || return 0
		sleep 0.1
	done
	false
}

@test "a later list takes the place of the earlier one" {
	"$IOTRACE" --advise noreuse --advise willneed=0-1m --load t --play file >report
	[ "$(grep -c advice report)" -eq 1 ]
}

@test "advice that an engine does not take is refused, with the reason" {
	refused 2 "--advise hugepage is for memory (madvise), and engine pread has nothing mapped" --advise hugepage --load t --play file
	refused 2 "--advise noreuse is for a descriptor (posix_fadvise), and engine mmap has a mapping" --advise noreuse --load t --mplay file
	refused 2 "--advise random: of a descriptor it holds for the whole file" --advise random=1m-2m --load t --play file
	refused 2 "--advise cold-behind is for memory" --advise cold-behind --load t --play file
}

@test "lists that make no sense are refused with the word" {
	refused 2 "'nosuch': not one of normal random" --advise nosuch --load t --play file
	refused 2 "'': not one of" --advise random, --load t --play file
	refused 2 "'1m-2m': not one of" --advise 1m-2m --load t --play file
	refused 2 "'1m-2m': not one of" --advise willneed,1m-2m --load t --play file
	refused 2 "'1m': not a range A-B or A-" --advise willneed=1m --load t --play file
	refused 2 "the range is empty" --advise willneed=2m-1m --load t --play file
	refused 2 "unknown unit" --advise willneed=1m-2x --load t --play file
	refused 2 "what is behind can be dontneed, cold or pageout" --advise random-behind --load t --play file
	refused 2 "'1b': less than a page" --advise dontneed-behind=1b --load t --play file
	refused 2 "one advice behind is enough" --advise dontneed-behind,dontneed-behind --load t --play file
}
