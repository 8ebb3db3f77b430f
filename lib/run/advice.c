/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/advice.h"

#include <string.h>

int advice_give(const struct play_params *params, const struct engine *engine, const struct targets *targets,
		struct fault *fault)
{
	if (engine->flags & ENGINE_TOUCH)
		return 0;
	for (unsigned i = 0; i < params->hint_count; i++) {
		const struct io_hint *h = &params->hints[i];

		for (unsigned t = 0; t < targets->count; t++) {
			int r = advise_file(targets->target[t].fd, h);

			if (r < 0)
				return fault_set(fault, r, "%s: cannot be advised %s: %s", targets->target[t].path,
						 advise_file_name(h->advice), strerror(-r));
		}
	}
	return 0;
}
