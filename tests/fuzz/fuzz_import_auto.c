/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "auto"
#include "fuzz_import.h"
