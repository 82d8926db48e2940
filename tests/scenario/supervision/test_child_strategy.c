/* SPDX-License-Identifier: MIT
 *
 * test_child_strategy.c - a child strategy that an actor sets while it starts: against those of its
 * behaviour and its props, over restarts, and with the limit that it has (S18, S74).
 *
 * Method: parents whose arguments name strategies, and one child each, which fails as often as it
 * is told. The behaviour of the parents stops what fails, and g restarts them.
 */
#include <ward/extend.h>

#include "support/raw_bytes.h"
#include "support/script.h"

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_luck);

static const ward_strategy restarting = {.otherwise = WARD_RESTART};
static const ward_strategy resuming = {.otherwise = WARD_RESUME};
static const ward_strategy once = {.otherwise = WARD_RESTART, .restarts_max = 1};
static const ward_strategy once_of_all = {.otherwise = WARD_RESTART,
					  .limit = WARD_LIMIT_INTENSITY,
					  .restarts_max = 1,
					  .window_ms = WARD_MINUTE};
static const ward_strategy wrong = {.restarts_max = -7};

enum { INCARNATIONS_MAX = 5 };

/* ---- parents ----------------------------------------------------------------------------- */

struct parent {
	const ward_strategy *sets[INCARNATIONS_MAX]; /* by each incarnation; NULL: nothing */
	bool keeps;                                  /* its child, in a restart */
};
RAW_MESSAGE(parent);

static ward_ref child;
static ward_err answered[INCARNATIONS_MAX + 1]; /* to the incarnation of that number */

static struct script the_child = {.name = "c"};

static ward_result init(ward_self *self, void *state, const void *args)
{
	uint32_t number = ward_incarnation(self);
	const ward_strategy *strategy = ((const struct parent *)args)->sets[number - 1];

	(void)state;
	if (strategy != NULL)
		answered[number] = ward_try_child_strategy_set(self, strategy);
	if (ward_children(self, NULL, 0) > 0)
		return WARD_DONE;
	if (script_spawn_child(self, &the_child) != WARD_OK)
		return WARD_FAILED;
	child = the_child.ref;
	return WARD_DONE;
}

static ward_result pre_restart(ward_self *self, void *state, const ward_failure *why,
			       const ward_msg *msg)
{
	const struct parent *args = ward_args(self);

	(void)state, (void)why, (void)msg;
	return args->keeps ? WARD_DONE : ward_default_pre_restart(self);
}

static ward_result fails(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state, (void)msg;
	return ward_failed(self, &bad_luck, "as told");
}

static const ward_behavior parent_behavior = {
	.name = "parent",
	.args = &ward_type_parent,
	.child_strategy = &ward_stopping_strategy,
	.init = init,
	.receive = fails,
	.pre_restart = pre_restart,
};

WARD_SIGNAL(fail);

static ward_kit *kit;
static ward_ref parent;

/* Props: NULL: without a strategy. */
static void start(const struct parent *args, const ward_strategy *of_props)
{
	kit = script_start(NULL);
	for (size_t i = 0; i <= INCARNATIONS_MAX; i++)
		answered[i] = WARD_ETYPE;
	parent = ward_kit_spawn(kit, &parent_behavior, .name = "p",
				.args = {WARD_COPY(parent, args)}, .child_strategy = of_props);
	ward_kit_run(kit);
}

static void restart_parent(void)
{
	ward_system_tell(ward_kit_system(kit), parent, fail);
	ward_kit_run(kit);
}

/* What was decided about the child when it fails now; "resume" and so on. */
static const char *decided(void)
{
	const ward_event *event;

	ward_kit_forget_events(kit);
	script_break(kit, child, &bad_luck);
	ward_kit_run(kit);
	event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*/p/c", 0);
	return event->denied ? "denied" : ward_directive_text(event->directive);
}

/* ---- which one counts -------------------------------------------------------------------- */

WARD_TEST(strategy_set_in_init_wins_over_that_of_the_behaviour, "S18")
{
	start(&(struct parent){.sets = {&resuming}}, NULL);
	ward_assert_err(answered[1], WARD_OK);
	ward_assert_str(decided(), "resume");
	script_finish(kit);
}

WARD_TEST(strategy_of_props_wins_over_one_that_is_set, "S18")
{
	start(&(struct parent){.sets = {&resuming}}, &restarting);
	ward_assert_err(answered[1], WARD_OK);
	ward_assert_str(decided(), "restart");
	script_finish(kit);
}

WARD_TEST(strategy_set_is_of_its_incarnation, "S18")
{
	start(&(struct parent){.sets = {&resuming, NULL, &restarting}}, NULL);
	ward_assert_str(decided(), "resume");
	restart_parent();
	ward_assert_str(decided(), "stop");
	restart_parent();
	ward_assert_str(decided(), "restart");
	script_finish(kit);
}

/* ---- its limit --------------------------------------------------------------------------- */

WARD_TEST(strategy_set_has_its_limit_per_child, "S71")
{
	start(&(struct parent){.sets = {&once, &restarting, &once}}, NULL);
	ward_assert_str(decided(), "restart");
	ward_assert_str(decided(), "denied");
	restart_parent();
	for (int i = 0; i < 5; i++)
		ward_assert_str(decided(), "restart");
	restart_parent();
	ward_assert_str(decided(), "restart");
	ward_assert_str(decided(), "denied");
	script_finish(kit);
}

