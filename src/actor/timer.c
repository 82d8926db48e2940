/* SPDX-License-Identifier: MIT
 *
 * timer.c - an actor's timers: messages to itself, or to another actor, later.
 *
 * A timer keeps the message that it sends. There are two kinds:
 *
 *	once, to its owner   the message itself goes to the mailbox, marked, with the key in place
 *	                     of the sender (mail/auto_received.h). When it is handled, the timer
 *	                     is looked up by the key, and is the one that still has this message.
 *	                     Of a small one, with 8 bytes of body at most, the record itself
 *	                     becomes the message
 *	all others           a tick goes to the mailbox, with the key and a number. When it is
 *	                     handled, the timer of that key and number is looked up, and its message
 *	                     is copied, or sent on
 *
 * So what comes from a timer that was cancelled or replaced finds none, and is dropped: the check
 * of S87. At most one tick of a timer is on its way; missed periods become a count.
 *
 * A message to another actor is sent by the runtime when the tick comes to the owner. So it ends
 * with the incarnation, and is in order with the owner's other messages.
 *
 * The first tick is allocated at the start, so that a timer set is a timer fired.
 *
 * Threads: the table belongs to the holder; in_flight, periods and tick are shared with fire()
 * under the lock of the timer's queue; all else is frozen.
 */
#include "actor/timer.h"

#include "actor/rare.h"
#include "base/error.h"
#include "base/few_keys.h"
#include "base/memory.h"
#include "mail/auto_received.h"
#include "sched/timers.h"
#include "send/deliver.h"
#include "send/tell.h"

/* Longer times would overflow, and are cut to this. */
static const int64_t ms_max = INT64_MAX / WARD_NS_PER_MS / 4;

/* Of node.flags; frozen. */
enum {
	MODE = 3,    /* a ward_timer_mode */
	TICKS = 4,   /* it is a struct ticking */
	KEYLESS = 8, /* its key is a number that no program has given */
	SMALL = 16   /* it becomes its message */
};

enum { SMALL_BODY = 8, IN_FLIGHT = 1 };

struct timer {
	struct wardi_timer_node node; /* first: what the scheduler sees */
	struct wardi_keyed keyed;
	union {
		struct {
			/* What is sent; the holder's, or the mailbox's while in flight. */
			struct ward_msg *msg;
			/* under the lock of its queue: the message or tick is on its way */
			bool in_flight;
		};
		struct {
			uintptr_t
				type; /* under the lock: the type of what is sent, and IN_FLIGHT */
			unsigned char body[SMALL_BODY];
		} small;
	};
};
_Static_assert(sizeof(struct timer) <= 80, "fits a small block");
/* What a fired timer is still asked for, when its block is a message as well. */
_Static_assert(offsetof(struct wardi_timer_node, queue) >= sizeof(struct ward_msg) + SMALL_BODY,
	       "the message ends before the rest of the node");

/* What ticks, or sends to another actor. */
struct ticking {
	struct timer timer;
	/* frozen */
	ward_ref to; /* nobody: its owner */
	uint64_t id;
	int64_t period_ns;
	/* under the lock of its queue */
	uint64_t periods;      /* that the tick under way stands for */
	struct ward_msg *tick; /* made ahead; NULL: none */
};

static struct timer *of_node(struct wardi_timer_node *node)
{
	return wardi_container_of(node, struct timer, node);
}

static struct timer *of_keyed(struct wardi_keyed *keyed)
{
	return wardi_container_of(keyed, struct timer, keyed);
}

static struct ticking *ticking_of(struct timer *timer)
{
	return wardi_container_of(timer, struct ticking, timer);
}

static bool has(const struct timer *timer, uint8_t flag)
{
	return (timer->node.flags & flag) != 0;
}

static ward_timer_mode mode_of(const struct timer *timer)
{
	return (ward_timer_mode)(timer->node.flags & MODE);
}

static size_t size_of(const struct timer *timer)
{
	return has(timer, TICKS) ? sizeof(struct ticking) : sizeof *timer;
}

static void set_in_flight(struct timer *timer, bool in_flight)
{
	if (has(timer, SMALL))
		timer->small.type = (timer->small.type & ~(uintptr_t)IN_FLIGHT) | in_flight;
	else
		timer->in_flight = in_flight;
}

/* The message of a small timer, which is not armed: over the begin of its node. */
static struct ward_msg *become_message(struct timer *timer)
{
	struct ward_msg *msg = (struct ward_msg *)(void *)timer;

