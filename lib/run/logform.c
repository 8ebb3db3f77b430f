/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/logform.h"

#include <endian.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"

#define LINE_MOST (10 * UNITS_TEXT)
#define HEADER_BYTES 64
#define RECORD_BYTES 48

static bool ends_in(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return n > m && strcmp(path + n - m, end) == 0;
}

enum log_form logform_of_name(const char *path)
{
	return ends_in(path, ".csv") ? LOG_CSV : ends_in(path, ".bin") ? LOG_BIN : LOG_TEXT;
}

static char *put_u32(char *at, uint32_t v)
{
	v = htole32(v);
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

static char *put_u64(char *at, uint64_t v)
{
	v = htole64(v);
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

void logform_header(enum log_form form, struct outfile *o)
{
	static const char csv[] = "start_ns,latency_ns,op,offset,length,result,job,play,cache\n";
	static const char text[] = "# iotrace log: time op offset length # latency(ns) result job play [hit|miss]\n"
				   "#columns time op offset length\n";
	char bin[HEADER_BYTES] = "iotrlog1";

	put_u32(put_u32(bin + 8, HEADER_BYTES), RECORD_BYTES);
	switch (form) {
	case LOG_CSV:
		outfile_write(o, csv, sizeof(csv) - 1);
		break;
	case LOG_BIN:
		outfile_write(o, bin, sizeof(bin));
		break;
	case LOG_TEXT:
		outfile_write(o, text, sizeof(text) - 1);
		break;
	}
}

static char *put_number(char *at, int64_t v)
{
	if (v < 0)
		*at++ = '-';
	return at + units_print_count(at, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

static char *put_cache(char *at, enum log_cache cache)
{
	static const char *const word[] = {[LOG_NOT_TOLD] = "", [LOG_HIT] = "hit", [LOG_MISS] = "miss"};

	return stpcpy(at, word[cache]);
}

static char *csv_line(char *at, const struct log_record *r, unsigned job, unsigned play)
{
	at = put_number(at, r->start);
	*at++ = ',';
	at += units_print_count(at, r->latency);
	*at++ = ',';
	*at++ = op_letter(r->op);
	*at++ = ',';
	at += units_print_count(at, r->offset);
	*at++ = ',';
	at += units_print_count(at, r->length);
	*at++ = ',';
	at = put_number(at, r->result);
	*at++ = ',';
	at += units_print_count(at, job);
	*at++ = ',';
	at += units_print_count(at, play);
	*at++ = ',';
	at = put_cache(at, r->cache);
	*at++ = '\n';
	return at;
}

/* Seconds with nine decimals. A trace has no negative times. */
static char *put_seconds(char *at, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 : (uint64_t)ns, part = v % (uint64_t)NS_PER_SEC;

	at += units_print_count(at, v / (uint64_t)NS_PER_SEC);
	*at++ = '.';
	for (int i = 8; i >= 0; i--, part /= 10)
		at[i] = (char)('0' + part % 10);
	return at + 9;
}

static char *text_line(char *at, const struct log_record *r, unsigned job, unsigned play)
{
	at = put_seconds(at, r->start);
	*at++ = ' ';
	*at++ = op_letter(r->op);
	*at++ = ' ';
	at += units_print_count(at, r->offset);
	*at++ = 'b';
	*at++ = ' ';
	at += units_print_count(at, r->length);
	memcpy(at, "b # ", 4);
	at += 4;
	at += units_print_count(at, r->latency);
	*at++ = ' ';
	at = put_number(at, r->result);
	*at++ = ' ';
	at += units_print_count(at, job);
	*at++ = ' ';
	at += units_print_count(at, play);
	if (r->cache != LOG_NOT_TOLD)
		*at++ = ' ';
	at = put_cache(at, r->cache);
	*at++ = '\n';
	return at;
}

static char *bin_record(char *at, const struct log_record *r, unsigned job, unsigned play)
{
	at = put_u64(at, (uint64_t)r->start);
	at = put_u64(at, r->latency);
	at = put_u64(at, r->offset);
	at = put_u64(at, r->length);
	at = put_u64(at, (uint64_t)r->result);
	at = put_u32(at, job);
	return put_u32(at, (uint32_t)(play & UINT16_MAX) | (uint32_t)(unsigned char)op_letter(r->op) << 16 |
				   (uint32_t)r->cache << 24);
}

void logform_record(enum log_form form, struct outfile *o, const struct log_record *r, unsigned job, unsigned play)
{
	char *begin = outfile_reserve(o, LINE_MOST), *end = begin;

	switch (form) {
	case LOG_CSV:
		end = csv_line(begin, r, job, play);
		break;
	case LOG_BIN:
		end = bin_record(begin, r, job, play);
		break;
	case LOG_TEXT:
		end = text_line(begin, r, job, play);
		break;
	}
	o->used += (size_t)(end - begin);
}
