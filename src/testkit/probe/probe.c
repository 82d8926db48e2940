/* SPDX-License-Identifier: MIT
 *
 * probe.c - the probe as an actor: it keeps what it receives, for the test's thread to expect.
 *
 * The bodies belong to the incarnation of the probe. Just before they are dropped with it, the
 * probe forgets them; at a restart it sends the unread ones to itself again, and keeps them.
 */
#include "testkit/probe/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include <ward/extend.h>
#include <ward/resource.h>

#include "testkit/kit/move.h"
#include "testkit/probe/probe_act.h"
#include "testkit/probe/probe_parent.h"
#include "testkit/probe/probe_report.h"

struct wardi_probe_args {
	ward_probe *probe;
};
WARD_MESSAGE(wardi_probe_args);

/* Announces orders or messages to discard. Never a dead letter: the probe may be gone. */
static const ward_type wake = {.name = "ward_probe_wake",
			       .flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET};

void *wardi_probe_alloc(size_t size)
{
	void *block = calloc(1, size);
	if (block == NULL)
		ward_test_fail(__FILE__, __LINE__, "no memory for a probe: %zu bytes", size);
	return block;
}

ward_probe *wardi_probe_of(const ward_self *self)
{
	return ((const struct wardi_probe_args *)ward_args(self))->probe;
}

/* ---- mail -------------------------------------------------------------------------------- */

void wardi_mails_add(struct wardi_mails *mails, struct wardi_mail *mail)
{
	mail->next = NULL;
	*mails->end = mail;
	mails->end = &mail->next;
	mails->count++;
}

struct wardi_mail *wardi_mails_take(struct wardi_mails *mails)
{
	struct wardi_mail *mail = mails->first;
	if (mail == NULL)
		return NULL;
	mails->first = mail->next;
	if (mails->first == NULL)
		mails->end = &mails->first;
	mails->count--;
	return mail;
}

static void free_all(struct wardi_mails *mails)
{
	for (struct wardi_mail *mail; (mail = wardi_mails_take(mails)) != NULL;)
		free(mail);
}

static struct wardi_mail *take(ward_probe *probe, struct wardi_mails *mails)
{
	pthread_mutex_lock(&probe->mu);
	struct wardi_mail *mail = wardi_mails_take(mails);
	pthread_mutex_unlock(&probe->mu);
	return mail;
}

/* ---- receiving --------------------------------------------------------------------------- */

static void lose(ward_probe *probe)
{
	pthread_mutex_lock(&probe->mu);
	probe->lost++;
	pthread_mutex_unlock(&probe->mu);
}

static void keep(ward_self *self, ward_probe *probe, const ward_msg *msg, bool taken_by_pilot)
{
	const ward_type *type = ward_msg_type(msg);
	size_t size = ward_msg_size(msg);
	ward_ref sender = ward_msg_sender(msg);
	void *body = ward_take_body(self, type);
	if (body == NULL) {
		if (!taken_by_pilot)
			lose(probe);
		return;
	}

	struct wardi_mail *mail = wardi_probe_alloc(sizeof(*mail));
	mail->type = type;
	mail->body = body;
	mail->size = size;
	mail->sender = sender;
	if (!ward_ref_is_nobody(sender))
		ward_system_path(ward_self_system(self), sender, mail->sender_path,
				 sizeof(mail->sender_path));
	pthread_mutex_lock(&probe->mu);
	wardi_mails_add(&probe->mail, mail);
	pthread_cond_broadcast(&probe->changed);
	pthread_mutex_unlock(&probe->mu);
}

/* Shows the message to the pilot, if there is one. */
static ward_pilot ask_pilot(ward_self *self, ward_probe *probe, const ward_msg *msg,
			    bool *ret_asked)
{
	pthread_mutex_lock(&probe->mu);
	ward_pilot (*pilot)(ward_self *, void *, const ward_msg *) = probe->pilot;
	void *arg = probe->pilot_arg;
	pthread_mutex_unlock(&probe->mu);
	*ret_asked = pilot != NULL;
	if (pilot == NULL)
		return WARD_PILOT_KEEP;

	ward_pilot answer = pilot(self, arg, msg);
	if (answer == WARD_PILOT_END) {
		pthread_mutex_lock(&probe->mu);
		probe->pilot = NULL;
		pthread_mutex_unlock(&probe->mu);
	}
	return answer;
}

