/* SPDX-License-Identifier: MIT
 *
 * log_formats.c - an event as a line with its time, as a JSON object, and in journald's form.
 *
 * Each form is one line. The time is formatted here: the functions of the C library read the rules
 * of a time zone from a file, even for UTC.
 *
 * Threads: all functions may run at the same time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/event.h>

#include "base/text.h"

enum { DAY_S = 24 * 60 * 60, ERA_DAYS = 146097 /* in 400 years */, TIME_MAX = 32 };

/* ---- the time ---------------------------------------------------------------------------- */

/* Rounds down. */
static int64_t divide(int64_t number, int64_t by)
{
	return number / by - (number % by < 0);
}

/* "2026-11-23T16:33:57.042Z". Years begin in March here, so that the leap day is the last day. */
static void write_time(int64_t wall_ns, char text[TIME_MAX])
{
	int64_t ms = divide(wall_ns, 1000 * 1000), s = divide(ms, 1000), day = divide(s, DAY_S);
	int64_t from_era = day + 719468 /* from March 1st of the year 0 to 1970 */;
	int64_t era = divide(from_era, ERA_DAYS);
	int64_t in_era = from_era - era * ERA_DAYS; /* a day of it */
	int64_t year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int64_t in_year = in_era - (365 * year + year / 4 - year / 100);
	int64_t month = (5 * in_year + 2) / 153; /* 0: March */
	int64_t in_day = s - day * DAY_S;

	snprintf(text, TIME_MAX, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d.%03dZ",
		 year + era * 400 + (month >= 10), (int)(month < 10 ? month + 3 : month - 9),
		 (int)(in_year - (153 * month + 2) / 5 + 1), (int)(in_day / 3600),
		 (int)(in_day / 60 % 60), (int)(in_day % 60), (int)(ms - s * 1000));
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Writes the line of an event behind `front`. */
static size_t write_behind(const char *front, const ward_event *event, char *text, size_t max)
{
	size_t length = strlen(front);

	if (length >= max) {
		ward_text_line(text, max, front, length);
		return length + ward_event_format(event, NULL, 0);
	}
	memcpy(text, front, length);
	return length + ward_event_format(event, text + length, max - length);
}

size_t ward_event_stamped(const ward_event *event, char *text, size_t max)
{
	char front[TIME_MAX + 16], time[TIME_MAX];

	write_time(event->wall_ns, time);
	snprintf(front, sizeof front, "%s %s ", time, ward_level_text((ward_level)event->level));
	return write_behind(front, event, text, max);
}

size_t ward_event_journald(const ward_event *event, char *text, size_t max)
{
	/* The levels of syslog. */
	static const char *const fronts[] = {[WARD_LEVEL_DEBUG] = "<7>",
					     [WARD_LEVEL_INFO] = "<6>",
					     [WARD_LEVEL_WARNING] = "<4>",
					     [WARD_LEVEL_SEVERE] = "<3>"};
	bool known = event->level >= WARD_LEVEL_DEBUG && event->level <= WARD_LEVEL_SEVERE;

	return write_behind(fronts[known ? event->level : WARD_LEVEL_SEVERE], event, text, max);
}

/* ---- an object --------------------------------------------------------------------------- */

/* A JSON object as it is written. */
struct object {
	char *text;
	size_t max;
	size_t length; /* also of what does not fit */
};

static void add(struct object *to, const char *text, size_t length)
{
	if (length < to->max && to->length < to->max - length)
		memcpy(to->text + to->length, text, length);
	to->length += length;
}

static void add_text(struct object *to, const char *text)
{
	add(to, text, strlen(text));
}

/* Also escapes characters that JSON allows but that steer a terminal; all of them fit one \u. */
static void add_escaped(struct object *to, uint32_t code)
{
	char word[8];

	snprintf(word, sizeof word, "\\u%04x", (unsigned)code & 0xffff);
	add_text(to, word);
}

/* Up to max bytes, or to a 0. */
static void add_string(struct object *to, const char *text, size_t max)
{
	static const uint32_t replacement = 0xfffd;
	size_t length = strnlen(text, max), count;

	add_text(to, "\"");
	for (size_t at = 0; at < length; at += count) {
		uint32_t code = replacement;

		count = wardi_text_decode(text + at, length - at, &code);
		if (count == 0 || !wardi_text_is_visible(code)) {
			add_escaped(to, count == 0 ? replacement : code);
			count += count == 0;
			continue;
		}
		if (code == '"' || code == '\\')
			add_text(to, "\\");
		add(to, text + at, count);
	}
	add_text(to, "\"");
}

/* Writes a comma in front, except for the first key. */
static void add_key(struct object *to, const char *key)
{
	add_text(to, to->length == 1 ? "\"" : ",\"");
	add_text(to, key);
	add_text(to, "\":");
}

static void add_number(struct object *to, const char *key, int64_t number)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, number);
	add_key(to, key);
	add_text(to, text);
}

