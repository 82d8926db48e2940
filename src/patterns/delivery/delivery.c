/* SPDX-License-Identifier: MIT
 *
 * delivery.c - at-least-once delivery: messages are repeated until the receiver confirms them.
 *
 *	deliver -> waiting --(sent)--> sent --(due, sent again)--> sent, at its end
 *	                      ^ at most burst_max in each window of redeliver_ms
 *	confirm -> removed from either list
 *
 * `sent` is in the order in which its messages are due, since each is due the same time after it
 * was last sent. Of two due messages the older goes first. One timer, whose key is the address of
 * the ward_delivery, is never later than the next message to send.
 *
 * A run sends only messages that were due when it began, so it ends. Messages that `warn` confirms
 * are freed after it, since it may still look at them.
 *
 * Threads: runs only in callbacks of its actor.
 */
#include "patterns/delivery/delivery.h"

#include <inttypes.h>

#include <ward/actor.h>
#include <ward/extend.h>
#include <ward/timer.h>

#include "patterns/common/kept_body.h"
#include "patterns/delivery/delivery_ids.h"
#include "patterns/delivery/delivery_snapshot.h"

enum { BURST_MAX = 1000, UNCONFIRMED_MAX = 10000, WARN_AFTER = 5 };
#define REDELIVER_MS (5 * WARD_SECOND)

struct tick {
	ward_delivery *delivery;
};
static const ward_type tick_type = {.name = "ward.delivery_due",
				    .size = sizeof(struct tick),
				    .flags = WARD_TYPE_NOT_INFLUENCING};

/* ---- options ----------------------------------------------------------------------------- */

static uint32_t or_else(uint32_t value, uint32_t otherwise)
{
	return value != 0 ? value : otherwise;
}

static int64_t redeliver_ms(const ward_delivery *delivery)
{
	int64_t ms = delivery->options->redeliver_ms;

	return ms != 0 ? ms : REDELIVER_MS;
}

#define REFUSED(...) ward_refused(WARD_EINVAL, "at-least-once delivery: " __VA_ARGS__)

static ward_err check_options(const ward_delivery *delivery, const ward_delivery_options *options)
{
	if (options == NULL)
		return REFUSED("its options are NULL: {0} is all defaults");
	if (options->redeliver_ms < 0)
		return REFUSED(".redeliver_ms is %lld: it must not be negative",
			       (long long)options->redeliver_ms);
	if (options->reserved[0] != 0 || options->reserved[1] != 0)
		return REFUSED("a reserved word is not zero");
	if (delivery->count > 0)
		return REFUSED(
			"ward_delivery_init() was called again while messages are unconfirmed");
	return WARD_OK;
}

ward_result ward_delivery_init(ward_self *self, ward_delivery *delivery,
			       const ward_delivery_options *options)
{
	ward_err err = check_options(delivery, options);

	if (err != WARD_OK)
		return ward_failed(self, &ward_misuse, "%s", ward_err_detail());
	delivery->options = options;
	delivery->window_ends_ns = 0;
	delivery->window_count = 0;
	if (delivery->next_id == 0)
		wardi_delivery_ids_begin(self, delivery);
	err = wardi_delivery_unpack(self, delivery);
	return err == WARD_OK ? WARD_DONE : wardi_delivery_failed(self, err);
}

/* ---- lists ------------------------------------------------------------------------------- */

enum { FIRST, LAST };

void wardi_delivery_link(struct wardi_delivery *ends[2], struct wardi_delivery *one,
			 struct wardi_delivery *next)
{
	one->next = next;
	one->previous = next != NULL ? next->previous : ends[LAST];
	*(one->previous != NULL ? &one->previous->next : &ends[FIRST]) = one;
	*(next != NULL ? &next->previous : &ends[LAST]) = one;
}

static void unlink_from(struct wardi_delivery *ends[2], struct wardi_delivery *one)
{
	*(one->previous != NULL ? &one->previous->next : &ends[FIRST]) = one->next;
	*(one->next != NULL ? &one->next->previous : &ends[LAST]) = one->previous;
}

