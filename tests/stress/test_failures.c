/* SPDX-License-Identifier: MIT
 *
 * test_failures.c - hundreds of thousands of failures with restarts; nothing is lost, nothing
 * leaks.
 *
 * Method: supervisors of four kinds have desks below them. Threads outside and pumps (actors) send
 * the desks numbered jobs, of which half make the desk fail, each in one of many ways and with
 * something in its hands: memory, deferred calls, timers, descriptors, children, kept messages. For
 * each job its fate is written down: handled, the failing one, or a dead letter, exactly one of the
 * three, and dropped exactly once. Desks get the jobs of one sender in their order.
 *
 * WARD_FAILURES=N asks for N failures in each case.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message_fates.h"
#include "support/stress.h"

enum {
	SUPERVISORS = 4,
	DESKS_EACH = 4,
	DESKS = SUPERVISORS * DESKS_EACH,
	OUTSIDE = 2,
	PUMPS = 2,
	SENDERS = OUTSIDE + PUMPS,
	CREDIT = 4000, /* jobs under way at once */
	BURST = 32,
	DEPTH = 24,
	ROOM = 4 /* jobs there is room for, for each failure that is wanted */
};

enum way { WORKS, KEEPS, PASSES_ON, JUMPS, RETURNS, WITH_BODY, INIT_FAILS, POST_RESTART_FAILS };

struct job {
	uint64_t index;
	uint32_t sender;
	uint32_t dice;
};

static void drop_job(void *body);
/* Flat, so that a dead letter's event has the bytes; the drop only counts. */
static const ward_type ward_type_job = {
	"job", sizeof(struct job), 0, 0, WARD_TYPE_FLAT, drop_job, NULL, NULL, NULL, NULL, {0, 0}};

struct parcel {
	struct job job;
	char rest[300]; /* too large for a block */
};
static const ward_type ward_type_parcel = {
	"parcel", sizeof(struct parcel), 0, 0, WARD_TYPE_FLAT, drop_job, NULL, NULL, NULL, NULL,
	{0, 0}};

WARD_SIGNAL(pump);
WARD_SIGNAL(tick);

struct seat {
	uint32_t number;
};
WARD_MESSAGE(seat);

/* What a test knows of a desk, whatever incarnation sits there. Its holder's alone. */
struct desk {
	ward_ref ref; /* written before `ready` counts it */
	uint32_t init_fails, post_restart_fails;
	uint64_t last[SENDERS]; /* the last index of each */
};

static struct {
	ward_kit *kit;
	struct desk desks[DESKS];
	_Atomic uint64_t next, ready, owned, released;
	_Atomic bool enough;
} t;

static const ward_failure_class torn = {"torn", &ward_exception, {0, 0}};

static void drop_job(void *body)
{
	const struct job *job = body; /* the first member of a parcel, too */

	fate_note(job->index, DROPPED);
}

static void hear(void *arg, const ward_event *event)
{
	struct job job;

	(void)arg;
	if (event->kind != WARD_EVENT_DEAD_LETTER || event->bytes_count < sizeof job ||
	    (strcmp(event->message_type, "job") != 0 && strcmp(event->message_type, "parcel") != 0))
		return;
	memcpy(&job, event->bytes, sizeof job);
	fate_note(job.index, DEAD);
}

/* ---- senders ----------------------------------------------------------------------------- */

static bool has_credit(void)
{
	uint64_t next = stress_get(&t.next);

	/* Nor beyond the room: who counts the failures may not run for a while. */
	return next < fates_decided() + CREDIT && next + SENDERS * BURST <= fates.max;
}

/* False: that were enough. */
static bool make_job(uint32_t sender, uint32_t dice, struct job *ret_job)
{
	if (atomic_load_explicit(&t.enough, memory_order_relaxed))
		return false;
	*ret_job = (struct job){stress_add(&t.next, 1), sender, dice};
	return true;
}

