/* SPDX-License-Identifier: MIT
 *
 * test_brawl.c - everything at once on real threads: what single tests show by itself must hold
 * in any mixture, too.
 *
 * Method: deeds travel from actor to actor; each draws what its receiver does: ask, stash, hold
 * others up, select, fail, stop, spawn, watch, wait for a timeout. Supervisors draw their decisions
 * and put some off. A deed owns a count and has so many hops, so all comes to rest. Then nobody may
 * be ready, held, or have mail that nobody reads; and at the end nothing may be left.
 */
#include "support/stress.h"

enum { PEERS = 24, BOSSES = 4, DEPTH_MAX = 3, CHILDREN_MAX = 4, FAN_MAX = 3, DECIDE_KEY = 1 };

static _Atomic int64_t deeds;

struct deed {
	uint64_t dice;
	int hops;
};
static void deed_drop(struct deed *deed)
{
	(void)deed;
	atomic_fetch_sub_explicit(&deeds, 1, memory_order_relaxed);
}
static ward_err deed_clone(struct deed *to, const struct deed *from)
{
	*to = *from;
	atomic_fetch_add_explicit(&deeds, 1, memory_order_relaxed);
	return WARD_OK;
}
WARD_MESSAGE_CLONE(deed, deed_drop, deed_clone);
WARD_SIGNAL(decide_now);

struct fighter_args {
	int depth;
};
WARD_MESSAGE(fighter_args);

struct fighter {
	ward_ref undecided[CHILDREN_MAX];
	uint64_t tags;
};

static struct {
	ward_kit *kit;
	pthread_mutex_t mu;
	ward_ref peers[PEERS]; /* under mu */
	ward_ref bosses[BOSSES];
	_Atomic uint64_t handled, failed, answered, unanswered, timeouts, ended, later;
} ring = {.mu = PTHREAD_MUTEX_INITIALIZER};

static ward_ref peer(uint64_t dice)
{
	pthread_mutex_lock(&ring.mu);
	ward_ref ref = ring.peers[dice % PEERS];
	pthread_mutex_unlock(&ring.mu);
	return ref;
}

static void be_peer(uint64_t dice, ward_ref ref)
{
	pthread_mutex_lock(&ring.mu);
	ring.peers[dice % PEERS] = ref;
	pthread_mutex_unlock(&ring.mu);
}

static struct deed make_deed(uint64_t dice, int hops)
{
	atomic_fetch_add_explicit(&deeds, 1, memory_order_relaxed);
	return (struct deed){dice, hops};
}

/* ---- children ---------------------------------------------------------------------------- */

static ward_directive decide(ward_self *self, ward_ref child, const ward_failure *failure)
{
	static const ward_directive drawn[] = {WARD_RESUME, WARD_RESTART, WARD_RESTART, WARD_STOP,
					       WARD_LATER,  WARD_LATER,   WARD_ESCALATE};
	ward_directive directive = drawn[ward_random(self) % 7];
	struct fighter *me = ward_state(self);

	(void)failure;
	for (int i = 0; directive == WARD_LATER && i < CHILDREN_MAX; i++) {
		if (!ward_ref_is_nobody(me->undecided[i]) &&
		    !ward_ref_equal(me->undecided[i], child))
			continue;
		me->undecided[i] = child;
		ward_after(self, DECIDE_KEY, 1, decide_now);
		stress_add(&ring.later, 1);
		return WARD_LATER;
	}
	return directive == WARD_LATER ? WARD_STOP : directive;
}

static const ward_strategy one = {.decide = decide};
static const ward_strategy all = {.scope = WARD_ALL_FOR_ONE, .decide = decide};

static const ward_behavior fighter;

