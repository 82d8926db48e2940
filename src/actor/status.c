/* SPDX-License-Identifier: MIT
 *
 * status.c - a short text that an actor shows of itself, with or without a countdown.
 *
 *	holder     makes a record with the first text, puts it into a table of the system by its
 *	           uid; writes to it; takes it out at the end of the incarnation
 *	observer   finds it by uid, copies it, and fills in the time left
 *
 * So nothing ticks, and a cell has no room for it: few actors show anything.
 *
 * Threads: the table and the fields of a record under statuses_mu; the pointer to it in the
 * extra record is the holder's.
 */
#include "actor/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "actor/rare.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

static const int64_t ns_per_tenth = 100 * WARD_NS_PER_MS;
/* Stands for the time that is left. */
static const char hole[] = "{}";

struct wardi_status {
	struct wardi_hash_link by_uid;
	uint64_t uid;   /* frozen */
	bool counts;    /* down to due_ns */
	int64_t due_ns; /* by the clock of the system */
	char text[WARD_STATUS_TEXT];
};

static bool is_of(const struct wardi_hash_link *link, const void *key)
{
	return wardi_container_of(link, struct wardi_status, by_uid)->uid == *(const uint64_t *)key;
}

/* ---- the record -------------------------------------------------------------------------- */

/* Under statuses_mu. False: no memory. */
static bool enter(ward_system *system, struct wardi_status *status)
{
	return wardi_hash_insert(&system->statuses, &status->by_uid,
				 wardi_hash_u64(system->seed, status->uid));
}

/* In the table; NULL: no memory. */
static struct wardi_status *make(struct ward_self *self)
{
	struct wardi_status *status = wardi_memory_get(self->from, sizeof *status);
	bool entered;

	if (status == NULL)
		return NULL;
	status->uid = self->cell->uid;
	wardi_mutex_lock(&self->system->statuses_mu);
	entered = enter(self->system, status);
	wardi_mutex_unlock(&self->system->statuses_mu);
	if (entered)
		return status;
	wardi_memory_put(self->from, status, sizeof *status);
	return NULL;
}

/* A record that is there is used again, without memory: so without memory none is shown. */
static void show(struct ward_self *self, const struct wardi_status *shown)
{
	struct wardi_extra *extra = wardi_extra_for_asks(self);

	if (extra != NULL && extra->status == NULL)
		extra->status = make(self);
	if (extra == NULL || extra->status == NULL) {
		wardi_count(&self->system->counters.shortages);
		return;
	}
	wardi_mutex_lock(&self->system->statuses_mu);
	extra->status->counts = shown->counts;
	extra->status->due_ns = shown->due_ns;
	memcpy(extra->status->text, shown->text, sizeof shown->text);
	wardi_mutex_unlock(&self->system->statuses_mu);
}

void wardi_status_reset(struct ward_self *self)
{
	struct wardi_extra *extra = self->cell->rare->extra;
	ward_system *system = self->system;

	if (extra->status == NULL)
		return;
	wardi_mutex_lock(&system->statuses_mu);
	wardi_hash_remove(&system->statuses, &extra->status->by_uid);
	wardi_mutex_unlock(&system->statuses_mu);
	wardi_memory_put(self->from, extra->status, sizeof *extra->status);
	extra->status = NULL;
}

/* ---- the running actor ------------------------------------------------------------------- */

void ward_status_set(ward_self *self, const char *text, ...)
{
	struct wardi_status shown = {.counts = false};
	va_list args;

	if (!wardi_self_usable(self))
		return;
	if (text == NULL) {
		ward_status_clear(self);
		return;
	}
	va_start(args, text);
	ward_text_vformat(shown.text, sizeof shown.text, text, args);
	va_end(args);
	show(self, &shown);
}

void ward_status_countdown(ward_self *self, int64_t left_ms, const char *text, ...)
{
	struct wardi_status shown = {.counts = true};
	va_list args;

	if (!wardi_self_usable(self))
		return;
	if (text == NULL) {
		ward_status_clear(self);
		return;
	}
	if (left_ms < 0)
		left_ms = 0;
	shown.due_ns = ward_now_ns(self);
	if (left_ms <= (INT64_MAX - shown.due_ns) / WARD_NS_PER_MS)
		shown.due_ns += left_ms * WARD_NS_PER_MS;
	else
		shown.due_ns = INT64_MAX;
	va_start(args, text);
	ward_text_vformat(shown.text, sizeof shown.text, text, args);
	va_end(args);
	show(self, &shown);
}

void ward_status_clear(ward_self *self)
{
	if (wardi_self_usable(self) && self->cell->rare->extra != NULL)
		wardi_status_reset(self);
}

/* ---- looking ----------------------------------------------------------------------------- */

/* Rounded up: at "0.0 s" the time is over. */
static void write_left(int64_t left_ns, char *text, size_t max)
{
	int64_t tenths = left_ns <= 0 ? 0 : (left_ns - 1) / ns_per_tenth + 1;
	int64_t seconds = (tenths + 9) / 10;
	int64_t minutes = (seconds + 59) / 60;

	if (tenths < 600)
		snprintf(text, max, "%" PRId64 ".%" PRId64 " s", tenths / 10, tenths % 10);
	else if (seconds < 3600)
		snprintf(text, max, "%" PRId64 " min %" PRId64 " s", seconds / 60, seconds % 60);
	else
		snprintf(text, max, "%" PRId64 " h %" PRId64 " min", minutes / 60, minutes % 60);
}

static void write_out(const struct wardi_status *status, int64_t now_ns, char *text, size_t max)
{
	const char *at = status->counts ? strstr(status->text, hole) : NULL;
	char left[48];

	if (at == NULL) {
		ward_text_format(text, max, "%s", status->text);
		return;
	}
	write_left(status->due_ns - now_ns, left, sizeof left);
	ward_text_format(text, max, "%.*s%s%s", (int)(at - status->text), status->text, left,
			 at + strlen(hole));
}

void wardi_status_look(ward_system *system, uint64_t uid, char *text, size_t max)
{
	struct wardi_status seen = {.counts = false};
	struct wardi_hash_link *link;

	wardi_mutex_lock(&system->statuses_mu);
	link = wardi_hash_find(&system->statuses, wardi_hash_u64(system->seed, uid), is_of, &uid);
	if (link != NULL)
		seen = *wardi_container_of(link, struct wardi_status, by_uid);
	wardi_mutex_unlock(&system->statuses_mu);
	write_out(&seen, wardi_clock_now(&system->clock), text, max);
}
