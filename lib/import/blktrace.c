/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Binary blktrace: one stream as blkparse -d writes it, or one file a CPU as blktrace leaves them, merged by time.
 *
 * The record (linux/blktrace_api.h), in the byte order of the machine that wrote it, version 7 of 48 bytes:
 *	u32 magic << 8 | version, u32 sequence, u64 time in ns, u64 sector, u32 bytes, u32 action, u32 pid, u32 device,
 *	u32 cpu, u16 error, u16 length of what follows the record
 * and version 8 (2025) of 64 bytes, with the pid before an action of 64 bits, and 12 bytes of padding at the end. The
 * low byte of the action is what happened (bit 8: a cgroup is named behind the record), the bits from 16 on say to
 * what.
 */
#include <byteswap.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "import/importer.h"
#include "import/rwbs.h"

#define MAGIC 0x65617400u
#define CPUS_MAX 4096

enum { ACT_QUEUE = 1, ACT_ISSUE = 7, ACT_COMPLETE = 8 };
enum {
	TC_READ = 1 << 0,
	TC_WRITE = 1 << 1,
	TC_FLUSH = 1 << 2,
	TC_PC = 1 << 9,
	TC_NOTIFY = 1 << 10,
	TC_DISCARD = 1 << 13
};
/* Zones have bits of their own in version 8, which were shifted by 16 or by 32 in different versions of the patches. */
#define TC_ZONE_APPEND (UINT64_C(1) << 16 | UINT64_C(1) << 32)
#define TC_ZONE_OTHER (UINT64_C(0x3e) << 16 | UINT64_C(0x3e) << 32)

struct record {
	uint64_t time, sector, action;
	uint32_t bytes, device;
};

struct cpu {
	struct feed feed; /* not of cpu 0, which has that of the import */
	struct feed *from;
	struct record next;
	bool have, ended;
	bool foreign;	  /* byte order */
	unsigned version; /* 0: the first record is to come */
	unsigned number;
};

struct blktrace {
	struct cpu *cpu;
	unsigned cpus;
	struct rwbs_choice choice;
};

static void blktrace_close(struct import *imp)
{
	struct blktrace *b = imp->state;

	for (unsigned i = 1; i < b->cpus; i++)
		feed_fini(&b->cpu[i].feed);
	free(b->cpu);
}

static int add_cpu(struct blktrace *b, struct input *in, unsigned number)
{
	struct cpu *bigger = reallocarray(b->cpu, b->cpus + 1, sizeof(*b->cpu));

	if (!bigger) {
		input_free(in);
		return -ENOMEM;
	}
	b->cpu = bigger;
	b->cpu[b->cpus] = (struct cpu){.number = number};
	b->cpus++;
	return in ? feed_init(&b->cpu[b->cpus - 1].feed, in) : 0;
}

/* The other files of a set; a CPU that was off has none. */
static int open_others(struct import *imp, struct fault *fault)
{
	for (unsigned i = 1; i < CPUS_MAX; i++) {
		_cleanup_free_ char *path = NULL;
		struct input *in;
		int r;

		if (asprintf(&path, "%s.blktrace.%u", imp->path, i) < 0)
			return fault_set(fault, -ENOMEM, "out of memory");
		r = input_open(&in, path, fault);
		if (r == -ENOENT)
			continue;
		if (r)
			return r;
		r = add_cpu(imp->state, in, i);
		if (r)
			return fault_set(fault, r, "out of memory");
	}
	return 0;
}

static int blktrace_open(struct import *imp, struct fault *fault)
{
	struct blktrace *b = imp->state;
	int r = rwbs_choose(&b->choice, imp->opt.event, fault);

	if (r)
		return r;
	if (add_cpu(b, NULL, 0))
		return fault_set(fault, -ENOMEM, "out of memory");
	r = imp->path ? open_others(imp, fault) : 0;
	for (unsigned i = 0; i < b->cpus; i++)
		b->cpu[i].from = i ? &b->cpu[i].feed : &imp->feed;
	return r;
}

static uint32_t get32(const struct cpu *c, const char *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return c->foreign ? bswap_32(v) : v;
}

static uint64_t get64(const struct cpu *c, const char *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return c->foreign ? bswap_64(v) : v;
}

static uint16_t get16(const struct cpu *c, const char *at)
{
	uint16_t v;

	memcpy(&v, at, sizeof(v));
	return c->foreign ? bswap_16(v) : v;
}

_printf_(3, 4) static int bad_at(struct import *imp, const struct cpu *c, const char *fmt, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (imp->path)
		return import_bad(imp, "CPU %u, byte %" PRIu64 ": %s", c->number, c->from->position, text);
	return import_bad(imp, "byte %" PRIu64 ": %s", c->from->position, text);
}

/* The first word of a record. 0, or -EINVAL when it is none of ours. */
static int check_magic(struct import *imp, struct cpu *c, const char *at)
{
	uint32_t word;

	if (!c->version) {
		memcpy(&word, at, sizeof(word));
		c->foreign = (word & ~0xffu) != MAGIC && (bswap_32(word) & ~0xffu) == MAGIC;
	}
	word = get32(c, at);
	if ((word & ~0xffu) != MAGIC)
		return bad_at(imp, c, "no record of blktrace begins here");
	if ((word & 0xff) != 7 && (word & 0xff) != 8)
		return import_fail(imp, -EINVAL, "version %u of blktrace's records is not known; 7 and 8 are",
				   word & 0xff);
	c->version = word & 0xff;
	return 0;
}

