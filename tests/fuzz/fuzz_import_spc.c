/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "spc"
#include "fuzz_import.h"