static bool is_ignored(ward_probe *probe, const ward_type *type)
{
	bool found = false;
	pthread_mutex_lock(&probe->mu);
	for (struct wardi_ignored *i = probe->ignored; i != NULL && !found; i = i->next)
		found = ward_type_same(i->type, type);
	pthread_mutex_unlock(&probe->mu);
	return found;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_probe *probe = wardi_probe_of(self);
	bool asked;
	(void)state;
	if (ward_msg_body(msg, &wake) != NULL) {
		wardi_probe_carry_out(self, probe);
		return WARD_DONE;
	}
	/* The pilot first: it may answer an ignored message, too. */
	ward_pilot answer = ask_pilot(self, probe, msg, &asked);
	if (answer != WARD_PILOT_EAT && !is_ignored(probe, ward_msg_type(msg)))
		keep(self, probe, msg, asked);
	return WARD_DONE;
}

/* ---- incarnations ------------------------------------------------------------------------ */

/* Forgets all bodies: they are dropped when this returns. */
static void forget(void *arg)
{
	ward_probe *probe = arg;
	pthread_mutex_lock(&probe->mu);
	if (probe->mail.count > 0)
		wardi_mails_list(&probe->mail, probe->letters, sizeof(probe->letters));
	probe->unread += probe->mail.count;
	free_all(&probe->mail);
	free_all(&probe->done);
	if (probe->taken != NULL)
		probe->taken->body = NULL;
	for (struct wardi_probe_order *order = probe->orders; order != NULL; order = order->next)
		if (order->mail != NULL)
			order->mail->body = NULL;
	wardi_probe_settle_under_way(probe);
	probe->gone = !probe->restarting;
	pthread_cond_broadcast(&probe->changed);
	pthread_mutex_unlock(&probe->mu);
}

static ward_result init(ward_self *self, void *state, const void *args)
{
	ward_probe *probe = ((const struct wardi_probe_args *)args)->probe;
	ward_deferred deferred;
	(void)state;
	if (ward_try_defer(self, forget, probe, &deferred) != WARD_OK)
		return ward_failed(self, &ward_out_of_memory, "%s", ward_err_detail());
	pthread_mutex_lock(&probe->mu);
	probe->restarting = false;
	bool orders = probe->orders != NULL;
	pthread_mutex_unlock(&probe->mu);
	if (orders) /* the failed message may be the wake */
		ward_send(self, ward_self_ref(self), &wake, NULL, 0);
	return WARD_DONE;
}

static ward_result pre_restart(ward_self *self, void *state, const ward_failure *why,
			       const ward_msg *msg)
{
	ward_probe *probe = wardi_probe_of(self);
	(void)state;
	(void)why;
	(void)msg;
	pthread_mutex_lock(&probe->mu);
	probe->restarting = true;
	pthread_mutex_unlock(&probe->mu);
	for (struct wardi_mail *mail; (mail = take(probe, &probe->mail)) != NULL; free(mail))
		ward_give_body_from(self, mail->sender, ward_self_ref(self), mail->type,
				    mail->body);
	return ward_default_pre_restart(self);
}

static const ward_behavior behavior = {
	.name = "ward_probe",
	.args = &ward_type_wardi_probe_args,
	.init = init,
	.receive = receive,
	.pre_restart = pre_restart,
};

/* ---- moving ------------------------------------------------------------------------------ */

void wardi_probe_wake(ward_probe *probe)
{
	pthread_mutex_lock(&probe->mu);
	bool woken = probe->woken;
	probe->woken = true;
	pthread_mutex_unlock(&probe->mu);
	if (woken ||
	    ward_system_try_send(probe->kit->system, probe->ref, &wake, NULL, 0) == WARD_OK)
		return;
	pthread_mutex_lock(&probe->mu);
	probe->woken = false; /* no memory: the waiting test retries */
	pthread_mutex_unlock(&probe->mu);
}

struct awaited {
	ward_probe *probe;
	bool (*holds)(void *probe);
	bool held;
};

static bool holds_or_gone(void *arg)
{
	struct awaited *awaited = arg;
	pthread_mutex_lock(&awaited->probe->mu);
	awaited->held = awaited->holds(awaited->probe);
	bool over = awaited->held || awaited->probe->gone;
	pthread_mutex_unlock(&awaited->probe->mu);
	return over;
}

static struct timespec later(int64_t ms)
{
	struct timespec at;
	int64_t s = ms / 1000 < INT32_MAX ? ms / 1000 : INT32_MAX; /* forever */
	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += (time_t)s;
	at.tv_nsec += (long)(ms % 1000) * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return at;
}

static bool has_orders(ward_probe *probe)
{
	pthread_mutex_lock(&probe->mu);
	bool some = probe->orders != NULL;
	pthread_mutex_unlock(&probe->mu);
	return some;
}

