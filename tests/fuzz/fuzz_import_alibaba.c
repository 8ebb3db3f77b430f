/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "alibaba"
#include "fuzz_import.h"