	msg->type = wardi_msg_tagged((const ward_type *)timer->small.type, WARDI_IN_80);
	memcpy(msg->body, timer->small.body, SMALL_BODY);
	return msg;
}

static bool sends(const struct timer *timer, const struct ward_msg *msg)
{
	return has(timer, SMALL) ? (const void *)timer == (const void *)msg : timer->msg == msg;
}

/* ---- firing: under the lock of its queue, on any worker ---------------------------------- */

/* Nothing of the timer may be touched after a delivery: its owner may free it. */
static bool deliver(struct ward_self *self, uint64_t owner_uid, struct timer *timer,
		    struct ward_msg *msg)
{
	ward_ref owner = wardi_ref_make(owner_uid, self->system->place);
	ward_reason reason;

	set_in_flight(timer, true);
	if (wardi_deliver(self->system, self, owner, msg, &reason) == WARD_OK)
		return true;
	/* The owner has closed its mailbox, and is about to cancel its timers. */
	set_in_flight(timer, false);
	return false;
}

static void fire_message(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct timer *timer = of_node(node);
	uint64_t owner = node->owner;
	struct ward_msg *msg = has(timer, SMALL) ? become_message(timer) : timer->msg;

	(void)now_ns;
	wardi_msg_mark_timed(msg, timer->keyed.key);
	(void)deliver(worker->context, owner, timer, msg);
}

static struct ward_msg *make_tick(struct wardi_source from, const struct ticking *ticking)
{
	struct wardi_tick tick = {ticking->timer.keyed.key, ticking->id};

	return wardi_msg_make(from, &wardi_type_tick, &tick, sizeof tick);
}

/* A delay begins with the slot of the tick, so that slots do not add up. */
static int64_t next_deadline(const struct ticking *ticking, int64_t now_ns, uint64_t *ret_missed)
{
	const struct wardi_timer_node *node = &ticking->timer.node;
	int64_t due = node->deadline_ns;

	*ret_missed = 0;
	if (mode_of(&ticking->timer) == WARD_TIMER_FIXED_DELAY)
		return wardi_clock_later(wardi_timer_base(node, now_ns), ticking->period_ns);
	*ret_missed = (uint64_t)((now_ns - due) / ticking->period_ns);
	return wardi_clock_later(due + ticking->period_ns * (int64_t)*ret_missed,
				 ticking->period_ns);
}

static void fire_tick(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct ticking *ticking = ticking_of(of_node(node));
	struct ward_self *self = worker->context;
	struct ward_msg *tick = ticking->tick;
	uint64_t missed = 0;

	if (mode_of(&ticking->timer) != WARD_TIMER_ONCE) {
		int64_t deadline = next_deadline(ticking, now_ns, &missed);

		wardi_timer_rearm(self->system->sched, node, deadline);
	}
	ticking->periods += missed + 1;
	if (ticking->timer.in_flight)
		return; /* the tick on its way counts for this period, too */
	if (tick == NULL)
		tick = make_tick(self->from, ticking);
	if (tick == NULL) { /* the next period brings both */
		wardi_count(&self->system->counters.shortages);
		return;
	}
	ticking->tick = NULL;
	if (!deliver(self, node->owner, &ticking->timer, tick))
		ticking->tick = tick;
}

/* ---- those of an actor ------------------------------------------------------------------- */

static struct wardi_few_keys *keys_of(const struct ward_self *self)
{
	return &self->cell->rare->timers;
}

/* Returns the timer to which a place in the holder's table leads; NULL: to none. */
static struct timer *at_place(const uint64_t *at)
{
	struct wardi_keyed *link = wardi_key_table_link(at);

	return link == NULL ? NULL : of_keyed(link);
}

/* Finds a timer of that key in the holder's table: the one with that message, or with that number;
 * or, with neither, the one that a program has given the key. NULL: there is none. */
static uint64_t *find(const struct ward_self *self, uint64_t key, const struct ward_msg *msg,
		      uint64_t id)
{
	uint64_t *at = wardi_few_keys_chain(keys_of(self), key);
	struct timer *timer;

	for (; (timer = at_place(at)) != NULL; at = &timer->keyed.next) {
		if (timer->keyed.key != key)
			continue;
		if (msg != NULL ? sends(timer, msg)
		    : id != 0   ? has(timer, TICKS) && ticking_of(timer)->id == id
				: !has(timer, KEYLESS))
			return at;
	}
	return NULL;
}