static bool is_parcel(const struct job *job)
{
	return job->dice % 16 == 7;
}

static void send_outside(ward_ref to, const struct job *job)
{
	struct parcel parcel = {.job = *job};
	ward_err err;

	if (is_parcel(job)) {
		ward_system_send(ward_kit_system(t.kit), to, &ward_type_parcel, &parcel,
				 sizeof parcel);
		return;
	}
	if (job->dice % 2 == 0) {
		ward_system_send(ward_kit_system(t.kit), to, &ward_type_job, job, sizeof *job);
		return;
	}
	err = ward_system_try_send(ward_kit_system(t.kit), to, &ward_type_job, job, sizeof *job);
	if (err == WARD_OK)
		return;
	ward_assert_eq(err, WARD_EFULL); /* the desks live to the end */
	fate_note(job->index, DEAD);
	fate_note(job->index, DROPPED);
}

static void *outside(void *arg)
{
	uint32_t sender = (uint32_t)(uintptr_t)arg;
	uint64_t random = sender;
	struct job job;

	for (;;) {
		if (!has_credit()) {
			if (atomic_load_explicit(&t.enough, memory_order_relaxed))
				return NULL;
			ward_kit_advance(t.kit, 1);
			continue;
		}
		for (int i = 0; i < BURST; i++) {
			uint64_t dice = stress_random(&random);

			if (!make_job(sender, (uint32_t)dice, &job))
				return NULL;
			send_outside(t.desks[dice >> 60].ref, &job);
		}
	}
}

struct pump_state {
	uint32_t sender;
};

static ward_result pump_init(ward_self *self, void *state, const void *args)
{
	struct pump_state *me = state;

	me->sender = ((const struct seat *)args)->number;
	ward_tell(self, ward_self_ref(self), pump);
	return WARD_DONE;
}

static ward_result pump_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct pump_state *me = state;
	struct job job;

	ward_assert(ward_match(msg, pump) != NULL);
	if (!has_credit()) {
		ward_after(self, 1, 1, pump);
		return WARD_DONE;
	}
	for (int i = 0; i < BURST; i++) {
		uint64_t dice = ward_random(self);
		ward_ref to = t.desks[dice >> 60].ref;

		if (!make_job(me->sender, (uint32_t)dice, &job))
			return WARD_DONE;
		if (is_parcel(&job)) {
			struct parcel *parcel = ward_make(self, parcel, 0);

			ward_assert(parcel != NULL);
			parcel->job = job;
			ward_give(self, to, parcel, &parcel);
		} else {
			ward_send(self, to, &ward_type_job, &job, sizeof job);
		}
	}
	ward_tell(self, ward_self_ref(self), pump);
	return WARD_DONE;
}

static const ward_behavior pump_behavior = {
	.name = "pump",
	.state_size = sizeof(struct pump_state),
	.args = &ward_type_seat,
	.init = pump_init,
	.receive = pump_receive,
};

/* ---- what a desk has in its hands -------------------------------------------------------- */

static void release(void *arg)
{
	(void)arg;
	stress_add(&t.released, 1);
}

static ward_result helper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);

	(void)self;
	(void)state;
	ward_assert(job != NULL);
	fate_note(job->index, HANDLED);
	return WARD_DONE;
}

static const ward_behavior helper_behavior = {.name = "helper", .receive = helper_receive};

static ward_ref helper_of(ward_self *self)
{
	ward_ref helper = ward_child(self, "helper");

	if (ward_ref_is_nobody(helper))
		ward_assert_ok(ward_try_spawn(self, WARD_PROPS(&helper_behavior, .name = "helper"),
					      &helper));
	return helper;
}

