/* SPDX-License-Identifier: MIT
 *
 * timer.c - an actor's timers: messages to itself, or to another actor, later.
 *
 * A timer keeps the message that it sends. When it is due, a tick with its key and number goes to
 * the mailbox; when the tick is handled, the timer is looked up by that key. So the tick of a timer
 * that was cancelled or replaced finds nothing, or another number, and is dropped: the generation
 * check of S87. At most one tick of a timer is on its way; missed periods become a count.
 *
 * A message to another actor takes the same way: the tick comes to the owner, where the runtime
 * sends the message on. So it ends with the incarnation, and is in order with the owner's other
 * messages.
 *
 * The first tick's message is allocated at the start, so that a timer set is a timer fired.
 *
 * Threads: list and table belong to the holder; in_flight, missed and tick are shared with
 * fire() under the timers' lock; all else is frozen.
 */
#include "actor/timer.h"

#include "actor/rare.h"
#include "base/error.h"
#include "base/memory.h"
#include "mail/auto_received.h"
#include "sched/timer_heap.h"
#include "send/deliver.h"
#include "send/tell.h"

/* Longer times would overflow, and are cut to this. */
static const int64_t ms_max = INT64_MAX / WARD_NS_PER_MS / 4;

struct timer {
	struct wardi_timer_node node; /* first: what the scheduler sees */
	struct wardi_list link;
	struct wardi_hash_link keyed;
	/* frozen */
	ward_system *system;
	ward_ref owner;
	ward_ref to; /* nobody: its owner */
	uint64_t id, key;
	ward_timer_mode mode;
	int64_t period_ns;
	struct ward_msg *msg; /* what is sent; the holder's */
	/* under the timers' lock */
	bool in_flight;
	uint64_t periods;      /* that the tick under way stands for */
	struct ward_msg *tick; /* made ahead; NULL: none */
};

struct wardi_actor_timers {
	struct wardi_list all; /* newest first: the order in which they are cancelled */
	struct wardi_hash keys;
};

static struct ward_msg *make_tick(struct wardi_source from, const struct timer *timer)
{
	struct wardi_tick tick = {timer->key, timer->id};

	return wardi_msg_make(from, &wardi_type_tick, &tick, sizeof tick);
}

static int64_t next_deadline(const struct timer *timer, int64_t now_ns, uint64_t *ret_missed)
{
	int64_t due = timer->node.deadline_ns;

	*ret_missed = 0;
	if (timer->mode == WARD_TIMER_FIXED_DELAY)
		return now_ns + timer->period_ns;
	*ret_missed = (uint64_t)((now_ns - due) / timer->period_ns);
	return due + timer->period_ns * (int64_t)(*ret_missed + 1);
}

/* Under the timers' lock, on any worker. */
static void fire(struct wardi_worker *worker, struct wardi_timer_node *node, int64_t now_ns)
{
	struct timer *timer = wardi_container_of(node, struct timer, node);
	struct ward_self *self = worker->context;
	ward_system *system = timer->system;
	ward_reason reason;
	uint64_t missed = 0;

	if (timer->mode != WARD_TIMER_ONCE) {
		int64_t deadline = next_deadline(timer, now_ns, &missed);

		wardi_timer_rearm(system->sched, &timer->node, deadline);
	}
	timer->periods += missed + 1;
	if (timer->in_flight)
		return; /* the tick on its way counts for this period, too */
	if (timer->tick == NULL)
		timer->tick = make_tick(self->from, timer);
	if (timer->tick == NULL) { /* the next period brings both */
		wardi_count(&system->counters.shortages);
		return;
	}
	if (wardi_deliver(system, self, timer->owner, timer->tick, &reason) == WARD_OK) {
		timer->tick = NULL;
		timer->in_flight = true;
	}
	/* Else the owner has closed its mailbox and is about to cancel its timers. */
}

/* ---- those of an actor ------------------------------------------------------------------- */

static struct timer *of_link(struct wardi_list *link)
{
	return wardi_container_of(link, struct timer, link);
}

struct name {
	uint64_t key; /* 0: none, it goes by its number */
	uint64_t id;
};

