/* SPDX-License-Identifier: MIT
 *
 * probe_report.c - the report of an expectation that does not hold.
 *
 *	sim/user/probe: expected balance, got deposit from sim/user/bank, 16 bytes: 07 00 ...
 *	  then     audit from sim/user/bank, hello from nobody
 *	  failed   sim/user/bank/teller: ward_exception: no change; waits for a decision
 *	  time     3600.000 s
 */
#include "testkit/probe/probe_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>

#include "testkit/check/text.h"
#include "testkit/kit/far.h"
#include "testkit/probe/probe.h"

enum {
	BYTES_SHOWN = 32, /* of a body */
	FAILED_SHOWN = 5  /* actors */
};

/* ---- paths ------------------------------------------------------------------------------- */

void wardi_probe_know(ward_probe *probe, ward_ref who, bool watched)
{
	struct wardi_known *known = wardi_probe_alloc(sizeof(*known));
	known->who = who;
	known->watched = watched;
	ward_system_path(probe->kit->system, who, known->path, sizeof(known->path));
	known->next = probe->known;
	probe->known = known;
}

bool wardi_probe_watches(const ward_probe *probe, ward_ref who)
{
	const struct wardi_known *known = probe->known;
	while (known != NULL && !ward_ref_equal(known->who, who))
		known = known->next;
	return known != NULL && known->watched;
}

/* Finds the actor's path in the kit's record of events. False: no record, or not in it. */
static bool path_in_record(const ward_kit *kit, ward_ref who, char path[WARD_EVENT_PATH])
{
	ward_event event;
	if (!kit->events.kept)
		return false;
	for (uint64_t i = 0; wardi_kit_event_at(kit, &i, &event); i++) {
		if (!ward_ref_equal(event.subject, who))
			continue;
		memcpy(path, event.path, WARD_EVENT_PATH);
		return true;
	}
	return false;
}

const char *wardi_probe_path(ward_probe *probe, ward_ref who, char path[WARD_EVENT_PATH])
{
	/* The oldest event: later ones may have been recorded after its end. */
	path[0] = '\0';
	for (const struct wardi_known *known = probe->known; known != NULL; known = known->next)
		if (ward_ref_equal(known->who, who))
			memcpy(path, known->path, WARD_EVENT_PATH);
	if (ward_ref_is_nobody(who))
		memcpy(path, "nobody", sizeof("nobody"));
	else if (path[0] == '\0' && (ward_system_is_alive(probe->kit->system, who) ||
				     !path_in_record(probe->kit, who, path)))
		ward_system_path(probe->kit->system, who, path, WARD_EVENT_PATH);
	return path;
}

/* ---- messages ---------------------------------------------------------------------------- */

static const char *sender_of(const struct wardi_mail *mail)
{
	return mail->sender_path[0] != '\0' ? mail->sender_path : "nobody";
}

static void add_bytes(char *text, size_t size, size_t length, const struct wardi_mail *mail)
{
	const unsigned char *bytes = mail->body;
	size_t shown = mail->size < BYTES_SHOWN ? mail->size : BYTES_SHOWN;
	length = wardi_text_add(text, size, length, ", %zu bytes:", mail->size);
	for (size_t i = 0; i < shown; i++)
		length = wardi_text_add(text, size, length, " %02x", bytes[i]);
	wardi_text_add(text, size, length, "%s", shown < mail->size ? " ..." : "");
}

void wardi_mail_describe(ward_probe *probe, const struct wardi_mail *mail, char *text, size_t size)
{
	char path[WARD_EVENT_PATH];
	if (mail->body != NULL && ward_type_same(mail->type, &ward_type_ward_terminated)) {
		ward_ref who = ((const struct ward_terminated *)mail->body)->who;
		wardi_text_add(text, size, 0, "ward_terminated about %s",
			       wardi_probe_path(probe, who, path));
		return;
	}
	size_t length =
		wardi_text_add(text, size, 0, "%s from %s", mail->type->name, sender_of(mail));
	/* The body may be gone with the probe's incarnation. */
	if (mail->body != NULL && (mail->type->flags & WARD_TYPE_FLAT) != 0 && mail->size > 0)
		add_bytes(text, size, length, mail);
}