static void open_pipe(ward_self *self, bool full)
{
	int ends[2];

	ward_assert_eq(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	ward_adopt_fd(self, ends[0]);
	ward_adopt_fd(self, ends[1]);
	ward_assert_ok(ward_try_fd_watch(self, ends[0], WARD_FD_READ));
	if (full)
		ward_assert_eq(write(ends[1], "x", 1), 1);
}

static void take_things(ward_self *self, uint32_t dice)
{
	if (dice % 4 == 0)
		memset(ward_alloc(self, 1 + dice % 3000), 1, 1 + dice % 3000);
	if (dice % 4 == 1) {
		stress_add(&t.owned, 1);
		ward_defer(self, release, NULL);
	}
	if (dice % 8 == 2)
		ward_after(self, dice % 5, dice % 30, tick);
	if (dice % 32 == 3)
		(void)helper_of(self);
	if (dice % 256 == 4)
		open_pipe(self, dice % 512 == 4);
	if (dice % 16 == 5)
		memset(ward_scratch(self, 200), 1, 200);
}

/* ---- a desk ------------------------------------------------------------------------------ */

static void fall(ward_self *self, int depth);
/* Volatile, so that each call has a frame of its own. */
static void (*volatile fall_further)(ward_self *self, int depth) = fall;

static void fall(ward_self *self, int depth)
{
	if (depth == 0)
		ward_fail(self, &torn, "fell");
	fall_further(self, depth - 1);
}

static struct desk *desk_of(ward_self *self)
{
	return &t.desks[((const struct seat *)ward_args(self))->number];
}

static bool takes_one(uint32_t *count)
{
	if (*count == 0)
		return false;
	--*count;
	return true;
}

static ward_result desk_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	if (!takes_one(&desk_of(self)->init_fails))
		return WARD_DONE;
	take_things(self, (uint32_t)ward_random(self));
	return ward_failed(self, &torn, "init");
}

static ward_result desk_post_restart(ward_self *self, void *state, const ward_failure *why)
{
	(void)state;
	ward_assert(ward_failure_is(why, &ward_exception));
	if (!takes_one(&desk_of(self)->post_restart_fails))
		return WARD_DONE;
	take_things(self, (uint32_t)ward_random(self));
	ward_fail(self, &torn, "post_restart");
}

static enum way way_of(uint32_t dice)
{
	static const enum way ways[16] = {
		WORKS,     WORKS,      WORKS,     WORKS,
		KEEPS,     PASSES_ON,  PASSES_ON, JUMPS,
		JUMPS,     JUMPS,      RETURNS,   RETURNS,
		WITH_BODY, INIT_FAILS, JUMPS,     POST_RESTART_FAILS,
	};

	return ways[(dice >> 8) % 16];
}

static ward_result fail_somehow(ward_self *self, struct desk *desk, enum way way, uint32_t dice)
{
	switch (way) {
	case WITH_BODY:
		return ward_failed_body(self, &torn, &ward_type_seat, &(struct seat){dice},
					sizeof(struct seat), "with a body");
	case INIT_FAILS:
		desk->init_fails = 1 + dice % 2;
		break;
	case POST_RESTART_FAILS:
		desk->post_restart_fails = 1 + dice % 2;
		break;
	case RETURNS:
		return ward_failed(self, &torn, "returned %u", dice);
	default:
		break;
	}
	fall(self, (int)(dice % DEPTH));
	return WARD_DONE;
}

static ward_result desk_job(ward_self *self, const struct job *given, bool parcel)
{
	struct desk *desk = desk_of(self);
	struct job job = *given; /* it may be gone with the message */
	enum way way = way_of(job.dice);

	ward_assert(job.index > desk->last[job.sender] || desk->last[job.sender] == 0);
	desk->last[job.sender] = job.index;
	if (parcel && way < JUMPS)
		way = WORKS;
	fate_note(job.index, way >= JUMPS ? FAILING : HANDLED);
	take_things(self, job.dice);
	if (way == KEEPS)
		ward_assert(ward_take(self, job) != NULL);
	if (way < JUMPS)
		return WARD_DONE;
	return fail_somehow(self, desk, way, job.dice);
}

