/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads on one CPU. */
#pragma once

/* The calling thread runs on cpu alone from now on. 0 or -errno: -EINVAL when there is no such CPU for this process. */
int pin_thread(unsigned cpu);

/* Could a thread be pinned there? 0 or -errno as above. The calling thread stays where it may be. */
int pin_check(unsigned cpu);
