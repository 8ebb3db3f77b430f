#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vmmon: fields and how they are shown, on fixtures of other kernels and on files of the test's own.

# shellcheck disable=SC2154,SC2086,SC2016 # variables of bats; lines split into words; text for an inner shell
bats_require_minimum_version 1.5.0

setup() {
	data=$BATS_TEST_DIRNAME/../data/vmstat
	cd "$BATS_TEST_TMPDIR" || return
}

# refused TEXT ARGUMENT...: status 2, a message with the text, no row.
refused() {
	local text=$1
	shift
	run --separate-stderr "$VMMON" "$@"
	echo "$*: status $status: $stderr"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ "${stderr_lines[0]}" == "vmmon: "* ]]
	[[ "$stderr" == *"$text"* ]]
}

# row NUMBER: a line of $output without its padding.
row() { xargs <<<"${lines[$1]}"; }

@test "columns are those of 2009: one blank and sixteen characters, a heading, then rows" {
	run --separate-stderr "$VMMON" --proc "$data/6.18" -r -d 0.01 -n 2 nr_dirty pgfault
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "         nr_dirty          pgfault" ]
	[ "${lines[1]}" = "              101        123456789" ]
	[ "${lines[2]}" = "${lines[1]}" ]
	[ -z "$stderr" ]
}

@test "a name that is part of another is not mixed up with it" {
	run "$VMMON" --proc "$data/6.18" -r -d 0.01 -n 1 nr_dirty nr_dirty_threshold nr_dirty
	[ "$(row 1)" = "101 90010 101" ]
}

@test "differences per second are the default, -r shows values, -a goes by the class" {
	for o in '' -r -a '-r -a' '-a -r'; do
		run "$VMMON" $o --proc "$data/6.18" -d 0.01 -n 1 nr_dirty pgfault
		case $o in
		'') [ "$(row 1)" = "0 0" ] ;;
		*-r) [ "$(row 1)" = "101 123456789" ] ;;
		*-a) [ "$(row 1)" = "101 0" ] ;;
		esac
	done
}

@test "a field may say how it is shown" {
	run "$VMMON" -r --proc "$data/6.18" -d 0.01 -n 1 nr_dirty:rate nr_dirty pgfault:delta 'nr_dirty_*:raw'
	[ "$status" -eq 0 ]
	[ "$(row 0)" = "nr_dirty:rate nr_dirty pgfault:delta nr_dirty_threshold:raw nr_dirty_background_threshold:raw" ]
	[ "$(row 1)" = "0 101 0 90010 45002" ]
}

@test "a glob is a column for each match, a sum is one" {
	run "$VMMON" -r --proc "$data/5.10" -d 0.01 -n 1 'allocstall_*' 'sum(allocstall_*)'
	[ "$(row 0)" = "allocstall_dma allocstall_dma32 allocstall_normal allocstall_movable sum(allocstall_*)" ]
	[ "$(row 1)" = "1 20 300 4000 4321" ]
}

@test "the same question can be asked of each kernel" {
	for k in 2.6.32 3.10 4.19 5.10 6.18; do
		run "$VMMON" -r --proc "$data/$k" -d 0.01 -n 1 nr_free_pages nr_mapped pgfault pgmajfault
		[ "$status" -eq 0 ]
		[ "$(row 1)" = "250000 30303 123456789 4321" ]
	done
}

@test "odd lines do no harm, and 64 bits are shown exactly" {
	printf 'nr_free_pages 1000\npgfault\nwords and words\nbig 18446744073709551615\n\n 7\nlast 5' >vmstat
	run "$VMMON" -r --proc . -d 0.01 -n 1 nr_free_pages last big
	[ "$(row 1)" = "1000 5 18446744073709551615" ]
	refused "no field 'pgfault'" --proc . pgfault
}

@test "a field that the kernel lacks is refused with names that are near" {
	refused "no field 'nr_drity'; nearest: nr_dirty" --proc "$data/6.18" pgfault nr_drity
	refused "no field 'zzz'" --proc "$data/6.18" zzz
	refused "'zzz*'" --proc "$data/6.18" 'zzz*'
	refused "'zzz*'" --proc "$data/6.18" 'sum(zzz*)'
}

@test "a field of another time is refused with what became of it" {
	refused "Linux 4.8: pgscan_kswapd" --proc "$data/6.18" pgscan_kswapd_normal
	refused "split into thp_split_page" --proc "$data/6.18" thp_split
	refused "before Linux 4.8" --proc "$data/3.10" allocstall_normal
	refused "since Linux 2.6.37" --proc "$data/2.6.32" nr_dirtied
	refused "split by Linux 3.10 into pgsteal_kswapd" --proc "$data/3.10" pgsteal_normal
}

@test "a name that the kernel counts in parts is their sum" {
	run --separate-stderr "$VMMON" -r --proc "$data/5.10" -d 0.01 -n 1 allocstall workingset_refault pgfault
	[ "$status" -eq 0 ]
	[ "$(row 0)" = "allocstall workingset_refault pgfault" ]
	[ "$(row 1 | cut -d' ' -f1)" -eq 4321 ]
	[ "${stderr_lines[0]}" = "vmmon: allocstall: on this kernel the sum of 'allocstall_*'" ]
	for name in pgscan_direct pgscan_kswapd pgsteal_kswapd pgrefill; do
		run --separate-stderr "$VMMON" -r --proc "$data/3.10" -d 0.01 -n 1 $name
		[ "$(row 1)" -eq "$(awk -v n="^${name}_[^t]" '$1 ~ n { sum += $2 } END { print sum }' "$data/3.10/vmstat")" ]
	done
	run --separate-stderr "$VMMON" -r --proc "$data/4.19" -d 0.01 -n 1 workingset_refault_file
	[ "$(row 1)" -eq "$(awk '$1 == "workingset_refault" { print $2 }' "$data/4.19/vmstat")" ]
}

