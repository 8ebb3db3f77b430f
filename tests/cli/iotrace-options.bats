#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line of iotrace as a language: what is taken, what is refused, and when.

# shellcheck disable=SC2016,SC2086 # words for an inner shell; option lists that are to be split

bats_require_minimum_version 1.5.0

load iotrace

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '0 2\n10 1\n' >t
	head -c 65536 /dev/zero >f
}

@test "--help lists the options of 2009 with their letters, in their order" {
	run "$IOTRACE" --help
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "Usage: iotrace "* ]]
	grep -oE -- '--[a-z-]+' <<<"$output" | grep -xE -- '--(unit|max-requests|max-bytes|max-seconds|offset|size|skip|align|pattern|pdf|think-time|create|break-up|round-up|shuffle|load|interleave|save|play|mplay|sleep|pid|help|version)' | uniq >got
	printf -- '--%s\n' unit max-requests max-bytes max-seconds offset size skip align pattern pdf think-time \
		create break-up round-up shuffle load interleave save play mplay sleep pid help version >wanted
	# "--engine mmap" and others are mentioned in help texts too: only first appearances count.
	awk '!seen[$0]++' got | diff wanted -
	for o in '-c, --create' '-b, --break-up [FILE]' '-r, --round-up' '-x, --shuffle [N,M]' '-l, --load FILE' \
		'-i, --interleave FILE' '-s, --save FILE' '-p, --play [FILE]' '-h, --help' '-v, --version'; do
		grep -qF -- "  $o" <<<"$output"
	done
}

@test "--help, --version and --engine help exit 0 anywhere in the line and do nothing else" {
	for o in --help -h --version -v '--engine help'; do
		run --separate-stderr "$IOTRACE" --load absent --save o $o
		[ "$status" -eq 0 ]
		[ -n "$output" ]
		[ -z "$stderr" ]
		[ ! -e o ]
	done
}

@test "--version prints one line" {
	run "$IOTRACE" --version
	[[ "$output" =~ ^iotrace\ [0-9]+\.[0-9]+ ]]
	[ "${#lines[@]}" -eq 1 ]
}

@test "--engine help names each engine" {
	run "$IOTRACE" --engine help
	for e in pread mmap libaio io_uring null; do
		grep -qE "^$e +[A-Za-z]" <<<"$output"
	done
}

@test "a line without an action is refused" {
	refused 2 "no action"
	refused 2 "no action" --size 4 --quiet
}

@test "a parameter behind the last action is refused, for it would do nothing" {
	refused 2 "--max-seconds: no action stands behind it" --load t --play f --max-seconds 1
	refused 2 "--quiet: no action" --save o --quiet
	refused 2 "--lenient: no --import" --load t --lenient --play f
	[ ! -e o ]
}

@test "unknown and shortened options are refused, and the probable one is named" {
	refused 2 "did you mean --max-requests?" --max-req 5 --create --save o
	refused 2 "did you mean --play?" --create --paly f
	refused 2 "--no-such-option: no such option" --load t --no-such-option
	refused 2 "-z: no such option" -z
	[ ! -e o ]
}

@test "an option without an argument refuses one" {
	refused 2 "takes no argument" --load t --round-up=3
	refused 2 "takes no argument" --load t -r=3
}

@test "an option that needs an argument does not swallow the next option" {
	refused 2 "--load: needs FILE, but '--save' begins with '-'" --load --save o1
	refused 2 "--load: the argument is missing" --load
	refused 2 "--max-requests: needs N" --max-requests -1 --create
	[ ! -e o1 ] && [ ! -e --save ]
}

@test "left-over words are refused" {
	refused 2 "'stray': a word that belongs to no option" --load t --save o stray
	refused 2 "'stray'" stray
	[ ! -e o ]
}

@test "numbers are decimal, finite and whole" {
	for n in '' 1e3 0x10 nan inf -1 +1 ' 1' 1_000 10k5 1.5 99999999999999999999; do
		refused 2 "--max-requests: " --max-requests "$n" --create --save o
		refused 2 "--max-bytes: " --max-bytes "$n" --create --save o
	done
	for n in '' 1e3 nan inf -1 0x1 1x 0,5; do
		refused 2 "--think-time: " --think-time "$n" --load t --play f
		refused 2 "--max-seconds: " --max-seconds "$n" --load t --play f
		refused 2 "--sleep: " --sleep "$n"
	done
	[ ! -e o ]
}

@test "limits of nothing are refused" {
	refused 2 "--max-requests: '0'" --max-requests 0 --create
	refused 2 "--max-bytes: '0'" --max-bytes 0 --create
	refused 2 "--max-seconds: '0'" --max-seconds 0 --load t --play f
}

@test "leading zeros are decimal" {
	"$IOTRACE" --offset 0,01000 --max-requests 010 --create --save o
	[ "$(grep -vc '^#' o)" -eq 10 ]
}

@test "values that are none of the choices are refused with the choices" {
	refused 2 "p b k m g t" --unit q --load t
	refused 2 "p b k m g t" --unit '' --load t
	refused 2 "sequential backward random ooo stride" --pattern nosuch --create
	refused 2 "--pdf: " --pdf nosuch --create
	refused 2 "normal random sequential willneed hugepage nohugepage" --advise nosuch --play f
	refused 2 "stop continue" --on-error ignore --play f
	refused 2 "--engine help" --engine nosuch --play f
}