void wardi_mails_list(const struct wardi_mails *mails, char *text, size_t size)
{
	size_t length = 0;
	text[0] = '\0';
	for (const struct wardi_mail *mail = mails->first; mail != NULL; mail = mail->next)
		length = wardi_text_add(text, size, length, "%s%s from %s",
					mail == mails->first ? "" : ", ", mail->type->name,
					sender_of(mail));
}

/* ---- failures ---------------------------------------------------------------------------- */

/* The failures that wait for a decision: often the cause of what did not come. */
struct undecided {
	const ward_kit *kit;
	char *text;
	size_t size, length, count;
};

static void add_undecided(void *arg, const ward_actor_info *info)
{
	struct undecided *all = arg;
	char path[WARD_EVENT_PATH];

	/* A guest fails as its stand-in does, which is the one that the test knows. */
	if (strstr(info->state, "failed") == NULL ||
	    !ward_ref_equal(ward_kit_ref(all->kit, info->ref), info->ref))
		return;
	ward_kit_path(all->kit, info->ref, path);
	if (all->count++ < FAILED_SHOWN)
		all->length = wardi_text_add(all->text, all->size, all->length,
					     "\n  failed   %s: %s; waits for a decision", path,
					     info->last_failure);
}

static size_t add_failed(const ward_kit *kit, char *text, size_t size, size_t length)
{
	struct undecided all = {.kit = kit, .text = text, .size = size, .length = length};
	const ward_kit *other = kit->far != NULL ? wardi_kit_far.other(kit) : NULL;

	ward_system_actors(kit->system, add_undecided, &all);
	if (other != NULL)
		ward_system_actors(other->system, add_undecided, &all);
	if (all.count <= FAILED_SHOWN)
		return all.length;
	return wardi_text_add(text, size, all.length, "\n           and %zu more",
			      all.count - FAILED_SHOWN);
}

/* ---- the whole report -------------------------------------------------------------------- */

static size_t add_state(ward_probe *probe, char *text, size_t size, size_t length)
{
	char list[512];
	pthread_mutex_lock(&probe->mu);
	size_t waiting = probe->mail.count;
	wardi_mails_list(&probe->mail, list, sizeof(list));
	if (waiting > 0)
		length = wardi_text_add(text, size, length, "\n  then     %s", list);
	if (probe->lost > 0)
		length = wardi_text_add(text, size, length, "\n  lost     %zu, without memory",
					probe->lost);
	if (probe->refused[0] != '\0')
		length = wardi_text_add(text, size, length, "\n  refused  %s", probe->refused);
	if (probe->gone)
		length = wardi_text_add(text, size, length, "\n  it is gone itself");
	pthread_mutex_unlock(&probe->mu);
	return length;
}

void wardi_probe_fail(ward_probe *probe, struct wardi_location place, const char *format, ...)
{
	char text[WARDI_REPORT_MAX];
	va_list args;
	size_t length = wardi_text_add(text, sizeof(text), 0, "%s: ", probe->path);
	va_start(args, format);
	int more = vsnprintf(text + length, sizeof(text) - length, format, args);
	va_end(args);
	length += more > 0 ? (size_t)more : 0;
	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	length = add_state(probe, text, sizeof(text), length);
	length = add_failed(probe->kit, text, sizeof(text), length);
	wardi_text_add(text, sizeof(text), length, "\n  time     " WARDI_TIME,
		       WARDI_TIME_OF(ward_kit_now_ns(probe->kit)));
	probe->failed = true;
	probe->kit->told = true;
	ward_test_fail(place.file, place.line, "%s", text);
}
