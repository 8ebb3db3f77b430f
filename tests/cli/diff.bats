#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# --diff of both programs: recordings and reports, side by side.

# shellcheck disable=SC2154 # variables of bats
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# rows SEED SHIFT: 24 rows of a log in the layout of 2009, a counter and a gauge, both with noise.
rows() {
	awk -v seed="$1" -v shift="$2" 'BEGIN {
		srand(seed)
		for (i = 0; i < 24; i++) {
			if (i % 8 == 0) printf "\n %16s %16s\n", "pgfault", "nr_mapped"
			faults += 1000 + shift * 10 + int(rand() * 20)
			printf " %16d %16d\n", faults, 5000 + shift + int(rand() * 20)
		}
	}'
}

# not_told N: all N fields are the same, and none has a row.
not_told() {
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"not told: $1 the same or changed by less than 1 %, 0 of few events"* ]]
	[ "$(grep -cE ' (more|less|noise|open)\??$' <<<"$output")" -eq 0 ]
}

refused() {
	local text=$1
	shift
	run --separate-stderr timeout 20 "$@"
	echo "$*: status $status: $stderr"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"$text"* ]]
}

@test "a recording does not differ from itself" {
	rows 1 0 >a
	run "$VMMON" --diff a a
	not_told 2
}

@test "a log of 2009 is compared by rates of counters and levels of gauges" {
	rows 1 0 >a
	rows 2 300 >b
	run "$VMMON" --diff a b
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "A  a: 24 rows in 1 run, text" ]]
	grep -Eq '^pgfault/s +10[01][0-9]\.?[0-9]* .* \+29[0-9]\.[0-9]% .* more$' <<<"$output"
	grep -Eq '^nr_mapped +50[01][0-9]\.?[0-9]* .* \+[56]\.[0-9]% .* more$' <<<"$output"
	grep -qx "judged by Mann-Whitney U: 2 of 2 changed (p < 0.01), 0 perhaps (p < 0.05)" <<<"$output"
	grep -q "noise is that within a run" <<<"$output"
}

@test "swapped sides have the opposite verdict" {
	rows 1 0 >a
	rows 2 300 >b
	run "$VMMON" --diff b a
	grep -Eq '^pgfault/s .* -7[0-9]\.[0-9]% .* less$' <<<"$output"
}

@test "files of a side are runs of one thing, parted by vs" {
	for i in 1 2 3; do
		rows $i 0 >a.$i
		rows 1$i 300 >b.$i
	done
	run "$VMMON" --diff a.? vs b.?
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "A  a.1 and 2 more: 72 rows in 3 runs, text" ]]
	grep -qx "judged by Welch's t: 2 of 2 changed (p < 0.01), 0 perhaps (p < 0.05)" <<<"$output"
	[[ "$output" != *"within a run"* ]]
	# the same runs, shuffled over both sides, are noise
	run "$VMMON" --diff --floor 0 a.1 a.2 vs a.3 a.1
	echo "$output"
	[ "$(grep -c ' noise$' <<<"$output")" -eq 2 ]
}

@test "a change under the floor is not told, and above it is" {
	rows 1 0 >a
	rows 2 300 >b
	run "$VMMON" --diff --floor 10 a b
	echo "$output"
	[[ "$output" != *nr_mapped* ]]
	[[ "$output" == *pgfault/s* ]]
	[[ "$output" == *"not told: 1 the same or changed by less than 10 %"* ]]
}

# faults N: a counter that counts N events in 10 rows, and one that does nothing.
faults() {
	echo "time,pgmajfault,pgfree"
	for i in $(seq 0 9); do echo "$i.0,$((100 + i * $1 / 9)),7"; done
}

@test "few events that chance explains are not told, 3 against 50 are" {
	faults 3 >a
	faults 8 >b
	faults 50 >c
	run "$VMMON" --diff a b
	[[ "$output" == *"1 the same or changed by less than 1 %, 1 of few events"* ]]
	run "$VMMON" --diff a c
	echo "$output"
	grep -Eq '^pgmajfault/s .* more$' <<<"$output"
}

