/* SPDX-License-Identifier: MIT
 *
 * format.c - recognises dpkg.log and web server logs; see format.h.
 *
 * Each format is read in two steps: the shape decides whether the line is of the format at all,
 * the values decide whether it is possible. Bytes are compared as ASCII, whatever the locale.
 */
#include "format.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What is left of a line. */
struct rest {
	const char *line; /* its beginning, for slices */
	const char *at, *end;
};

struct moment {
	int year, month, day, hour, minute, second;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take_char(struct rest *rest, char c)
{
	if (rest->at == rest->end || *rest->at != c)
		return false;
	rest->at++;
	return true;
}

/* Exactly `digits` digits. */
static bool take_number(struct rest *rest, int digits, int *ret_number)
{
	int number = 0;
	if (rest->end - rest->at < digits)
		return false;
	for (int i = 0; i < digits; i++) {
		if (!is_digit(rest->at[i]))
			return false;
		number = number * 10 + (rest->at[i] - '0');
	}
	rest->at += digits;
	*ret_number = number;
	return true;
}

/* Takes up to the next space, and that; false: nothing is left. */
static bool take_word(struct rest *rest, struct slice *ret_word)
{
	const char *from = rest->at;
	if (from == rest->end)
		return false;
	const char *space = memchr(from, ' ', (size_t)(rest->end - from));
	const char *end = space ? space : rest->end;
	*ret_word = (struct slice){(uint32_t)(from - rest->line), (uint32_t)(end - from)};
	rest->at = space ? space + 1 : end;
	return end > from;
}

/* Takes "..." with \" inside; false: it does not open or close. */
static bool take_quoted(struct rest *rest, struct slice *ret_inside)
{
	struct rest try = *rest;
	if (!take_char(&try, '"'))
		return false;
	const char *from = try.at;
	while (try.at < try.end && *try.at != '"')
		try.at += *try.at == '\\' && try.end - try.at > 1 ? 2 : 1;
	*ret_inside = (struct slice){(uint32_t)(from - rest->line), (uint32_t)(try.at - from)};
	if (!take_char(&try, '"'))
		return false;
	*rest = try;
	return true;
}

static bool slice_is(const char *line, struct slice slice, const char *word)
{
	return slice.length == strlen(word) && memcmp(line + slice.at, word, slice.length) == 0;
}

static bool is_one_of(const char *line, struct slice slice, const char *const *words)
{
	for (; *words; words++)
		if (slice_is(line, slice, *words))
			return true;
	return false;
}

__attribute__((format(printf, 2, 3))) static void impossible(struct parsed *parsed,
							     const char *text, ...)
{
	va_list args;
	va_start(args, text);
	vsnprintf(parsed->problem, sizeof(parsed->problem), text, args);
	va_end(args);
}

static int days_of(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	return days[month - 1] + (month == 2 && leap);
}

/* Writes the time, or notes what is impossible in it. A minute may have a leap second. */
static bool check_moment(struct parsed *parsed, const struct moment *m)
{
	if (m->month < 1 || m->month > 12)
		impossible(parsed, "%s: there is no month %d", format_name(parsed->format),
			   m->month);
	else if (m->day < 1 || m->day > days_of(m->year, m->month))
		impossible(parsed, "%s: month %d of %d has no day %d", format_name(parsed->format),
			   m->month, m->year, m->day);
	else if (m->hour > 23 || m->minute > 59 || m->second > 60)
		impossible(parsed, "%s: there is no time %02d:%02d:%02d",
			   format_name(parsed->format), m->hour, m->minute, m->second);
	else
		snprintf(parsed->time, sizeof(parsed->time), "%04d-%02d-%02d %02d:%02d:%02d",
			 m->year, m->month, m->day, m->hour, m->minute, m->second);
	return parsed->problem[0] == '\0';
}

/* ---- dpkg.log ---------------------------------------------------------------------------- */

static const char *const package_actions[] = {"install", "upgrade", "configure", "trigproc",
					      "remove",  "purge",   "disappear", NULL};

static const char *const package_states[] = {
	"not-installed",    "config-files",     "half-installed", "unpacked", "half-configured",
	"triggers-awaited", "triggers-pending", "installed",      NULL};

static const char *const startup_types[] = {"archives", "packages", NULL};

static const char *const conffile_decisions[] = {"keep", "install", NULL};

/* The slice from the beginning of the first to the end of the last. */
static struct slice joined(struct slice first, struct slice last)
{
	return (struct slice){first.at, last.at + last.length - first.at};
}

/* What follows the time. False: this is not a line of dpkg.log. */
static bool parse_dpkg_event(struct rest *rest, struct parsed *parsed)
{
	struct slice event, word[3] = {{0, 0}, {0, 0}, {0, 0}};
	int words = 0;

	if (!take_word(rest, &event))
		return false;
	while (words < 3 && take_word(rest, &word[words]))
		words++;
	bool over = rest->at != rest->end;
	int wanted;

	parsed->action = event;
	if (slice_is(rest->line, event, "startup")) {
		wanted = 2;
		parsed->action = joined(event, word[0]);
		parsed->detail = word[1];
		if (words > 0 && !is_one_of(rest->line, word[0], startup_types))
			impossible(parsed, "dpkg: startup of neither archives nor packages");
	} else if (slice_is(rest->line, event, "status")) {
		wanted = 3;
		parsed->action = joined(event, word[0]);
		parsed->subject = word[1];
		parsed->detail = word[2];
		if (words > 0 && !is_one_of(rest->line, word[0], package_states))
			impossible(parsed, "dpkg: a package is never in such a state");
	} else if (slice_is(rest->line, event, "conffile")) {
		wanted = 2;
		parsed->subject = word[0];
		parsed->detail = word[1];
		if (words > 1 && !is_one_of(rest->line, word[1], conffile_decisions))
			impossible(parsed, "dpkg: a conffile is kept or installed, nothing else");
	} else if (is_one_of(rest->line, event, package_actions)) {
		wanted = 3;
		parsed->subject = word[0];
		parsed->detail = joined(word[1], word[2]);
	} else {
		return false;
	}
	if (words != wanted || over)
		impossible(parsed, "dpkg: %d words where %d belong", words + over, wanted);
	return true;
}

static bool parse_dpkg(struct rest rest, struct parsed *parsed)
{
	struct moment m;
	bool shape = take_number(&rest, 4, &m.year) && take_char(&rest, '-') &&
		     take_number(&rest, 2, &m.month) && take_char(&rest, '-') &&
		     take_number(&rest, 2, &m.day) && take_char(&rest, ' ') &&
		     take_number(&rest, 2, &m.hour) && take_char(&rest, ':') &&
		     take_number(&rest, 2, &m.minute) && take_char(&rest, ':') &&
		     take_number(&rest, 2, &m.second) && take_char(&rest, ' ');
	if (!shape)
		return false;
	parsed->format = FORMAT_DPKG;
	if (!parse_dpkg_event(&rest, parsed))
		return false;
	if (parsed->problem[0] == '\0')
		check_moment(parsed, &m);
	return true;
}

/* ---- the common and the combined log ----------------------------------------------------- */

static int month_number(const char *name)
{
	static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	for (int i = 0; i < 12; i++)
		if (memcmp(names + 3 * i, name, 3) == 0)
			return i + 1;
	return 0;
}

/* 10/Oct/2000:13:55:36 -0700, with the name of the month still a text. */
static bool take_web_time(struct rest *rest, struct moment *m, const char **ret_month,
			  const char **ret_zone)
{
	int zone;
	if (!take_number(rest, 2, &m->day) || !take_char(rest, '/') || rest->end - rest->at < 3)
		return false;
	*ret_month = rest->at;
	rest->at += 3;
	if (!take_char(rest, '/') || !take_number(rest, 4, &m->year) || !take_char(rest, ':') ||
	    !take_number(rest, 2, &m->hour) || !take_char(rest, ':') ||
	    !take_number(rest, 2, &m->minute) || !take_char(rest, ':') ||
	    !take_number(rest, 2, &m->second) || !take_char(rest, ' '))
		return false;
	*ret_zone = rest->at;
	return (take_char(rest, '+') || take_char(rest, '-')) && take_number(rest, 4, &zone);
}

static void check_web_result(const char *line, struct slice status, struct slice bytes,
			     struct parsed *parsed)
{
	const char *s = line + status.at;
	if (status.length != 3 || !is_digit(s[0]) || !is_digit(s[1]) || !is_digit(s[2]) ||
	    s[0] < '1' || s[0] > '5') {
		impossible(parsed, "web: the status is not 100 to 599");
		return;
	}
	if (slice_is(line, bytes, "-"))
		return;
	for (uint32_t i = 0; i < bytes.length; i++)
		if (!is_digit(line[bytes.at + i]))
			impossible(parsed, "web: the bytes are neither a number nor '-'");
	if (bytes.length == 0)
		impossible(parsed, "web: no bytes after the status");
}

static bool parse_web(struct rest rest, struct parsed *parsed)
{
	struct slice client, word, request, status = {0, 0}, bytes = {0, 0};
	struct moment m;
	const char *month, *zone;

	bool shape = take_word(&rest, &client) && take_word(&rest, &word) &&
		     take_word(&rest, &word) && take_char(&rest, '[') &&
		     take_web_time(&rest, &m, &month, &zone) && take_char(&rest, ']') &&
		     take_char(&rest, ' ') && rest.at < rest.end && *rest.at == '"';
	if (!shape)
		return false;
	parsed->format = FORMAT_WEB;
	if (!take_quoted(&rest, &request) || !take_char(&rest, ' ')) {
		impossible(parsed, "web: the request has no end");
		return true;
	}
	take_word(&rest, &status);
	take_word(&rest, &bytes);
	parsed->subject = client;
	parsed->action = request;
	parsed->detail = bytes.length > 0 ? joined(status, bytes) : status;
	check_web_result(rest.line, status, bytes, parsed);
	/* Combined: "referer" "agent"; servers append fields of their own behind them. */
	if (rest.at < rest.end &&
	    (!take_quoted(&rest, &word) || !take_char(&rest, ' ') || !take_quoted(&rest, &word)))
		impossible(parsed, "web: no referer and agent in quotes after the bytes");
	m.month = month_number(month);
	if (parsed->problem[0] == '\0' && m.month == 0)
		impossible(parsed, "web: there is no month '%.3s'", month);
	if (parsed->problem[0] == '\0' && check_moment(parsed, &m)) {
		size_t length = strlen(parsed->time);
		snprintf(parsed->time + length, sizeof(parsed->time) - length, " %.5s", zone);
	}
	return true;
}

/* ---- all --------------------------------------------------------------------------------- */

const char *format_name(enum format format)
{
	static const char *const names[] = {"text", "dpkg", "web"};
	return names[format];
}

void format_parse(const char *line, size_t length, struct parsed *ret_parsed)
{
	struct rest rest = {.line = line, .at = line, .end = line + length};

	memset(ret_parsed, 0, sizeof(*ret_parsed));
	if (parse_dpkg(rest, ret_parsed))
		return;
	memset(ret_parsed, 0, sizeof(*ret_parsed));
	if (parse_web(rest, ret_parsed))
		return;
	memset(ret_parsed, 0, sizeof(*ret_parsed));
}
