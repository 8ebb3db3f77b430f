# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of vmmon share. A test works in a folder of its own, with a vmstat in it.
# shellcheck shell=bash disable=SC2154 # set by run

load needs

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	printf 'nr_dirty 500\npgfault 0000001000\n' >vmstat
}

# bats does not see a failure behind "!".
not() {
	if "$@"; then return 1; fi
}

# refused TEXT ARGUMENT...: vmmon exits with 2, and says TEXT on standard error and nothing elsewhere.
refused() {
	local text=$1
	shift
	run --separate-stderr timeout 20 "$VMMON" --proc . "$@"
	echo "$*: status $status: $stderr"
	[ "$status" -eq 2 ] && [ -z "$output" ] && [[ "${stderr_lines[0]}" == "vmmon: "* ]] && [[ "$stderr" == *"$text"* ]]
}

# wait_for COMMAND...: until it succeeds, 20 seconds at most.
wait_for() {
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" && return 0
		sleep 0.1
	done
	return 1
}