@test "marks in a log are phases, and each is compared for itself" {
	{ rows 1 0; echo "--- echo 0 > dirty_ratio ---"; rows 2 300; } >a
	{ rows 3 0; echo "--- echo 0 > dirty_ratio ---"; rows 4 0; } >b
	sed -i '/dirty_ratio/q' a
	tail -n +3 <(rows 2 300) | sed 's/pgfault.*//' >>a
	run "$VMMON" --diff a b
	echo "$output"
	grep -q "^echo 0 > dirty_ratio " <<<"$output"
	grep -Eq '^nr_mapped .* less$' <<<"$output"
}

# phase SECONDS FAULTS: a run in a phase, of a counter that counts evenly and a gauge.
phase() {
	local i
	echo "time,phase,pgmajfault,nr_dirty"
	for i in $(seq 0 10); do echo "$((i * $1 / 10)).0,run,$((7 + i * $2 / 10)),$i"; done
}

@test "counters of a phase are compared by their totals, and by rates too where it took longer" {
	phase 10 57730 >a
	phase 10 3310 >b
	phase 100 57730 >c
	run -0 "$VMMON" --diff a b
	echo "$output"
	grep -Eq '^pgmajfault:total +57730 +- +3310 +- +-94\.3% .* less$' <<<"$output"
	[[ "$output" != *pgmajfault/s* && "$output" != *elapsed* ]]
	run -0 "$VMMON" --diff a c
	echo "$output"
	grep -Eq '^elapsed s +10 +- +100 +- +\+900\.0% +- open$' <<<"$output"
	grep -Eq '^pgmajfault/s +5773 .* 577\.300 .* -90\.0% .* less$' <<<"$output"
	[[ "$output" != *pgmajfault:total* ]]
	# of all rows there are rates alone
	run -0 "$VMMON" --diff <(cut -d, -f1,3 a) <(cut -d, -f1,3 b)
	echo "$output"
	grep -Eq '^pgmajfault/s .* less$' <<<"$output"
	[[ "$output" != *:total* ]]
}

@test "totals of repeated runs are judged by the runs" {
	for i in 1 2 3; do
		phase 10 $((1000 + 10 * i)) >a.$i
		phase 20 $((4000 + 10 * i)) >b.$i
	done
	run -0 "$VMMON" --diff a.? vs b.?
	echo "$output"
	grep -Eq '^pgmajfault:total +1020 +10 +4020 +10 +\+294\.1% +<\.0001 more$' <<<"$output"
	grep -Eq '^pgmajfault/s +102 .* 201 .* more$' <<<"$output"
	grep -Eq '^elapsed s +10 +0 +20 +0 +\+100\.0% .* more$' <<<"$output"
}

@test "a run of one row tells nothing of its counters, and that is said" {
	printf 'pgfault nr_dirty\n1 2\n' >a
	run --separate-stderr -0 "$VMMON" --diff a a
	[ "$stderr" = "$(yes "vmmon: a: run 1 has a single row, so nothing is known of its counters" | head -2)" ]
	[[ "$output" == *"not told: 1 the same"* ]]
	printf 'time,run,pgfault\n0,1,1\n1,1,5\n0,2,1\n0,3,4\n' >b
	printf 'time,run,pgfault\n0,1,1\n1,1,5\n2,1,7\n' >c
	run --separate-stderr -0 "$VMMON" --diff b c
	[ "$stderr" = "vmmon: b: run 2 has a single row, so nothing is known of its counters; nor of those of 1 more" ]
	printf 'pgfault\n1\n' >d
	refused "d: run 1 has a single row" "$VMMON" --diff d d
	[[ "$stderr" == *"vmmon: d: has no figure in common with d"* ]]
}

