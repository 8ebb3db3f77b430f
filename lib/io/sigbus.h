/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SIGBUS in a guarded mapping becomes a mark on the guard instead of the end of the process.
 *
 * The handler puts an empty anonymous page in the place of the one that could not be had, so the load that
 * faulted goes on and reads 0, a store is lost, and the accesses themselves cost nothing extra. Whoever touches looks
 * at guard->lost afterwards, maps the true page again and sets lost to NULL.
 *
 * A guard belongs to one thread: the one that adds it makes the accesses and removes it. SIGBUS from elsewhere, or
 * sent by somebody, gets the default action.
 */
#pragma once

#include <stddef.h>

struct sigbus_guard {
	char *base;
	size_t length;         /* bytes from base on that are guarded */
	size_t page;           /* bytes the handler replaces */
	char *volatile lost;   /* the page that was replaced last, NULL: none */
	struct sigbus_guard *next;
};

/* Installs the handler, and unblocks SIGBUS in this thread: the kernel kills for a blocked one that a fault raised. */
void sigbus_guard_add(struct sigbus_guard *g);
void sigbus_guard_remove(struct sigbus_guard *g);