/* Returns where a timer is in the holder's table. */
static uint64_t *place_of(const struct ward_self *self, const struct timer *timer)
{
	uint64_t *at = wardi_few_keys_chain(keys_of(self), timer->keyed.key);

	while (at_place(at) != timer)
		at = &at_place(at)->keyed.next;
	return at;
}

/* False: no memory. */
static bool enter(struct ward_self *self, struct timer *timer)
{
	if (wardi_rare_of(self) == NULL)
		return false;
	if (has(timer, KEYLESS))
		timer->keyed.key = wardi_few_keys_number(keys_of(self));
	wardi_few_keys_insert(keys_of(self), &self->system->alloc, self->system->seed,
			      &timer->keyed);
	return true;
}

/* Frees a timer that is in no table and not armed, with all that it has. */
static void destroy(struct ward_self *self, struct timer *timer)
{
	if (has(timer, SMALL)) {
		if ((timer->small.type & IN_FLIGHT) == 0)
			wardi_msg_destroy(self->from, become_message(timer));
		return;
	}
	if (has(timer, TICKS) && ticking_of(timer)->tick != NULL)
		wardi_msg_free(self->from, ticking_of(timer)->tick);
	if (timer->msg != NULL && (has(timer, TICKS) || !timer->in_flight))
		wardi_msg_destroy(self->from, timer->msg);
	wardi_memory_put(self->from, timer, size_of(timer));
}

/* Ends a timer; its message, if it has one, is dropped. */
static void end(struct ward_self *self, uint64_t *at)
{
	struct timer *timer = at_place(at);

	wardi_few_keys_remove(keys_of(self), at);
	wardi_timer_disarm(self->system->sched, &timer->node);
	destroy(self, timer);
}

/* Ends a timer, and returns its message. */
static struct ward_msg *end_with_message(struct ward_self *self, uint64_t *at)
{
	struct timer *timer = at_place(at);
	struct ward_msg *msg = timer->msg;

	timer->msg = NULL;
	end(self, at);
	return msg;
}

static struct wardi_failure no_tick(struct ward_self *self, ward_err err)
{
	ward_ref own = wardi_own_ref(self);

	if (err != WARD_ENOMEM)
		return wardi_failure_text(
			self->system, own, err == WARD_ESYS ? &ward_os_failure : &ward_exception,
			WARDI_NO_FAILURE, "the tick of a timer: %s", ward_err_detail());
	wardi_count(&self->system->counters.shortages);
	return wardi_failure_text(self->system, own, &ward_out_of_memory, WARDI_NO_FAILURE,
				  "no memory for the tick of a timer");
}

struct ward_msg *wardi_tick_due(struct ward_self *self, const struct wardi_tick *tick,
				struct wardi_failure *ret_cause)
{
	uint64_t *at = find(self, tick->key, NULL, tick->id);
	struct ticking *ticking;
	struct ward_msg *msg;
	ward_ref to;
	ward_err err = WARD_OK;

	if (at == NULL)
		return NULL;
	ticking = ticking_of(at_place(at));
	to = ticking->to;
	wardi_timers_lock(self->system->sched, &ticking->timer.node);
	self->periods = ticking->periods;
	ticking->periods = 0;
	ticking->timer.in_flight = false;
	wardi_timers_unlock(self->system->sched, &ticking->timer.node);
	if (mode_of(&ticking->timer) == WARD_TIMER_ONCE)
		msg = end_with_message(self, at);
	else
		msg = wardi_msg_clone(self->from, ticking->timer.msg, &err);
	if (msg == NULL)
		*ret_cause = no_tick(self, err);
	if (msg == NULL || ward_ref_is_nobody(to))
		return msg;
	wardi_send_msg(self, wardi_own_ref(self), to, msg);
	return NULL;
}

bool wardi_timed_due(struct ward_self *self, struct ward_msg *msg)
{
	uint64_t *at = find(self, wardi_msg_timed_key(msg), msg, 0);
	struct timer *timer;

	if (at == NULL)
		return false;
	/* It has fired: no other thread knows it, and no lock is needed. */
	timer = at_place(at);
	wardi_few_keys_remove(keys_of(self), at);
	if (!has(timer, SMALL))
		wardi_memory_put(self->from, timer, sizeof *timer);
	wardi_msg_unmark_timed(msg, self->cell->uid, self->system->place);
	self->periods = 1;
	return true;
}