@test "a field with a question mark may be missing" {
	run --separate-stderr "$VMMON" -r --proc "$data/6.18" -d 0.01 -n 1 '?nr_nothing' '?nr_dirty' '?node:999:nr_dirty'
	[ "$status" -eq 0 ]
	[ "$(row 0)" = "nr_nothing nr_dirty node:999:nr_dirty" ]
	[ "$(row 1)" = "- 101 -" ]
	refused "empty" --proc "$data/6.18" '?'
}

@test "a field whose value is none says so, and harms no other" {
	printf 'pgfault 1\npgfree 18446744073709551616\nnr_dirty -5\n' >vmstat
	for field in pgfree nr_dirty; do
		run --separate-stderr "$VMMON" --proc . $field
		[ "$status" -eq 1 ]
		[ "$stderr" = "vmmon: ./vmstat: the value of field '$field' is no number from 0 to 2^64 - 1" ]
	done
	run -0 "$VMMON" --proc . -d 0.01 -n 1 pgfault
}

@test "an interval and a count as other tools take them are explained" {
	printf 'pgfault 1\n' >vmstat
	refused "-d SEC" --proc . 1 5 pgfault
	refused "-d SEC" --proc . pgfault 0.5
}

@test "two columns of one name that are not the same are refused" {
	printf 'pgfault 1\nnr_dirty 5\n' >vmstat
	refused "x: another column has this name" --proc . x=pgfault x=nr_dirty
	refused "pgfault: another column has this name" --proc . pgfault pgfault=nr_dirty
	refused "pgfault: another column has this name" --proc . pgfault=nr_dirty pgfault
	run -0 "$VMMON" --proc . -d 0.01 -n 1 pgfault pgfault:raw pgfault
}

@test "a field that is only kept for old readers is told" {
	run --separate-stderr "$VMMON" --proc "$data/6.18" -d 0.01 -n 1 nr_writeback nr_unstable
	[ "$status" -eq 0 ]
	[[ "$stderr" == "vmmon: nr_unstable: always 0 since Linux 5.8"* ]]
	run --separate-stderr "$VMMON" --proc "$data/3.10" -d 0.01 -n 1 nr_writeback nr_unstable
	[ -z "$stderr" ]
}

@test "malformed fields are refused" {
	for f in '' :raw 'pgfault:' pgfault:row 'sum(' 'sum()' 'sum(pg*' 'pg fault'; do
		refused "vmmon: " --proc "$data/6.18" "$f"
	done
	refused "no field to sample"
	refused "no field to sample" -r -d 1
}

@test "a file that is missing, empty or of another kind is named" {
	mkdir dir dir/vmstat
	: >vmstat
	for d in absent . dir; do
		run --separate-stderr "$VMMON" --proc $d pgfault
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ "$stderr" == "vmmon: $d/vmstat: "* ]]
	done
}

@test "--list shows name, class, unit, freshness and value, and the formulas of derived columns" {
	run "$VMMON" --proc "$data/6.18" --list
	[ "$status" -eq 0 ]
	[ "$(sed '/^$/q' <<<"$output" | wc -l)" -eq $(($(wc -l <"$data/6.18/vmstat") + 2)) ]
	[ "$(row 0)" = "name class unit fresh value" ]
	grep -qE '^nr_dirty +gauge +pages +folded +101$' <<<"$output"
	grep -qE '^nr_dirtied +counter +pages +folded +[0-9]+$' <<<"$output"
	grep -qE '^pgpgin +counter +KiB +always +[0-9]+$' <<<"$output"
	grep -qE '^nr_memmap_boot_pages +constant +pages +always +[0-9]+$' <<<"$output"
	grep -qE '^free_per_deactivate +1 +pgfree / pgdeactivate$' <<<"$output"
	[ "${lines[-1]}" = "sources of further fields, for --list 'SOURCE:*': vmstat node:NAME cgroup:NAME meminfo pressure:NAME disk:NAME self pid:NAME" ]
}

@test "--list takes globs, and names what it does not find" {
	run "$VMMON" --list 'nr_dirty*' pgfault --proc "$data/6.18"
	[ "$status" -eq 0 ]
	[ "$(awk '{ print $1 }' <<<"$output" | xargs)" = "name nr_dirty nr_dirty_threshold nr_dirty_background_threshold pgfault" ]
	refused "no field 'allocstal'" --list allocstal --proc "$data/6.18"
	refused "--list goes with no action" --list --sleep 1
}

@test "the kernel's own fields are all there" {
	[ -r /proc/vmstat ] || skip "no /proc/vmstat"
	run "$VMMON" --list
	[ "$(awk 'NF == 0 { exit } NR > 1 { print $1 }' <<<"$output")" = "$(awk '{ print $1 }' /proc/vmstat)" ]
	run --separate-stderr "$VMMON" -d 0.01 -n 3 '*'
	[ "$status" -eq 0 ]
	[ "$(wc -w <<<"${lines[1]}")" -eq "$(wc -l </proc/vmstat)" ]
}