static void hire(ward_self *self, uint64_t dice)
{
	struct fighter_args args = {((const struct fighter_args *)ward_args(self))->depth + 1};
	static const ward_overflow overflows[] = {WARD_OVERFLOW_HOLD_SENDER,
						  WARD_OVERFLOW_HOLD_SENDER,
						  WARD_OVERFLOW_DROP_OLDEST, WARD_OVERFLOW_REFUSE};
	ward_props props = {.behavior = &fighter,
			    .args = {WARD_COPY(fighter_args, &args)},
			    .child_strategy = dice % 2 == 0 ? &one : &all,
			    .stash_max = 4,
			    .dispatcher = (dice >> 8) % 8 == 0 ? WARD_BLOCKING : NULL};
	ward_ref child;

	if (args.depth > DEPTH_MAX || ward_children(self, NULL, 0) >= CHILDREN_MAX)
		return;
	if ((dice >> 1) % 4 != 0) {
		props.mailbox.messages_max = 1 + (uint32_t)(dice >> 4) % 4;
		props.mailbox.overflow = overflows[(dice >> 6) % 4];
	}
	if (ward_try_spawn(self, &props, &child) == WARD_OK)
		be_peer(dice >> 16, child);
}

static ward_result start_children(ward_self *self, void *state)
{
	(void)state;
	for (int i = 0; i < 2; i++)
		hire(self, ward_random(self));
	return WARD_DONE;
}

static void decide_all(ward_self *self, struct fighter *me)
{
	for (int i = 0; i < CHILDREN_MAX; i++) {
		ward_directive directive = ward_random(self) % 2 == 0 ? WARD_RESUME : WARD_RESTART;

		if (!ward_ref_is_nobody(me->undecided[i]))
			(void)!ward_decide(self, me->undecided[i], directive);
		me->undecided[i] = ward_nobody();
	}
}

/* ---- deeds ------------------------------------------------------------------------------- */

static void pass_on(ward_self *self, const struct deed *deed, uint64_t dice)
{
	static const char *const paths[] = {"../*", "*", "**", "../..", "../*/*", "/user/*"};
	struct deed next = make_deed(ward_random(self), deed->hops - 1);
	ward_question question = {.to = peer(dice >> 8),
				  .tag = ++((struct fighter *)ward_state(self))->tags,
				  .timeout_ms = dice % 3 == 0 ? WARD_FOREVER : 1 + dice % 4};

	switch (dice % 8) {
	case 0:
		ward_select_send(self, paths[(dice >> 8) % 6], WARD_COPY(deed, &next));
		break;
	case 1:
	case 2:
		if ((dice >> 20) % 4 == 0)
			question.answer_to = peer(dice >> 24);
		ward_assert_ok(
			ward_try_ask_send(self, &question, &ward_type_deed, &next, sizeof(next)));
		break;
	default:
		ward_send(self, peer(dice >> 8), WARD_COPY(deed, &next));
		break;
	}
}

static void act(ward_self *self, const ward_msg *msg, uint64_t dice)
{
	struct fighter *me = ward_state(self);
	struct deed answer;

	switch (dice % 24) {
	case 0:
	case 1:
		(void)!ward_try_stash(self);
		break;
	case 2:
	case 3:
		ward_unstash_all(self);
		break;
	case 4:
		ward_stop(self, peer(dice >> 8));
		break;
	case 5:
		ward_forward(self, peer(dice >> 8));
		break;
	case 6:
		(void)!ward_try_watch(self, peer(dice >> 8));
		break;
	case 7:
		ward_unwatch(self, peer(dice >> 8));
		break;
	case 8:
		ward_assert_ok(ward_try_receive_timeout_set(self, 1 + (int64_t)(dice >> 8) % 3));
		break;
	case 9:
		ward_receive_timeout_set(self, 0);
		break;
	case 10:
		ward_ask_cancel(self, me->tags);
		break;
	case 11:
		(void)!ward_try_ask_stop(self, peer(dice >> 8), ++me->tags, 2);
		break;
	case 12:
	case 13:
	case 14:
		hire(self, dice >> 8);
		break;
	default:
		answer = make_deed(dice, 0);
		ward_send(self, ward_msg_sender(msg), WARD_COPY(deed, &answer));
		break;
	}
}

static void count_end(const ward_msg *msg)
{
	bool failed = ward_match(msg, ward_ask_failed) != NULL;

	stress_add(failed ? &ring.unanswered : &ring.answered, 1);
}

