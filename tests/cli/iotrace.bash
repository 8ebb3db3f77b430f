# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of iotrace share. A test works in a folder of its own.
# shellcheck shell=bash disable=SC2154 # set by run

load needs

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# bytes FILE: a saved trace as "offset length" in bytes, one request a line.
bytes() {
	awk '
		function value(s) { return substr(s, 1, length(s) - 1) * unit[substr(s, length(s))] }
		BEGIN { unit["b"] = 1; unit["k"] = 1024; unit["p"] = 4096; unit["m"] = 1024 ^ 2; unit["g"] = 1024 ^ 3; unit["t"] = 1024 ^ 4 }
		!/^#/ { printf "%.0f %.0f\n", value($1), value($2) }' "$1"
}

# pages FILE: the same on one line, in pages: "0.1 1.1 ".
pages() {
	bytes "$1" | awk '{ printf "%s.%s ", $1 / 4096, $2 / 4096 }'
}

# value NAME: of the report in $output.
value() {
	sed -n "s/^$1 //p" <<<"$output"
}

# refused STATUS TEXT ARGUMENT...: iotrace exits so, and says TEXT on standard error and nothing elsewhere.
refused() {
	local status_wanted=$1 text=$2
	shift 2
	run --separate-stderr "$IOTRACE" "$@"
	echo "$*: status $status: $stderr"
	[ "$status" -eq "$status_wanted" ] && [ -z "$output" ] && [[ "${stderr_lines[0]}" == "iotrace: "* ]] &&
		[[ "$stderr" == *"$text"* ]]
}

# engines: those that can run here and do something.
engines() {
	"$IOTRACE" --engine help | awk '$1 != "null" && $2 == "yes" { print $1 }'
}

# Skip where what is cached of a file in this folder cannot be told.
needs_cache() {
	command -v fincore >/dev/null || skip "no fincore"
	case $(stat -f -c %T .) in tmpfs | ramfs | overlayfs) skip "the cache of $PWD is not this file's" ;; esac
}