static bool has_name(const struct wardi_hash_link *link, const void *wanted)
{
	const struct timer *timer = wardi_container_of(link, struct timer, keyed);
	const struct name *name = wanted;

	return timer->key == name->key && (name->key != 0 || timer->id == name->id);
}

static uint64_t hash_of(const struct ward_self *self, struct name name)
{
	return wardi_hash_u64(self->system->seed, name.key != 0 ? name.key : name.id);
}

static struct timer *find(const struct ward_self *self, struct name name)
{
	struct wardi_actor_timers *timers = self->cell->rare->timers;
	struct wardi_hash_link *link = NULL;

	if (timers != NULL)
		link = wardi_hash_find(&timers->keys, hash_of(self, name), has_name, &name);
	return link == NULL ? NULL : wardi_container_of(link, struct timer, keyed);
}

/* False: no memory. */
static bool enter(struct ward_self *self, struct timer *timer)
{
	struct wardi_actor_timers *timers = self->cell->rare->timers;

	if (timers == NULL) {
		struct wardi_rare *rare = wardi_rare_of(self);

		timers = rare == NULL ? NULL : wardi_alloc(&self->system->alloc, sizeof *timers);
		if (timers == NULL)
			return false;
		wardi_list_init(&timers->all);
		wardi_hash_init(&timers->keys, &self->system->alloc);
		rare->timers = timers;
	}
	if (!wardi_hash_insert(&timers->keys, &timer->keyed,
			       hash_of(self, (struct name){timer->key, timer->id})))
		return false;
	wardi_list_prepend(&timers->all, &timer->link);
	return true;
}

/* Frees a timer that is in no table, with all that it has. */
static void destroy(struct ward_self *self, struct timer *timer)
{
	if (timer->tick != NULL)
		wardi_msg_free(self->from, timer->tick);
	if (timer->msg != NULL)
		wardi_msg_destroy(self->from, timer->msg);
	wardi_memory_put(self->from, timer, sizeof *timer);
}

/* Ends the timer; its message, if it has one, is dropped. */
static void end(struct ward_self *self, struct timer *timer)
{
	wardi_list_remove(&timer->link);
	wardi_hash_remove(&self->cell->rare->timers->keys, &timer->keyed);
	wardi_timer_disarm(self->system->sched, &timer->node);
	destroy(self, timer);
}

/* Ends the timer, and returns its message. */
static struct ward_msg *end_with_message(struct ward_self *self, struct timer *timer)
{
	struct ward_msg *msg = timer->msg;

	timer->msg = NULL;
	end(self, timer);
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
	struct timer *timer = find(self, (struct name){tick->key, tick->id});
	struct ward_msg *msg;
	ward_ref to;
	ward_err err;

	if (timer == NULL || timer->id != tick->id)
		return NULL;
	to = timer->to;
	wardi_timers_lock(self->system->sched);
	self->periods = timer->periods;
	timer->periods = 0;
	timer->in_flight = false;
	wardi_timers_unlock(self->system->sched);
	if (timer->mode == WARD_TIMER_ONCE)
		msg = end_with_message(self, timer);
	else
		msg = wardi_msg_clone(self->from, timer->msg, &err);
	if (msg == NULL)
		*ret_cause = no_tick(self, err);
	if (msg == NULL || ward_ref_is_nobody(to))
		return msg;
	wardi_send_msg(self, wardi_own_ref(self), to, msg);
	return NULL;
}

void wardi_timers_cancel_all(struct ward_self *self, struct wardi_cell *cell)
{
	if (cell->rare->timers == NULL)
		return;
	while (!wardi_list_empty(&cell->rare->timers->all))
		end(self, of_link(cell->rare->timers->all.next));
	wardi_hash_finish(&cell->rare->timers->keys);
	wardi_free(&self->system->alloc, cell->rare->timers, sizeof *cell->rare->timers);
	cell->rare->timers = NULL;
}

/* ---- for the user ------------------------------------------------------------------------ */

static ward_err negative(const char *field, int64_t ms)
{
	return wardi_error(WARD_EINVAL, "ward_timer_start: .%s is %lld; it must not be negative",
			   field, (long long)ms);
}

