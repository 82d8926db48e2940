/* SPDX-License-Identifier: MIT
 *
 * expect.c - the test takes what a probe has received.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>

#include "testkit/check/text.h"
#include "testkit/kit/look.h"
#include "testkit/probe/probe.h"
#include "testkit/probe/probe_report.h"

enum { FISHED_TEXT = 512, WANTED_TEXT = 2 * WARD_EVENT_NAME };

static bool has_mail(void *arg)
{
	return ((ward_probe *)arg)->mail.count > 0;
}

/* Overwrites a body that the test must no longer read: the probe discards it in its next turn,
 * which may be much later. Only in a simulation; a type with a drop function needs its body. */
static void poison(const ward_probe *probe, const struct wardi_mail *mail)
{
	if (!probe->kit->real_threads && mail->body != NULL && mail->type->drop == NULL)
		memset(mail->body, WARDI_KIT_STALE, mail->size);
}

/* Hands the message taken before back to the probe, which discards it. */
static void let_go(ward_probe *probe)
{
	pthread_mutex_lock(&probe->mu);
	struct wardi_mail *old = probe->taken;
	probe->taken = NULL;
	if (old != NULL) {
		poison(probe, old);
		wardi_mails_add(&probe->done, old);
	}
	pthread_mutex_unlock(&probe->mu);
	if (old != NULL)
		wardi_probe_wake(probe);
}

/* Takes and returns the next message, or NULL if none came. */
static const struct wardi_mail *take_next(ward_probe *probe, int64_t timeout_ms,
					  struct wardi_location place)
{
	wardi_kit_at(probe->kit, place.file, place.line);
	let_go(probe);
	if (!wardi_probe_await(probe, timeout_ms, has_mail))
		return NULL;
	pthread_mutex_lock(&probe->mu);
	struct wardi_mail *mail = wardi_mails_take(&probe->mail);
	probe->taken = mail;
	pthread_mutex_unlock(&probe->mu);
	if (mail != NULL)
		probe->sender = mail->sender;
	return mail;
}

static bool is_meant(const ward_expectation *expected, const struct wardi_mail *mail)
{
	return (expected->type == NULL || ward_type_same(expected->type, mail->type)) &&
	       (expected->matches == NULL || expected->matches(expected->arg, mail->body));
}

static struct wardi_location place_of(const ward_expectation *expected)
{
	return (struct wardi_location){expected->file, expected->line};
}

static const char *wanted(const ward_expectation *expected, char text[WANTED_TEXT])
{
	const char *name = expected->type != NULL ? expected->type->name : "a message";

	snprintf(text, WANTED_TEXT, "%.*s%s", WARD_TEXT_FIT(name, 64),
		 expected->matches != NULL ? " that matches" : "");
	return text;
}

/* ---- the next message -------------------------------------------------------------------- */

const void *ward_probe_expect(ward_probe *probe, int64_t timeout_ms,
			      const ward_expectation *expected)
{
	char what[WANTED_TEXT], got[512];
	const struct wardi_mail *mail = take_next(probe, timeout_ms, place_of(expected));
	if (mail == NULL)
		wardi_probe_fail(probe, place_of(expected),
				 "expected %s, nothing came within %" PRId64 " ms",
				 wanted(expected, what), timeout_ms);
	if (is_meant(expected, mail))
		return mail->body;
	wardi_mail_describe(probe, mail, got, sizeof(got));
	wardi_probe_fail(probe, place_of(expected), "expected %s, got %s", wanted(expected, what),
			 got);
}

const void *ward_probe_fish(ward_probe *probe, int64_t timeout_ms, const ward_expectation *expected)
{
	int64_t until_ns = wardi_kit_deadline_ns(probe->kit, timeout_ms);
	char what[WANTED_TEXT], fished[FISHED_TEXT] = "";
	size_t count = 0, length = 0;
	for (;;) {
		int64_t left_ms = (until_ns - ward_kit_now_ns(probe->kit)) / WARD_NS_PER_MS;
		const struct wardi_mail *mail = take_next(
			probe, until_ns == INT64_MAX ? WARD_FOREVER : left_ms, place_of(expected));
		if (mail == NULL)
			wardi_probe_fail(probe, place_of(expected),
					 "expected %s among others, it did not come within %" PRId64
					 " ms; dropped %zu: %s",
					 wanted(expected, what), timeout_ms, count, fished);
		if (is_meant(expected, mail))
			return mail->body;
		length = wardi_text_add(fished, sizeof(fished), length, "%s%s",
					count++ > 0 ? ", " : "", mail->type->name);
	}
}

void ward_probe_expect_none(ward_probe *probe, int64_t for_ms, const char *file, int line)
{
	char got[512];
	const struct wardi_mail *mail =
		take_next(probe, for_ms, (struct wardi_location){file, line});
	if (mail == NULL && ward_system_is_alive(probe->kit->system, probe->ref))
		return;
	if (mail == NULL)
		wardi_probe_fail(probe, (struct wardi_location){file, line},
				 "expected nothing for %" PRId64 " ms, but the probe has ended",
				 for_ms);
	wardi_mail_describe(probe, mail, got, sizeof(got));
	wardi_probe_fail(probe, (struct wardi_location){file, line},
			 "expected nothing for %" PRId64 " ms, got %s", for_ms, got);
}

/* ---- the end of an actor ----------------------------------------------------------------- */

const struct ward_terminated *ward_probe_expect_terminated(ward_probe *probe, int64_t timeout_ms,
							   ward_ref who, const char *file, int line)
{
	char path[WARD_EVENT_PATH], got[512];
	const struct wardi_location place = {file, line};
	const char *unwatched = wardi_probe_watches(probe, who)
					? ""
					: "; it does not watch it: ward_probe_watch() first";
	const struct wardi_mail *mail = take_next(probe, timeout_ms, place);
	if (mail == NULL)
		wardi_probe_fail(probe, place,
				 "expected the end of %s, nothing came within %" PRId64 " ms%s",
				 wardi_probe_path(probe, who, path), timeout_ms, unwatched);
	if (ward_type_same(mail->type, &ward_type_ward_terminated)) {
		const struct ward_terminated *notice = mail->body;
		if (ward_ref_equal(notice->who, who)) {
			wardi_probe_know(probe, who, false);
			return notice;
		}
	}
	wardi_mail_describe(probe, mail, got, sizeof(got));
	wardi_probe_fail(probe, place, "expected the end of %s, got %s%s",
			 wardi_probe_path(probe, who, path), got, unwatched);
}

/* ---- looking ----------------------------------------------------------------------------- */

ward_ref ward_probe_sender(const ward_probe *probe)
{
	return probe->sender;
}

size_t ward_probe_count(const ward_probe *probe)
{
	/* Casts const away for the lock. */
	ward_probe *locked = (ward_probe *)probe;
	pthread_mutex_lock(&locked->mu);
	size_t count = locked->mail.count;
	pthread_mutex_unlock(&locked->mu);
	return count;
}

void ward_probe_forget(ward_probe *probe)
{
	pthread_mutex_lock(&probe->mu);
	for (struct wardi_mail *mail; (mail = wardi_mails_take(&probe->mail)) != NULL;)
		wardi_mails_add(&probe->done, mail);
	pthread_mutex_unlock(&probe->mu);
	let_go(probe);
	wardi_probe_wake(probe);
}
