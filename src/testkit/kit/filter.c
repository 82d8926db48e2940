/* SPDX-License-Identifier: MIT
 *
 * filter.c - checks that a block produces an exact number of events of a kind.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/testkit/filter.h>
#include <ward/text.h>

#include "testkit/check/text.h"
#include "testkit/kit/kit.h"
#include "testkit/kit/move.h"

enum {
	WITHIN_MS = 3 * 1000,
	SHOWN_MAX = 8 /* events in a report */
};

static bool is_like(const char *glob, const char *text)
{
	return glob == NULL || fnmatch(glob, text, 0) == 0;
}

static bool is_same(const char *wanted, const char *text)
{
	return wanted == NULL || strcmp(wanted, text) == 0;
}

static bool is_state(ward_actor_state wanted, const char *text)
{
	return wanted == WARD_STATE_ANY || strcmp(ward_kit_state_text(wanted), text) == 0;
}

/* Writes the names of the class and of its parents, as an event has them. */
static size_t chain_of(const ward_failure_class *failure_class, char text[WARD_EVENT_CLASSES])
{
	size_t length = failure_class->parent != NULL ? chain_of(failure_class->parent, text) : 0;

	if (length >= WARD_EVENT_CLASSES)
		return length;
	return length + ward_text_format(text + length, WARD_EVENT_CLASSES - length, "/%s",
					 failure_class->name);
}

static bool is_or_below(const ward_failure_class *wanted, const ward_event *event)
{
	char chain[WARD_EVENT_CLASSES];
	size_t length;

	if (wanted == NULL)
		return true;
	length = chain_of(wanted, chain);
	return length < sizeof chain && strncmp(event->failure_classes, chain, length) == 0 &&
	       (event->failure_classes[length] == '/' || event->failure_classes[length] == '\0');
}

static bool passes_text(const ward_filter *filter, const ward_event *event)
{
	char line[2 * WARD_EVENT_PATH + WARD_EVENT_TEXT + 4 * WARD_EVENT_NAME];
	if (filter->text == NULL)
		return true;
	ward_event_format(event, line, sizeof(line));
	return is_like(filter->text, line);
}

static bool passes(const ward_filter *filter, const ward_event *event)
{
	return (filter->kinds == 0 || (event->kind & filter->kinds) != 0) &&
	       (filter->directive == WARD_UNDECIDED || event->directive == filter->directive) &&
	       (filter->reason == WARD_REASON_NONE || event->reason == filter->reason) &&
	       is_same(filter->class_name, event->failure_class) &&
	       is_or_below(filter->failure_class, event) && event->level >= filter->level &&
	       is_state(filter->old_state, event->old_state) &&
	       is_state(filter->new_state, event->new_state) &&
	       is_same(filter->message_type, event->message_type) &&
	       is_like(filter->path, event->path) && passes_text(filter, event);
}

/* ---- counting ---------------------------------------------------------------------------- */

/* A count of matching events that continues where it stopped, since the record may be long. */
struct count {
	const ward_kit *kit;
	const ward_filter *filter;
	uint64_t next;
	size_t wanted;
	size_t seen;
};

static void count_more(struct count *count)
{
	ward_event event;
	while (wardi_kit_event_at(count->kit, &count->next, &event)) {
		count->next++;
		count->seen += passes(count->filter, &event);
	}
}

static bool has_seen_all(void *arg)
{
	struct count *count = arg;
	count_more(count);
	return count->seen >= count->wanted;
}

size_t ward_filter_count(const ward_kit *kit, const ward_filter *filter)
{
	struct count count = {.kit = kit, .filter = filter};
	count_more(&count);
	return count.seen;
}

/* ---- the block --------------------------------------------------------------------------- */

/* Fails the test if the filter can never match. */
static void check_filter(const ward_filter *filter, const char *file, int line)
{
	char chain[WARD_EVENT_CLASSES];
	const ward_failure_class *failure_class = filter->failure_class;

	if (failure_class == NULL)
		return;
	if (ward_failure_class_check(failure_class) != WARD_OK)
		ward_test_fail(file, line, "a filter: %s", ward_err_detail());
	if (chain_of(failure_class, chain) >= sizeof chain)
		ward_test_fail(file, line,
			       "a filter for the class %s: its name and those of the classes above "
			       "it are longer than events have room for; use .class_name",
			       failure_class->name);
}

ward_filter_block ward_filter_begin(ward_kit *kit, size_t wanted, ward_filter filter,
				    const char *file, int line)
{
	check_filter(&filter, file, line);
	wardi_kit_at(kit, file, line);
	return (ward_filter_block){
		.kit = kit,
		.filter = filter,
		.wanted = wanted,
		.begin = wardi_kit_events_number(kit),
		.file = file,
		.line = line,
	};
}