/* Lenient: go on at the next record. Why the last one was bad stays in imp->bad. */
static void resynchronise(struct import *imp, struct cpu *c)
{
	struct fault fault;
	struct feed *f = c->from;

	do {
		feed_take(f, 1);
		if (feed_need(f, 4, &fault)) {
			imp->fatal = true;
			imp->bad = fault;
			return;
		}
	} while (f->end - f->begin >= 4 && (get32(c, f->buf + f->begin) & ~0xffu) != MAGIC);
	if (f->end - f->begin < 4)
		feed_take(f, f->end - f->begin);
}

static void decode(struct cpu *c, const char *at)
{
	c->next = (struct record){
	    .time = get64(c, at + 8),
	    .sector = get64(c, at + 16),
	    .bytes = get32(c, at + 24),
	    .action = c->version == 7 ? get32(c, at + 28) : get64(c, at + 32),
	    .device = get32(c, at + (c->version == 7 ? 36 : 40)),
	};
}

/* Read the next record of a CPU. 0 (also at the end), or what importer.read may return. */
static int advance(struct import *imp, struct cpu *c)
{
	struct feed *f = c->from;
	size_t size, have;
	int r = import_need(imp, f, 64);

	if (r)
		return r;
	have = f->end - f->begin;
	c->ended = have == 0;
	if (c->ended)
		return 0;
	r = have < 4 ? 0 : check_magic(imp, c, f->buf + f->begin);
	if (r) {
		if (!imp->fatal && imp->opt.lenient)
			resynchronise(imp, c);
		return r;
	}
	size = c->version == 8 ? 64 : 48;
	if (have >= size) {
		size += get16(c, f->buf + f->begin + (c->version == 8 ? 50 : 46));
		r = import_need(imp, f, size);
		if (r)
			return r;
	}
	have = f->end - f->begin;
	if (have < size) {
		r = bad_at(imp, c, "the last record is cut off");
		feed_take(f, have);
		return r;
	}
	decode(c, f->buf + f->begin);
	feed_take(f, size);
	c->have = true;
	return 0;
}

/* The CPU whose record is the earliest; NULL at the end of all. */
static struct cpu *earliest(struct blktrace *b)
{
	struct cpu *best = NULL;

	for (unsigned i = 0; i < b->cpus; i++)
		if (b->cpu[i].have && (!best || b->cpu[i].next.time < best->next.time))
			best = &b->cpu[i];
	return best;
}

/* The letter that blkparse has for what happened, 0: one that does not matter. */
static char event_of(const struct record *rec)
{
	switch (rec->action & 0xff) {
	case ACT_QUEUE:
		return 'Q';
	case ACT_ISSUE:
		return 'D';
	case ACT_COMPLETE:
		return 'C';
	default:
		return 0;
	}
}

static int emit(struct import *imp, const struct record *rec)
{
	uint64_t category = rec->action >> 16;
	struct rwbs what = {.flush = category & TC_FLUSH, .data = true};
	char name[32];
	uint32_t id;
	int r;

	if (category & TC_PC) {
		import_note(imp, "SCSI {command of a program is no request|commands of programs are no requests}");
		return 1;
	}
	what.zone = category & TC_ZONE_OTHER && !(category & TC_ZONE_APPEND);
	what.data = !what.zone;
	what.op = category & TC_DISCARD ? OP_TRIM : category & (TC_WRITE | TC_ZONE_APPEND) ? OP_WRITE : OP_READ;
	if (rec->bytes && rec->sector > REQ_MAX >> 9)
		return import_bad(imp, "sector %" PRIu64 " in bytes passes 2^63 - 1", rec->sector);
	if (rec->time > INT64_MAX)
		return import_bad(imp, "time %" PRIu64 " is too large", rec->time);
	snprintf(name, sizeof(name), "%u,%u", rec->device >> 20, rec->device & 0xfffff);
	r = import_file(imp, name, strlen(name), &id);
	if (!r)
		r = rwbs_emit(imp, what, rec->sector << 9, rec->bytes, (int64_t)rec->time, id);
	return r ? r : 1;
}

static int blktrace_read(struct import *imp)
{
	struct blktrace *b = imp->state;
	struct cpu *c;

	for (unsigned i = 0; i < b->cpus; i++) {
		c = &b->cpu[i];
		if (!c->have && !c->ended) {
			int r = advance(imp, c);

			if (r)
				return r;
		}
	}
	c = earliest(b);
	if (!c)
		return -ENODATA;
	c->have = false;
	imp->understood++;
	if ((c->next.action >> 16 & TC_NOTIFY) || !rwbs_chosen(&b->choice, event_of(&c->next)))
		return 1;
	return emit(imp, &c->next);
}

static int blktrace_end(struct import *imp)
{
	const struct blktrace *b = imp->state;

	rwbs_remark(&b->choice, imp);
	return 0;
}

static bool blktrace_magic(const void *head, size_t n)
{
	uint32_t word;

	if (n < sizeof(word))
		return false;
	memcpy(&word, head, sizeof(word));
	return (word & ~0xffu) == MAGIC || (bswap_32(word) & ~0xffu) == MAGIC;
}

const struct importer import_blktrace = {
    .name = "blktrace",
    .help = "binary blktrace, one stream or the base name of one file a CPU; --event Q, D or C",
    .state_size = sizeof(struct blktrace),
    .open = blktrace_open,
    .read = blktrace_read,
    .end = blktrace_end,
    .close = blktrace_close,
    .magic = blktrace_magic,
    .nothing = "no record of blktrace is in it",
};
