/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/strace_line.h"

#include "base/units.h"

#define PID_MAX 4194304u /* PID_MAX_LIMIT of Linux */
#define EPOCH_DIGITS 9	 /* seconds since 1970 have nine digits since 1973; the distances of -r have not */

static void skip_blanks(const char **s, const char *end)
{
	while (*s < end && scan_blank(**s))
		++*s;
}

static struct word digits(const char *s, const char *end)
{
	struct word w = {s, 0};

	while (s + w.n < end && scan_digit(s[w.n]))
		w.n++;
	return w;
}

/* The name of a process that --decode-pids=comm puts behind a number: "<name>". */
static const char *skip_comm(const char *s, const char *end)
{
	const char *close = s < end && *s == '<' ? memchr(s, '>', (size_t)(end - s)) : NULL;

	return close ? close + 1 : s;
}

/* "[pid  N] " or "N " */
static void front_pid(const char **s, const char *end, struct strace_front *out)
{
	static const char bracket[] = "[pid ";
	bool in_brackets = word_begins(*s, (size_t)(end - *s), bracket);
	const char *at = *s + (in_brackets ? strlen(bracket) : 0), *why;
	struct word number;
	uint64_t pid;

	skip_blanks(&at, end);
	number = digits(at, end);
	at = skip_comm(at + number.n, end);
	if (!number.n || at == end || *at != (in_brackets ? ']' : ' ') || units_count(number.s, number.n, &pid, &why) ||
	    pid > PID_MAX)
		return;
	out->pid = (uint32_t)pid;
	*s = at + 1;
	skip_blanks(s, end);
}

static void front_time(const char **s, const char *end, struct strace_front *out)
{
	const char *at = *s;
	struct word whole = digits(at, end);

	while (at < end && (scan_digit(*at) || *at == ':' || *at == '.'))
		at++;
	if (!whole.n || at == end || *at != ' ')
		return;
	out->time = (struct word){*s, (size_t)(at - *s)};
	if (whole.n < out->time.n && whole.s[whole.n] == ':')
		out->stamp = STAMP_OF_DAY;
	else
		out->stamp = whole.n >= EPOCH_DIGITS ? STAMP_ABSOLUTE : STAMP_RELATIVE;
	*s = at;
	skip_blanks(s, end);
}

/* "(+     0.000001) " of -r beside another time; "[  17] " of -n, "[00007f0000000001] " or "[????]" of -i */
static bool front_group(const char **s, const char *end)
{
	const char *close, *at = *s;

	if (end - at < 3 || (*at != '[' && !(at[0] == '(' && at[1] == '+')))
		return false;
	close = memchr(at, *at == '[' ? ']' : ')', (size_t)(end - at));
	if (!close)
		return false;
	for (at += 1 + (*at == '('); at < close; at++)
		if (!scan_blank(*at) && *at != '.' && *at != '?' && scan_hex_digit(*at) < 0)
			return false;
	*s = close + 1;
	skip_blanks(s, end);
	return true;
}

void strace_front(const char **s, const char *end, struct strace_front *out)
{
	*out = (struct strace_front){0};
	skip_blanks(s, end);
	front_pid(s, end, out);
	front_time(s, end, out);
	while (front_group(s, end))
		;
}

static bool name_char(char c)
{
	return scan_letter(c) || scan_digit(c) || c == '_';
}

static bool ends_with(const char *s, const char *end, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(end - s) >= n && memcmp(end - n, text, n) == 0;
}

/* "<... NAME resumed>REST", or "<... NAME resumed> REST" of strace before 5.0 */
static enum strace_kind resumed(const char *s, const char *end, struct word *name, struct word *args)
{
	static const char behind[] = " resumed>";

	s += strlen("<... ");
	name->s = s;
	while (s < end && name_char(*s))
		s++;
	name->n = (size_t)(s - name->s);
	if (!word_begins(s, (size_t)(end - s), behind))
		return STRACE_ODD;
	s += strlen(behind);
	skip_blanks(&s, end);
	*args = (struct word){s, (size_t)(end - s)};
	return STRACE_RESUMED;
}