static ward_err check_timer(const ward_timer *timer)
{
	if (timer == NULL)
		return wardi_error(WARD_EINVAL, "ward_timer_start: the timer is NULL");
	if ((unsigned)timer->mode > WARD_TIMER_FIXED_RATE)
		return wardi_error(WARD_EINVAL,
				   "ward_timer_start: mode is %d, which is not a ward_timer_mode",
				   (int)timer->mode);
	if (!WARDI_ALL_ZERO(timer->reserved))
		return wardi_error(WARD_EINVAL, "ward_timer_start: a reserved word is not zero");
	if (timer->to_other && ward_ref_is_nobody(timer->to))
		return wardi_error(WARD_EINVAL,
				   "ward_timer_start: the receiver is nobody, and to_other says "
				   "that it is another actor");
	if (timer->every_ms < 0)
		return negative("every_ms", timer->every_ms);
	if (timer->after_ms < 0)
		return negative("after_ms", timer->after_ms);
	if (timer->mode != WARD_TIMER_ONCE && timer->after_ms == 0 && timer->every_ms == 0)
		return wardi_error(WARD_EINVAL,
				   "ward_timer_start: a repeating timer needs every_ms");
	if (timer->mode == WARD_TIMER_ONCE && timer->every_ms != 0)
		return wardi_error(WARD_EINVAL,
				   "ward_timer_start: every_ms needs a repeating mode");
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
			"ward_timer_start: message \"%s\" owns things and has no clone, so "
			"its timer cannot repeat: declare it with WARD_MESSAGE_CLONE",
			type->name);
	return WARD_OK;
}

static int64_t to_ns(int64_t ms)
{
	return (ms < ms_max ? ms : ms_max) * WARD_NS_PER_MS;
}

static struct timer *make(struct ward_self *self, const ward_timer *options, const ward_type *type,
			  const void *body, size_t size)
{
	ward_system *system = self->system;
	struct timer *timer;

	timer = wardi_memory_get(self->from, sizeof *timer);
	if (timer == NULL)
		return NULL;
	timer->system = system;
	timer->owner = wardi_own_ref(self);
	timer->node.owner = timer->owner.uid;
	timer->node.fire = fire;
	timer->to = options->to;
	timer->id = atomic_fetch_add_explicit(&system->timer_ids, 1, memory_order_relaxed) + 1;
	timer->key = options->key;
	timer->mode = options->mode;
	timer->period_ns = to_ns(options->every_ms != 0 ? options->every_ms : options->after_ms);
	timer->msg = wardi_msg_make(self->from, type, body, size);
	timer->tick = timer->msg == NULL ? NULL : make_tick(self->from, timer);
	if (timer->tick != NULL && enter(self, timer)) {
		timer->msg->sender_uid = self->cell->uid;
		timer->msg->sender_place = system->place;
		return timer;
	}
	if (timer->msg != NULL) /* its body is still the caller's */
		wardi_msg_hand_over(self->from, timer->msg);
	timer->msg = NULL;
	destroy(self, timer);
	return NULL;
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
	timer = make(self, options, type, body, size);
	if (timer == NULL) {
		wardi_body_drop(type, body, size);
	} else {
		deadline_ns = wardi_clock_now(&self->system->clock) + to_ns(options->after_ms);
		if (wardi_timer_arm(self->system->sched, &timer->node, deadline_ns))
			return WARD_OK;
		end(self, timer);
	}
	return wardi_no_memory(self->system, "no memory for a timer");
}

/* No timer has the number 0, so key 0 finds none. */
void ward_timer_cancel(ward_self *self, uint64_t key)
{
	struct timer *timer = wardi_self_usable(self) ? find(self, (struct name){key, 0}) : NULL;

	if (timer != NULL)
		end(self, timer);
}

bool ward_timer_open(const ward_self *self, uint64_t key)
{
	return wardi_self_usable(self) && find(self, (struct name){key, 0}) != NULL;
}

uint64_t ward_timer_periods(const ward_self *self)
{
	return wardi_self_usable(self) ? self->periods : 0;
}
