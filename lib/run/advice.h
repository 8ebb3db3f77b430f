/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What descriptors are told of their use; an engine that maps tells it of what it maps. */
#pragma once

#include "base/fault.h"
#include "io/engine.h"
#include "run/play.h"
#include "run/targets.h"

/* The hints of params to all targets. 0 or -errno with the text. */
int advice_give(const struct play_params *params, const struct engine *engine, const struct targets *targets,
		struct fault *fault);