enum strace_kind strace_body(const char *s, const char *end, struct word *name, struct word *args)
{
	static const char unfinished[] = "<unfinished ...>";
	static const char *const noise[] = {"--- ", "+++ ", "> ", "strace: ", "???"};
	size_t n = (size_t)(end - s);
	const char *at = s;

	if (word_begins(s, n, "<... "))
		return resumed(s, end, name, args);
	if (word_begins(s, n, "+++ exited") || word_begins(s, n, "+++ killed"))
		return STRACE_EXIT;
	for (size_t i = 0; i < ARRAY_SIZE(noise); i++)
		if (word_begins(s, n, noise[i]))
			return STRACE_NOISE;
	while (at < end && name_char(*at))
		at++;
	*name = (struct word){s, (size_t)(at - s)};
	if (!name->n || at == end || *at != '(')
		return STRACE_ODD;
	at++;
	*args = (struct word){at, (size_t)(end - at)};
	if (end > at && end[-1] == '>') {
		if (ends_with(at, end, unfinished)) {
			args->n -= strlen(unfinished);
			return STRACE_UNFINISHED;
		}
		/* "<detached ...>", "<ptrace(SYSCALL):No such process>": it never came to an end */
		if (ends_with(at, end, "<detached ...>") || ends_with(at, end, ":No such process>"))
			return STRACE_NOISE;
	}
	return STRACE_CALL;
}

/* Behind the string that begins at s with a quote. */
static const char *skip_string(const char *s, const char *end)
{
	for (s++; s < end; s++) {
		if (*s == '\\')
			s++;
		else if (*s == '"')
			return s + 1;
	}
	return end;
}

/*
 * Behind the decoration that begins at s with '<'. In a path strace escapes both brackets; what follows a path, such as
 * <char 1:3>, nests. Other decorations, such as <TCP:[127.0.0.1:1->127.0.0.1:2]>, have them plain in square brackets.
 */
static const char *skip_decoration(const char *s, const char *end)
{
	bool path = s + 1 < end && s[1] == '/';
	int angle = 0, square = 0;

	for (; s < end; s++) {
		if (!path && *s == '"')
			s = skip_string(s, end) - 1;
		else if (!path && *s == '[')
			square++;
		else if (!path && *s == ']')
			square--;
		else if (*s == '<' && square <= 0)
			angle++;
		else if (*s == '>' && square <= 0 && --angle == 0)
			return s + 1;
	}
	return end;
}

static const char *skip_comment(const char *s, const char *end)
{
	const char *close = memmem(s, (size_t)(end - s), "*/", 2);

	return close ? close + 2 : end;
}

/* Behind one argument: at the comma or bracket that ends it, or at end. */
static const char *skip_argument(const char *s, const char *end)
{
	const char *begin = s;
	int depth = 0;

	while (s < end) {
		switch (*s) {
		case '"':
			s = skip_string(s, end);
			continue;
		case '<':
			if (s > begin && (scan_digit(s[-1]) || s[-1] == 'D')) {
				s = s + 1 < end && s[1] == '<' ? s + 2 : skip_decoration(s, end);
				continue;
			}
			break;
		case '/':
			if (s + 1 < end && s[1] == '*') {
				s = skip_comment(s, end);
				continue;
			}
			break;
		case '(':
		case '[':
		case '{':
			depth++;
			break;
		case ')':
		case ']':
		case '}':
			if (depth-- == 0)
				return s;
			break;
		case ',':
			if (depth == 0)
				return s;
			break;
		default:
			break;
		}
		s++;
	}
	return end;
}

/* "= RESULT ..." */
static bool split_result(const char *s, const char *end, struct strace_call *out)
{
	const char *why;
	struct word w;

	w = scan_word(&s, end);
	if (!word_is(w, "="))
		return false;
	skip_blanks(&s, end);
	if (s == end)
		return false;
	if (*s == '?' || *s == '-') {
		out->failed = true;
		scan_word(&s, end);
		out->error = scan_word(&s, end);
		return true;
	}
	w = digits(s, end);
	/* 0x1234 of an address is no number that anything here counts with */
	out->number = w.n && !(s + w.n < end && s[w.n] == 'x') && !units_count(w.s, w.n, &out->result, &why);
	if (out->number && w.s + w.n < end && w.s[w.n] == '<') {
		const char *open = w.s + w.n, *behind = skip_decoration(open, end);

		out->decoration = (struct word){open + 1, (size_t)(MAX(behind - 1, open + 1) - (open + 1))};
	}
	return true;
}

