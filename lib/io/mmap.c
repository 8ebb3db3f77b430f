/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A shared mapping of the target, usually one byte read of each page of a request: what the page-fault path does is all
 * there is to it. Where the address space does not hold the whole target, a window of it moves.
 *
 * A store that cannot be had (no space for a hole, say) is SIGBUS like a load, and -EIO, as the signal does not tell
 * why, unless the page lies past the end of a file that has become shorter: nothing is there, as in read(2). Behind
 * good pages it ends the request early, as it does in read(2). What fails when the pages are written out is the result
 * of a sync.
 *
 * Without a descriptor it is private anonymous memory, all of it: a window that moves would lose what it leaves. Where
 * that lies is no matter of luck (io/area.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/event.h"
#include "io/backend.h"
#include "io/mapping.h"

static int mmap_probe(struct fault *why _unused_)
{
	return 0;
}

/* Anonymous memory is accounted as that of any program is, so that what is too much is refused. */
static int map_flags(const struct mapping *m)
{
	return m->anon ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_NORESERVE;
}

/* Map length bytes of the target from offset on, at the given place or, NULL, anywhere. */
static int map_at(const struct mapping *m, char *place, size_t length, uint64_t offset, char **mapped)
{
	int flags = map_flags(m) | (place ? MAP_FIXED : 0);

	*mapped = mmap(place, length, m->prot, flags, m->plain.fd, (off_t)offset);
	return *mapped == MAP_FAILED ? -errno : mapping_advise_lasting(m, *mapped, length, offset);
}

static bool populate_piece(const struct mapping *m, char *at, size_t length)
{
	/* A read of anonymous memory maps the page of zeros, and a write faults again. */
	int how = m->anon && m->prot & PROT_WRITE ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
	uint64_t offset = m->start + (uint64_t)(at - m->guard.base);

	if (madvise(at, length, how) == 0)
		return true;
	if (errno != EINVAL)
		return false;
	/* Linux before 5.14 */
	if (mmap(at, length, m->prot, map_flags(m) | MAP_FIXED | MAP_POPULATE, m->plain.fd, (off_t)offset) ==
	    MAP_FAILED)
		return false;
	return mapping_advise_lasting(m, at, length, offset) == 0;
}

/*
 * What MAP_POPULATE does, after the advice that it shall follow. A page that cannot be had, the touch will tell. The
 * kernel lets no signal but a deadly one end it (__get_user_pages() in mm/gup.c), so it is asked for a little at a
 * time.
 */
static void populate(const struct mapping *m)
{
	const size_t piece = (size_t)4 << 20;
	size_t length = (size_t)MIN(m->there, m->guard.length);

	for (size_t done = 0; done < length && !stop_signal(); done += piece)
		if (!populate_piece(m, m->guard.base + done, MIN(piece, length - done)))
			break;
}

/* Windows begin at multiples of their length, so that a trace that runs backwards moves them no more often. */
static int move_window(struct mapping *m, uint64_t offset)
{
	uint64_t start = offset - offset % m->guard.length;
	char *mapped;
	int r;

	m->fast = m->there = 0;
	r = map_at(m, m->guard.base, m->guard.length, start, &mapped);
	if (r < 0)
		return r;
	m->start = start;
	m->there = MIN(m->guard.length, m->size - start);
	m->fast = m->announces || m->touch != TOUCH_PAGE ? 0 : m->there;
	if (m->populate)
		populate(m);
	return mapping_advise_once(m);
}

static int map_error(const struct mapping *m, int err, struct fault *why)
{
	if (err == -ENOMEM && m->anon)
		return fault_set(why, err, "no memory of %" PRIu64 " bytes for another job", m->size);
	if (err == -ENOMEM)
		return fault_set(why, err, "no address space to map it, not even a page (ulimit -v)");
	if (err == -EOPNOTSUPP)
		return fault_set(why, err, "this kernel has not all of the advice");
	if (err == -EPERM && m->prot & PROT_EXEC)
		return fault_set(why, err, "cannot be mapped executable: its file system is mounted noexec");
	return fault_set(why, err, "cannot be mapped: %s", strerror(-err));
}

/* The largest power of two below length, not below page. */
static size_t power_below(size_t length, size_t page)
{
	size_t power = page;

	while (power * 2 < length)
		power *= 2;
	return power;
}

/* The window of anonymous memory is all of it. */
static int anon_window(struct mapping *m, size_t length, struct fault *why)
{
	int r = area_reserve(&m->area, length);

	if (r < 0)
		return map_error(m, r, why);
	m->guard.base = m->area.base;
	m->guard.length = length;
	r = move_window(m, 0);
	if (r < 0)
		area_release(&m->area);
	return r < 0 ? map_error(m, r, why) : 0;
}

/* The largest window that can be had; all of the target if possible. */
static int first_window(struct mapping *m, struct fault *why)
{
	size_t page = m->guard.page, length = SIZE_MAX / 2 + 1;
	char *mapped;
	int r;

	if (m->size <= length - page)
		length = (size_t)(m->size + page - 1) / page * page;
	if (m->anon)
		return anon_window(m, length, why);
	while ((r = map_at(m, NULL, length, 0, &mapped)) == -ENOMEM && length > page)
		length = power_below(length, page);
	if (r < 0)
		return map_error(m, r, why);
	m->guard.base = mapped;
	m->guard.length = length;
	if (length < m->size && length > page) {
		/* The rest of the process needs room too. */
		m->guard.length = length / 2;
		munmap(mapped + m->guard.length, m->guard.length);
	}
	r = move_window(m, 0);
	if (r < 0)
		munmap(m->guard.base, m->guard.length);
	return r < 0 ? map_error(m, r, why) : 0;
}

static int file_init(struct mapping *m, int fd, struct fault *why)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fault_set(why, -errno, "%s", strerror(errno));
	if (S_ISCHR(st.st_mode))
		return fault_set(why, -ENODEV, "a character device cannot be mapped: %s", strerror(ENODEV));
	return plain_init(&m->plain, fd, why);
}