static void add_word(struct object *to, const char *key, const char *word)
{
	add_key(to, key);
	add_string(to, word, SIZE_MAX);
}

/* A member of the event that has text for some kinds only. */
#define ADD_MEMBER(to, key, member)                                                                \
	do {                                                                                       \
		if ((member)[0] != '\0') {                                                         \
			add_key(to, key);                                                          \
			add_string(to, member, sizeof(member));                                    \
		}                                                                                  \
	} while (0)

/* The names that files of ward-config use. */
static const char *kind_text(uint32_t kind)
{
	static const char *const names[] = {"failure",    "dead-letter",  "unhandled",
					    "lifecycle",  "hook-failure", "note",
					    "suppressed", "watch"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (kind == UINT32_C(1) << i)
			return names[i];
	return "?";
}

static const char *reason_text(uint32_t reason)
{
	static const char *const names[] = {"none",     "nobody", "dead", "full",      "no-memory",
					    "misuse",   "stale",  "lost", "thread",    "no-routee",
					    "no-match", "unique", "down", "unreached", "local"};
	_Static_assert(sizeof names / sizeof names[0] == WARD_REASON_LOCAL + 1, "one for each");

	return reason < sizeof names / sizeof names[0] ? names[reason] : "?";
}

static void add_failure(struct object *to, const ward_event *event)
{
	add_word(to, "directive", ward_directive_text((ward_directive)event->directive));
	ADD_MEMBER(to, "follows", event->follows);
	if (event->denied != 0) {
		add_key(to, "denied");
		add_text(to, "true");
	}
	add_number(to, "restarts", event->restarts);
	if (event->restarts_left >= 0)
		add_number(to, "restarts_left", event->restarts_left);
}

size_t ward_event_json(const ward_event *event, char *text, size_t max)
{
	struct object to = {.text = text, .max = max};
	char time[TIME_MAX];

	write_time(event->wall_ns, time);
	add_text(&to, "{");
	add_word(&to, "time", time);
	add_word(&to, "level", ward_level_text((ward_level)event->level));
	add_word(&to, "kind", kind_text(event->kind));
	ADD_MEMBER(&to, "path", event->path);
	ADD_MEMBER(&to, "origin", event->origin_path);
	ADD_MEMBER(&to, "class", event->failure_class);
	ADD_MEMBER(&to, "text", event->text);
	ADD_MEMBER(&to, "message", event->message_type);
	ADD_MEMBER(&to, "sender", event->sender_path);
	if (event->reason != WARD_REASON_NONE)
		add_word(&to, "reason", reason_text(event->reason));
	if (event->kind == WARD_EVENT_FAILURE)
		add_failure(&to, event);
	ADD_MEMBER(&to, "old_state", event->old_state);
	ADD_MEMBER(&to, "new_state", event->new_state);
	if (event->incarnation > 0)
		add_number(&to, "incarnation", event->incarnation);
	add_text(&to, "}");
	if (max > 0)
		text[to.length < max ? to.length : 0] = '\0';
	return to.length;
}
