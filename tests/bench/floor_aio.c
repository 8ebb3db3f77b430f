/* SPDX-License-Identifier: GPL-2.0-or-later */
/* floor_aio LIST FILE [DEPTH]: libaio with DEPTH (32) reads in flight, what came back submitted again in one call. */
#include <libaio.h>

#include "floor.h"

int main(int argc, char **argv)
{
	size_t next = 0, done = 0;
	int depth = argc > 3 ? atoi(argv[3]) : 32, idle, fd;
	struct io_event *event;
	struct iocb *cb, **ready;
	io_context_t ctx = 0;
	struct list l;
	struct lap begin;
	char *buf;

	if (argc < 3 || depth < 1)
		errx(2, "usage: floor_aio LIST FILE [DEPTH]");
	l = list_read(argv[1]);
	fd = file_open(argv[2]);
	buf = buffer_new(l.longest * (size_t)depth);
	cb = calloc((size_t)depth, sizeof(*cb));
	ready = calloc((size_t)depth, sizeof(struct iocb *));
	event = calloc((size_t)depth, sizeof(*event));
	if (!cb || !ready || !event || io_setup(depth, &ctx) < 0)
		errx(1, "io_setup");
	for (idle = 0; idle < depth; idle++)
		ready[idle] = &cb[idle];
	begin = lap_begin();
	while (done < l.count) {
		int n = 0, got;

		for (; n < idle && next < l.count; n++, next++)
			io_prep_pread(ready[n], fd, buf + (size_t)(ready[n] - cb) * l.longest, l.span[next].length,
				      (long long)l.span[next].offset);
		if (n > 0 && io_submit(ctx, n, ready) != n)
			errx(1, "io_submit");
		got = io_getevents(ctx, 1, depth, event, NULL);
		if (got < 1)
			errx(1, "io_getevents");
		for (idle = 0; idle < got; idle++) {
			ready[idle] = event[idle].obj;
			if (event[idle].res != event[idle].obj->u.c.nbytes)
				errx(1, "short read");
		}
		done += (size_t)got;
	}
	lap_print(begin, l.count);
	return 0;
}
