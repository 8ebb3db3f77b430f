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

@test "hot-10 replays what it was asked for and removes its files" {
	run -0 patterns/hot-10 -n 40 -d 0.05
	[ "$(reports)" = 1 ]
	[ "$(requests)" = 40 ]
	[[ $output == *nr_inactive_file* ]]
	nothing_left
}

@test "stride-100 replays under both hints" {
	run -0 patterns/stride-100 -n 60 -d 0.05
	[ "$(reports)" = 2 ]
	[ "$(requests)" = 60 ]
	[[ $output == *"--advise normal"*"--advise random"* ]]
	nothing_left
}

@test "sequential, backward, random and ooo replay" {
	for recipe in sequential backward random ooo; do
		run -0 patterns/$recipe -n 50 -d 0.05
		[ "$(reports)" = 1 ]
		[ "$(requests)" = 50 ]
	done
	nothing_left
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
	run -0 at_most 3 patterns/stride-100 -n 5 -d 0.05
	[[ $output == *"holds no file of 1000 GiB: the sparse file has 3 GiB."* ]]
	[[ $output == *"The pattern ends at page 786432 in place of 1000001"* ]]
	[ "$(reports)" = 2 ]
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
		[ -x "$recipe" ] || continue
		run -0 "$recipe" -h
		[[ $output == *"Usage: ${recipe#*/}"* ]]
		run -2 "$recipe" -z
		grep -q "^| \`${recipe#*/}\` |" patterns/README.md
	done
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