static ward_result desk_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_fd_ready *ready = ward_match(msg, ward_fd_ready);
	const struct parcel *parcel = ward_match(msg, parcel);
	const struct job *job = ward_match(msg, job);
	char byte;

	(void)state;
	if (parcel != NULL)
		return desk_job(self, &parcel->job, true);
	if (job != NULL && way_of(job->dice) == PASSES_ON) {
		desk_of(self)->last[job->sender] = job->index;
		ward_forward(self, helper_of(self)); /* where it is noted, or it is dead */
		return WARD_DONE;
	}
	if (job != NULL)
		return desk_job(self, job, false);
	if (ready != NULL) {
		int fd = ready->fd;

		ward_assert_eq(read(fd, &byte, 1), 1);
		ward_assert_ok(ward_close_fd(self, fd));
		return WARD_DONE;
	}
	ward_assert(ward_match(msg, tick) != NULL);
	return WARD_DONE;
}

static const ward_behavior desk_behavior = {
	.name = "desk",
	.state_size = 200,
	.args = &ward_type_seat,
	.init = desk_init,
	.receive = desk_receive,
	.post_restart = desk_post_restart,
};

/* ---- supervisors ------------------------------------------------------------------------- */

static ward_directive restart(ward_self *self, ward_ref child, const ward_failure *failure)
{
	(void)child;
	ward_assert(ward_failure_is(ward_failure_root(failure), &torn));
	if (ward_random(self) % 8 == 0)
		fall(self, 3); /* escalates with a failure of its own */
	return WARD_RESTART;
}

#define RESTARTS .rules = {{&ward_exception, WARD_RESTART}}
static const ward_strategy strategies[SUPERVISORS] = {
	{RESTARTS, .quiet = true},
	{RESTARTS, .scope = WARD_ALL_FOR_ONE, .quiet = true},
	{RESTARTS, .restarts_max = INT32_MAX, .window_ms = WARD_MINUTE},
	{.decide = restart, .quiet = true},
};
static const ward_strategy top_strategy = {RESTARTS, .quiet = true};

static ward_result keep(ward_self *self, void *state, const ward_failure *why, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)why;
	(void)msg;
	return WARD_DONE;
}

static ward_result supervisor_start(ward_self *self, void *state)
{
	uint32_t number = ((const struct seat *)ward_args(self))->number;

	(void)state;
	if (ward_incarnation(self) > 1)
		return WARD_DONE; /* they were kept */
	for (uint32_t i = 0; i < DESKS_EACH; i++) {
		struct seat seat = {number * DESKS_EACH + i};
		ward_props props = {.behavior = &desk_behavior, .args = {WARD_COPY(seat, &seat)}};

		if (i == 3)
			props.mailbox = (ward_mailbox){.messages_max = 32,
						       .overflow = (ward_overflow)(number % 3)};
		ward_assert_ok(ward_try_spawn(self, &props, &t.desks[seat.number].ref));
		/* Release: whoever waits for all of them then reads the refs. */
		atomic_fetch_add_explicit(&t.ready, 1, memory_order_release);
	}
	return WARD_DONE;
}

static ward_result supervisor_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)self;
	(void)state;
	(void)msg;
	return WARD_UNHANDLED;
}

static const ward_behavior supervisor_behavior = {
	.name = "supervisor",
	.args = &ward_type_seat,
	.receive = supervisor_receive,
	.pre_start = supervisor_start,
	.pre_restart = keep,
};

/* ---- the test ---------------------------------------------------------------------------- */

struct measure {
	int64_t at_ns;
	ward_stats stats;
	uint64_t rss;
};

static struct measure measure(const char *when)
{
	struct measure m = {stress_now_ns(), ward_kit_stats(t.kit), stress_rss()};

