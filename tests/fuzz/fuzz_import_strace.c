/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "strace"
#include "fuzz_import.h"
