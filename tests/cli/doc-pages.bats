#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages say what the programs do.

load doc.bash

same_options() {
	help_options "$1" >"$BATS_TEST_TMPDIR/help"
	page_options "$2" >"$BATS_TEST_TMPDIR/page"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/help")" -ge 10 ]
	diff "$BATS_TEST_TMPDIR/help" "$BATS_TEST_TMPDIR/page"
}

runs_examples() {
	page_examples "$1" >"$BATS_TEST_TMPDIR/examples"
	[ "$(grep -c "$2" "$BATS_TEST_TMPDIR/examples")" -ge 3 ]
	run -0 run_script "$BATS_TEST_TMPDIR/examples"
}

@test "iotrace --help and iotrace(1) list the same options" {
	same_options "$IOTRACE" man/iotrace.1
}

@test "vmmon --help and vmmon(1) list the same options" {
	same_options "$VMMON" man/vmmon.1
}

@test "the examples of iotrace(1) run as they stand" {
	runs_examples man/iotrace.1 iotrace
}

@test "the examples of vmmon(1) run as they stand" {
	runs_examples man/vmmon.1 vmmon
}

@test "the pages have no fault that mandoc finds" {
	command -v mandoc >/dev/null || skip "no mandoc here"
	for page in man/iotrace.1 man/vmmon.1 man/iotrace.5; do
		# Which other pages are installed here says nothing about ours.
		run --separate-stderr mandoc -T lint -W style "$page"
		[ "$(grep -v 'referenced manual not found' <<<"$output")" = "" ]
	done
}

@test "each page that a page refers to is there" {
	for name in $(sed -nE 's/^\.Xr (iotrace|vmmon) ([0-9]).*/\1.\2/p' man/*.[1-8] | sort -u); do
		[ -s "man/$name" ]
	done
}
