/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/resident.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"

/* The heap is among the first mappings, behind the program. */
#define MAPS_USED ((size_t)4 << 10)
#define STACK_USED ((size_t)24 << 10)
#define STACK_ABOVE ((size_t)8 << 10)

static void lock_range(uintptr_t begin, uintptr_t end, int *error)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	begin &= ~(page - 1);
	if (mlock2((const void *)begin, end - begin, MLOCK_ONFAULT) < 0 && *error == 0)
		*error = -errno;
}

static int lock_object(struct dl_phdr_info *info, size_t size _unused_, void *error)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD)
			lock_range(begin, begin + h->p_memsz, error);
	}
	return 0;
}

/* As the kernel writes addresses. */
static uintptr_t hex(const char **at)
{
	uintptr_t v = 0;

	for (;; ++*at) {
		char c = **at;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uintptr_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uintptr_t)(c - 'a' + 10);
		else
			return v;
	}
}

/*
 * Its extent is known to the kernel only. Read by hand: a stream would take memory, of which each thread has its own
 * store.
 */
static void lock_heap(int *error)
{
	_cleanup_close_ int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	uintptr_t begin, end;
	char text[MAPS_USED + 1];
	const char *mark, *line;
	size_t used = 0;
	ssize_t n = 0;

	do {
		used += (size_t)n;
		n = fd < 0 ? 0 : read(fd, text + used, MAPS_USED - used);
	} while (n > 0);
	text[used] = '\0';
	mark = strstr(text, "[heap]");
	if (!mark)
		return;
	for (line = mark; line > text && line[-1] != '\n'; line--)
		;
	begin = hex(&line);
	line++;
	end = hex(&line);
	if (begin < end)
		lock_range(begin, end, error);
}

static void lock_stack(int *error)
{
	char used[STACK_USED];
	uintptr_t begin = (uintptr_t)used, end = begin + sizeof(used) + STACK_ABOVE;
	/*
	 * The last of what lies above the frames of the first thread, see getauxval(3): behind it nothing may be
	 * mapped.
	 */
	uintptr_t last = getauxval(AT_EXECFN);

	lock_range(begin, last > begin ? MIN(end, last) : end, error);
	explicit_bzero(used, sizeof(used));
}

int resident_lock(void)
{
	int error = 0;

	dl_iterate_phdr(lock_object, &error);
	lock_heap(&error);
	lock_stack(&error);
	return error;
}