void wardi_timers_cancel_all(struct ward_self *self, struct wardi_cell *cell)
{
	struct wardi_few_keys *keys = &cell->rare->timers;
	struct wardi_keyed *keyed;
	size_t cursor = 0;

	while ((keyed = wardi_few_keys_take(keys, &cursor)) != NULL) {
		wardi_timer_disarm(self->system->sched, &of_keyed(keyed)->node);
		destroy(self, of_keyed(keyed));
	}
	wardi_few_keys_finish(keys, &self->system->alloc);
}

/* ---- for the user ------------------------------------------------------------------------ */

static ward_err negative(const char *field, int64_t ms)
{
	return wardi_error(WARD_EINVAL, "a timer: .%s is %lld: it must not be negative", field,
			   (long long)ms);
}

static ward_err check_timer(const ward_timer *timer)
{
	if (timer == NULL)
		return wardi_error(WARD_EINVAL, "a timer: it is NULL");
	if ((unsigned)timer->mode > WARD_TIMER_FIXED_RATE)
		return wardi_error(WARD_EINVAL,
				   "a timer: .mode is %d, which is not a ward_timer_mode",
				   (int)timer->mode);
	if (!WARDI_ALL_ZERO(timer->reserved))
		return wardi_error(WARD_EINVAL, "a timer: a reserved word is not zero");
	if (timer->to_other && ward_ref_is_nobody(timer->to))
		return wardi_error(WARD_EINVAL,
				   "a timer: the receiver is nobody; to send to self, use "
				   "ward_after(), or leave .to_other out");
	if (timer->every_ms < 0)
		return negative("every_ms", timer->every_ms);
	if (timer->after_ms < 0)
		return negative("after_ms", timer->after_ms);
	if (timer->mode != WARD_TIMER_ONCE && timer->after_ms == 0 && timer->every_ms == 0)
		return wardi_error(WARD_EINVAL,
				   "a timer: it repeats, so .every_ms must be above 0");
	if (timer->mode == WARD_TIMER_ONCE && timer->every_ms != 0)
		return wardi_error(WARD_EINVAL,
				   "a timer: .every_ms is set, so .mode must be one that repeats");
	return WARD_OK;
}

static ward_err check(const ward_timer *timer, const ward_type *type, const void *body, size_t size)
{
	ward_err err = check_timer(timer);

	if (err == WARD_OK)
		err = wardi_type_refuse(type, body, size);
	if (err != WARD_OK)
		return err;
	if (timer->mode != WARD_TIMER_ONCE && type->drop != NULL && type->clone == NULL)
		return wardi_error(
			WARD_EUNIQUE,
			"a timer: message \"%s\" owns things and has no clone, so the timer "
			"cannot repeat: declare it with WARD_MESSAGE_CLONE",
			type->name);
	return WARD_OK;
}

static int64_t to_ns(int64_t ms)
{
	return (ms < ms_max ? ms : ms_max) * WARD_NS_PER_MS;
}

static int64_t deadline_of(struct ward_self *self, int64_t after_ms)
{
	if (after_ms == WARD_FOREVER)
		return WARDI_TIMER_NEVER;
	return wardi_clock_later(wardi_clock_now(&self->system->clock), to_ns(after_ms));
}

/* Whether the message itself may stand in the mailbox for its timer. */
static bool sends_itself(const ward_timer *options, const ward_type *type)
{
	return options->mode == WARD_TIMER_ONCE && ward_ref_is_nobody(options->to) &&
	       (type->flags & WARDI_TYPE_AUTO) == 0 && wardi_auto_kind(type) == WARDI_AUTO_FORGED;
}

/* What kind of record a timer of this message has. */
static uint8_t kind_of(const ward_timer *options, const ward_type *type)
{
	if (!sends_itself(options, type))
		return TICKS;
	return type->size_max == 0 && type->size <= SMALL_BODY ? SMALL : 0;
}

static struct timer *make_record(struct ward_self *self, const ward_timer *options, uint8_t kind)
{
	bool ticks = kind == TICKS;
	struct timer *timer =
		wardi_memory_get(self->from, ticks ? sizeof(struct ticking) : sizeof *timer);

	if (timer == NULL)
		return NULL;
	timer->node.owner = self->cell->uid;
	timer->node.fire = ticks ? fire_tick : fire_message;
	timer->node.exact = options->exact;
	timer->node.flags =
		(uint8_t)((unsigned)options->mode | kind | (options->key == 0 ? KEYLESS : 0));
	timer->keyed.key = options->key;
	return timer;
}