static struct wardi_delivery **list_of(ward_delivery *delivery, const struct wardi_delivery *one)
{
	return one->attempts == 0 ? delivery->waiting : delivery->sent;
}

ward_err wardi_delivery_make(ward_self *self, ward_ref to, const ward_type *type, const void *body,
			     size_t size, struct wardi_delivery **ret_one)
{
	struct wardi_delivery *one = wardi_record_make(self, sizeof *one);
	ward_err err = WARD_OK;

	if (one == NULL)
		return WARD_ENOMEM;
	one->to = to;
	one->type = type;
	one->size = size;
	one->due_ns = ward_now_ns(self);
	if (body != NULL)
		err = wardi_copy_try(self, type, body, size, &one->body);
	if (err == WARD_OK)
		*ret_one = one;
	else
		ward_discard(self, one);
	return err;
}

void wardi_delivery_discard(ward_self *self, struct wardi_delivery *one)
{
	ward_discard(self, one->body);
	ward_discard(self, one);
}

/* ---- the timer --------------------------------------------------------------------------- */

static uint64_t key_of(const ward_delivery *delivery)
{
	return (uint64_t)(uintptr_t)delivery;
}

static int64_t interval_from(ward_self *self, const ward_delivery *delivery)
{
	return ward_deadline_in(self, redeliver_ms(delivery)).at_ns;
}

static bool arm(ward_self *self, ward_delivery *delivery, int64_t at_ns)
{
	struct tick tick = {delivery};
	ward_timer timer = {.key = key_of(delivery),
			    .after_ms = ward_deadline_left_ms(self, (ward_deadline){at_ns})};

	if (delivery->armed_ns != 0 && delivery->armed_ns <= at_ns)
		return true;
	delivery->armed_ns = 0;
	if (ward_try_timer_start(self, &timer, &tick_type, &tick, sizeof tick) != WARD_OK)
		return false;
	delivery->armed_ns = at_ns;
	return true;
}

static bool window_is_over(const ward_delivery *delivery, int64_t now_ns)
{
	return now_ns >= delivery->window_ends_ns;
}

/* Armed for the end of the window, which may begin now: nothing can be due before that. */
bool wardi_delivery_ready(ward_self *self, ward_delivery *delivery)
{
	return arm(self, delivery,
		   window_is_over(delivery, ward_now_ns(self)) ? interval_from(self, delivery)
							       : delivery->window_ends_ns);
}

void wardi_delivery_rest(ward_self *self, ward_delivery *delivery)
{
	if (delivery->count > 0)
		return;
	ward_timer_cancel(self, key_of(delivery));
	delivery->armed_ns = 0;
}

/* ---- sending ----------------------------------------------------------------------------- */

/* Returns the oldest message that is due, or NULL. */
static struct wardi_delivery *first_due(const ward_delivery *delivery, int64_t now_ns)
{
	struct wardi_delivery *waiting = delivery->waiting[FIRST], *sent = delivery->sent[FIRST];

	if (sent == NULL || sent->due_ns > now_ns)
		return waiting;
	return waiting == NULL || sent->due_ns < waiting->due_ns ? sent : waiting;
}

static bool may_send(ward_self *self, ward_delivery *delivery, int64_t now_ns)
{
	if (window_is_over(delivery, now_ns)) {
		delivery->window_ends_ns = interval_from(self, delivery);
		delivery->window_count = 0;
	}
	return delivery->window_count < or_else(delivery->options->burst_max, BURST_MAX);
}

void wardi_delivery_dead(ward_self *self, const ward_type *type)
{
	ward_send(self, ward_nobody(), type, NULL, 0);
}

