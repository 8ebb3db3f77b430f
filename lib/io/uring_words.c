/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why there is no ring, in words. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/smallfile.h"
#include "io/backend.h"

/* kernel.io_uring_disabled (Linux 6.6): 1 for those outside its group, 2 for all; -1: this kernel has it not. */
static int disabled_by_sysctl(void)
{
	uint64_t n = smallfile_number("/proc/sys/kernel/io_uring_disabled", "");

	return n <= 2 ? (int)n : -1;
}

static int not_permitted(int err, unsigned use, struct fault *why)
{
	int disabled = disabled_by_sysctl();

	if (disabled > 0)
		return fault_set(why, err, "io_uring: not permitted: kernel.io_uring_disabled is %d%s", disabled,
				 disabled == 1 ? ", for all but root and kernel.io_uring_group" : "");
	if (use & USE_SQPOLL)
		return fault_set(why, err, "io_uring: not permitted: sqpoll needs CAP_SYS_NICE before Linux 5.13; "
				 "or seccomp or a security module");
	return fault_set(why, err,
			 "io_uring: not permitted, by seccomp or a security module (kernel.io_uring_disabled is %s)",
			 disabled == 0 ? "0" : "not there");
}

int uring_refused(int err, unsigned use, struct fault *why)
{
	struct rlimit lock = {.rlim_cur = 0};

	switch (err) {
	case -EPERM:
		return not_permitted(err, use, why);
	case -EACCES:
		return fault_set(why, err, "io_uring: permission denied (seccomp or a security module)");
	case -ENOSYS:
		return fault_set(why, err, "io_uring: not implemented by this kernel, or forbidden (seccomp)");
	case -ENOMEM:
		getrlimit(RLIMIT_MEMLOCK, &lock);
		return fault_set(why, err,
				 "io_uring: no locked memory for the ring: RLIMIT_MEMLOCK is %" PRIu64
				 " KiB (ulimit -l), and the depth counts",
				 (uint64_t)lock.rlim_cur / 1024);
	case -EINVAL:
		return fault_set(why, err, "io_uring: this kernel makes no such ring%s%s",
				 use & USE_SQPOLL ? ", with sqpoll" : "", use & USE_IOPOLL ? ", with iopoll" : "");
	default:
		return fault_set(why, err, "io_uring: %s", strerror(-err));
	}
}