/* Makes the tick that comes first. False: no memory. */
static bool prepare(struct ward_self *self, struct ticking *ticking, const ward_timer *options)
{
	ward_system *system = self->system;

	ticking->to = options->to;
	ticking->id = atomic_fetch_add_explicit(&system->timer_ids, 1, memory_order_relaxed) + 1;
	ticking->period_ns = to_ns(options->every_ms != 0 ? options->every_ms : options->after_ms);
	ticking->tick = make_tick(self->from, ticking);
	return ticking->tick != NULL;
}

static struct timer *make_small(struct ward_self *self, const ward_timer *options,
				const ward_type *type, const void *body)
{
	struct timer *timer = make_record(self, options, SMALL);

	if (timer == NULL)
		return NULL;
	timer->small.type = (uintptr_t)type;
	if (body != NULL)
		memcpy(timer->small.body, body, type->size);
	if (enter(self, timer)) {
		wardi_payload_made(self->from, type);
		return timer;
	}
	wardi_memory_put(self->from, timer, sizeof *timer);
	return NULL;
}

static struct timer *make(struct ward_self *self, const ward_timer *options, const ward_type *type,
			  const void *body, size_t size)
{
	uint8_t kind = kind_of(options, type);
	struct timer *timer;

	if (kind == SMALL)
		return make_small(self, options, type, body);
	timer = make_record(self, options, kind);
	if (timer == NULL)
		return NULL;
	timer->msg = wardi_msg_make(self->from, type, body, size);
	if (timer->msg != NULL && enter(self, timer)) {
		if (kind != TICKS || prepare(self, ticking_of(timer), options)) {
			timer->msg->sender_uid = self->cell->uid;
			wardi_msg_set_sender_place(timer->msg, self->system->place);
			return timer;
		}
		wardi_few_keys_remove(keys_of(self), place_of(self, timer));
	}
	if (timer->msg != NULL) /* its body is still the caller's */
		wardi_msg_hand_over(self->from, timer->msg);
	timer->msg = NULL;
	destroy(self, timer);
	return NULL;
}

/* False: no memory. */
static bool arm(struct ward_self *self, struct timer *timer, int64_t deadline_ns)
{
	struct wardi_rare *rare = self->cell->rare;
	bool alone = wardi_few_keys_is_one(&rare->timers);

	timer->node.stays = true;
	if (!alone)
		timer->node.queue = rare->timers_queue;
	if (!wardi_timer_arm(self->system->sched, &timer->node, deadline_ns))
		return false;
	if (!timer->node.exact)
		rare->timers_queue = timer->node.queue;
	else if (alone)
		rare->timers_queue = 0;
	return true;
}

ward_err ward_try_timer_start(ward_self *self, const ward_timer *options, const ward_type *type,
			      const void *body, size_t size)
{
	struct timer *timer;
	int64_t deadline_ns;
	ward_err err;

	if (!wardi_self_usable(self))
		return WARD_EINVAL;
	err = check(options, type, body, size);
	if (err != WARD_OK) {
		wardi_body_drop(type, body, size);
		return err;
	}
	ward_timer_cancel(self, options->key);
	self->cache.brief = true;
	timer = make(self, options, type, body, size);
	self->cache.brief = false;
	if (timer == NULL) {
		wardi_body_drop(type, body, size);
	} else {
		deadline_ns = deadline_of(self, options->after_ms);
		if (arm(self, timer, deadline_ns))
			return WARD_OK;
		end(self, place_of(self, timer));
	}
	return wardi_no_memory(self->system, "no memory for a timer");
}

/* The timer that a program has given this key; NULL: there is none. */
static uint64_t *find_by_key(const struct ward_self *self, uint64_t key)
{
	return key == 0 || !wardi_self_usable(self) ? NULL : find(self, key, NULL, 0);
}

void ward_timer_cancel(ward_self *self, uint64_t key)
{
	uint64_t *at = find_by_key(self, key);

	if (at != NULL)
		end(self, at);
}

bool ward_timer_open(const ward_self *self, uint64_t key)
{
	return find_by_key(self, key) != NULL;
}

uint64_t ward_timer_periods(const ward_self *self)
{
	return wardi_self_usable(self) ? self->periods : 0;
}
