#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of patterns/, each at small scale.
# shellcheck disable=SC2030,SC2031 # each test is a subshell

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export TMPDIR=$BATS_TEST_TMPDIR
}

# The report's first line is told by its form.
reports() {
	grep -cE '^[0-9]+\.[0-9]{6}MB/s [0-9]+\.[0-9]{6}s [0-9]+x [0-9]+b ' <<<"$output"
}

requests() {
	sed -nE 's/^requests[^0-9]*([0-9]+).*/\1/p' <<<"$output" | sort -u
}

nothing_left() {
	run -0 ls -A "$TMPDIR"
	[ "$output" = "" ]
}

# faults RECIPE: small and short; sets $said. What is claimed of the speed is not asked of a busy machine.
faults() {
	[ "$(getconf PAGESIZE)" = 4096 ] || skip "pages are not of 4096 bytes here"
	run "patterns/$1" -t 0.2 -r 2 -j 1 -s 64 --check
	said=$output
	[ "$status" != 77 ] || skip "${said##*skipped: }"
	echo "$said"
	[ "$status" -le 1 ]
	[ "$(grep -c 'each touch of a page is a fault: .*: FAILS$' <<<"$said")" = 0 ]
	nothing_left
}

@test "hot-10 replays what it was asked for and removes its files" {
	run -0 patterns/hot-10 -n 40 -d 0.05
	[ "$(reports)" = 1 ]
	[ "$(requests)" = 40 ]
	[[ $output == *nr_inactive_file* ]]
	nothing_left
}

@test "a recipe whose reader goes away cleans up" {
	for recipe in sequential hot-10 backward; do
		status=0
		# the reader is gone before anything is printed
		bash -o pipefail -c '"$@" | exec 0<&-' - "patterns/$recipe" -n 20 || status=$?
		[ "$status" -ne 0 ]
		nothing_left
	done
}

@test "stride-100 replays under both hints" {
	local check=--check
	case $BUILD in *asan | *tsan) check= ;; esac # a sanitizer has faults of its own
	# shellcheck disable=SC2086 # nothing or a word
	run -0 patterns/stride-100 -n 60 -d 0.05 -r 2 $check
	[ "$(reports)" = 4 ]
	[[ $output == *"--advise normal"*"--advise random"* ]]
	[ "$(grep -cE '^repeat elapsed_seconds .* percent [0-9]' <<<"$output")" = 2 ]
	[ "$check" = "" ] || [ "$(grep -cE '^check: (with the normal hint|as random access): .*: holds$' <<<"$output")" -ge 4 ]
	nothing_left
}

@test "the page-fault recipes make a fault of each touch and tell their rate" {
	for recipe in multi-fault multi-fault-all multi-fault-all-fork; do
		faults $recipe
		[[ $said == *'linux-mm, '*'faults/s'*'check: '*': each touch of a page is a fault: '*': holds'* ]]
	done
	[[ $said == *'check: without forks hardly any touch is a fault: '*': holds'* ]]
}

@test "multi-fault-memcg compares the root group with a child" {
	faults multi-fault-memcg
	[[ $said == *'root group '*'child group '*'check: in the root group: each '*'check: in the child: each '* ]]
}

@test "any-command repeats a command beside sleepers and ends them" {
	# shellcheck disable=SC2016 # for the inner shell
	run -0 patterns/any-command -r 2 -p 3 -d 0.05 --check -- sh -c 'pgrep -c -P $(ps -o ppid= -p $PPID) sleep >&2; exit 0'
	echo "$output"
	[[ $output == *"2 runs, "*"pgfault "*"check: the table is of all runs: 2 == 2: holds"* ]]
	[ "$(grep -cx 3 <<<"$output")" = 2 ]
	run -3 patterns/any-command -r 2 -p 1 -d 0.05 -- sh -c 'exit 3'
	[[ $output != *Terminated* ]]
	run -77 patterns/any-command -- nosuchcommand
	[[ $output == *"skipped: there is no nosuchcommand here"* ]]
	nothing_left
}

@test "what a recipe claims of the program fails when the program does not do it" {
	mkdir "$TMPDIR/bin"
	# the fork is taken out
	# shellcheck disable=SC2016 # for the inner shell
	printf '#!/bin/sh\nfor w; do shift; [ "$w" != barrier,fork ] || w=barrier; set -- "$@" "$w"; done\nexec "%s" "$@"\n' \
		"$IOTRACE" >"$TMPDIR/bin/iotrace"
	chmod +x "$TMPDIR/bin/iotrace"
	IOTRACE=$TMPDIR/bin/iotrace run -1 patterns/multi-fault-all-fork -t 0.2 -r 2 -j 1 -s 64 --check
	[[ $output == *'check: with forks: each touch of a page is a fault: '*': FAILS'* ]]
	run -2 patterns/multi-fault -r 1
	[[ $output == *"no mean of fewer than 2 runs"* ]]
	run -2 patterns/multi-fault -j 100000
	run -2 patterns/multi-fault -f file
}

