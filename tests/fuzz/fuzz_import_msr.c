/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "msr"
#include "fuzz_import.h"
