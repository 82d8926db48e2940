/* SPDX-License-Identifier: MIT
 *
 * trace_chrome.c - the record of a run in the Trace Event Format, for chrome://tracing or Perfetto.
 *
 * Each actor is a "thread". A callback is a slice; spawns, faults and events are instants; an arrow
 * leads from each send to the callback that received the message. Many things happen at the same
 * virtual time, so each entry takes a microsecond of its own after that time; the true time is
 * among the arguments.
 */
#include "testkit/simulate/trace_chrome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/simulate/trace.h"

enum { LISTS = 1024 };

/* Numbers of entries, plus one; 0: none. */
struct waiting {
	size_t first, last;
};

struct writer {
	FILE *file;
	const struct wardi_trace *trace;
	int64_t last_us;
	bool first;
	/* The sends that have not been received yet, the oldest first, by receiver. */
	struct waiting waiting[LISTS];
	size_t *next; /* of each entry, in its list */
};

static void put_text(FILE *file, const char *text)
{
	putc('"', file);
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;
		if (c == '"' || c == '\\')
			fprintf(file, "\\%c", c);
		else if (c < 0x20 || c >= 0x7f)
			fprintf(file, "\\u%04x", c);
		else
			putc(c, file);
	}
	putc('"', file);
}

/* Writes the beginning of an event, up to its name, which may have two parts. */
static void begin(struct writer *writer, const char *phase, uint64_t who, int64_t us,
		  const char *name)
{
	fprintf(writer->file,
		"%s\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%" PRIu64 ",\"ts\":%" PRId64 ",\"name\":",
		writer->first ? "" : ",", phase, who, us);
	writer->first = false;
	put_text(writer->file, name);
}

static void end(struct writer *writer, const struct wardi_trace_entry *entry)
{
	fprintf(writer->file,
		",\"args\":{\"step\":%" PRIu64 ",\"time\":\"%" PRId64 ".%06" PRId64 " ms\"}}",
		entry->step, entry->now_ns / 1000000, entry->now_ns % 1000000);
}

/* ---- arrows ------------------------------------------------------------------------------- */

static struct waiting *list_of(struct writer *writer, uint64_t receiver)
{
	return &writer->waiting[receiver % LISTS];
}

static void send(struct writer *writer, size_t at)
{
	struct waiting *list = list_of(writer, writer->trace->entries[at].to);

	if (list->first == 0)
		list->first = at + 1;
	else
		writer->next[list->last - 1] = at + 1;
	list->last = at + 1;
}

/* Takes the oldest send of the type to the actor. Mailboxes are in order, so it is the received
 * one, unless faults, a stash or priorities came between. */
static size_t receive(struct writer *writer, const struct wardi_trace_entry *entry)
{
	const struct wardi_trace_entry *entries = writer->trace->entries;
	struct waiting *list = list_of(writer, entry->who);
	size_t before = 0;

	for (size_t at = list->first; at != 0; before = at, at = writer->next[at - 1]) {
		const struct wardi_trace_entry *sent = &entries[at - 1];
		if (sent->to != entry->who || strcmp(sent->name, entry->name) != 0)
			continue;
		*(before == 0 ? &list->first : &writer->next[before - 1]) = writer->next[at - 1];
		if (list->last == at)
			list->last = before;
		return at;
	}
	return 0;
}

static void put_arrow(struct writer *writer, const char *phase, size_t id, uint64_t who, int64_t us)
{
	fprintf(writer->file,
		",\n{\"ph\":\"%s\",\"pid\":1,\"tid\":%" PRIu64 ",\"ts\":%" PRId64
		",\"id\":%zu,\"cat\":\"message\",\"name\":\"message\",\"bp\":\"e\"}",
		phase, who, us, id);
}

/* ---- entries ------------------------------------------------------------------------------ */

/* Writes a slice of a microsecond; for sends, too, since arrows begin at slices. */
static void put_slice(struct writer *writer, size_t at, int64_t us)
{
	const struct wardi_trace_entry *entry = &writer->trace->entries[at];
	char name[128];

	snprintf(name, sizeof(name), "%s%s%s%s", ward_point_text((ward_point)entry->point),
		 entry->name != NULL ? " " : "", entry->name != NULL ? entry->name : "",
		 entry->failed ? ", failed" : "");
	begin(writer, "X", entry->who, us, name);
	fputs(",\"dur\":1", writer->file);
	end(writer, entry);
	if (entry->name == NULL)
		return;
	if (entry->point == WARD_POINT_SEND && !entry->failed) {
		put_arrow(writer, "s", at + 1, entry->who, us);
		send(writer, at);
	} else if (entry->point == WARD_POINT_RECEIVE) {
		size_t id = receive(writer, entry);
		if (id != 0)
			put_arrow(writer, "f", id, entry->who, us);
	}
}

static void put_instant(struct writer *writer, const struct wardi_trace_entry *entry, int64_t us)
{
	const char *name = entry->line != NULL   ? entry->line
			   : entry->name != NULL ? entry->name
						 : "note";

	begin(writer, "i", entry->who, us, name);
	fprintf(writer->file, ",\"cat\":\"%s\",\"s\":\"t\"",
		entry->what == WARDI_TRACE_FAULT   ? "fault"
		: entry->what == WARDI_TRACE_EVENT ? "event"
						   : "note");
	end(writer, entry);
}

static void put_entry(struct writer *writer, size_t at)
{
	const struct wardi_trace_entry *entry = &writer->trace->entries[at];
	int64_t us = entry->now_ns / 1000;

	if (entry->what == WARDI_TRACE_POINT && entry->point == WARD_POINT_TURN)
		return;
	if (us <= writer->last_us)
		us = writer->last_us + 1;
	writer->last_us = us;
	if (entry->what == WARDI_TRACE_POINT)
		put_slice(writer, at, us);
	else
		put_instant(writer, entry, us);
}

static void put_names(struct writer *writer)
{
	const struct wardi_names *names = writer->trace->names;

	for (size_t i = 0; i < names->room; i++) {
		if (names->slots[i].path == NULL)
			continue;
		begin(writer, "M", names->slots[i].uid, 0, "thread_name");
		fputs(",\"args\":{\"name\":", writer->file);
		put_text(writer->file, names->slots[i].path);
		fputs("}}", writer->file);
	}
}

void wardi_trace_write_chrome(const struct wardi_trace *trace, FILE *file)
{
	struct writer writer = {.file = file, .trace = trace, .last_us = -1, .first = true};

	writer.next = calloc(trace->count + 1, sizeof(*writer.next));
	if (writer.next == NULL)
		return;
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", file);
	put_names(&writer);
	for (size_t at = 0; at < trace->count; at++)
		put_entry(&writer, at);
	fputs("\n]}\n", file);
	free(writer.next);
}
