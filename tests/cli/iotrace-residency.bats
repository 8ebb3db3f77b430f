#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What of a file is cached, as numbers, as a bar and as a trace, and how it comes back.

# shellcheck disable=SC2016,SC2154 # words for an inner shell; set by run

bats_require_minimum_version 1.5.0
load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	head -c 4194304 /dev/urandom >f
	printf '10 3\n100 60\n500 1\n700 300\n1023 1\n' >some
}

# A play of nothing drops what is cached.
cold() {
	"$IOTRACE" --quiet --load /dev/null --play f >/dev/null
	[ "$(cached)" -eq 0 ] || skip "pages cannot be dropped here"
}

cached() {
	run -0 --separate-stderr "$IOTRACE" --residency f
	value cached
}

@test "what was brought in is what is cached, to the page" {
	cold
	run -0 --separate-stderr "$IOTRACE" --load some --willneed f
	[ "$(value requests) $(value pages) $(value pages_before) $(value pages_after)" = "5 365 0 365" ]
	[[ "${lines[0]}" == "100.00% 365 of 365 pages in "*" s: f" ]]
	run -0 --separate-stderr "$IOTRACE" --residency f --save warm
	[ "${lines[0]}" = "35.64% 365 of 1024 pages in 5 ranges: f" ]
	[ "$(value size) $(value pages) $(value cached) $(value ranges)" = "4194304 1024 365 5" ]
	[ "$(pages warm)" = "10.3 100.60 500.1 700.300 1023.1 " ]
}

@test "the cache of a file comes back on each file system" {
	command -v unshare >/dev/null || skip "no unshare here"
	unshare -m true || skip "no mount namespaces"
	cat >round-trip <<-'END'
		cd "$1" || exit 1
		head -c 4194304 /dev/urandom >f
		sync f
		"$IOTRACE" --quiet --load /dev/null --play f >/dev/null || exit 1
		"$IOTRACE" --quiet --load "$2" --willneed f --residency f --save warm || exit 1
		"$IOTRACE" --quiet --load /dev/null --play f >/dev/null || exit 1
		"$IOTRACE" --load warm --willneed f >said || exit 1
		"$IOTRACE" --quiet --residency f --save again || exit 1
		grep -v '^#' warm >a; grep -v '^#' again >b
		cat said a
		diff a b && [ -s a ] && [ "$(sed -n 's/^pages //p' said)" = "$(sed -n 's/^pages_after //p' said)" ] &&
			{ [ "$3" = tmpfs ] || [ "$(sed -n 's/^pages_before //p' said)" -eq 0 ]; }
	END
	done=0
	for type in ext4 xfs btrfs tmpfs; do
		mkdir "$type"
		run unshare -m sh -c 'mount --make-rprivate / && "$1/../lib/mountfs.sh" "$2" "$3/$2.img" "$3/$2" || exit
			rm -f "$3/$2.img"; sh "$3/round-trip" "$3/$2" "$3/some" "$2"' sh "$BATS_TEST_DIRNAME" "$type" "$PWD"
		echo "$type: $status $output"
		[ "$status" -ne 77 ] && [[ "$output" != *"Operation not permitted"* ]] || continue
		[ "$status" -eq 0 ]
		done=$((done + 1))
	done
	[ "$done" -gt 0 ] || skip "no file system can be mounted here"
}

@test "the bar has a cell for each part of the file" {
	head -c 40960 /dev/urandom >small
	"$IOTRACE" --quiet --offset 40960b --unit b --create --play small >/dev/null
	run -0 --separate-stderr "$IOTRACE" --residency small
	[ "$(value cached)" = 10 ]
	[ "${lines[-2]}" = "|##########|" ]
	[[ "${lines[-1]}" =~ ^0\ +40960$ ]]
	truncate -s 1m small
	run -0 --separate-stderr "$IOTRACE" --residency small
	[[ "${lines[-2]}" =~ ^\|##[^\ ]\ +\|$ ]]
	[ "${#lines[-2]}" -eq 80 ]
	[ "${#lines[-1]}" -eq 80 ]
	run -0 "$IOTRACE" --quiet --residency small
	[ "${#lines[@]}" -eq 1 ]
}

@test "a terminal that can has blocks in its bar" {
	need_terminal
	command -v script >/dev/null || skip "no script here"
	head -c 40960 /dev/urandom >small
	run -0 env LC_ALL=C.UTF-8 script -qc "$IOTRACE --residency small" /dev/null
	[[ "$output" == *"|██████████|"* ]]
	run -0 env LC_ALL=C LANG=C.UTF-8 script -qc "$IOTRACE --residency small" /dev/null
	[[ "$output" == *"|##########|"* ]]
}

@test "--json has it for programs" {
	need_jq
	run -0 --separate-stderr "$IOTRACE" --json j --load some --willneed f --residency f
	[ "$(jq -s length j)" -eq 2 ]
	[ "$(jq -s '.[0].willneed.pages_after' j)" = 365 ]
	[ "$(jq -s -c '.[1].residency | [.path, .size, .pages, .cached, .ranges]' j)" = \
		"[\"f\",4194304,1024,$(value cached),$(value ranges)]" ]
	[ "$(jq -s -r '.[1].residency.method' j)" = "$(sed -n 's/^method //p' <<<"$output" | tail -n 1)" ]
}

@test "an empty file and a trace with nothing for it are no trouble" {
	: >empty
	run -0 --separate-stderr "$IOTRACE" --residency empty --save warm
	[ "${lines[0]}" = "0.00% 0 of 0 pages in 0 ranges: empty" ]
	echo >page
	run --separate-stderr "$IOTRACE" --quiet --residency page
	[ "$output" = "100.00% 1 of 1 page in 1 range: page" ]
	[ -z "$(pages warm)" ]
	run -0 --separate-stderr "$IOTRACE" --load some --willneed empty
	[ "$(value pages) $(value past_end_requests)" = "0 5" ]
	[[ "$stderr" != *"trace is empty"* ]]
	run -0 --separate-stderr "$IOTRACE" --load warm --willneed f
	[[ "${lines[0]}" == "0 pages in "*" s: f" && "$stderr" == "iotrace: the trace is empty, so nothing of f was read" ]]
}

@test "what has no page cache, and what is not to be known, is said before anything is done" {
	refused 2 "--residency: /dev/zero: has no page cache of its own" --load some --save s --residency /dev/zero
	refused 2 "--willneed: /dev/zero: has no page cache of its own" --load some --willneed /dev/zero
	refused 2 "--residency: missing: No such file" --residency missing
	refused 2 "--residency: the argument is missing" --residency
	[ ! -e s ]
	printf '#columns offset length file\n0 1 0\n1 1 1\n' >two
	run --separate-stderr "$IOTRACE" --load two --willneed f
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"request 2: "*"this one is of file 1"*"--filter file=0"* ]]
	run -0 --separate-stderr "$IOTRACE" --load two --file-map one --willneed f
	[ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null || skip "needs root and setpriv to become somebody else"
	chmod 755 . .. ; chmod 644 f
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups "$IOTRACE" --residency f
	[ "$status" -eq 2 ] && [[ "$stderr" == *"only those who own the file or may write to it"* ]] || [[ "$stderr" == *"Permission denied"* ]]
}

@test "vmmon has both, and samples while the cache fills" {
	run -0 --separate-stderr "$VMMON" -d 0.01 nr_file_pages --load some --willneed f --residency f
	[[ "$output" == *"pages_after 365"* ]]
	[[ "$output" == *"nr_file_pages"* ]]
}