@test "csv, json and dumps of one thing are the same thing" {
	for i in $(seq 0 19); do
		t=$((100 + i)) n=$((1000 * i * i))
		[ "$i" -gt 0 ] || {
			echo "time,phase,pgfault,nr_dirty,pgfree:rate" >csv
			echo '{"vmmon":"1","kernel":"6.1","interval_ns":1000000000,"fields":[{"name":"pgfault","class":"counter"},{"name":"nr_dirty","class":"gauge"}]}' >json
			: >dumps
		}
		echo "$i.000,,$n,$i,5" >>csv
		echo "{\"time_ns\":${t}000000000,\"mono_ns\":$((i * 1000000000)),\"run\":1,\"phase\":\"\",\"values\":{\"pgfault\":$n,\"nr_dirty\":$i}}" >>json
		printf 'time: %d\nnr_dirty %d\npgfault %d\n' "$t" "$i" "$n" >>dumps
	done
	echo '{"summary":{}}' >>json
	gzip -k dumps
	for pair in "csv json" "json dumps" "dumps.gz csv"; do
		# shellcheck disable=SC2086 # two words
		run "$VMMON" --diff $pair
		not_told 2
	done
}

@test "another kernel is told first" {
	for k in 6.1 6.18; do
		echo "{\"vmmon\":\"1\",\"kernel\":\"$k\",\"fields\":[]}" >$k
		for i in 1 2 3; do echo "{\"mono_ns\":$((i * 1000000000)),\"values\":{\"nr_dirty\":$i}}" >>$k; done
	done
	run "$VMMON" --diff 6.1 6.18
	[ "$status" -eq 0 ]
	[[ "${lines[2]}" == "differs: kernel 6.1 -> 6.18" ]]
}

@test "what only one side has is named" {
	printf 'a1 b1\n1 2\n3 4\n' >a
	printf 'a1 c1\n1 2\n3 4\n' >b
	run "$VMMON" --diff a b
	[[ "$output" == *"only in A: b1/s"*"only in B: c1/s"* ]]
	# another view of the same field is another figure
	printf 'time,nr_dirty,nr_mapped\n0,1,2\n1,3,4\n' >a
	printf 'time,nr_dirty:rate,nr_mapped\n0,1,2\n1,3,4\n' >b
	run "$VMMON" --diff a b
	[[ "$output" == *"only in A: nr_dirty"*"only in B: nr_dirty/s"* ]]
}

@test "what vmmon writes is read: rows with their summary, of rates too" {
	"$VMMON" -t -d 0.01 -n 12 pgfault nr_free_pages >a
	"$VMMON" -a -d 0.01 -n 12 pgfault nr_free_pages >b
	run "$VMMON" --diff a a
	not_told 2
	[[ "${lines[0]}" == "A  a: 12 rows in 1 run, text" ]]
	run "$VMMON" --diff b b
	not_told 2
}

@test "every form that vmmon writes is read, and says the same" {
	printf 'nr_dirty 500\npgfault 1000\n' >vmstat
	fields=(pgfault nr_dirty 'x=pgfault/nr_dirty')
	common=("$VMMON" --proc . -d 0.01 -n 12)
	"${common[@]}" --csv -o csv "${fields[@]}"
	"${common[@]}" --csv --time iso -o iso "${fields[@]}"
	"${common[@]}" --csv --time mono -r -o mono "${fields[@]}"
	"${common[@]}" --json -o json "${fields[@]}"
	"${common[@]}" -a -t -o text "${fields[@]}"
	for pair in "csv iso" "iso text" "mono json" "json text"; do
		# the lengths of the runs are what the machine makes them
		# shellcheck disable=SC2086 # two words
		run "$VMMON" --diff --floor 900 $pair
		echo "$pair: $output"
		[ "$status" -eq 0 ]
		grep -Eq "^not told: [234] the same" <<<"$output"
		[ "$(grep -cE ' (more|less|noise|open)\??$' <<<"$output")" -eq 0 ]
	done
	[[ "$output" == *"A  json: 12 rows in 1 run, json"* ]]
}

