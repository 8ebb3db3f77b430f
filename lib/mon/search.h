/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a specification to the fields that it names. */
#pragma once

#include "base/fault.h"
#include "mon/column.h"
#include "mon/spec.h"

/*
 * Append the operands that spec names to c->operand, at least one, and open their sources. A name that this kernel
 * counts in parts has them all, and spec->alias says so. 0, or -errno with the text: -ENXIO there is no such field or
 * instance,
 * others as columns_add(); operands may have been appended then.
 */
int search_operands(struct columns *c, struct spec *spec, struct fault *fault);
