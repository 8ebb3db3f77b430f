/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "fiu"
#include "fuzz_import.h"