static int mmap_open(const struct engine_params *p, void **state, struct fault *why)
{
	_cleanup_free_ struct mapping *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return fault_set(why, -ENOMEM, "%s", strerror(ENOMEM));
	m->anon = p->fd < 0;
	m->plain.fd = p->fd;
	r = m->anon ? 0 : file_init(m, p->fd, why);
	if (r < 0)
		return r;
	m->size = p->size;
	m->hints = p->hints;
	m->hint_count = p->hint_count;
	m->announces = mapping_announces(m);
	m->touch = p->touch;
	m->prot = p->write ? PROT_READ | PROT_WRITE : PROT_READ;
	if (p->use & USE_EXECUTABLE)
		m->prot |= PROT_EXEC;
	m->populate = p->use & USE_POPULATE;
	m->dsync = p->dsync;
	m->buf_size = p->buf_size;
	m->guard.page = (size_t)sysconf(_SC_PAGESIZE);
	if (m->size > 0) { /* else there is nothing to map, and nothing to read */
		r = first_window(m, why);
		if (r < 0)
			return r;
	}
	sigbus_guard_add(&m->guard);
	*state = TAKE_PTR(m);
	return 0;
}

static void mmap_close(void *state)
{
	struct mapping *m = state;

	sigbus_guard_remove(&m->guard);
	if (m->anon)
		area_release(&m->area);
	else if (m->guard.length)
		munmap(m->guard.base, m->guard.length);
	free(m);
}

static bool is_past_end(const struct mapping *m, uint64_t at)
{
	struct stat st;

	return !m->anon && fstat(m->plain.fd, &st) == 0 && S_ISREG(st.st_mode) && at >= (uint64_t)st.st_size;
}

/*
 * The result of a request that met a page which could not be had. The page of the target comes back in place of the
 * empty one: the next touch shall be true again.
 */
static int lose(struct mapping *m, struct io *io)
{
	char *page = m->guard.lost, *mapped;
	uint64_t at = m->start + (uint64_t)(page - m->guard.base);

	io->res = at > io->offset ? (int64_t)(at - io->offset) : is_past_end(m, at) ? 0 : -EIO;
	m->guard.lost = NULL;
	return map_at(m, page, m->guard.page, at, &mapped);
}

static void announce(const struct mapping *m, const char *from, size_t length)
{
	size_t skew = (size_t)from & (m->guard.page - 1);

	/* A hint; what is wrong with the pages, the touch will tell. */
	(void)madvise((char *)(uintptr_t)from - skew, length + skew, MADV_WILLNEED);
}

static int write_out(const struct mapping *m, char *from, size_t length)
{
	size_t skew = (size_t)from & (m->guard.page - 1);

	return msync(from - skew, length + skew, MS_SYNC);
}

