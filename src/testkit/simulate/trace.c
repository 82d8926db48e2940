/* SPDX-License-Identifier: MIT
 *
 * trace.c - the hash and the record of a run, and the first difference of two.
 */
#include "testkit/simulate/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <ward/text.h>

void wardi_trace_init(struct wardi_trace *trace, struct wardi_names *names, bool recording)
{
	*trace = (struct wardi_trace){.names = names, .recording = recording};
}

void wardi_trace_finish(struct wardi_trace *trace)
{
	for (size_t i = 0; i < trace->count; i++)
		free(trace->entries[i].line);
	free(trace->entries);
	trace->entries = NULL;
	trace->count = trace->room = 0;
}

/* ---- the hash ----------------------------------------------------------------------------- */

/* The product spreads each bit of both into the upper half, the shift into the lower. */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = ((hash << 23 | hash >> 41) ^ value) * 0x9fb21c651e98df25;
	return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint64_t word;

	hash = mix(hash, count);
	for (; count >= sizeof(word); at += sizeof(word), count -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = mix(hash, word);
	}
	if (count == 0)
		return hash;
	word = 0;
	memcpy(&word, at, count);
	return mix(hash, word);
}

static uint64_t hash_name(struct wardi_trace *trace, const char *name)
{
	size_t at = ((uintptr_t)name >> 3) % (sizeof(trace->lately) / sizeof(trace->lately[0]));
	if (trace->lately[at].name != name) {
		trace->lately[at].name = name;
		trace->lately[at].hash = mix_bytes(0, name, strlen(name));
	}
	return trace->lately[at].hash;
}

static const char *type_name(const ward_occasion *occasion)
{
	return occasion->type != NULL ? occasion->type->name : NULL;
}

/* Hashes only the size of a body: its bytes may hold addresses, unwritten gaps, and refs, which
 * differ between the systems of a process. Its content shows in its consequences. */
static void mix_occasion(struct wardi_trace *trace, const ward_occasion *occasion)
{
	uint64_t hash = trace->hash;
	uint64_t flags = (uint64_t)occasion->point | (uint64_t)occasion->result << 8 |
			 (uint64_t)occasion->failed << 16 | (uint64_t)occasion->incarnation << 32;

	hash = mix(hash, flags);
	hash = mix(hash, occasion->who.uid ^ (uint64_t)occasion->now_ns << 20);
	if (!ward_ref_is_nobody(occasion->to))
		hash = mix(hash, occasion->to.uid);
	if (occasion->type != NULL)
		hash = mix(hash, hash_name(trace, occasion->type->name) ^ occasion->body_size);
	trace->hash = hash;
}

/* ---- the record --------------------------------------------------------------------------- */

static const struct wardi_trace_entry *record(struct wardi_trace *trace,
					      struct wardi_trace_entry entry)
{
	if (!trace->recording)
		return NULL;
	if (trace->count == trace->room) {
		size_t room = trace->room > 0 ? trace->room * 2 : 256;
		struct wardi_trace_entry *entries =
			realloc(trace->entries, room * sizeof(*entries));
		if (entries == NULL)
			ward_test_fail(__FILE__, __LINE__, "no memory for the record of a run");
		trace->entries = entries;
		trace->room = room;
	}
	entry.hash = trace->hash;
	/* The current turn is the next step; its own entry is made at its end. */
	bool over = entry.what == WARDI_TRACE_POINT && entry.point == WARD_POINT_TURN;
	entry.step = trace->step + !over;
	trace->entries[trace->count++] = entry;
	return &trace->entries[trace->count - 1];
}

static struct wardi_trace_entry entry_of(struct wardi_trace *trace, ward_system *system,
					 const ward_occasion *occasion)
{
	wardi_names_meet(trace->names, system, occasion->who);
	if (!ward_ref_is_nobody(occasion->to))
		wardi_names_meet(trace->names, system, occasion->to);
	return (struct wardi_trace_entry){
		.now_ns = occasion->now_ns,
		.who = occasion->who.uid,
		.to = occasion->to.uid,
		.name = type_name(occasion),
		.point = (uint8_t)occasion->point,
		.failed = occasion->failed,
	};
}

struct wardi_trace_entry wardi_trace_begun(struct wardi_trace *trace, ward_system *system,
					   const ward_occasion *occasion)
{
	struct wardi_trace_entry entry = entry_of(trace, system, occasion);
	entry.what = WARDI_TRACE_POINT;
	entry.step = trace->step + 1;
	return entry;
}

