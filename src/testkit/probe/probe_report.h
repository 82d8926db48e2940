/* SPDX-License-Identifier: MIT
 *
 * probe_report.h - the report of an expectation that does not hold.
 */
#ifndef WARDI_TESTKIT_PROBE_REPORT_H
#define WARDI_TESTKIT_PROBE_REPORT_H

#include <ward/event.h>
#include <ward/testkit/probe.h>
#include <ward/types.h>

#include "testkit/kit/kit.h"

struct wardi_mail;
struct wardi_mails;

/* Writes what arrived: type, sender, bytes of a flat body. */
void wardi_mail_describe(ward_probe *probe, const struct wardi_mail *mail, char *text, size_t size);

/* Writes "deposit from sim/user/bank" for each, as far as there is room. */
void wardi_mails_list(const struct wardi_mails *mails, char *text, size_t size);

/* Fails the test with the text, followed by the waiting messages and the time. */
WARD_NORETURN WARD_PRINTF(3, 4) void wardi_probe_fail(ward_probe *probe,
						      struct wardi_location place, const char *text,
						      ...);

/* Notes the actor's path while it has one, and whether the test has the probe watch it. */
void wardi_probe_know(ward_probe *probe, ward_ref who, bool watched);

/* Returns the actor's path; after its end, the noted one. */
const char *wardi_probe_path(ward_probe *probe, ward_ref who, char path[WARD_EVENT_PATH]);

/* Returns `watched` as last noted. */
bool wardi_probe_watches(const ward_probe *probe, ward_ref who);

#endif
