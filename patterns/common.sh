# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# What the recipes share: options, the sparse file, the clean-up. Sourced at their top, after they have set
#   about    what the recipe reproduces
#   fields   what vmmon samples, unless the user names other fields
set -eu
: "${about:?}" "${fields:?}"

usage() {
	cat <<-END
		Usage: ${0##*/} [-f FILE] [-n REQUESTS] [-t SECONDS] [-d SECONDS] [FIELD...]

		$about

		  -f FILE      replay on this file or block device, which is only read
		               (without: a sparse file in \${TMPDIR:-/tmp}, removed at the end)
		  -n REQUESTS  no more requests than that
		  -t SECONDS   end each replay after that time
		  -d SECONDS   time between two samples (default 1)
		  FIELD        what vmmon samples (default $fields)
	END
}

file='' requests='' seconds='' interval=1
while getopts f:n:t:d:h option; do
	case $option in
	f) file=$OPTARG ;;
	n) requests=$OPTARG ;;
	t) seconds=$OPTARG ;;
	d) interval=$OPTARG ;;
	h) usage && exit 0 ;;
	*) usage >&2 && exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -eq 0 ] || fields=$*

# The programs of this tree when it was built, else those installed.
here=$(cd "$(dirname "$0")" && pwd)
[ ! -x "$here/../build/iotrace" ] || PATH=$here/../build:$PATH
iotrace() { command "${IOTRACE:-iotrace}" "$@"; }
vmmon() { command "${VMMON:-vmmon}" "$@"; }

dir=$(mktemp -d "${TMPDIR:-/tmp}/iotrace.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# largest GIB: make $file as large as it can be below that. Sets $gib.
largest() {
	low=0 high=$1
	while [ $((high - low)) -gt 1 ]; do
		gib=$(((low + high) / 2))
		if truncate -s "${gib}G" "$file" 2>/dev/null; then low=$gib; else high=$gib; fi
	done
	gib=$low
	[ "$gib" -gt 0 ] || { echo "${0##*/}: no sparse file can be made in $dir" >&2 && exit 1; }
	truncate -s "${gib}G" "$file"
}

# sparse GIB PAGES: see to it that $file can be read up to PAGES pages. Sets $pages, which is less when it cannot.
sparse() {
	pages=$2
	if [ -z "$file" ]; then
		file=$dir/sparse gib=$1
		truncate -s "${gib}G" "$file" 2>/dev/null || largest "$gib"
		[ "$gib" = "$1" ] || echo "The file system of $dir holds no file of $1 GiB: the sparse file has $gib GiB."
		[ "$(stat -f -c %T "$dir")" != tmpfs ] || cat <<-END
			$dir is on tmpfs, which reads holes without filling the page cache.
			Set TMPDIR to a folder on a disk to see the VM at work.
		END
		[ $((gib * 262144)) -ge "$pages" ] || pages=$((gib * 262144))
	elif [ -f "$file" ]; then
		have=$(($(stat -L -c %s "$file") / 4096))
		[ "$have" -ge "$pages" ] || pages=$have
	fi
	[ "$pages" = "$2" ] || echo "The pattern ends at page $pages in place of $2, with the file."
}

# run COMMAND...: show it, then run it.
run() {
	printf '\n$ %s\n' "$*"
	"$@"
}

# create NAME OPTION...: make the trace $dir/NAME. replay NAME PLAY OPTION...: play it by PLAY while vmmon samples.
create() {
	name=$1
	shift
	run iotrace ${requests:+--max-requests "$requests"} "$@" --create --save "$dir/$name"
}

replay() {
	name=$1 play=$2
	shift 2
	# shellcheck disable=SC2086 # one word a field
	run vmmon -d "$interval" ${seconds:+--max-seconds "$seconds"} "$@" --load "$dir/$name" "$play" "$file" $fields
}

echo "$about"
