/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of plays that are about the page cache. */
#include "run/rows.h"

const struct cli_row rows_cache[] = {
    ROW_FLAG("keep-cache", play.keep_cache, "do not drop the cached pages of FILE before a play"),
    ROW_USE("dontcache", USE_DONTCACHE, "leave nothing in the cache (RWF_DONTCACHE, Linux 6.14)"),
    ROW_CHOICE("advise", "ADVICE", "mmap: normal random sequential willneed hugepage", play.advice, "normal", "random",
	       "sequential", "willneed", "hugepage"),
    {.name = NULL},
};