static ward_result fight(ward_self *self, void *state, const ward_msg *msg)
{
	const struct deed *deed = ward_match(msg, deed);
	uint64_t dice = ward_random(self);
	struct deed copy;

	stress_add(&ring.handled, 1);
	if (ward_ask_tag(self) != 0)
		count_end(msg);
	if (ward_match(msg, ward_receive_timeout) != NULL) {
		stress_add(&ring.timeouts, 1);
		ward_receive_timeout_set(self, 0);
	}
	if (ward_match(msg, decide_now) != NULL)
		decide_all(self, state);
	if (deed == NULL || deed->hops == 0)
		return WARD_DONE;
	copy = *deed; /* act() may give the message away */
	act(self, msg, ward_random(self));
	for (uint64_t i = 0; i < 1 + (dice >> 40) % FAN_MAX; i++)
		pass_on(self, &copy, ward_random(self));
	if (dice % 16 == 0) {
		stress_add(&ring.failed, 1);
		return ward_failed(self, &ward_exception, "struck");
	}
	return WARD_DONE;
}

static ward_result say_goodbye(ward_self *self, void *state)
{
	struct deed last = make_deed(0, 0);

	(void)state;
	stress_add(&ring.ended, 1);
	ward_select_send(self, "../*", WARD_COPY(deed, &last));
	return WARD_DONE;
}

static const ward_behavior fighter = {
	.name = "fighter",
	.state_size = sizeof(struct fighter),
	.args = &ward_type_fighter_args,
	.pre_start = start_children,
	.post_stop = say_goodbye,
	.receive = fight,
};

/* ---- the brawl --------------------------------------------------------------------------- */

static void look(void *arg, const ward_actor_info *info)
{
	uint64_t *restless = arg;

	if (!ward_ref_is_nobody(info->held_by) || info->has_mail || info->ready)
		++*restless;
}

static bool rests(void)
{
	uint64_t restless = ward_kit_stats(ring.kit).timers;

	ward_system_actors(ward_kit_system(ring.kit), look, &restless);
	return restless == 0;
}

/* The old ones end amid the next round. */
static void change_bosses(void)
{
	struct fighter_args args = {0};

	for (int i = 0; i < BOSSES; i++) {
		ward_system_stop(ward_kit_system(ring.kit), ring.bosses[i]);
		ring.bosses[i] =
			ward_kit_spawn(ring.kit, &fighter, .args = {WARD_COPY(fighter_args, &args)},
				       .child_strategy = &one);
	}
	for (uint64_t i = 0; i < PEERS; i++)
		be_peer(i, ring.bosses[i % BOSSES]);
}

static void throw(uint64_t * random, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		struct deed deed = make_deed(stress_random(random), 7);

		ward_system_send(ward_kit_system(ring.kit), peer(stress_random(random)),
				 WARD_COPY(deed, &deed));
	}
}

static void brawl(uint32_t workers)
{
	uint64_t random = ward_test_seed() + workers;
	uint64_t rounds = stress_size(STRESS_SANITIZED ? 20 : 40, 2000);

	ring.kit = stress_start(
		&(ward_kit_options){.system.workers = workers, .may_leave_mail = true});
	ring.handled = ring.failed = ring.answered = ring.unanswered = 0;
	ring.timeouts = ring.ended = ring.later = 0;
	for (uint64_t i = 0; i < rounds; i++) {
		throw(&random, i == 0 ? 0 : 100);
		change_bosses();
		throw(&random, 400);
		STRESS_UNTIL(ring.kit, rests());
	}
	ward_assert(ring.failed > 0 && ring.answered > 0 && ring.unanswered > 0);
	ward_assert(ring.timeouts > 0 && ring.ended > 0 && ring.later > 0);
	throw(&random, 400); /* the end comes amid it */
	ward_kit_finish(ring.kit);
	ward_assert_eq(atomic_load(&deeds), 0);
}

STRESS_WORKERS(brawl, "S8", "S44", "S86")

WARD_TEST_MAIN