@test "ranges that are empty or upside down are refused" {
	refused 2 "--offset: '10,5'" --offset 10,5 --create
	refused 2 "--offset: '5,5'" --offset 5,5 --create
	refused 2 "--offset: '0'" --offset 0 --create
	refused 2 "--size: '8,4'" --size 8,4 --create
	refused 2 "--size: '0'" --size 0 --create
	refused 2 "--skip: '3,-3'" --skip 3,-3 --create
	refused 2 "power of two" --align 3 --create
	refused 2 "power of two" --align 0 --create
	refused 2 "--shuffle: " -x 5,0 --load t
	refused 2 "--shuffle: " -x a,b --load t
	refused 2 "--shuffle: " -x 1,2,3 --load t
}

@test "a combination that cannot end or yields nothing is refused with the option it lacks" {
	refused 2 "--create: " --pattern random --create --save o
	grep -q -- '--max-requests' <<<"$stderr"
	refused 2 "--create: " --skip -1 --create --save o
	refused 2 "--create: " --offset 0,4 --size 8 --create --save o
	refused 2 "--create: " --pattern stride --create --save o
	[ ! -e o ]
}

@test "a typing error at the end of the line costs nothing: no file is made" {
	refused 2 "--play: " --load t --save o1 --sleep 0 --save o2 --play absent
	refused 2 "--load: absent.trace: No such file" --load t --save o1 --load absent.trace
	refused 2 "--save: " --load t --save o1 --save no/such/folder/o2
	refused 2 "--create: " --save o1 --pattern random --create
	refused 2 "--pid: " --pid no/such/folder/pid --save o1
	[ ! -e o1 ] && [ ! -e o2 ]
}

@test "a file that an earlier action makes may be read by a later one" {
	"$IOTRACE" --offset 0,4 --create --save o --load o --save p
	[ "$(grep -vc '^#' p)" -eq 8 ]
	"$IOTRACE" --offset 0,4 --size 1b --max-requests 1 --create --save o3 --play o3
}

@test "what makes no input or output is refused" {
	mkdir d
	refused 2 "--load: d: Is a directory" --load d
	refused 2 "--save: d: Is a directory" --load t --save d
	refused 2 "the name is empty" --load ''
	refused 2 "the name is empty" --load t --save ''
	refused 2 "the name is empty" --load t --play ''
	refused 2 "--load: t/x: Not a directory" --load t/x
}

@test "a file without permission is refused before anything is done" {
	[ "$(id -u)" -ne 0 ] || skip "root may read and write everything"
	chmod 0 t
	refused 2 "--load: t: Permission denied" --save o --load t
	mkdir -m 555 d
	refused 2 "--save: d/o: " --save o --save d/o
	[ ! -e o ]
}

@test "standard input is read only once" {
	refused 2 "standard input" --load - --interleave /dev/stdin --save o
	[ ! -e o ]
}

@test "parameters hold for the actions after them only" {
	printf '5 1\n' >b
	"$IOTRACE" --unit k --load b --save o
	[ "$(grep -v '^#' o)" = $'5k\t1k' ]
	"$IOTRACE" --load b --unit k --save o
	[ "$(grep -v '^#' o)" = $'20k\t4k' ]
	"$IOTRACE" --load b --align 4 --round-up --save o1 --align 16 --round-up --save o2
	[ "$(grep -v '^#' o1)" = $'4p\t4p' ]
	[ "$(grep -v '^#' o2)" = $'0p\t16p' ]
}

@test "actions work in order on one trace, and loads append" {
	printf '9 1\n' >b
	"$IOTRACE" --save o0 -l t -s o1 -l b -s o2 --offset 0,2 -c -s o3
	[ "$(grep -vc '^#' o0)" = 0 ]
	[ "$(grep -v '^#' o1 | tr '\n\t' ' .')" = "0p.2p 10p.1p " ]
	[ "$(grep -v '^#' o2 | tr '\n\t' ' .')" = "0p.2p 10p.1p 9p.1p " ]
	[ "$(grep -v '^#' o3 | tr '\n\t' ' .')" = "0p.2p 10p.1p 9p.1p 0p.1p 1p.1p " ]
}

@test "of --skip and --stride the later one holds" {
	"$IOTRACE" --offset 0,8 --skip 3 --stride 2 --create --save o
	[ "$(grep -v '^#' o | cut -f1 | tr '\n' ' ')" = "0p 2p 4p 6p " ]
	"$IOTRACE" --offset 0,8 --stride 2 --skip 3 --create --save o
	[ "$(grep -v '^#' o | cut -f1 | tr '\n' ' ')" = "0p 4p " ]
}

@test "--pid holds the process id before the first action is done" {
	mkfifo trace
	"$IOTRACE" --load trace --pid pid --save o &
	exec 9>trace
	for _ in $(seq 100); do
		[ -s pid ] && break
		sleep 0.1
	done
	[ "$(cat pid)" = $! ]
	[ ! -e o ]
	exec 9>&-
	wait $!
}

@test "standard output that is full is an error, also for help" {
	[ -e /dev/full ] || skip "no /dev/full"
	run bash -c '"$IOTRACE" --help >/dev/full'
	[ "$status" -eq 1 ]
	[[ "$output" == "iotrace: standard output: No space left on device" ]]
	run bash -c '"$IOTRACE" --load t --play f >/dev/full'
	[ "$status" -eq 1 ]
	[[ "$output" == *"standard output: No space left on device"* ]]
}
