/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes that were really read from devices, as the kernel counts them. All counters only grow. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/*
 * That this process had read since its start: read_bytes of /proc/self/io, in which readahead counts when it is asked
 * for, that of its threads and of children that were waited for too, and what the kernel does on its own behalf does
 * not. -1: the kernel does not tell.
 */
int64_t reads_of_process(void);

/* That all users of a block device read from it (a partition has its own count), from /sys/dev/block. -1: not told. */
int64_t reads_of_device(dev_t device);