@test "repeated runs that are over before there are rows are compared by their marks" {
	mkdir proc
	echo "pgfault 1000000" >proc/vmstat
	# shellcheck disable=SC2016 # for the inner shell
	more='read -r _ n <proc/vmstat; echo "pgfault $((n + $0))" | dd of=proc/vmstat conv=notrunc status=none'
	for side in 1000 3000; do
		"$VMMON" --proc proc --json --repeat 5 -o $side pgfault -- sh -c "$more" $side 2>summary
		"$VMMON" --proc proc --json --repeat 2 -o $side --append pgfault -- sh -c "$more" $side 2>summary
	done
	run -0 "$VMMON" --diff --floor 0 1000 3000
	echo "$output"
	[[ "$output" == "A  1000: "*" rows in 7 runs, json"*"pgfault/s "*"judged by Mann-Whitney U"* ]]
	# what was not ended has no summary, and rows alone
	head -1 1000 >part
	run -2 "$VMMON" --diff part 3000
	[[ "$output" == *"part: has no rows"* ]]
}

@test "phases of a session and runs of --repeat are those of its recording" {
	"$VMMON" -d 0.02 --json --repeat 3 -o a pgfault -- sleep 0.2 2>summary
	"$VMMON" -d 0.02 --json --tail 1 -o b pgfault -- sleep 0.2 2>summary
	run "$VMMON" --diff a b
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "A  a: "*" rows in 3 runs, json" ]]
	grep -qx "only in B: phase restore" <<<"$output"
}

@test "reports of plays are compared, with a sentence about their time" {
	truncate -s 1m f
	for i in a b; do
		"$IOTRACE" --offset 1m --create --repeat 3 --quiet --json $i --play f
	done
	run "$IOTRACE" --diff a a
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "A  a: 3 reports" ]]
	grep -Eq '^play 1: elapsed [0-9.]+ s against [0-9.]+ s: \+0\.0%, within noise$' <<<"$output"
	run "$IOTRACE" --diff a b
	[ "$status" -eq 0 ]
	grep -Eq '^play 1: elapsed .* within noise|more than noise' <<<"$output"
}

@test "a slower play is found, and so is what differs in its circumstances" {
	truncate -s 1m f
	"$IOTRACE" --offset 1m --create --repeat 3 --quiet --engine pread --json a --play f
	"$IOTRACE" --offset 1m --create --repeat 3 --quiet --engine null --rate 1000 --json b --play f
	run "$IOTRACE" --diff a b
	echo "$output"
	grep -qx 'differs: engine.name pread -> null' <<<"$output"
	grep -qx 'differs: load.timing none -> requests' <<<"$output"
	grep -Eq '^play 1: elapsed .* more than noise$' <<<"$output"
	grep -Eq '^elapsed s .* more$' <<<"$output"
}

@test "the seed differs only where random numbers were drawn from it" {
	truncate -s 1m f
	play() { "$IOTRACE" "$@" --quiet --json - --play f 2>/dev/null; }
	differs() {
		play --seed 1 "$@" >a
		play --seed 2 "$@" >b
		run -0 "$IOTRACE" --diff a b
		grep -c '^differs: seed 1 -> 2$' <<<"$output"
	}
	echo '0 2' >trace
	for line in '--offset 1m --create' '--pattern stride --offset 1m --create' '--load trace' '--import fio:log' \
		'--rate 1000 --load trace'; do
		printf 'fio version 2 iolog\nf add\nf open\nf read 0 4096\nf close\n' >log
		echo "$line"
		# shellcheck disable=SC2086 # several words
		[ "$(differs $line)" = 0 ]
	done
	for line in '--pattern random --offset 1m --max-requests 9 --create' '--offset 1m --create --shuffle' \
		'--load trace --sample 0.5' '--arrival poisson --rate 1000 --load trace' \
		'--op W --write --data random --offset 64k --create'; do
		echo "$line"
		# shellcheck disable=SC2086 # several words
		[ "$(differs $line)" = 1 ]
	done
}

