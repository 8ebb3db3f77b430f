/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vmmon --list: the fields of this kernel, with what is known of them. */
#pragma once

#include "vmmon/options.h"

/* Print name, class, unit and value of the fields that match a word, of all without words. Returns the exit status. */
int list_fields(const struct options *o);
