/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Characters of UTF-8 in bytes from outside. */
#pragma once

#include <stddef.h>

/* Bytes, 1 to 4, of the character at s, of which n > 0 are there, if it is whole and well formed (RFC 3629); else 0. */
size_t utf8_character(const char *s, size_t n);
