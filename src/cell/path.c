/* SPDX-License-Identifier: MIT
 *
 * path.c - names and paths.
 *
 * A name belongs to the cell; parent and name of a life are written by the parent when the life
 * opens and when it is over (shown_life.c), a given name under the cell's path lock, so that any
 * thread may walk up a path: it takes one lock at a time and checks the uid at each step. A parent
 * outlives its children, so the walk meets a stale uid only if the actor itself is gone.
 *
 * Threads: calls may run at the same time.
 */
#include "cell/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "cell/places.h"
#include "cell/self.h"
#include "cell/shown_life.h"
#include "cell/table.h"
#include "cell/visit.h"
#include "common/name.h"

enum { NAME_MAX_BYTES = 1024, BEHAVIOR_MAX = 64, DIGITS_MAX = 20 };
_Static_assert(BEHAVIOR_MAX + 1 + DIGITS_MAX < WARDI_NAME_GENERATED, "with its 0");

/* ---- names ------------------------------------------------------------------------------- */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

ward_err wardi_name_check(const char *name)
{
	size_t length = strlen(name);

	if (length == 0)
		return wardi_error(WARD_ENAME, "the name is empty: leave it NULL to have one made");
	if (length > NAME_MAX_BYTES)
		return wardi_error(WARD_ENAME, "the name has %zu bytes, at most %d are allowed",
				   length, NAME_MAX_BYTES);
	if (name[0] == '$')
		return wardi_error(WARD_ENAME,
				   "the name \"%.*s\" begins with '$', which no name may",
				   WARD_TEXT_FIT(name, 40));
	if (wardi_name_number(name) != UINT64_MAX)
		return wardi_error(WARD_ENAME,
				   "the name \"%.*s\" ends in '$' and a number, as generated names "
				   "do: leave it NULL to have one made",
				   WARD_TEXT_FIT(name, 40));
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return wardi_error(WARD_ENAME,
				   "the name \"%s\" leads elsewhere in a path: it is a step", name);
	for (size_t i = 0; i < length; i++) {
		if (wardi_is_name_char(name[i]))
			continue;
		if (name[i] == '%' && is_hex(name[i + 1]) && is_hex(name[i + 2])) {
			i += 2;
			continue;
		}
		return wardi_error(
			WARD_ENAME,
			"the name \"%.*s\" has a forbidden character (0x%02x) at "
			"position %zu: letters, digits, -_.$+:@&=,!~'; and %%HH are fine",
			WARD_TEXT_FIT(name, 40), (unsigned char)name[i], i);
	}
	return WARD_OK;
}

void wardi_name_generate(const char *behavior, uint64_t number, char *text)
{
	char digits[DIGITS_MAX];
	size_t at = DIGITS_MAX, length;

	wardi_name_from(behavior, text, BEHAVIOR_MAX + 1);
	if (text[0] == '\0')
		strcpy(text, "actor");
	length = strlen(text);
	number++;
	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	text[length++] = '$';
	memcpy(text + length, digits + at, DIGITS_MAX - at);
	text[length + DIGITS_MAX - at] = '\0';
}

uint64_t wardi_name_number(const char *name)
{
	const char *mark = strrchr(name, '$');
	uint64_t number = 0;

	if (mark == NULL || mark == name || mark[1] == '0')
		return UINT64_MAX;
	for (const char *at = mark + 1; *at != '\0'; at++) {
		if (*at < '0' || *at > '9' || at - mark == DIGITS_MAX)
			return UINT64_MAX;
		number = 10 * number + (uint64_t)(*at - '0');
	}
	return number - 1; /* without a digit: UINT64_MAX */
}

/* ---- paths ------------------------------------------------------------------------------- */

struct step {
	char name[NAME_MAX_BYTES + 1];
	size_t length;
	uint64_t parent_uid; /* 0: the root */
};

/* Reads one cell of a path. False: that life is over, and its name is free. */
static bool read_step(ward_system *system, uint64_t uid, struct step *step)
{
	uint32_t visit = wardi_visit(system, NULL);
	struct wardi_cell *cell = wardi_table_cell(system, wardi_uid_slot(uid));
	struct wardi_spin *lock = wardi_path_lock(system, wardi_uid_slot(uid));
	struct wardi_shown_life life;
	bool found;

	wardi_spin_take(lock, WARDI_LOCK_PATH);
	found = uid != 0 && cell != NULL && wardi_life_look(cell, &life) && life.uid == uid;
	if (found) {
		const char *name = wardi_entry_name(life.entry);

		step->parent_uid = life.parent_uid;
		if (name != NULL)
			wardi_text_copy(step->name, sizeof step->name, name);
		else
			wardi_name_generate(life.behavior->name, wardi_entry_number(life.entry),
					    step->name);
	}
	wardi_spin_drop(lock);
	wardi_visited(system, NULL, visit);
	if (found) {
		if (step->parent_uid == 0)
			wardi_text_copy(step->name, sizeof system->name, system->name);
		step->length = strlen(step->name);
	}
	return found;
}

