/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of vmmon that iotrace does not have, or means otherwise, and the words. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "mon/column.h"
#include "run/cli.h"
#include "run/program.h"
#include "run/record.h"

#define OOM_KEEP INT_MIN

struct options {
	enum column_mode mode;
	int64_t interval_ns;
	uint64_t rows;           /* 0: no limit */
	enum stamp time;
	enum record_form form;
	bool append;             /* to the output */
	char *plot;              /* file of a picture; NULL: none */
	bool list;
	bool help, version;
	char *output;            /* NULL: standard output */
	char *proc;              /* NULL: /proc */
	char *plain;             /* where plain names are read: "node:N", "cgroup:PATH"; NULL: /proc/vmstat */
	bool fresh;
	char **word;             /* fields, or globs of --list */
	size_t word_count;
	int oom_score;           /* OOM_KEEP: as it is */
	int mark_fd;             /* -1: none */
	int64_t tail_ns;         /* sampling goes on after what is watched; 0: it does not */
	/* Given before the options are taken. */
	struct program *program; /* of the actions; borrowed */
	char **command;          /* words behind "--", the last is NULL; NULL: none; borrowed */
	uint64_t repeat;         /* times that the command runs */
};

void options_init(struct options *o);
void options_fini(struct options *o);

/* Their rows; the context is the struct options. */
extern const struct cli_row option_rows[];

/* Takes a word, as struct cli's word(); the context is the struct options. */
int options_word(void *ctx, const char *text, struct fault *fault);