@test "two plays of one command line are compared from their files" {
	truncate -s 1m f
	"$IOTRACE" --offset 1m --create --quiet --json a --play f --keep-cache --json b --play f
	run "$IOTRACE" --diff a b
	[ "$status" -eq 0 ]
	grep -qx 'differs: target.cache_dropped true -> false' <<<"$output"
	grep -Eq '^play 1: elapsed ' <<<"$output"
}

@test "one report a side is compared but not judged" {
	truncate -s 1m f
	"$IOTRACE" --offset 1m --create --quiet --json a --play f
	"$IOTRACE" --offset 1m --create --quiet --rate 1000 --json b --play f
	run "$IOTRACE" --diff a b
	echo "$output"
	grep -Eq '^play 1: elapsed .* not judged: one run a side$' <<<"$output"
	grep -Eq '^requests/s .* open$' <<<"$output"
}

@test "what cannot be compared is refused with its file and line" {
	rows 1 0 >a
	printf 'pgfault nr_dirty\n1 2\n3\n' >short
	printf 'time,pgfault\n1,2\n2,x\n' >cell
	printf 'time pgfault nr_dirty\n1.0 1 2\n2.0x 3 4\n3.0 5 6\n' >damaged
	printf '\n\n{"vmmon":"1","fields":[]}\n{"values":{"a":tru}}\n' >json
	printf 'some words\nand more\n' >words
	printf 'time: 1\npgfault 2\ntime: x\n' >dumps
	printf '[1]\n' >array
	printf 'pgfault\n1\n2\0\n' >binary
	printf 'other\n1\n2\n' >other
	: >empty
	refused "short:3: a row of 1 under 2 titles" "$VMMON" --diff a short
	refused "cell:3: 'x' is no number" "$VMMON" --diff a cell
	refused "damaged:3: '2.0x' is no time" "$VMMON" --diff a damaged
	refused "json:4: JSON: invalid token near 'tru'" "$VMMON" --diff a json
	refused "words: is no recording: nothing but words" "$VMMON" --diff a words
	refused "dumps:3: 'x' is no time" "$VMMON" --diff a dumps
	refused "array:1: is JSON, but neither rows of vmmon nor reports of iotrace" "$VMMON" --diff a array
	refused "binary: is no text" "$VMMON" --diff a binary
	refused "empty: is empty" "$VMMON" --diff a empty
	refused "missing: No such file" "$VMMON" --diff a missing
	refused "other: has no figure in common with a" "$VMMON" --diff a other
	truncate -s 1m f
	"$IOTRACE" --offset 1m --create --quiet --json report --play f
	refused "report: holds reports of plays, and a rows" "$VMMON" --diff a report
	refused "report: holds reports of plays, and the file before it rows" "$VMMON" --diff a report vs a
}

@test "a line that compares nothing is refused" {
	rows 1 0 >a
	for tool in "$VMMON" "$IOTRACE"; do
		refused "two files are needed" "$tool" --diff
		refused "two files are needed" "$tool" --diff a
		refused "two files are needed" "$tool" --diff a a a
		refused "two files are needed" "$tool" --diff a vs a vs a
		refused "goes with no action" "$tool" --diff a a --create
		refused "--floor: goes with --diff" "$IOTRACE" --floor 2
		refused "--floor goes with --diff" "$VMMON" --floor 2 pgfault
		refused "--floor: needs PERCENT" "$tool" --diff a a --floor=-1
		refused "--floor: 'x'" "$tool" --diff a a --floor x
	done
	refused "'a': a word that belongs to no option" "$IOTRACE" a
}

@test "a full disk under the output is a failure" {
	[ -w /dev/full ] || skip "no /dev/full here"
	rows 1 0 >a
	run bash -c '"$VMMON" --diff a a >/dev/full'
	[ "$status" -eq 1 ]
}