/* Writes a piece that ends at byte `end` of the whole path into `text`, which holds bytes
 * from..from + max of it. */
static void put(char *text, size_t from, size_t max, size_t end, const char *piece, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		size_t at = end - length + i;

		if (at >= from && at < from + max)
			text[at - from] = piece[i];
	}
}

static size_t path_length(ward_system *system, uint64_t uid)
{
	struct step step;
	size_t length = 0;

	while (read_step(system, uid, &step)) {
		length += step.length + 1;
		if (step.parent_uid == 0)
			return length - 1 + (length == step.length + 1); /* the root is "name/" */
		uid = step.parent_uid;
	}
	return 0;
}

/* Writes bytes from..from + max of the path. */
static void write_part(ward_system *system, uint64_t uid, size_t length, char *text, size_t from,
		       size_t max)
{
	struct step step;
	size_t end = length;

	while (end > 0 && read_step(system, uid, &step)) {
		if (step.parent_uid == 0 && end == length && length == step.length + 1)
			put(text, from, max, end--, "/", 1);
		if (step.length > end)
			return;
		put(text, from, max, end, step.name, step.length);
		end -= step.length;
		if (end > 0)
			put(text, from, max, end--, "/", 1);
		uid = step.parent_uid;
	}
}

/* An actor of another system: the node, and its number there. */
static size_t far_path(const ward_system *system, ward_ref ref, char *text, size_t max)
{
	char node[WARD_NODE_NAME];

	if (system == NULL || !ward_node_name(system, wardi_ref_place(ref), node))
		return 0;
	return (size_t)snprintf(text, max, "ward://%s/#%" PRIx64, node, ref.uid);
}

static size_t stale_path(const ward_system *system, ward_ref ref, char *text, size_t max)
{
	int length;

	if (ward_ref_is_nobody(ref))
		length = snprintf(text, max, "nobody");
	else if (wardi_ref_has_flag(ref, WARDI_PLACE_WAITER))
		length = snprintf(text, max, "a thread or shutdown task (#%" PRIx64 ")", ref.uid);
	else if (wardi_ref_has_flag(ref, WARDI_PLACE_QUESTION))
		length = snprintf(text, max, "a question (#%" PRIx64 ")", ref.uid);
	else if ((length = (int)far_path(system, ref, text, max)) == 0)
		length = snprintf(text, max, "?#%" PRIx64, ref.uid);
	return (size_t)length;
}

size_t ward_system_path(ward_system *system, ward_ref ref, char *text, size_t max)
{
	size_t length = 0;

	if (system != NULL && wardi_system_here(system) && wardi_ref_is_here(system->place, ref))
		length = path_length(system, ref.uid);
	if (length == 0)
		return stale_path(system, ref, text, max);
	if (max == 0)
		return length;

	size_t room = length < max - 1 ? length : max - 1;

	memset(text, '?', room);
	write_part(system, ref.uid, length, text, 0, room);
	text[room] = '\0';
	return length;
}

/* Puts a piece in front of the text that begins at byte `from`. Returns the new beginning; 0 also
 * if the piece is cut. */
static size_t prepend(char *text, size_t from, const char *piece, size_t length)
{
	size_t fits = length < from ? length : from;

	memcpy(text + from - fits, piece + length - fits, fits);
	return from - fits;
}

/* Goes up from the end, as far as there is room. */
void wardi_path_tail(ward_system *system, ward_ref ref, char *text, size_t max)
{
	size_t end = max - 1, from = end, length = 0;
	uint64_t uid = wardi_ref_is_here(system->place, ref) ? ref.uid : 0;
	struct step step;

	text[end] = '\0';
	do {
		if (!read_step(system, uid, &step)) {
			stale_path(system, ref, text, max);
			return;
		}
		/* Only the root has its slash behind it. */
		if (length > 0 || step.parent_uid == 0) {
			from = prepend(text, from, "/", 1);
			length++;
		}
		from = prepend(text, from, step.name, step.length);
		length += step.length;
		uid = step.parent_uid;
	} while (uid != 0 && length <= end);
	if (length > end)
		text[0] = text[1] = text[2] = '.';
	else
		memmove(text, text + from, length + 1);
}

void wardi_path_last(ward_system *system, ward_ref ref, char *text, size_t max)
{
	struct step step;

	if (wardi_ref_is_here(system->place, ref) && read_step(system, ref.uid, &step))
		wardi_text_copy(text, max, step.name);
	else
		stale_path(system, ref, text, max);
}
