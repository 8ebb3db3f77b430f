#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# vmmon: the forms of its rows for programs, times, and files that are appended to.

# shellcheck disable=SC2154,SC2016 # variables of bats; text for an inner shell
bats_require_minimum_version 1.5.0
load vmmon

@test "CSV has its header on line 1, the mode in the names, and one number of fields throughout" {
	run --separate-stderr "$VMMON" --proc . --csv -d 0.02 -n 4 pgfault:raw pgfault nr_dirty:delta 'nr_dirty:auto' 'sum(nr_*)'
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "time,phase,pgfault,pgfault:rate,nr_dirty:delta,nr_dirty,sum(nr_*):rate" ]
	[ "${#lines[@]}" -eq 5 ]
	for line in "${lines[@]:1}"; do
		[[ "$line" =~ ^[0-9]+\.[0-9]{6},begin,1000,0\.000,0,500,0\.000$ ]]
	done
	# the summary does not mix with the rows
	grep -qE '^pgfault:raw +1000 +1000 ' <<<"$stderr"
	run --separate-stderr "$VMMON" --proc . --csv -d 0.02 -n 1 -o rows pgfault
	[ "$(wc -l <rows)" -eq 2 ]
	grep -qE '^pgfault +1000 ' <<<"$output"
	not grep -q $'\r' rows
}

@test "CSV quotes what needs it, and leaves empty what is not there" {
	mkfifo marks
	exec 5<>marks
	run --separate-stderr "$VMMON" --proc . --csv --mark-fd 5 -d 0.05 -o rows 'x=pgfault/0' '?absent' -- sh -c '
		echo "a \"b\", c" >marks; sleep 0.5'
	exec 5>&-
	[ "$status" -eq 0 ]
	[ "$(head -n 1 rows)" = "time,phase,x,absent:rate" ]
	grep -qE '^[0-9.]+,"a ""b"", c",,$' rows
}

@test "CSV of repeated runs has their numbers, and is compared run by run" {
	run --separate-stderr "$VMMON" --proc . --csv --repeat 3 -d 0.02 -o rows pgfault -- sleep 0.1
	[ "$status" -eq 0 ]
	[ "$(head -n 1 rows)" = "time,phase,run,pgfault:rate" ]
	[ "$(cut -d, -f3 rows | sort -u | tr '\n' ' ')" = "1 2 3 run " ] || [ "$(cut -d, -f3 rows | sort -u | tr '\n' ' ')" = "0 1 2 3 run " ]
	run -0 "$VMMON" --diff rows rows
	[[ $output == *" in 3 runs, csv"* ]]
}

@test "JSON has a head, raw values in each row, and a summary at the end" {
	need_jq
	run --separate-stderr "$VMMON" --proc . --json -d 0.02 -n 3 pgfault pgfault:delta nr_dirty 'x=nr_dirty/pgfault'
	[ "$status" -eq 0 ]
	jq -es '
		length == 5 and
		(.[0] | .vmmon != null and .kernel != null and .interval_ns == 20000000 and
			(.command | startswith("--proc . --json")) and (.start | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z$")) and
			([.fields[] | .name + " " + .class + " " + .mode] == ["pgfault counter rate", "pgfault counter delta",
				"nr_dirty gauge rate", "x derived raw"]) and
			([.fields[].unit] | all(. != null))) and
		(.[1:4] | all(.run == 1 and .phase == "begin" and .time_ns > 0 and .mono_ns > .time_ns and
			(.values | keys == ["nr_dirty", "pgfault", "x"] and .pgfault == 1000 and .nr_dirty == 500))) and
		(.[2].time_ns > .[1].time_ns) and
		(.[4].summary | .rows == 3 and .missed >= 0 and .late_max_ns >= 0 and .locked != null and
			(.phases | length == 1) and (.phases[0] | .run == 1 and .phase == "begin" and .from == "begin" and .to == "end" and
				.ticks == 3 and .begin_ns == 0 and .end_ns > 0 and
				.values.pgfault == {"begin": 1000, "end": 1000, "difference": 0, "rate": 0}))' <<<"$output"
	grep -qE '^pgfault +1000 ' <<<"$stderr"
}

@test "JSON is whole after a signal, without a single row, and when a field is gone" {
	need_jq
	for signal in INT TERM; do
		: >rows
		env --default-signal=INT "$VMMON" --proc . --json -d 0.02 -o rows pgfault >/dev/null &
		pid=$!
		for ((i = 0; i < 200; i++)); do
			[ "$(grep -c time_ns rows)" -lt 2 ] || break
			sleep 0.1
		done
		kill -$signal $pid
		wait $pid || true
		jq -es '.[0].vmmon and (.[-1].summary.rows == length - 2)' rows
	done
	"$VMMON" --proc . --json -o rows pgfault -- true 2>/dev/null
	jq -es 'length == 2 and .[1].summary.phases[0].values.pgfault.difference == 0' rows
	"$VMMON" --proc . --json -d 0.05 -o rows pgfault -- sh -c '
		printf "nr_dirty 500\nxxxxxxx 0000001000\n" | dd of=vmstat conv=notrunc status=none; sleep 0.3' 2>/dev/null
	jq -es '.[-2].values.pgfault == null and (.[-1].summary | .lacking >= 2 and
		.phases[0].values.pgfault == {"begin": 1000, "end": null, "difference": null, "rate": null})' rows
}