const struct wardi_trace_entry *wardi_trace_done(struct wardi_trace *trace, ward_system *system,
						 const ward_occasion *occasion)
{
	if (occasion->point == WARD_POINT_TURN)
		trace->step++;
	mix_occasion(trace, occasion);
	if (!trace->recording)
		return NULL;
	struct wardi_trace_entry entry = entry_of(trace, system, occasion);
	entry.what = WARDI_TRACE_POINT;
	return record(trace, entry);
}

const struct wardi_trace_entry *wardi_trace_fault(struct wardi_trace *trace, ward_system *system,
						  const ward_occasion *occasion, const char *name)
{
	mix_occasion(trace, occasion);
	trace->hash = mix(trace->hash, hash_name(trace, name));
	if (!trace->recording)
		return NULL;
	struct wardi_trace_entry entry = entry_of(trace, system, occasion);
	entry.what = WARDI_TRACE_FAULT;
	entry.name = name;
	return record(trace, entry);
}

const struct wardi_trace_entry *wardi_trace_event(struct wardi_trace *trace, int64_t now_ns,
						  const ward_event *event)
{
	uint64_t hash = mix(trace->hash, event->kind | (uint64_t)event->reason << 32);
	hash = mix(hash, event->subject.uid);
	hash = mix(hash, event->incarnation | (uint64_t)event->directive << 32);
	hash = mix_bytes(hash, event->failure_class, strlen(event->failure_class));
	hash = mix_bytes(hash, event->new_state, strlen(event->new_state));
	trace->hash = hash;
	if (!trace->recording)
		return NULL;

	char line[WARD_EVENT_PATH + WARD_EVENT_TEXT];
	ward_event_format(event, line, sizeof(line));
	struct wardi_trace_entry entry = {
		.now_ns = now_ns,
		.who = event->subject.uid,
		.what = WARDI_TRACE_EVENT,
		.line = strdup(line),
	};
	return record(trace, entry);
}

void wardi_trace_note(struct wardi_trace *trace, int64_t now_ns, uint64_t value)
{
	trace->hash = mix(trace->hash, value);
	record(trace, (struct wardi_trace_entry){.now_ns = now_ns, .what = WARDI_TRACE_NOTE});
}

/* ---- comparing and printing ---------------------------------------------------------------- */

size_t wardi_trace_differ(const struct wardi_trace *a, const struct wardi_trace *b)
{
	size_t at = 0;
	/* Each hash covers all entries before, so the first that differs is the difference. */
	while (at < a->count && at < b->count && a->entries[at].hash == b->entries[at].hash)
		at++;
	return at;
}

struct text {
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	ward_text_vformat(text->at, text->left, format, args);
	va_end(args);
	size_t used = strlen(text->at);
	text->at += used;
	text->left -= used;
}

/* "receive of sim/user/a: ping", "send from outside: ping to sim/user/b". */
static void put_point(struct text *text, const struct wardi_trace_entry *entry,
		      const struct wardi_names *names)
{
	put(text, "%s %s %s", ward_point_text((ward_point)entry->point),
	    wardi_names_preposition(entry->who), wardi_names_path(names, entry->who));
	if (entry->what == WARDI_TRACE_POINT && entry->name != NULL)
		put(text, ": %s", entry->name);
	if (entry->to != 0)
		put(text, " to %s", wardi_names_path(names, entry->to));
	if (entry->what == WARDI_TRACE_POINT && entry->failed)
		put(text, ", failed");
}

void wardi_trace_entry_text(const struct wardi_trace_entry *entry, const struct wardi_names *names,
			    char *text, size_t max)
{
	struct text out = {text, max};

	switch ((enum wardi_trace_what)entry->what) {
	case WARDI_TRACE_EVENT:
		put(&out, "%s", entry->line != NULL ? entry->line : "event");
		break;
	case WARDI_TRACE_NOTE:
		put(&out, "note of the test");
		break;
	case WARDI_TRACE_FAULT:
		put(&out, "fault, %s: ", entry->name);
		put_point(&out, entry, names);
		break;
	case WARDI_TRACE_POINT:
		put_point(&out, entry, names);
		break;
	}
	put(&out, " at %" PRId64 ".%03" PRId64 " ms", entry->now_ns / 1000000,
	    entry->now_ns / 1000 % 1000);
}

void wardi_trace_text(const struct wardi_trace *trace, size_t at, char *text, size_t max)
{
	if (at < trace->count)
		wardi_trace_entry_text(&trace->entries[at], trace->names, text, max);
	else
		snprintf(text, max, "the end");
}
