#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Make a file system of a kind in a sparse image and mount it: mountfs.sh TYPE IMAGE DIR [MKFS-OPTION...]
#
# Run it in a mount namespace of the test (unshare -m): when the last process of the test ends, however it ends, the
# mount goes, and the loop device with it. Status 77 and a reason on standard output: not possible here.
set -u
type=$1 image=$2 dir=$3
shift 3

cannot() {
	echo "$*"
	exit 77
}

PATH=$PATH:/usr/sbin:/sbin
[ "$(id -u)" = 0 ] || cannot "mounting $type needs root"
if [ "$type" = tmpfs ]; then
	mount -t tmpfs -o size=1g tmpfs "$dir" 2>/dev/null || cannot "no mount of $type here"
	exit 0
fi
command -v "mkfs.$type" >/dev/null || cannot "no mkfs.$type"
truncate -s 600m "$image" || cannot "no space for an image"
case $type in
ext4) set -- -F "$@" ;;
*) set -- -f "$@" ;;
esac
"mkfs.$type" -q "$@" "$image" >/dev/null 2>&1 || cannot "mkfs.$type failed"
mount -t "$type" -o loop "$image" "$dir" 2>/dev/null || cannot "no loop mount of $type here"
