#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The trace format as iotrace(5) tells it.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	page=$BATS_TEST_DIRNAME/../../man/iotrace.5
}

# The literal block of the page that has the line TEXT in it.
block() {
	awk -v text="$1" '/^\.Bd/ { lines = ""; next } /^\.Ed/ { if (index(lines, text)) printf "%s", lines; next }
		{ lines = lines $0 "\n" }' "$page"
}

saved() {
	"$IOTRACE" "$@" --quiet --save - | grep -v '^# '
}

@test "the example of hot-10 is what the command beside it makes" {
	block '100 110' >few
	[ "$(wc -l <few)" -eq 3 ]
	bash -eu -c "$(block 'seq -f')"
	[ "$(wc -l <pattern-hot-10)" -eq 100001 ]
	head -3 pattern-hot-10 | cmp - few
	[ "$(saved --load few)" = "$(printf '0p\t110p\n100p\t110p\n200p\t110p')" ]
	saved --load pattern-hot-10 | tail -1 | grep -qx $'10000000p\t110p'
}

@test "the example with columns is saved as it stands, under every unit" {
	block '#columns offset' >mixed
	[ "$(wc -l <mixed)" -eq 7 ]
	for unit in b k m g t p; do
		"$IOTRACE" --load mixed --unit $unit --save saved
		for other in b k m g t p; do
			"$IOTRACE" --unit $other --load saved --unit b --save again
			"$IOTRACE" --load mixed --unit b --save first
			cmp <(grep -v '^# ' again) <(grep -v '^# ' first)
		done
	done
}

@test "each column that the page names is known, and no other" {
	names=$(sed -n '/^\.Ss Columns/,/^\.Ss Files/s/^\.It Cm \([a-z]*\)$/\1/p' "$page" | xargs)
	[ "$(wc -w <<<"$names")" -eq 6 ]
	run "$IOTRACE" --load <(echo '#columns offset size') --save -
	[ "$status" -eq 2 ]
	[[ $output == *"'size': not one of $names"* ]]
}

@test "each unit letter that the page names is known, and no other" {
	letters=$(sed -n '/^\.Ss Numbers/,/^\.Ss Columns/s/^\.It Cm \([a-z]\)$/\1/p' "$page" | tr -d '\n')
	for c in {a..z}; do
		if [[ $letters == *$c* ]]; then
			saved --load <(echo "1$c") >/dev/null
		else
			run "$IOTRACE" --load <(echo "1$c") --save -
			[ "$status" -eq 2 ]
		fi
	done
}

@test "a broken-up trace is loaded as the pieces it says" {
	printf '0 16\n20 3\n' >t
	"$IOTRACE" --load t --size 4 --break-up steps --save plain
	grep -qx '#columns step offset length' steps
	cmp <(saved --load steps | cut -f1,2 | grep -v '#') <(grep -v '^#' plain | cut -f1,2)
}

# The last save writes a pattern part by part when nothing else wants it.
@test "a pattern saved in parts is the one saved as a whole" {
	for pattern in "sequential --size 1b,9k" "random --max-requests 40000 --size 2" "ooo --size 1"; do
		# shellcheck disable=SC2086 # words
		set -- --seed 7 --offset 40000 --pattern $pattern
		"$IOTRACE" "$@" --create --save parts
		"$IOTRACE" "$@" --create --save whole --save again
		[ "$(wc -l <parts)" -gt 32768 ]
		cmp <(tail -n +2 parts) <(tail -n +2 whole)
	done
	"$IOTRACE" --seed 7 --create --seed 8 --save parts
	"$IOTRACE" --seed 7 --create --save whole
	cmp <(tail -n +2 parts) <(tail -n +2 whole)
}
