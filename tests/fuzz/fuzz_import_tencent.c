/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "tencent"
#include "fuzz_import.h"
