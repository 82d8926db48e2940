/* SPDX-License-Identifier: MIT
 *
 * probe_parent.c - the probe as a parent: failures of its children wait for the test's decision.
 */
#include "testkit/probe/probe_parent.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testkit/check/text.h"
#include "testkit/probe/probe.h"
#include "testkit/probe/probe_act.h"
#include "testkit/probe/probe_report.h"

void wardi_reported_free(struct wardi_reported *reported)
{
	for (struct wardi_reported *report = reported, *next; report != NULL; report = next) {
		next = report->next;
		free(report);
	}
}

/* ---- as the probe ------------------------------------------------------------------------ */

static struct wardi_reported *make_report(ward_self *self, ward_ref child,
					  const ward_failure *failure)
{
	struct wardi_reported *report = wardi_probe_alloc(sizeof(*report));
	ward_system_path(ward_self_system(self), child, report->child_path,
			 sizeof(report->child_path));
	snprintf(report->text, sizeof(report->text), "%s", ward_failure_text(failure));
	report->told = (ward_probe_failure){child, ward_failure_class_of(failure), report->text};
	return report;
}

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	ward_probe *probe = wardi_probe_of(self);
	struct wardi_reported *report = make_report(self, child, failure);
	pthread_mutex_lock(&probe->mu);
	ward_directive always = probe->always;
	if (always == WARD_LATER) {
		struct wardi_reported **end = &probe->reported;
		while (*end != NULL)
			end = &(*end)->next;
		*end = report;
		report = NULL;
		pthread_cond_broadcast(&probe->changed);
	}
	pthread_mutex_unlock(&probe->mu);
	free(report);
	return always == WARD_UNDECIDED ? ward_default_decide(self, child, failure) : always;
}

ward_strategy wardi_probe_strategy(const ward_strategy *wanted)
{
	ward_strategy strategy = {0};

	if (wanted != NULL)
		strategy = *wanted;
	if (strategy.decide == NULL && strategy.otherwise == WARD_UNDECIDED)
		strategy.decide = decide;
	return strategy;
}

/* ---- children ---------------------------------------------------------------------------- */

struct wanted_child {
	const ward_props *props;
	ward_ref ref;
	ward_err err;
	char detail[WARD_EVENT_TEXT];
};

static void spawn(ward_self *self, void *arg)
{
	struct wanted_child *child = arg;
	child->err = ward_try_spawn(self, child->props, &child->ref);
	if (child->err == WARD_OK)
		return;
	snprintf(child->detail, sizeof(child->detail), "%s", ward_err_detail());
	ward_given_drop_(child->props);
}

ward_ref ward_probe_spawn_at(ward_probe *probe, const ward_props *props, const char *file, int line)
{
	struct wanted_child child = {.props = props};
	wardi_kit_at(probe->kit, file, line);
	wardi_probe_do(probe, spawn, &child);
	if (child.err != WARD_OK)
		wardi_probe_fail(probe, probe->kit->place, "its child was refused: %s: %s",
				 wardi_code_name(child.err), child.detail);
	wardi_probe_know(probe, child.ref, false);
	return child.ref;
}

/* ---- failures ---------------------------------------------------------------------------- */

/* Classes are the same if the chains of their names are. */
static bool is_same(const ward_failure_class *a, const ward_failure_class *b)
{
	while (a != b && a != NULL && b != NULL && strcmp(a->name, b->name) == 0) {
		a = a->parent;
		b = b->parent;
	}
	return a == b;
}

static bool is_or_below(const ward_failure_class *some, const ward_failure_class *above)
{
	while (some != NULL && !is_same(some, above))
		some = some->parent;
	return some != NULL;
}

static bool has_report(void *arg)
{
	return ((ward_probe *)arg)->reported != NULL;
}

static struct wardi_reported *take_report(ward_probe *probe, int64_t timeout_ms)
{
	if (!wardi_probe_await(probe, timeout_ms, has_report))
		return NULL;
	pthread_mutex_lock(&probe->mu);
	struct wardi_reported *report = probe->reported;
	probe->reported = report->next;
	pthread_mutex_unlock(&probe->mu);
	report->next = NULL;
	wardi_reported_free(probe->judged);
	probe->judged = report;
	return report;
}

const ward_probe_failure *ward_probe_expect_failure(ward_probe *probe, int64_t timeout_ms,
						    ward_ref child,
						    const ward_failure_class *failure_class,
						    const char *file, int line)
{
	char path[WARD_EVENT_PATH], expected[2 * WARD_EVENT_PATH];
	const struct wardi_location place = {file, line};
	wardi_kit_at(probe->kit, file, line);
	const struct wardi_reported *report = take_report(probe, timeout_ms);
	if (report != NULL &&
	    (ward_ref_is_nobody(child) || ward_ref_equal(report->told.child, child)) &&
	    (failure_class == NULL || is_or_below(report->told.failure_class, failure_class))) {
		wardi_kit_excuse(probe->kit, report->told.child);
		return &report->told;
	}

	const char *name = failure_class != NULL ? failure_class->name : "a failure";
	snprintf(expected, sizeof(expected), "%.*s of %s", WARD_TEXT_FIT(name, 64),
		 ward_ref_is_nobody(child) ? "any child" : wardi_probe_path(probe, child, path));
	if (report == NULL)
		wardi_probe_fail(probe, place, "expected %s, none failed within %" PRId64 " ms",
				 expected, timeout_ms);
	wardi_probe_fail(probe, place, "expected %s, got %s of %s: %s", expected,
			 report->told.failure_class->name, report->child_path, report->text);
}

struct decision {
	ward_ref child;
	ward_directive directive;
	ward_err err;
	char detail[WARD_EVENT_TEXT];
};

static void give_decision(ward_self *self, void *arg)
{
	struct decision *decision = arg;
	decision->err = ward_decide(self, decision->child, decision->directive);
	if (decision->err != WARD_OK)
		snprintf(decision->detail, sizeof(decision->detail), "%s", ward_err_detail());
}

void ward_probe_decide_at(ward_probe *probe, ward_ref child, ward_directive directive,
			  const char *file, int line)
{
	struct decision decision = {.child = child, .directive = directive};
	wardi_kit_at(probe->kit, file, line);
	wardi_probe_do(probe, give_decision, &decision);
	if (decision.err != WARD_OK)
		wardi_probe_fail(probe, probe->kit->place, "its decision was refused: %s: %s",
				 wardi_code_name(decision.err), decision.detail);
}

void ward_probe_decide_always(ward_probe *probe, ward_directive directive)
{
	pthread_mutex_lock(&probe->mu);
	probe->always = directive;
	pthread_mutex_unlock(&probe->mu);
}
