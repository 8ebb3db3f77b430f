/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * floor_uring LIST FILE [DEPTH]: io_uring with DEPTH (32) reads in flight, registered file, buffers and ring, one
 * system call for each batch.
 */
#include <liburing.h>

#include "floor.h"

static void set_up(struct io_uring *ring, int fd, char *buf, size_t size, unsigned depth)
{
	struct io_uring_params p = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_DEFER_TASKRUN,
	};
	struct iovec whole = {.iov_base = buf, .iov_len = size};

	if (io_uring_queue_init_params(depth, ring, &p) < 0 || io_uring_register_files(ring, &fd, 1) < 0 ||
	    io_uring_register_buffers(ring, &whole, 1) < 0 || io_uring_register_ring_fd(ring) < 0)
		errx(1, "io_uring");
}

int main(int argc, char **argv)
{
	size_t next = 0, done = 0;
	int depth = argc > 3 ? atoi(argv[3]) : 32, fd;
	struct io_uring_cqe *cqe;
	struct io_uring ring;
	unsigned *idle, idle_count;
	struct list l;
	struct lap begin;
	char *buf;

	if (argc < 3 || depth < 1)
		errx(2, "usage: floor_uring LIST FILE [DEPTH]");
	l = list_read(argv[1]);
	fd = file_open(argv[2]);
	buf = buffer_new(l.longest * (size_t)depth);
	idle = calloc((size_t)depth, sizeof(*idle));
	if (!idle)
		err(1, "slots");
	for (idle_count = 0; idle_count < (unsigned)depth; idle_count++)
		idle[idle_count] = idle_count;
	set_up(&ring, fd, buf, l.longest * (size_t)depth, (unsigned)depth);
	begin = lap_begin();
	while (done < l.count) {
		unsigned head, got = 0;

		for (; idle_count > 0 && next < l.count; next++) {
			struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);
			unsigned slot = idle[--idle_count];

			if (!sqe)
				errx(1, "io_uring_get_sqe");
			io_uring_prep_read_fixed(sqe, 0, buf + slot * l.longest, (unsigned)l.span[next].length,
						 l.span[next].offset, 0);
			sqe->flags = IOSQE_FIXED_FILE;
			/* length and slot, to see a short read without another look at the list */
			sqe->user_data = l.span[next].length << 32 | slot;
		}
		if (io_uring_submit_and_wait(&ring, 1) < 0)
			errx(1, "io_uring_submit_and_wait");
		io_uring_for_each_cqe(&ring, head, cqe) {
			if (cqe->res != (int)(cqe->user_data >> 32))
				errx(1, "short read");
			idle[idle_count++] = (unsigned)cqe->user_data;
			got++;
		}
		io_uring_cq_advance(&ring, got);
		done += got;
	}
	lap_print(begin, l.count);
	return 0;
}
