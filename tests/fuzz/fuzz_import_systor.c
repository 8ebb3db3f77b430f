/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "systor"
#include "fuzz_import.h"