@test "sequential, backward, random and ooo replay" {
	for recipe in sequential backward random ooo; do
		run -0 patterns/$recipe -n 50 -d 0.05 --check
		echo "$output"
		[ "$(reports)" = 1 ]
		[ "$(requests)" = 50 ]
		grep -qE '^check: (each read|no read|the order) .*: holds$' <<<"$output"
		grep -qE '^check: what was read is in the cache: (.*: holds|not asked: .*)$' <<<"$output"
	done
	nothing_left
}

@test "each recipe claims something when it is checked" {
	for recipe in patterns/*; do
		[ -f "$recipe" ] && [ -x "$recipe" ] || continue
		grep -qE '^\s*(claim|touches_are_faults|came_in) ' "$recipe"
		[ "$(tail -n 1 "$recipe")" = conclude ]
	done
	run -0 patterns/hot-10 -n 200 -d 0.05 --check
	grep -qE '^check: pages read twice become active: (.*: holds|not asked: .*)$' <<<"$output"
}

@test "a replay in another order than the recipe's fails its check" {
	mkdir "$TMPDIR/bin"
	# what sequential creates is read backward, and the other way round
	# shellcheck disable=SC2016 # for the inner shell
	printf '#!/bin/sh\ncase "$*" in *--save*) ;; *) exec "%s" "$@" ;; esac\n%s\n' "$IOTRACE" \
		'case "$*" in *backward*) exec "'"$IOTRACE"'" --pattern sequential --offset 1g --size 32 --max-requests 20 --create --save "${*##* }" ;; esac
exec "'"$IOTRACE"'" --pattern backward --offset 1g --size 32 --max-requests 20 --create --save "${*##* }"' >"$TMPDIR/bin/iotrace"
	chmod +x "$TMPDIR/bin/iotrace"
	IOTRACE=$TMPDIR/bin/iotrace run -1 patterns/sequential -n 20 -d 0.05 --check
	[[ $output == *'check: each read begins where the one before ended: '*': FAILS'* ]]
	IOTRACE=$TMPDIR/bin/iotrace run -1 patterns/backward -n 20 -d 0.05 --check
	[[ $output == *'check: no read begins where the one before ended: '*': FAILS'* ]]
	run -0 patterns/hot-10 -n 200 -d 0.05
	[[ $output != *check:* ]]
}

@test "a command that a recipe printed makes the same trace by hand" {
	truncate -s 4M "$TMPDIR/file"
	run -0 patterns/random -n 30 -f "$TMPDIR/file" -d 0.05
	made=$(sed -n 's/^\$ iotrace //p' <<<"$output")
	[ "$made" != "" ]
	# shellcheck disable=SC2086 # words
	"$IOTRACE" ${made% --save *} --save "$TMPDIR/again"
	[ "$(grep -cv '^#' "$TMPDIR/again")" = 30 ]
}

@test "a file of the user is replayed as far as it goes, and stays" {
	truncate -s 1M "$TMPDIR/file"
	run -0 patterns/sequential -f "$TMPDIR/file" -d 0.05
	[[ $output == *"ends at page 256 in place of 2097152"* ]]
	[ "$(requests)" = 8 ]
	[ "$(stat -c %s "$TMPDIR/file")" = 1048576 ]
}

@test "where no file of that size can be made it says so and takes the largest" {
	# with the signal ignored, a size above the limit is EFBIG, as on a file system that holds no larger file
	at_most() {
		bash -c "trap '' XFSZ; ulimit -f $(($1 << 20)); shift; exec \"\$@\"" - "$@"
	}
	run -0 at_most 3 patterns/stride-100 -n 5 -d 0.05 -r 2
	[[ $output == *"holds no file of 1000 GiB: the sparse file has 3 GiB."* ]]
	[[ $output == *"The pattern ends at page 786432 in place of 1000001"* ]]
	[ "$(reports)" = 4 ]
	run -1 at_most 0 patterns/stride-100 -n 5
	[[ $output == *"stride-100: no sparse file can be made in "* ]]
	nothing_left
}

@test "other fields are sampled when named" {
	run -0 patterns/ooo -n 10 -d 0.05 pgfault nr_free_pages
	[[ $output == *" pgfault"*" nr_free_pages"* ]]
	# the names stand in the printed command; nothing is sampled of the default fields
	run ! grep -E '^ *(pgpgin|nr_inactive_file) ' <<<"$output"
}

@test "a time limit ends a recipe in good order" {
	run -0 patterns/hot-10 -t 0.3 -d 0.1
	[ "$(reports)" = 1 ]
	nothing_left
}

@test "a recipe that is interrupted removes its files" {
	for end in INT:130 TERM:143; do
		# a shell's background jobs ignore SIGINT: env gives it back
		env --default-signal=INT setsid patterns/hot-10 -d 0.1 >"$BATS_TEST_TMPDIR.out" 2>&1 3>&- &
		pid=$!
		for _ in $(seq 100); do
			# the header line, not the command
			grep -qE '^ +nr_mapped' "$BATS_TEST_TMPDIR.out" && break
			sleep 0.1
		done
		kill -"${end%:*}" -- -$pid
		status=0
		wait $pid || status=$?
		[ "$status" = "${end#*:}" ]
		nothing_left
	done
}

@test "each recipe explains itself, refuses unknown options and is listed in the README" {
	for recipe in patterns/*; do
		[ -f "$recipe" ] && [ -x "$recipe" ] || continue
		run -0 "$recipe" -h
		[[ $output == *"Usage: ${recipe#*/}"* ]]
		run -2 "$recipe" -z
		grep -q "^| \`${recipe#*/}\` |" patterns/README.md
	done
}

