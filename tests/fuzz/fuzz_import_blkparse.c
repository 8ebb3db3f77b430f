/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "blkparse"
#define CHOOSE o.event = choice & 16 ? "D" : choice & 32 ? "C" : NULL;
#include "fuzz_import.h"
