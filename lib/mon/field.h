/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of vmstat fields: gauge or counter, unit, and what became of old names.
 *
 * The class follows a rule, so it is valid for names that no table has heard of: nr_* is a gauge, everything else a
 * counter, with the exceptions listed in field.c. The rule was checked against mm/vmstat.c of Linux 2.6.3x to 6.18.
 */
#pragma once

enum field_class {
	FIELD_GAUGE,    /* an amount: may fall */
	FIELD_COUNTER,  /* events since boot: never falls */
	FIELD_CONSTANT, /* the same for as long as the machine runs */
	FIELD_DERIVED   /* a formula over others */
};

/* How old a value may be when it is read. */
enum field_fresh {
	FIELD_ALWAYS,   /* counted, or summed over the CPUs, when it is read */
	FIELD_FOLDED    /* gathered from the CPUs once in a while: for /proc/vmstat each vm.stat_interval */
};

enum field_class field_class_of(const char *name);

/* "gauge", "counter", "constant", "derived". */
const char *field_class_name(enum field_class c);

/*
 * Of a field of /proc/vmstat, by its name: event counters are always fresh, the counters of zones and nodes are
 * folded. The events are those of include/linux/vm_event_item.h of Linux 6.18.
 */
enum field_fresh field_fresh_of(const char *name);

/* "always", "folded". */
const char *field_fresh_name(enum field_fresh f);

/* What one step of the number is: "pages", "KiB", "huge pages", "nodes", "events". */
const char *field_unit(const char *name);

/*
 * What became of a name (or a glob) of older or newer kernels, a phrase without a full stop; NULL when nothing is
 * known.
 */
const char *field_history(const char *name);

/*
 * A glob whose fields add up to exactly what a name of another kernel counted; NULL when there is none. The name
 * itself may match it.
 */
const char *field_alias(const char *name);