@test "a recipe takes the options that mean something to it" {
	run -2 patterns/hot-10 -m 64
	run -2 patterns/writeback -f file
	run -2 patterns/readahead -d 1
	run -0 patterns/used-once -h
	[[ $output == *"  -m MIB "*"@NAME is NAME of the memory cgroup"* ]]
}

# experiment NAME OPTION...: run it, or skip when it says that it cannot be made here.
experiment() {
	case $BUILD in *asan | *tsan) skip "a sanitizer needs more memory than the cgroup has" ;; esac
	local name=$1
	shift
	run "patterns/$name" "$@"
	[ "$status" != 77 ] || skip "${output##*skipped: }"
	echo "$output"
	[ "$status" = 0 ]
	[ -z "$(ls -A "$TMPDIR")" ]
	[ -z "$(find /sys/fs/cgroup -maxdepth 2 -name 'io-[0-9]*')" ]
}

@test "hot-10-pressure streams beside either mapping of the working set" {
	experiment hot-10-pressure -m 64 -t 0.5 -d 0.1
	[ "$(reports)" = 3 ]
	[[ $output == *"nr_mapped"*"begin to end"*"--executable"*"begin to end"* ]]
}

@test "readahead has a row for each pattern and size" {
	experiment readahead -m 64 -n 100
	[ "$(grep -cE '^(streams|strided|mapped|backward) +(0|32k|128k|1024k) +100 +[0-9.]+ +[0-9.]+ +[0-9.]+$' <<<"$output")" = 16 ]
}

@test "used-once has a row for each way to stream" {
	experiment used-once -m 64 -t 0.5
	[ "$(grep -cE '^(plain|noreuse|dontneed) +[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9]+$' <<<"$output")" = 3 ]
	grep -qE '^dontcache(: not here| +[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9]+)$' <<<"$output"
}

@test "writeback writes under both limits and sets them back" {
	before=$(grep . /proc/sys/vm/dirty_*bytes /proc/sys/vm/dirty_*ratio)
	experiment writeback -m 16 -t 0.5
	[ "$(reports)" = 2 ]
	[ "$(grep . /proc/sys/vm/dirty_*bytes /proc/sys/vm/dirty_*ratio)" = "$before" ]
}

@test "an experiment that is checked fails when the result is not as claimed" {
	mkdir "$TMPDIR/recipes"
	cp patterns/common.sh "$TMPDIR/recipes"
	for relation in '<' '>'; do
		cat >"$TMPDIR/recipes/recipe" <<-END
			about='A recipe that claims something.' fields=none
			. "\$(dirname "\$0")/common.sh"
			claim 'one is $relation two' 1 '$relation' 2
			conclude
		END
		run sh "$TMPDIR/recipes/recipe"
		[ "$status" = 0 ]
		[[ $output != *check:* ]]
		run sh "$TMPDIR/recipes/recipe" --check
		if [ "$relation" = '<' ]; then
			[ "$status" = 0 ]
			[[ $output == *"check: one is < two: 1 < 2: holds"* ]]
		else
			[ "$status" = 1 ]
			[[ $output == *"check: one is > two: 1 > 2: FAILS"* ]]
		fi
	done
}
