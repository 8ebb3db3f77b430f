/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "fio"
#include "fuzz_import.h"
