# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of the documents share.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}

# The options that PROGRAM --help lists, one a line, sorted: "-c", "--create".
help_options() {
	"$1" --help | sed -nE 's/^ +((-[A-Za-z0-9], )?--[a-z0-9-]+|-[A-Za-z0-9]).*/\1/p' | tr -s ', ' '\n' | sort
}

# The options that a page describes in its lists, likewise: ".It Fl c , Fl -create Ar FILE".
page_options() {
	awk '/^\.It Fl / { for (i = 2; i < NF; i++) if ($i == "Fl") { gsub(/\\/, "", $(i + 1)); print "-" $(i + 1) } }' "$1" | sort
}

# The commands of a page's section EXAMPLES, as a script.
page_examples() {
	awk '
		/^\.Sh/ { examples = /EXAMPLES/; next }
		!examples { next }
		/^\.Bd/ { block = 1; next }
		/^\.Ed/ { block = 0; next }
		/^\.Dl/ { sub(/^\.Dl +/, ""); print; next }
		block { print }' "$1" | sed -E 's/^\$ //; s/\\e/\\/g; s/\\&//g; s/\\\(ti/~/g; s/\\-/-/g; s/\\\(aq/'"'"'/g'
}

# run_script FILE: run it in a folder of its own with the two programs on the PATH, stopping at the first command that
# fails. A vmmon that would run until it is interrupted is interrupted after two seconds.
run_script() {
	local bin=$BATS_TEST_TMPDIR/bin place=$BATS_TEST_TMPDIR/place
	mkdir -p "$bin" "$place"
	printf '#!/bin/sh\nexec timeout 100 "%s" "$@"\n' "$IOTRACE" >"$bin/iotrace"
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\ntimeout --preserve-status -s INT 2 "%s" "$@"\ns=$?\n[ $s = 130 ] || exit $s\n' "$VMMON" >"$bin/vmmon"
	chmod +x "$bin"/*
	(cd "$place" && PATH=$bin:$PATH TMPDIR=$place bash -eux "$1")
}
