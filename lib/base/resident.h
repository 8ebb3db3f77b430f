/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keep in memory what a thread uses that must not wait for it: under pressure the kernel takes back even the pages of
 * the program that runs.
 */
#pragma once

/*
 * Lock the program with its libraries, its heap as far as it goes now, and the upper part of the calling thread's
 * stack, which is touched. Other mappings are left alone: they may be what is watched. Pages that are not there yet are
 * locked when they are used (MLOCK_ONFAULT, Linux 4.4), so that nothing is read in for it. 0, or -errno of the first
 * that was refused (RLIMIT_MEMLOCK, see mlock2(2)); the others are locked all the same.
 */
int resident_lock(void);
