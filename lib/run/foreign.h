/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions --import and --export and the parameters of imports: rows for params.c and actions.c. */
#pragma once

#include "run/step.h"

/* cli_row.data of the parameters that foreign_take() takes. */
enum foreign_param { FOREIGN_PATH, FOREIGN_INODE, FOREIGN_EVENT, FOREIGN_COLUMNS, FOREIGN_LENIENT, FOREIGN_OPS };
extern const enum foreign_param foreign_param[FOREIGN_OPS + 1];

int foreign_take(void *ctx, const struct cli_row *row, const char *text, struct fault *fault);

extern const struct action foreign_import, foreign_export;

/* Loading this file has failed: if it is a foreign trace, say in the fault how to import it. */
void foreign_hint(const char *file, struct fault *fault);

/* Begin the import of a step; live: see import.h. 0 or -errno with the text. */
int foreign_open(struct import **out, const struct step *s, const atomic_bool *live, struct fault *fault);

/* Tell on standard error what came in, unless quiet. */
void foreign_tell(const struct program *p, const struct step *s, const struct import *imp);
