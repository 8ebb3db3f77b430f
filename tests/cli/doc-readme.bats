#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# README, CHANGELOG and CONTRIBUTING say what is there.

load doc.bash

# The indented lines of a section of README.md that begin with one of the programs.
readme_commands() {
	awk -v title="## $1" '/^## / { in_it = $0 == title } in_it && /^    (iotrace|vmmon) / { print substr($0, 5) }' README.md
}

@test "one version: VERSION, the changes, and both programs" {
	version=$(cat VERSION)
	[ "$(sed -nE '/^## / { s/^## ([0-9.]+).*/\1/p; q }' CHANGELOG.md)" = "$version" ]
	run -0 "$IOTRACE" --version
	[ "$output" = "iotrace $version" ]
	run -0 "$VMMON" --version
	[ "$output" = "vmmon $version" ]
}

@test "the commands of the README run" {
	readme_commands "In short" >"$BATS_TEST_TMPDIR/commands"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/commands")" -ge 5 ]
	mkdir -p "$BATS_TEST_TMPDIR/place"
	# their FILE, in the size that pattern-hot-10 needs; a third of a second for each replay
	truncate -s 40000440K "$BATS_TEST_TMPDIR/place/FILE" || skip "no file of 38 GiB on this file system"
	sed -i 's/--load/--max-seconds 0.3 --load/' "$BATS_TEST_TMPDIR/commands"
	"$IOTRACE" --engine help | grep -qE '^io_uring +yes' || sed -i '/io_uring/d' "$BATS_TEST_TMPDIR/commands"
	run -0 run_script "$BATS_TEST_TMPDIR/commands"
}

@test "make knows each target that a document names" {
	make help >"$BATS_TEST_TMPDIR/help"
	for target in $(grep -ohE '(^    |`)make( [a-z-]+)+' README.md CONTRIBUTING.md | grep -oE ' [a-z-]+' | grep -v ' make' | sort -u); do
		grep -qE "^  make $target " "$BATS_TEST_TMPDIR/help"
	done
}

@test "each file that a document links to is there" {
	for document in README.md CONTRIBUTING.md CHANGELOG.md patterns/README.md; do
		for link in $(grep -oE '\]\([^)#]+\)' "$document" | sed 's/^](//; s/)$//'); do
			[[ $link == http* ]] || [ -e "$(dirname "$document")/$link" ]
		done
	done
}

@test "the folders of the README's layout are those of the tree" {
	for folder in $(sed -n '/^## Layout/,/^## Figures/p' README.md | sed -nE 's/^    ((lib\/)?[a-z]+)  .*/\1/p'); do
		[ -d "$folder" ]
	done
	for folder in lib/*/; do
		grep -q "^    ${folder%/} " README.md
	done
}