	printf("%s: %llu failures, %llu restarts, %llu bytes of the system, %llu KiB resident\n",
	       when, (unsigned long long)m.stats.failures, (unsigned long long)m.stats.restarts,
	       (unsigned long long)m.stats.memory_bytes, (unsigned long long)m.rss / 1024);
	return m;
}

/* Flat: no more than a little above what the first quarter needed. */
static void check_flat(const struct measure *early, const struct measure *late)
{
	uint64_t bytes = early->stats.memory_bytes;

	ward_assert(late->stats.memory_bytes < bytes + bytes / 2 + 512 * 1024);
	if (!STRESS_SANITIZED)
		ward_assert(late->rss < early->rss + 8 * 1024 * 1024);
}

static void run_until(uint64_t failures)
{
	STRESS_UNTIL(t.kit, ward_kit_stats(t.kit).failures >= failures);
}

static void spawn_all(ward_ref *supervisors, ward_ref *pumps)
{
	for (uint32_t i = 0; i < SUPERVISORS; i++)
		ward_assert_ok(ward_system_spawn(ward_kit_system(t.kit),
						 WARD_PROPS(&supervisor_behavior,
							    .args = WARD_ARGS(seat, i),
							    .child_strategy = &strategies[i]),
						 &supervisors[i]));
	STRESS_UNTIL(t.kit, atomic_load_explicit(&t.ready, memory_order_acquire) == DESKS);
	for (uint32_t i = 0; i < PUMPS; i++)
		ward_assert_ok(ward_system_spawn(
			ward_kit_system(t.kit),
			WARD_PROPS(&pump_behavior, .args = WARD_ARGS(seat, OUTSIDE + i)),
			&pumps[i]));
}

static void stop_all(const ward_ref *refs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ward_system_stop(ward_kit_system(t.kit), refs[i]);
	for (size_t i = 0; i < count; i++)
		ward_assert_ok(ward_system_wait_for(ward_kit_system(t.kit), refs[i], WARD_MINUTE));
}

static void failures(uint32_t workers)
{
	const char *given = getenv("WARD_FAILURES");
	uint64_t wanted = given != NULL ? strtoull(given, NULL, 10) : stress_size(60000, 10000000);
	ward_ref supervisors[SUPERVISORS], pumps[PUMPS];
	pthread_t threads[OUTSIDE];
	struct measure quarter, end, start;

	fates_make(wanted * ROOM);
	t.kit = stress_start(
		&(ward_kit_options){.system.workers = workers,
				    .system.user_strategy = &top_strategy,
				    .log = hear,
				    .event_kinds = WARD_EVENT_DEAD_LETTER | WARD_EVENT_FAILURE});
	spawn_all(supervisors, pumps);
	start = measure("start");
	for (uintptr_t i = 0; i < OUTSIDE; i++)
		threads[i] = stress_thread(outside, (void *)i);
	run_until(wanted / 4);
	quarter = measure("a quarter");
	run_until(wanted / 2);
	(void)measure("half");
	run_until(wanted);
	end = measure("end");
	printf("%.0f failures a second\n",
	       (double)end.stats.failures * 1e9 / (double)(end.at_ns - start.at_ns));
	check_flat(&quarter, &end);

	atomic_store_explicit(&t.enough, true, memory_order_relaxed);
	for (int i = 0; i < OUTSIDE; i++)
		stress_join(threads[i]);
	stop_all(pumps, PUMPS);
	STRESS_UNTIL(t.kit, fates_decided() == stress_get(&t.next));
	stop_all(supervisors, SUPERVISORS);
	ward_assert_eq(ward_kit_stats(t.kit).timers, 0);
	ward_assert_eq(ward_kit_stats(t.kit).fds, 0);
	ward_assert_eq(stress_get(&t.owned), stress_get(&t.released));
	ward_kit_finish(t.kit);
	fates_check(stress_get(&t.next));
}

STRESS_WORKERS(failures, "S4", "S17", "S35", "S44", "S49")

WARD_TEST_MAIN