/* A trim gives the whole pages in it back; there is nothing to be synced to. */
static void sync_or_trim_anon(const struct mapping *m, struct io *io)
{
	size_t page = m->guard.page;
	uint64_t from = (io->offset + page - 1) & ~(page - 1), to = (io->offset + io->length) & ~(page - 1);

	io->res = 0;
	if (io->op == IO_TRIM)
		io->res = from < to && madvise(m->guard.base + from, to - from, MADV_DONTNEED) < 0 ? -errno
											    : (int64_t)io->length;
}

/* msync(2) is the fdatasync of a mapping (mm/msync.c). What a window has left behind, it does not reach. */
static void sync_or_trim(const struct mapping *m, struct io *io)
{
	if (m->anon)
		sync_or_trim_anon(m, io);
	else if (io->op != IO_DATASYNC || m->guard.length < m->size || m->size == 0)
		plain_do(&m->plain, io);
	else
		io->res = msync(m->guard.base, m->guard.length, MS_SYNC) < 0 ? -errno : 0;
}

/* Out of line, so that the one touch of a usual request carries neither its registers nor its stack. */
__attribute__((noinline, cold)) static int submit_rare(struct mapping *m, struct io *io)
{
	uint64_t at = io->offset, end;
	int r;

	if (m->guard.lost) /* by the touch of the quick way */
		return lose(m, io);
	if (io->op != IO_READ && !(m->prot & PROT_WRITE))
		return -EOPNOTSUPP;
	if (io->op != IO_READ && io->op != IO_WRITE) {
		sync_or_trim(m, io);
		return 0;
	}
	io->res = 0;
	if (at >= m->size)
		return 0;
	end = at + MIN(io->length, m->size - at);
	while (at < end) {
		size_t piece;
		char *from;

		if (at - m->start >= m->there) {
			r = move_window(m, at);
			if (r < 0)
				return r;
		}
		piece = (size_t)MIN(end - at, m->there - (at - m->start));
		from = m->guard.base + (at - m->start);
		if (m->announces)
			announce(m, from, piece);
		mapping_touch(m, io, from, piece, at - io->offset);
		if (m->guard.lost)
			return lose(m, io);
		if (io->op == IO_WRITE && m->dsync && write_out(m, from, piece) < 0) {
			io->res = -errno;
			return 0;
		}
		at += piece;
	}
	io->res = (int64_t)(end - io->offset);
	return 0;
}

static int mmap_submit(void *state, struct io *io)
{
	struct mapping *m = state;
	uint64_t at = io->offset - m->start;

	if (likely(at < m->fast && io->length <= m->fast - at && io->op == IO_READ &&
		   (at & (m->guard.page - 1)) + io->length <= m->guard.page)) {
		(void)*(const volatile char *)(m->guard.base + at);
		io->res = (int64_t)io->length;
		if (likely(!m->guard.lost))
			return 0;
	}
	return submit_rare(m, io);
}

static void mmap_describe(const void *state, char *text, size_t cap)
{
	static const char *const touches[] = {"", ", every byte touched", ", copied"};
	const struct mapping *m = state;
	char window[80] = "", hint[80];
	size_t used;

	if (m->guard.length < m->size)
		snprintf(window, sizeof(window), ", a moving window of %zu of %" PRIu64 " bytes", m->guard.length,
			 m->size);
	snprintf(text, cap, "%s%s%s%s", touches[m->touch], m->prot & PROT_EXEC ? ", executable" : "",
		 m->populate ? ", populated" : "", window);
	for (unsigned i = 0; i < m->hint_count; i++) {
		used = strlen(text);
		snprintf(text + used, cap - used, ", %s",
			 hint_text(hint, sizeof(hint), advise_memory_name(m->hints[i].advice), &m->hints[i]));
	}
	if (text[0])
		memmove(text, text + 2, strlen(text + 1));
}

const struct engine engine_mmap = {
	.name = "mmap",
	.help = "a mapping, its pages touched or copied",
	.flags = ENGINE_TOUCH | ENGINE_WRITE | ENGINE_TRIM,
	.uses = USE_POPULATE | USE_EXECUTABLE,
	.max_depth = 1,
	.probe = mmap_probe,
	.open = mmap_open,
	.close = mmap_close,
	.submit = mmap_submit,
	.read_many = mapping_read_many,
	.write_many = mapping_write_many,
	.advise = mapping_advise,
	.describe = mmap_describe,
};
