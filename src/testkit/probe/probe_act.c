/* SPDX-License-Identifier: MIT
 *
 * probe_act.c - acting as the probe: orders of the test's thread, carried out in its callbacks.
 */
#include "testkit/probe/probe_act.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/extend.h>

#include "testkit/probe/probe.h"
#include "testkit/probe/probe_report.h"

void wardi_order_free(struct wardi_probe_order *order)
{
	if (order == NULL)
		return;
	const ward_type *type = order->type;
	if (type != NULL && type->drop != NULL && !order->zero && order->body_size >= type->size)
		type->drop(order->body);
	free(order->mail);
	free(order);
}

/* ---- as the probe ------------------------------------------------------------------------ */

void wardi_probe_settle_under_way(ward_probe *probe)
{
	if (probe->under_way == NULL)
		return;
	wardi_order_free(probe->under_way);
	probe->under_way = NULL;
	pthread_cond_broadcast(&probe->changed);
}

static struct wardi_probe_order *next_order(ward_probe *probe)
{
	pthread_mutex_lock(&probe->mu);
	wardi_probe_settle_under_way(probe); /* the previous order, or an order that jumped out */
	struct wardi_probe_order *order = probe->orders;
	if (order != NULL)
		probe->orders = order->next;
	probe->under_way = order;
	pthread_mutex_unlock(&probe->mu);
	return order;
}

static struct wardi_mails take_done(ward_probe *probe)
{
	pthread_mutex_lock(&probe->mu);
	struct wardi_mails done = probe->done;
	probe->woken = false;
	probe->done = (struct wardi_mails){.end = &probe->done.first};
	pthread_mutex_unlock(&probe->mu);
	return done;
}

void wardi_probe_carry_out(ward_self *self, ward_probe *probe)
{
	struct wardi_mails done = take_done(probe);
	for (struct wardi_mail *mail = done.first, *next; mail != NULL; mail = next) {
		next = mail->next;
		ward_discard(self, mail->body);
		free(mail);
	}
	for (struct wardi_probe_order *order; (order = next_order(probe)) != NULL;)
		order->carry_out(self, probe, order);
}

/* Without the mutex: ward_err_detail() is this thread's. */
static void note_refusal(ward_probe *probe, const char *what)
{
	pthread_mutex_lock(&probe->mu);
	if (probe->refused[0] == '\0')
		snprintf(probe->refused, sizeof(probe->refused), "%s: %s", what, ward_err_detail());
	pthread_cond_broadcast(&probe->changed);
	pthread_mutex_unlock(&probe->mu);
}

static void carry_out_send(ward_self *self, ward_probe *probe, struct wardi_probe_order *order)
{
	const ward_type *type = order->type;
	(void)probe;
	order->type = NULL; /* from here on the runtime owns what the body owns */
	ward_send(self, order->who, type, order->zero ? NULL : order->body, order->body_size);
}

static void carry_out_forward(ward_self *self, ward_probe *probe, struct wardi_probe_order *order)
{
	struct wardi_mail *mail = order->mail;
	(void)probe;
	ward_give_body_from(self, mail->sender, order->who, mail->type, mail->body);
}

static void carry_out_watch(ward_self *self, ward_probe *probe, struct wardi_probe_order *order)
{
	if (ward_try_watch(self, order->who) != WARD_OK)
		note_refusal(probe, "ward_watch");
}

static bool tells_of(const struct wardi_mail *mail, ward_ref who)
{
	return ward_type_same(mail->type, &ward_type_ward_terminated) &&
	       ward_ref_equal(((const struct ward_terminated *)mail->body)->who, who);
}

/* Also removes a notice that waits to be expected: after an unwatch none is seen. */
static void carry_out_unwatch(ward_self *self, ward_probe *probe, struct wardi_probe_order *order)
{
	struct wardi_mails kept = {.end = &kept.first};
	struct wardi_mail *gone = NULL;
	ward_unwatch(self, order->who);
	pthread_mutex_lock(&probe->mu);
	for (struct wardi_mail *mail; (mail = wardi_mails_take(&probe->mail)) != NULL;) {
		if (tells_of(mail, order->who))
			gone = mail; /* at most one */
		else
			wardi_mails_add(&kept, mail);
	}
	for (struct wardi_mail *mail; (mail = wardi_mails_take(&kept)) != NULL;)
		wardi_mails_add(&probe->mail, mail);
	pthread_mutex_unlock(&probe->mu);
	if (gone != NULL)
		ward_discard(self, gone->body);
	free(gone);
}

static void carry_out_do(ward_self *self, ward_probe *probe, struct wardi_probe_order *order)
{
	(void)probe;
	order->fn(self, order->arg);
}

/* ---- as the test ------------------------------------------------------------------------- */

static struct wardi_probe_order *make_order(size_t body_size, wardi_carry_out *carry_out,
					    ward_ref who)
{
	struct wardi_probe_order *order = wardi_probe_alloc(sizeof(*order) + body_size);
	order->carry_out = carry_out;
	order->who = who;
	order->body_size = body_size;
	return order;
}