static void send_copy(ward_self *self, const struct wardi_delivery *one)
{
	void *copy;

	if (one->body == NULL || one->type->drop == NULL) {
		ward_send(self, one->to, one->type, one->body, one->size);
		return;
	}
	copy = wardi_copy_of(self, one->type, one->body, one->size);
	if (copy != NULL)
		ward_give_body(self, one->to, one->type, copy);
	else
		wardi_delivery_dead(self, one->type);
}

static void send_one(ward_self *self, ward_delivery *delivery, struct wardi_delivery *one)
{
	unlink_from(list_of(delivery, one), one);
	one->attempts++;
	one->due_ns = interval_from(self, delivery);
	wardi_delivery_link(delivery->sent, one, NULL);
	delivery->window_count++;
	send_copy(self, one);
}

void wardi_delivery_free_gone(ward_self *self, ward_delivery *delivery)
{
	for (struct wardi_delivery *one; (one = delivery->gone) != NULL;) {
		delivery->gone = one->next;
		wardi_delivery_discard(self, one);
	}
}

/* True: `warn` was called, and anything may have changed. */
static bool warn(ward_self *self, ward_delivery *delivery, struct wardi_delivery *one)
{
	const ward_delivery_options *options = delivery->options;
	ward_undelivered what = {.id = one->id.tag,
				 .to = one->to,
				 .type = one->type,
				 .body = one->body,
				 .size = one->size,
				 .attempts = one->attempts};

	if (options->warn == NULL || one->warned ||
	    one->attempts < or_else(options->warn_after, WARN_AFTER))
		return false;
	one->warned = true;
	(void)wardi_delivery_ready(self, delivery); /* so that delivery continues if `warn` fails */
	options->warn(self, ward_state(self), &what);
	wardi_delivery_free_gone(self, delivery);
	return true;
}

static bool arm_for_next(ward_self *self, ward_delivery *delivery, int64_t now_ns)
{
	if (first_due(delivery, now_ns) != NULL)
		return arm(self, delivery, delivery->window_ends_ns);
	if (delivery->sent[FIRST] != NULL)
		return arm(self, delivery, delivery->sent[FIRST]->due_ns);
	return true;
}

bool wardi_delivery_go_on(ward_self *self, ward_delivery *delivery)
{
	int64_t now_ns = ward_now_ns(self);
	struct wardi_delivery *one;

	if (delivery->sending)
		return true;
	delivery->sending = true;
	while ((one = first_due(delivery, now_ns)) != NULL && may_send(self, delivery, now_ns))
		if (!warn(self, delivery, one))
			send_one(self, delivery, one);
	delivery->sending = false;
	return arm_for_next(self, delivery, now_ns);
}

/* Sends the message that was just added, if it is its turn. The timer sends all others that are
 * due. */
static void send_new(ward_self *self, ward_delivery *delivery)
{
	int64_t now_ns = ward_now_ns(self);
	struct wardi_delivery *one = delivery->waiting[LAST];

	if (one == first_due(delivery, now_ns) && may_send(self, delivery, now_ns))
		send_one(self, delivery, one);
}

/* ---- delivering and confirming ----------------------------------------------------------- */

uint64_t ward_delivery_next(const ward_delivery *delivery)
{
	return delivery->next_id;
}

static ward_err check(const ward_delivery *delivery, ward_ref to, const ward_type *type,
		      const void *body, size_t size)
{
	uint32_t most;

	if (delivery->options == NULL)
		return ward_refused(WARD_EINVAL, "ward_deliver before ward_delivery_init");
	most = or_else(delivery->options->unconfirmed_max, UNCONFIRMED_MAX);
	if (type == NULL || ward_ref_is_nobody(to))
		return ward_refused(WARD_EINVAL, "ward_deliver: %s",
				    type == NULL ? "no type" : "the receiver is nobody");
	if (!wardi_fits(type, body, size))
		return ward_refused(WARD_ESIZE, "ward_deliver: %zu bytes do not fit \"%s\"", size,
				    type->name);
	if (!wardi_copyable(type))
		return ward_refused(WARD_EUNIQUE,
				    "ward_deliver: message \"%s\" owns things and has no clone, so "
				    "it cannot be sent again: declare it with WARD_MESSAGE_CLONE",
				    type->name);
	if (delivery->count >= most)
		return ward_refused(WARD_EFULL,
				    "ward_deliver: %" PRIu32 " messages are unconfirmed", most);
	return WARD_OK;
}

