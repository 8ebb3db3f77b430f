/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where threads run, and before which others. */
#pragma once

/* The calling thread runs on cpu alone from now on. 0 or -errno: -EINVAL when there is no such CPU for this process. */
int pin_thread(unsigned cpu);

/* Could a thread be pinned there? 0 or -errno as above. The calling thread stays where it may be. */
int pin_check(unsigned cpu);

/*
 * Under a realtime policy (see chrt(1)) a thread waits for ever for CPUs that others of its priority keep: let the
 * calling one come before those it has started, so that it can end them. Returns the priority it had, for
 * pin_lead_end(); 0: nothing was changed, as there is no such policy, or no leave for a higher one.
 */
int pin_lead(void);
void pin_lead_end(int before);
