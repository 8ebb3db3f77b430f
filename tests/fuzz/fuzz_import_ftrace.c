/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "ftrace"
#define CHOOSE                                              \
	o.event = choice & 16 ? "get,fault" : NULL;         \
	o.by_inode = choice & 32;                           \
	o.inode = 0x1a;
#include "fuzz_import.h"