@test "JSON marks runs and phases, and has what perf stat --repeat would print" {
	need_jq
	"$VMMON" --proc . --json -d 0.05 -o rows --tail 0.2 --repeat 2 pgfault -- sleep 0.2 2>/dev/null
	jq -es '
		([.[1:-1][] | select(.phase) | [.run, .phase]] | unique) == [[1, "begin"], [1, "restore"], [2, "begin"], [2, "restore"]] and
		([.[-1].summary.phases[] | "\(.run) \(.phase) \(.from) \(.to)"] == ["1 begin begin end", "1 restore end restore",
			"2 begin begin end", "2 restore end restore"]) and
		(.[-1].summary.repeat | length == 2 and .[0].phase == "begin" and .[0].runs == 2 and .[0].seconds.mean > 0.19 and
			.[0].values.pgfault == {"mean": 0, "stddev": 0, "percent": 0}) and
		(([.[-1].summary.phases[].ticks] | add) <= .[-1].summary.rows)' rows
}

@test "rows for programs have standard output to themselves beside a play" {
	need_jq
	head -c 1m /dev/zero >file
	printf '0 16\n' >trace
	run -0 --separate-stderr "$VMMON" --proc . --json pgfault --load trace --play file
	jq -es 'length == 2 and .[1].summary.phases[0].phase == "begin"' <<<"$output"
	[[ "$stderr" == *"MB/s "*"engine pread"*"begin"*"rows 0"* ]]
	run -0 --separate-stderr "$VMMON" --proc . --csv pgfault --load trace --play file
	[[ "$output" == "time,phase"* && "${#lines[@]}" -eq 1 ]]
}

@test "JSON has no mean of what repeated runs never had" {
	need_jq
	"$VMMON" --proc . --json -o rows --repeat 2 '?nosuch' 'x=pgfault/pgfault' -- true 2>/dev/null
	jq -es '.[-1].summary.repeat[0].values == {
		"nosuch": {"mean": null, "stddev": null, "percent": null},
		"x": {"mean": null, "stddev": null, "percent": null}}' rows
}

@test "each form is the same numbers" {
	need_jq
	[ -r /proc/vmstat ] || skip "no /proc/vmstat"
	"$VMMON" --json -d 0.02 -n 5 -o rows pgfault >table
	read -r _ begin end difference rate < <(grep '^pgfault' table)
	jq -es --argjson b "$begin" --argjson e "$end" --argjson d "$difference" --argjson r "$rate" '
		(.[-1].summary.phases[0].values.pgfault | .begin == $b and .end == $e and .difference == $d and
			((.rate - $r) | fabs) < 0.01) and .[-2].values.pgfault == $e' rows
}

@test "times are elapsed, of the clock on the wall, or monotonic" {
	run --separate-stderr "$VMMON" --proc . --time elapsed -d 0.02 -n 1 pgfault
	[[ "${lines[1]}" =~ ^\ +[0-9]+\.[0-9]{3}\ +0$ ]]
	before=$(date -u +%s)
	run --separate-stderr "$VMMON" --proc . --time iso -d 0.02 -n 1 pgfault
	[[ "${lines[1]}" =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\ +0$ ]]
	stamp=$(date -u -d "$(cut -d' ' -f1 <<<"${lines[1]}")" +%s)
	[ "$stamp" -ge "$before" ] && [ "$stamp" -le "$(date -u +%s)" ]
	run --separate-stderr "$VMMON" --proc . --time mono -d 0.02 -n 1 --csv pgfault
	[[ "${lines[1]}" =~ ^[0-9]{9,},begin,0\.000$ ]]
	[ "$((${lines[1]%%,*} / 1000000000))" -le "$(cut -d. -f1 /proc/uptime)" ]
	refused "none of elapsed, iso, mono" --time utc pgfault
	refused "the argument is missing" pgfault --time
}

@test "-t takes no argument, so that a field may follow" {
	run --separate-stderr "$VMMON" --proc . -d 0.02 -n 1 -t pgfault
	[ "$status" -eq 0 ]
	[ "$(xargs <<<"${lines[0]}")" = "time pgfault" ]
}