/* Writes the block's events that pass, or those that do not; returns the new length. */
static size_t add_events(const ward_filter_block *block, bool passing, char *text, size_t length)
{
	ward_event event;
	size_t count = 0;
	for (uint64_t i = block->begin; wardi_kit_event_at(block->kit, &i, &event); i++) {
		char line[160];
		if (passes(&block->filter, &event) != passing || ++count > SHOWN_MAX)
			continue;
		ward_event_format(&event, line, sizeof(line));
		length = wardi_text_add(text, WARDI_REPORT_MAX, length, "\n  %s %s",
					passing ? "counted" : "other  ", line);
	}
	if (count > SHOWN_MAX)
		length = wardi_text_add(text, WARDI_REPORT_MAX, length, "\n  %s ... %zu more",
					passing ? "counted" : "other  ", count - SHOWN_MAX);
	return length;
}

static size_t add_word(char *text, size_t length, const char *name, const char *value)
{
	if (value == NULL)
		return length;
	return wardi_text_add(text, WARDI_REPORT_MAX, length, ", %s %s", name, value);
}

static size_t add_state(char *text, size_t length, const char *name, ward_actor_state state)
{
	return add_word(text, length, name,
			state != WARD_STATE_ANY ? ward_kit_state_text(state) : NULL);
}

static size_t add_kinds(uint32_t kinds, char *text, size_t length)
{
	static const struct {
		uint32_t kind;
		const char *name;
	} names[] = {
		{WARD_EVENT_FAILURE, "FAILURE"},           {WARD_EVENT_DEAD_LETTER, "DEAD_LETTER"},
		{WARD_EVENT_UNHANDLED, "UNHANDLED"},       {WARD_EVENT_LIFECYCLE, "LIFECYCLE"},
		{WARD_EVENT_HOOK_FAILURE, "HOOK_FAILURE"}, {WARD_EVENT_NOTE, "NOTE"},
	};
	const char *before = ", kinds ";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if ((kinds & names[i].kind) == 0)
			continue;
		length = wardi_text_add(text, WARDI_REPORT_MAX, length, "%s%s", before,
					names[i].name);
		before = "|";
	}
	return length;
}

static size_t add_filter(const ward_filter *filter, char *text, size_t length)
{
	if (filter->kinds != 0)
		length = add_kinds(filter->kinds, text, length);
	length = add_word(text, length, "path", filter->path);
	if (filter->path != NULL && filter->path[0] == '/')
		length = wardi_text_add(text, WARDI_REPORT_MAX, length,
					" (paths begin with the name of the system: \"sim/...\")");
	length = add_word(text, length, "text", filter->text);
	length = add_word(text, length, "class", filter->class_name);
	length = add_word(text, length, "message", filter->message_type);
	if (filter->failure_class != NULL)
		length = wardi_text_add(text, WARDI_REPORT_MAX, length, ", class %s or below",
					filter->failure_class->name);
	if (filter->level != WARD_LEVEL_DEFAULT)
		length = wardi_text_add(text, WARDI_REPORT_MAX, length, ", at least %s",
					ward_level_text(filter->level));
	length = add_state(text, length, "from", filter->old_state);
	length = add_state(text, length, "to", filter->new_state);
	if (filter->reason != WARD_REASON_NONE)
		length = add_word(text, length, "reason", ward_reason_text(filter->reason));
	if (filter->directive != WARD_UNDECIDED)
		length =
			add_word(text, length, "directive", ward_directive_text(filter->directive));
	return length;
}

WARD_NORETURN static void fail(const ward_filter_block *block, size_t seen)
{
	char text[WARDI_REPORT_MAX];
	size_t length =
		wardi_text_add(text, sizeof(text), 0, "expected %zu events%s, saw %zu",
			       block->wanted, seen > block->wanted ? " and no more" : "", seen);
	length = add_filter(&block->filter, text, length);
	length = add_events(block, true, text, length);
	if (seen < block->wanted)
		length = add_events(block, false, text, length);
	wardi_text_add(text, sizeof(text), length, "\n  time    " WARDI_TIME,
		       WARDI_TIME_OF(ward_kit_now_ns(block->kit)));
	wardi_kit_fail_at(block->kit, (struct wardi_location){block->file, block->line}, "%s",
			  text);
}

void ward_filter_end(ward_filter_block *block)
{
	struct count count = {block->kit, &block->filter, block->begin, block->wanted, 0};
	int64_t within_ms = block->filter.within_ms;
	block->over = true;
	wardi_kit_at(block->kit, block->file, block->line);
	if (block->wanted == 0 && within_ms > 0)
		ward_kit_advance_at(block->kit, within_ms, block->file, block->line);
	else
		wardi_kit_run_until(block->kit, within_ms > 0 ? within_ms : WITHIN_MS, has_seen_all,
				    &count);
	/* On threads the time may be up while an actor still waits for a processor. */
	bool at_rest = wardi_kit_comes_to_rest(block->kit);
	count_more(&count);
	if (count.seen != block->wanted)
		fail(block, count.seen);
	if (!at_rest)
		wardi_kit_fail_restless(block->kit);
}