/* Of a number with its names behind it in a comment, as strace -X verbose has them: the names. */
static struct word named(struct word w)
{
	const char *open = w.n > 4 && w.s[w.n - 1] == '/' && w.s[w.n - 2] == '*' ? memmem(w.s, w.n - 2, "/*", 2) : NULL;

	return open ? scan_trim(open + 2, w.s + w.n - 2) : w;
}

bool strace_split(struct word text, struct strace_call *out)
{
	const char *s = text.s, *end = text.s + text.n;

	*out = (struct strace_call){0};
	for (;;) {
		const char *begin = s;
		struct word w;

		s = skip_argument(s, end);
		if (s == end)
			return false;
		w = scan_trim(begin, s);
		if (w.n || *s == ',') {
			if (out->count < STRACE_ARGS)
				out->arg[out->count] = named(w);
			out->count++;
		}
		if (*s++ != ',')
			break;
	}
	if (s[-1] != ')')
		return false;
	return split_result(s, end, out);
}

bool strace_fd(struct word arg, int64_t *fd, struct word *decoration)
{
	static const char here[] = "AT_FDCWD";
	const char *end = arg.s + arg.n, *at, *why, *behind;
	struct word number;
	uint64_t value;

	*decoration = (struct word){0};
	if (word_begins(arg.s, arg.n, here)) {
		*fd = -1;
		at = arg.s + strlen(here);
	} else {
		number = digits(arg.s, end);
		if (units_count(number.s, number.n, &value, &why) || value > INT32_MAX)
			return false;
		*fd = (int64_t)value;
		at = number.s + number.n;
	}
	if (at == end || *at != '<')
		return at == end;
	behind = skip_decoration(at, end);
	*decoration = (struct word){at + 1, (size_t)(MAX(behind - 1, at + 1) - (at + 1))};
	return true;
}

bool strace_number(struct word arg, int64_t *value)
{
	const char *why;
	bool minus = arg.n && arg.s[0] == '-';
	uint64_t v;

	if (units_count(arg.s + minus, arg.n - minus, &v, &why) || v > INT64_MAX)
		return false;
	*value = minus ? -(int64_t)v : (int64_t)v;
	return true;
}

/* The byte that an escape stands for, *s at the backslash and then behind the escape; -1 when it is none. */
static int escaped_byte(const char **s, const char *end)
{
	static const char letters[] = "abtnvfre", bytes[] = "\a\b\t\n\v\f\r\033";
	const char *at = *s + 1, *letter;
	int value = 0;

	if (at == end)
		return -1;
	if (*at >= '0' && *at <= '7') {
		for (int i = 0; i < 3 && at < end && *at >= '0' && *at <= '7'; i++)
			value = value * 8 + (*at++ - '0');
		*s = at;
		return value & 0xff;
	}
	if (*at == 'x' && at + 2 < end && scan_hex_digit(at[1]) >= 0 && scan_hex_digit(at[2]) >= 0) {
		*s = at + 3;
		return scan_hex_digit(at[1]) * 16 + scan_hex_digit(at[2]);
	}
	letter = strchr(letters, *at);
	*s = at + 1;
	return letter && *letter ? bytes[letter - letters] : (unsigned char)*at;
}

size_t strace_unescape(struct word text, bool quoted, char *buf, size_t cap)
{
	const char *s = text.s, *end = text.s + text.n;
	size_t at = 0;

	if (quoted && s < end && *s == '"')
		s++;
	while (s < end && at + 4 < cap) {
		int byte;

		if (quoted && *s == '"')
			break;
		byte = *s == '\\' ? escaped_byte(&s, end) : (unsigned char)*s++;
		if (byte < 0)
			break;
		if (byte >= 0x20 && byte != 0x7f) {
			buf[at++] = (char)byte;
			continue;
		}
		buf[at++] = '\\';
		buf[at++] = (char)('0' + (byte >> 6));
		buf[at++] = (char)('0' + (byte >> 3 & 7));
		buf[at++] = (char)('0' + (byte & 7));
	}
	return at;
}