static ward_err add(ward_self *self, ward_delivery *delivery, ward_ref to, const ward_type *type,
		    const void *body, size_t size)
{
	struct wardi_delivery *one = NULL;
	ward_err err = WARD_ENOMEM;

	if (wardi_tags_reserve(self, &delivery->ids) && wardi_delivery_ready(self, delivery))
		err = wardi_delivery_make(self, to, type, body, size, &one);
	if (err != WARD_OK)
		wardi_delivery_rest(self, delivery);
	if (err == WARD_ENOMEM)
		return ward_refused(WARD_ENOMEM,
				    "no memory to keep a message until it is confirmed");
	if (err != WARD_OK) /* with the detail of the clone */
		return err;
	one->series = delivery->series;
	wardi_tags_insert(delivery->ids, &one->id, delivery->next_id++);
	wardi_delivery_link(delivery->waiting, one, NULL);
	delivery->count++;
	return WARD_OK;
}

ward_err ward_try_deliver_send(ward_self *self, ward_delivery *delivery, ward_ref to,
			       const ward_type *type, const void *body, size_t size)
{
	ward_err err = check(delivery, to, type, body, size);

	if (err == WARD_OK)
		err = add(self, delivery, to, type, body, size);
	wardi_drop_unsent(type, body, size); /* a copy was kept */
	if (err == WARD_OK)
		send_new(self, delivery); /* the timer is already early enough */
	return err;
}

bool ward_delivery_confirm(ward_self *self, ward_delivery *delivery, uint64_t id)
{
	struct wardi_delivery *one = (struct wardi_delivery *)wardi_tags_remove(delivery->ids, id);

	if (one == NULL)
		return false;
	unlink_from(list_of(delivery, one), one);
	if (delivery->sending) {
		one->next = delivery->gone;
		delivery->gone = one;
	} else {
		wardi_delivery_discard(self, one);
	}
	delivery->count--;
	wardi_delivery_rest(self, delivery);
	return true;
}

static ward_result tick(ward_self *self, ward_delivery *delivery)
{
	delivery->armed_ns = 0;
	if (wardi_delivery_go_on(self, delivery))
		return WARD_DONE;
	return ward_failed(self, &ward_out_of_memory,
			   "no memory to send %" PRIu32 " messages again: %s", delivery->count,
			   ward_err_detail());
}

ward_result ward_delivery_receive(ward_self *self, ward_delivery *delivery, const ward_msg *msg)
{
	const struct tick *due = ward_msg_body(msg, &tick_type);
	const struct ward_delivered *delivered = ward_match(msg, ward_delivered);
	ward_err err = WARD_OK;

	delivery->sending = false; /* left over from a `warn` that failed */
	wardi_delivery_free_gone(self, delivery);
	if (due != NULL)
		return due->delivery == delivery ? tick(self, delivery) : WARD_UNHANDLED;
	if (ward_msg_type(msg) == &wardi_type_delivery_kept)
		return wardi_delivery_kept(self, delivery, msg);
	if (delivery->options != NULL)
		err = wardi_delivery_unpack(self, delivery);
	if (err != WARD_OK && err != WARD_ENOMEM)
		return wardi_delivery_failed(self, err);
	if (delivery->count > 0 && delivery->armed_ns == 0)
		(void)wardi_delivery_go_on(self, delivery);
	if (delivered == NULL)
		return WARD_UNHANDLED;
	(void)ward_delivery_confirm(self, delivery, delivered->id);
	return WARD_DONE;
}

size_t ward_delivery_count(const ward_delivery *delivery)
{
	return delivery->count + wardi_delivery_packed(delivery);
}
