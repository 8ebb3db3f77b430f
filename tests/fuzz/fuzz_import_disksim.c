/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "disksim"
#include "fuzz_import.h"