static bool await_real(ward_probe *probe, int64_t timeout_ms, bool (*holds)(void *probe))
{
	struct timespec until = later(timeout_ms);
	int rc = 0;
	if (has_orders(probe))
		wardi_probe_wake(probe); /* again, if the last wake found no memory */
	pthread_mutex_lock(&probe->mu);
	bool held = holds(probe);
	while (!held && !probe->gone && rc != ETIMEDOUT) {
		rc = pthread_cond_timedwait(&probe->changed, &probe->mu, &until);
		held = holds(probe);
	}
	pthread_mutex_unlock(&probe->mu);
	return held;
}

static bool await_simulated(ward_probe *probe, int64_t timeout_ms, bool (*holds)(void *probe))
{
	struct awaited awaited = {probe, holds, false};
	if (has_orders(probe) && !wardi_kit_run_until(probe->kit, 0, holds_or_gone, &awaited) &&
	    has_orders(probe)) {
		/* No memory, or a fault: the wake was not handled. */
		pthread_mutex_lock(&probe->mu);
		probe->woken = false;
		pthread_mutex_unlock(&probe->mu);
		wardi_probe_wake(probe);
	}
	return wardi_kit_run_until(probe->kit, timeout_ms, holds_or_gone, &awaited) && awaited.held;
}

bool wardi_probe_await(ward_probe *probe, int64_t timeout_ms, bool (*holds)(void *probe))
{
	if (timeout_ms < 0)
		timeout_ms = 0;
	return probe->kit->real_threads ? await_real(probe, timeout_ms, holds)
					: await_simulated(probe, timeout_ms, holds);
}

/* ---- start and end ----------------------------------------------------------------------- */

static void finish(ward_probe *probe)
{
	for (struct wardi_probe_order *order; (order = probe->orders) != NULL;) {
		probe->orders = order->next;
		wardi_order_free(order);
	}
	for (struct wardi_ignored *i; (i = probe->ignored) != NULL; free(i))
		probe->ignored = i->next;
	for (struct wardi_known *known; (known = probe->known) != NULL; free(known))
		probe->known = known->next;
	wardi_reported_free(probe->reported);
	wardi_reported_free(probe->judged);
	free_all(&probe->mail);
	free_all(&probe->done); /* moved there after the probe's end */
	free(probe->taken);
	pthread_cond_destroy(&probe->changed);
	pthread_mutex_destroy(&probe->mu);
	free(probe);
}

/* Called at the end of the kit: the tree has ended, no callback of the probe runs. */
static void end(void *arg)
{
	ward_probe *probe = arg;
	bool told = probe->failed || probe->kit->may_leave_mail;
	if (!told && probe->unread > 0)
		wardi_kit_complain(probe->kit,
				   "%s has messages that were never expected: %zu, %s; if that is "
				   "meant, set may_leave_mail",
				   probe->path, probe->unread, probe->letters);
	if (!told && probe->reported != NULL)
		wardi_kit_complain(probe->kit,
				   "nobody asked %s about the failure of %s: %s; if that is "
				   "meant, set may_leave_mail",
				   probe->path, probe->reported->child_path, probe->reported->text);
	finish(probe);
}

static void init_sync(ward_probe *probe)
{
	pthread_condattr_t attr;
	pthread_mutex_init(&probe->mu, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&probe->changed, &attr);
	pthread_condattr_destroy(&attr);
}

ward_probe *ward_probe_start_with_at(ward_kit *kit, const char *name, const ward_strategy *strategy,
				     const char *file, int line)
{
	ward_probe *probe = wardi_probe_alloc(sizeof(*probe));
	const struct wardi_probe_args args = {probe};
	wardi_kit_at(kit, file, line);
	probe->kit = kit;
	probe->always = WARD_LATER;
	probe->strategy = wardi_probe_strategy(strategy);
	probe->mail.end = &probe->mail.first;
	probe->done.end = &probe->done.first;
	init_sync(probe);
	wardi_kit_at_end(kit, end, probe);
	probe->ref = wardi_kit_spawn(kit, WARD_PROPS(&behavior, .name = name,
						     .args = {WARD_COPY(wardi_probe_args, &args)},
						     .child_strategy = &probe->strategy));
	ward_system_path(probe->kit->system, probe->ref, probe->path, sizeof(probe->path));
	return probe;
}

ward_probe *ward_probe_start_at(ward_kit *kit, const char *name, const char *file, int line)
{
	return ward_probe_start_with_at(kit, name, NULL, file, line);
}

ward_ref ward_probe_ref(const ward_probe *probe)
{
	return probe->ref;
}
