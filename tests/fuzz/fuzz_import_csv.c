/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FORMAT "csv"
#define CHOOSE                                                                                            \
	o.csv_columns = choice & 16 ? "time:100ns,op:read1,offset:512,length:k,file,file" :               \
			choice & 32 ? "offset:p,-,op" :                                                   \
			choice & 64 ? "op:bit0,offset,length,time:ms" : NULL;
#include "fuzz_import.h"