/* What an intensity counts is not of a child: the one that was taken, or not, for the strategy
 * before counts nothing here. */
WARD_TEST(strategy_set_after_another_has_its_intensity, "S74")
{
	start(&(struct parent){.sets = {&restarting, &once_of_all, &restarting}}, NULL);
	for (int i = 0; i < 5; i++)
		ward_assert_str(decided(), "restart");
	restart_parent();
	ward_assert_str(decided(), "restart");
	ward_assert_str(decided(), "denied"); /* and the parent has failed, and is restarted */
	for (int i = 0; i < 5; i++)
		ward_assert_str(decided(), "restart");
	script_finish(kit);
}

WARD_TEST(strategy_set_anew_begins_its_intensity_anew, "S74")
{
	start(&(struct parent){.sets = {&once_of_all, &once_of_all, &once_of_all, &once_of_all}},
	      NULL);
	for (int i = 0; i < 3; i++) {
		ward_assert_str(decided(), "restart");
		restart_parent();
	}
	ward_assert_str(decided(), "restart");
	ward_assert_str(decided(), "denied");
	script_finish(kit);
}

/* ---- children that were kept ------------------------------------------------------------- */

WARD_TEST(strategy_set_stays_where_children_were_kept, "S18", "S36")
{
	start(&(struct parent){.sets = {&resuming}, .keeps = true}, NULL);
	restart_parent();
	ward_assert_err(answered[2], WARD_ETYPE); /* it has set none */
	ward_assert_str(decided(), "resume");
	script_finish(kit);
}

WARD_TEST(strategy_set_again_over_kept_children_is_fine_another_is_not, "S18", "S36")
{
	start(&(struct parent){.sets = {&resuming, &resuming, &restarting}, .keeps = true}, NULL);
	restart_parent();
	ward_assert_err(answered[2], WARD_OK);
	restart_parent();
	ward_assert_err(answered[3], WARD_EEXIST);
	ward_assert_str(decided(), "resume");
	script_finish(kit);
}

/* ---- refusals ---------------------------------------------------------------------------- */

static ward_err err;

static ward_result sets(ward_self *self, void *strategy)
{
	err = ward_try_child_strategy_set(self, strategy);
	return WARD_DONE;
}

static ward_result spawns_and_sets(ward_self *self, void *strategy)
{
	ward_result result = ward_failed_err(self, script_spawn_child(self, &the_child));

	return result == WARD_DONE ? sets(self, strategy) : result;
}

/* What is answered to a call in this hook. */
static ward_err answer_in(const struct script *script)
{
	struct script p = *script;

	err = WARD_ETYPE;
	kit = script_start(NULL);
	p.name = "p";
	p.arg = p.arg != NULL ? p.arg : (void *)(uintptr_t)&restarting;
	script_spawn(kit, &p);
	script_finish(kit);
	return err;
}

WARD_TEST(strategy_is_set_in_hooks_of_the_start_only, "S18")
{
	ward_assert_err(answer_in(&(struct script){.init = sets}), WARD_OK);
	ward_assert_err(answer_in(&(struct script){.pre_start = sets}), WARD_OK);
	ward_assert_err(answer_in(&(struct script){.post_stop = sets}), WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "only init, pre_start and post_restart");
}

WARD_TEST(strategy_in_receive_cannot_be_set, "S18")
{
	struct script p = {.name = "p"};

	kit = script_start(NULL);
	script_spawn(kit, &p);
	script_do(kit, p.ref, sets, (void *)(uintptr_t)&restarting);
	ward_kit_run(kit);
	ward_assert_err(err, WARD_EINVAL);
	script_finish(kit);
}

WARD_TEST(strategy_after_the_first_child_cannot_be_set, "S18")
{
	ward_assert_err(answer_in(&(struct script){.init = spawns_and_sets}), WARD_EEXIST);
	ward_assert_part(ward_err_detail(), "before the first one is spawned");
}

WARD_TEST(strategy_that_is_set_is_checked, "S18", "S74")
{
	ward_assert_err(answer_in(&(struct script){.init = sets, .arg = (void *)(uintptr_t)&wrong}),
			WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "ward_child_strategy_set: restarts_max is -7");
	/* That of the props would win, and it is refused all the same. */
	ward_assert_err(answer_in(&(struct script){.init = sets,
						   .arg = (void *)(uintptr_t)&wrong,
						   .strategy = &restarting}),
			WARD_EINVAL);
}

static ward_result sets_none(ward_self *self, void *arg)
{
	(void)arg;
	ward_child_strategy_set(self, NULL);
	return WARD_DONE;
}

WARD_TEST(strategy_that_cannot_be_set_fails_the_actor, "S18")
{
	struct script p = {.name = "p", .init = sets_none};

	kit = script_start(NULL);
	script_spawn(kit, &p);
	ward_assert_part(ward_kit_event(kit, WARD_EVENT_FAILURE, "*/p", 0)->text,
			 "ward_misuse: ward_child_strategy_set: no strategy");
	script_finish(kit);
}

WARD_TEST_MAIN