@test "--append keeps what the file has, and CSV has one header" {
	for _ in 1 2; do
		"$VMMON" --proc . --csv -d 0.02 -n 2 -o rows --append pgfault >/dev/null
	done
	[ "$(grep -c '^time,' rows)" -eq 1 ]
	[ "$(wc -l <rows)" -eq 5 ]
	"$VMMON" --proc . -d 0.02 -n 1 -o rows pgfault >/dev/null
	[ "$(wc -l <rows)" -eq 2 ]
	"$VMMON" --proc . -d 0.02 -n 1 -o rows --append pgfault >/dev/null
	[ "$(wc -l <rows)" -eq 4 ]
	refused "no -o FILE" --append pgfault
	refused "no -o FILE" --append -o - pgfault
}

@test "--append refuses CSV of other columns, and leaves it as it is" {
	"$VMMON" --proc . --csv -d 0.02 -n 1 -o rows pgfault >/dev/null
	cp rows before
	refused "other columns" --proc . --csv -o rows --append nr_dirty
	refused "other columns" --proc . --csv -o rows --append pgfault nr_dirty
	refused "other columns" --proc . --csv -r -o rows --append pgfault
	cmp rows before
}

@test "--append goes on in the form of the file, and on a new line" {
	"$VMMON" --proc . --csv -d 0.02 -n 1 -o rows.csv pgfault >/dev/null
	"$VMMON" --proc . --json -d 0.02 -n 1 -o rows.json pgfault >/dev/null
	echo "before I change the knob" >log
	cp rows.csv before.csv
	cp rows.json before.json
	refused "no JSON" --json -o rows.csv --append pgfault
	refused "no JSON" --json -o log --append pgfault
	refused "no text" -o rows.csv --append pgfault
	refused "no text" -o rows.json --append pgfault
	cmp rows.csv before.csv
	cmp rows.json before.json
	for form in "--csv -o rows.csv" "--json -o rows.json" "-o log"; do
		file=${form##* }
		truncate -s -1 "$file"
		# shellcheck disable=SC2086
		"$VMMON" --proc . -d 0.02 -n 1 $form --append pgfault >/dev/null
		tail -c 1 "$file" | cmp - <(echo)
	done
	[ "$(cut -d, -f2 rows.csv | xargs)" = "phase begin begin" ]
	[ "$(grep -c '^{' rows.json)" -eq 6 ]
	[ "$(head -n 1 log)" = "before I change the knob" ]
}

@test "titles of CSV are whole, however long" {
	name=$(printf 'n%.0s' {1..300})
	run -0 --separate-stderr "$VMMON" --proc . --csv -d 0.01 -n 1 "$name=pgfault" "sum(${name//n/*}pgfault)"
	[ "${lines[0]}" = "time,phase,$name,sum(${name//n/*}pgfault):rate" ]
}

@test "names of phases are UTF-8 in every form" {
	need_jq
	mkfifo marks
	long=$(printf '\303\251%.0s' {1..40})
	for form in --csv --json ""; do
		# shellcheck disable=SC2086
		"$VMMON" --proc . $form -o rows --mark-fd 5 pgfault -- sh -c 'printf "%s\na\377b\n" "$1" >marks' sh "$long" 2>err 5<>marks
		iconv -f UTF-8 -t UTF-8 rows err >all
		[ "$form" != --json ] || jq -es '.[-1].summary.phases[1:] | map(.phase) == ["'"${long:0:62}"'", "a?b"]' rows
	done
	grep -q '^a?b ' err
}

@test "--csv and --json are refused together" {
	refused "do not go together" --csv --json pgfault
}

@test "rows for programs come one by one, as they are made" {
	mkfifo rows
	"$VMMON" --proc . --json -d 0.05 pgfault >rows 2>/dev/null 3>&- &
	pid=$!
	exec 5<rows
	read -r -u 5 -t 20 line
	[[ "$line" == '{"vmmon":'* ]]
	read -r -u 5 -t 20 line
	[[ "$line" == '{"time_ns":'* ]]
	exec 5<&-
	status=0
	wait $pid || status=$?
	[ "$status" -eq 141 ]
}

@test "a full disk is told in each form" {
	for form in --csv --json; do
		run --separate-stderr "$VMMON" --proc . $form -d 0.01 -n 3 -o /dev/full pgfault
		[ "$status" -eq 1 ]
		[[ "$stderr" == "vmmon: /dev/full: No space left"* ]]
	done
}

@test "a disk that is full during the sampling is told once, and the summary comes all the same" {
	for form in --time=elapsed --csv --json; do
		run --separate-stderr bash -c 'ulimit -f 1; exec "$@"' - "$VMMON" --proc . $form -d 0.001 -n 300 -o short pgfault
		echo "$form: $status: $output: $stderr"
		[ "$status" -eq 1 ]
		[ "$(grep -c 'short: File too large' <<<"$stderr")" -eq 1 ]
		[[ "$output" == *"rows "*", ticks missed "* ]]
		rm short
	done
}
