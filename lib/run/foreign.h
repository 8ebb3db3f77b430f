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