static void give_order(ward_probe *probe, struct wardi_probe_order *order)
{
	pthread_mutex_lock(&probe->mu);
	struct wardi_probe_order **end = &probe->orders;
	while (*end != NULL)
		end = &(*end)->next;
	*end = order;
	pthread_mutex_unlock(&probe->mu);
	wardi_probe_wake(probe);
	if (!ward_system_is_alive(probe->kit->system, probe->ref))
		wardi_probe_fail(probe, probe->kit->place, "it is gone, and can act no more");
}

void ward_probe_send_at(ward_probe *probe, ward_ref to, const ward_type *type, const void *body,
			size_t size, const char *file, int line)
{
	struct wardi_probe_order *order = make_order(size, carry_out_send, to);
	wardi_kit_at(probe->kit, file, line);
	order->type = type;
	order->zero = body == NULL;
	if (body != NULL)
		memcpy(order->body, body, size);
	give_order(probe, order);
}

void ward_probe_forward_at(ward_probe *probe, ward_ref to, const char *file, int line)
{
	struct wardi_mail *mail = probe->taken;
	wardi_kit_at(probe->kit, file, line);
	if (mail == NULL)
		wardi_probe_fail(probe, probe->kit->place,
				 "it has nothing to forward: take a message first, and once");

	struct wardi_probe_order *order = make_order(0, carry_out_forward, to);
	pthread_mutex_lock(&probe->mu);
	probe->taken = NULL;
	order->mail = mail;
	pthread_mutex_unlock(&probe->mu);
	give_order(probe, order);
}

void ward_probe_watch_at(ward_probe *probe, ward_ref who, const char *file, int line)
{
	wardi_kit_at(probe->kit, file, line);
	wardi_probe_know(probe, who, true);
	give_order(probe, make_order(0, carry_out_watch, who));
}

void ward_probe_unwatch_at(ward_probe *probe, ward_ref who, const char *file, int line)
{
	wardi_kit_at(probe->kit, file, line);
	wardi_probe_know(probe, who, false);
	give_order(probe, make_order(0, carry_out_unwatch, who));
}

static bool all_carried_out(void *arg)
{
	ward_probe *probe = arg;
	return probe->orders == NULL && probe->under_way == NULL;
}

bool wardi_probe_settle(ward_probe *probe)
{
	if (wardi_probe_await(probe, probe->kit->patience_ms, all_carried_out))
		return true;
	/* Orders that are left must not run later: they may point to a scope that has ended. */
	pthread_mutex_lock(&probe->mu);
	struct wardi_probe_order *left = probe->orders;
	probe->orders = NULL;
	pthread_mutex_unlock(&probe->mu);
	for (struct wardi_probe_order *order = left, *next; order != NULL; order = next) {
		next = order->next;
		wardi_order_free(order);
	}
	return false;
}

void wardi_probe_do(ward_probe *probe, void (*fn)(ward_self *self, void *arg), void *arg)
{
	struct wardi_probe_order *order = make_order(0, carry_out_do, ward_nobody());
	order->fn = fn;
	order->arg = arg;
	give_order(probe, order);
	if (!wardi_probe_settle(probe))
		wardi_probe_fail(probe, probe->kit->place, "it did not come to act: it is \"%s\"",
				 ward_kit_state_text(ward_kit_state(probe->kit, probe->ref)));
}

void ward_probe_do_at(ward_probe *probe, void (*fn)(ward_self *self, void *arg), void *arg,
		      const char *file, int line)
{
	wardi_kit_at(probe->kit, file, line);
	wardi_probe_do(probe, fn, arg);
}

/* ---- on arrival -------------------------------------------------------------------------- */

void ward_probe_ignore(ward_probe *probe, const ward_type *type)
{
	struct wardi_ignored *ignored = wardi_probe_alloc(sizeof(*ignored));
	ignored->type = type;
	pthread_mutex_lock(&probe->mu);
	ignored->next = probe->ignored;
	probe->ignored = ignored;
	pthread_mutex_unlock(&probe->mu);
}

struct pilot {
	ward_probe *probe;
	ward_pilot (*fn)(ward_self *self, void *arg, const ward_msg *msg);
	void *arg;
};

static void set_pilot(ward_self *self, void *arg)
{
	struct pilot *pilot = arg;
	(void)self;
	pthread_mutex_lock(&pilot->probe->mu);
	pilot->probe->pilot = pilot->fn;
	pilot->probe->pilot_arg = pilot->arg;
	pthread_mutex_unlock(&pilot->probe->mu);
}

void ward_probe_set_pilot_at(ward_probe *probe,
			     ward_pilot (*pilot)(ward_self *self, void *arg, const ward_msg *msg),
			     void *arg, const char *file, int line)
{
	/* As an order: when it returns, the previous pilot no longer runs. */
	wardi_kit_at(probe->kit, file, line);
	wardi_probe_do(probe, set_pilot, &(struct pilot){probe, pilot, arg});
}
