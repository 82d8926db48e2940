/* SPDX-License-Identifier: MIT
 *
 * test_same_number.c - an actor elsewhere with the number of one here is another actor (S57).
 *
 * Method: the nodes left and right are alike, so the n-th actor at the top has the same number on
 * both. What ends, or is forgotten, of one of the two leaves the other. The caller's own namesake
 * is on the node right, too.
 */
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/testkit.h>
#include <ward/testkit/neighbours.h>
#include <ward/ward.h>

enum { SEEN = 256 };

WARD_SIGNAL(go);
WARD_SIGNAL(again);

typedef void step(ward_self *self);

static struct stage {
	ward_kit *left, *right;
	ward_loop *loop;
	ward_ref caller, near_one, far_one; /* the last two have the same number */
	ward_ref namesake;                  /* of the caller, by its ref on the node right */
	step *does;
	bool stashes;
	char seen[SEEN];
} stage;

static void see(const char *what, ward_ref who)
{
	size_t used = strlen(stage.seen);
	const char *whose = ward_ref_equal(who, stage.near_one)  ? "near"
			    : ward_ref_equal(who, stage.far_one) ? "far"
								 : "another";

	(void)snprintf(stage.seen + used, SEEN - used, "%s%s %s", used > 0 ? "; " : "", what,
		       whose);
}

static ward_result receives(ward_self *self, void *state, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);

	(void)state;
	if (stage.stashes && (gone != NULL || exited != NULL)) {
		ward_stash(self);
		return WARD_DONE;
	}
	if (ward_match(msg, go) && ward_ref_equal(ward_self_ref(self), stage.caller))
		stage.does(self);
	if (gone != NULL)
		see("terminated", gone->who);
	if (exited != NULL)
		see("exited", exited->who);
	if (ward_match(msg, again)) {
		stage.stashes = false;
		stage.does(self);
		ward_unstash_all(self);
	}
	return WARD_DONE;
}
static const ward_behavior one = {.name = "one", .receive = receives};

static void begin(void)
{
	ward_ref far, like;

	memset(&stage, 0, sizeof stage);
	stage.left = ward_kit_start(&(ward_kit_options){.system.name = "left"});
	stage.right = ward_kit_start(&(ward_kit_options){.system.name = "right"});
	stage.caller = ward_kit_spawn(stage.left, &one);
	stage.near_one = ward_kit_spawn(stage.left, &one);
	like = ward_kit_spawn(stage.right, &one);
	far = ward_kit_spawn(stage.right, &one);
	stage.loop = ward_loop_start(NULL);
	ward_loop_join(stage.loop, ward_kit_system(stage.left), "left");
	ward_loop_join(stage.loop, ward_kit_system(stage.right), "right");
	ward_loop_connect(stage.loop, "left", "right");
	ward_assert(ward_loop_await(stage.loop, "left", "right", WARD_MINUTE));
	stage.far_one = ward_loop_ref(stage.loop, "left", "right", far);
	stage.namesake = like;
	ward_assert_eq(ward_ref_number(stage.far_one), ward_ref_number(stage.near_one));
	ward_assert_eq(ward_ref_number(like), ward_ref_number(stage.caller));
	ward_assert(!ward_ref_equal(stage.far_one, stage.near_one));
}

static void does(step *what)
{
	stage.does = what;
	ward_kit_tell(stage.left, stage.caller, go);
	ward_kit_run(stage.left);
}

static void stop_near(void)
{
	ward_kit_stop(stage.left, stage.near_one);
	ward_kit_run(stage.left);
}

static void stop_far(void)
{
	ward_kit_stop(stage.left, stage.far_one);
	ward_kit_run(stage.left);
}

static void finish(void)
{
	ward_loop_finish(stage.loop);
	ward_kit_finish(stage.left);
	ward_kit_finish(stage.right);
}

/* ---- watches ------------------------------------------------------------------------------ */

static void watches_both(ward_self *self)
{
	ward_watch(self, stage.near_one);
	ward_watch(self, stage.far_one);
}

static void unwatches_far(ward_self *self)
{
	ward_unwatch(self, stage.far_one);
}

static void unwatches_near(ward_self *self)
{
	ward_unwatch(self, stage.near_one);
}

WARD_TEST(notice_names_the_one_that_has_ended_and_the_other_is_watched_on, "S57")
{
	begin();
	does(watches_both);
	stop_far();
	ward_assert_str(stage.seen, "terminated far");
	stop_near();
	ward_assert_str(stage.seen, "terminated far; terminated near");
	finish();
	begin();
	does(watches_both);
	stop_near();
	ward_assert_str(stage.seen, "terminated near");
	finish();
}

WARD_TEST(unwatch_of_one_leaves_the_watch_of_the_other, "S57")
{
	begin();
	does(watches_both);
	does(unwatches_far);
	stop_far();
	ward_assert_str(stage.seen, "");
	stop_near();
	ward_assert_str(stage.seen, "terminated near");
	finish();
	begin();
	does(watches_both);
	does(unwatches_near);
	stop_near();
	ward_assert_str(stage.seen, "");
	stop_far();
	ward_assert_str(stage.seen, "terminated far");
	finish();
}

/* ---- links -------------------------------------------------------------------------------- */

static void links_both(ward_self *self)
{
	ward_trap_exit(self, true);
	ward_link(self, stage.near_one);
	ward_link(self, stage.far_one);
}

static void unlinks_far(ward_self *self)
{
	ward_unlink(self, stage.far_one);
}

static void unlinks_near(ward_self *self)
{
	ward_unlink(self, stage.near_one);
}

WARD_TEST(exit_signal_names_the_one_that_has_ended_and_the_other_is_linked_on, "S57")
{
	begin();
	does(links_both);
	stop_far();
	ward_assert_str(stage.seen, "exited far");
	stop_near();
	ward_assert_str(stage.seen, "exited far; exited near");
	finish();
}

WARD_TEST(unlink_of_one_leaves_the_link_of_the_other, "S57")
{
	begin();
	does(links_both);
	does(unlinks_far);
	stop_far();
	ward_assert_str(stage.seen, "");
	stop_near();
	ward_assert_str(stage.seen, "exited near");
	finish();
	begin();
	does(links_both);
	does(unlinks_near);
	stop_near();
	ward_assert_str(stage.seen, "");
	stop_far();
	ward_assert_str(stage.seen, "exited far");
	finish();
}

/* ---- what is stashed ---------------------------------------------------------------------- */

static void stash_both(step *makes, step *forgets)
{
	begin();
	does(makes);
	stage.stashes = true;
	stop_near();
	stop_far();
	ward_assert_str(stage.seen, "");
	stage.does = forgets;
	ward_kit_tell(stage.left, stage.caller, again);
	ward_kit_run(stage.left);
}

WARD_TEST(stashed_notice_of_the_other_stays, "S57")
{
	stash_both(watches_both, unwatches_far);
	ward_assert_str(stage.seen, "terminated near");
	finish();
	stash_both(watches_both, unwatches_near);
	ward_assert_str(stage.seen, "terminated far");
	finish();
	stash_both(links_both, unlinks_far);
	ward_assert_str(stage.seen, "exited near");
	finish();
	stash_both(links_both, unlinks_near);
	ward_assert_str(stage.seen, "exited far");
	finish();
}

/* ---- oneself ------------------------------------------------------------------------------ */

/* The namesake of the caller, as the caller knows it. */
static ward_ref own_namesake(void)
{
	return ward_loop_ref(stage.loop, "left", "right", stage.namesake);
}

static void watches_its_namesake(ward_self *self)
{
	ward_watch(self, own_namesake());
}

static void links_its_namesake(ward_self *self)
{
	ward_trap_exit(self, true);
	ward_link(self, own_namesake());
}

static void asks_its_namesake_to_stop(ward_self *self)
{
	ward_ask_stop(self, own_namesake(), 1, 1000);
}

static ward_result exits_normally(ward_self *self, void *state, void *arg)
{
	ward_exit_reason normal = {.kind = WARD_EXIT_NORMAL};

	(void)state;
	ward_assert_ok(ward_exit(self, *(ward_ref *)arg, &normal));
	return WARD_DONE;
}

static ward_result exits_for_shutdown(ward_self *self, void *state, void *arg)
{
	ward_exit_reason enough = {.kind = WARD_EXIT_SHUTDOWN};

	(void)state;
	ward_assert_ok(ward_exit(self, *(ward_ref *)arg, &enough));
	return WARD_DONE;
}

WARD_TEST(normal_exit_of_a_namesake_is_not_one_of_oneself, "S57")
{
	begin();
	ward_ref caller = ward_loop_ref(stage.loop, "right", "left", stage.caller);

	ward_kit_inside(stage.right, stage.namesake, exits_normally, &caller);
	ward_kit_run(stage.left);
	ward_assert_state(stage.left, stage.caller, WARD_STATE_RUNNING);
	ward_kit_inside(stage.left, stage.caller, exits_normally, &stage.caller);
	ward_kit_run(stage.left);
	ward_assert_state(stage.left, stage.caller, WARD_STATE_GONE);
	finish();
}

WARD_TEST(namesake_of_oneself_can_be_watched_linked_and_asked_to_stop, "S57")
{
	step *const steps[] = {watches_its_namesake, links_its_namesake, asks_its_namesake_to_stop};

	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		begin();
		does(steps[i]);
		if (i < 2)
			ward_kit_stop(stage.right, stage.namesake);
		ward_kit_run(stage.left);
		ward_assert_str(stage.seen, i == 0   ? "terminated another"
					    : i == 1 ? "exited another"
						     : "");
		ward_assert_state(stage.right, stage.namesake, WARD_STATE_GONE);
		ward_assert_state(stage.left, stage.caller, WARD_STATE_RUNNING);
		finish();
	}
}

static void unlinks_its_namesake(ward_self *self)
{
	ward_unlink(self, own_namesake());
}

WARD_TEST(link_with_a_namesake_is_unlinked_at_both_ends, "S57")
{
	begin();
	does(links_its_namesake);
	does(unlinks_its_namesake);
	ward_loop_reset(stage.loop, "left", "right");
	ward_kit_run(stage.left);
	ward_assert_state(stage.right, stage.namesake, WARD_STATE_RUNNING);
	finish();
	begin();
	does(links_its_namesake);
	does(unlinks_its_namesake);
	ward_kit_stop(stage.right, stage.namesake);
	ward_kit_run(stage.left);
	ward_assert_str(stage.seen, "");
	finish();
}

WARD_TEST(exit_of_a_namesake_is_noted_as_that_of_another, "S57")
{
	begin();
	ward_ref caller = ward_loop_ref(stage.loop, "right", "left", stage.caller);

	ward_kit_inside(stage.right, stage.namesake, exits_for_shutdown, &caller);
	ward_kit_run(stage.left);
	ward_assert_state(stage.left, stage.caller, WARD_STATE_GONE);
	ward_assert_part(ward_kit_event(stage.left, WARD_EVENT_NOTE, "left/user/*", 0)->text,
			 "told to exit by");
	finish();
}

/* ---- both ways ---------------------------------------------------------------------------- */

static ward_result watches(ward_self *self, void *state, void *arg)
{
	(void)state;
	ward_watch(self, *(ward_ref *)arg);
	return WARD_DONE;
}

static ward_result unwatches(ward_self *self, void *state, void *arg)
{
	(void)state;
	ward_unwatch(self, *(ward_ref *)arg);
	return WARD_DONE;
}

/* The caller watches one there, and its namesake the one here: the numbers of both pairs are
 * alike. */
WARD_TEST(watches_of_like_pairs_in_both_directions_end_each_by_its_own, "S57")
{
	for (int first = 0; first < 2; first++) {
		begin();
		ward_ref near_one = ward_loop_ref(stage.loop, "right", "left", stage.near_one);

		if (first == 0)
			ward_kit_inside(stage.left, stage.caller, watches, &stage.far_one);
		ward_kit_run(stage.left);
		ward_kit_inside(stage.right, stage.namesake, watches, &near_one);
		ward_kit_run(stage.left);
		if (first == 1)
			ward_kit_inside(stage.left, stage.caller, watches, &stage.far_one);
		ward_kit_run(stage.left);
		ward_kit_inside(stage.right, stage.namesake, unwatches, &near_one);
		ward_kit_run(stage.left);
		stop_near();
		ward_assert_str(stage.seen, "");
		stop_far();
		ward_assert_str(stage.seen, "terminated far");
		finish();
	}
}

/* ---- of a thread -------------------------------------------------------------------------- */

WARD_TEST(unwatch_of_an_inbox_leaves_the_notice_of_the_other, "S57")
{
	ward_inbox *inbox;
	const ward_msg *msg;

	begin();
	ward_assert_ok(ward_inbox_create(ward_kit_system(stage.left), NULL, &inbox));
	ward_assert_ok(ward_inbox_watch(inbox, stage.near_one));
	ward_assert_ok(ward_inbox_watch(inbox, stage.far_one));
	stop_near();
	stop_far();
	ward_assert_ok(ward_inbox_unwatch(inbox, stage.far_one));
	ward_assert_ok(ward_inbox_receive(inbox, 10, &msg));
	ward_assert(ward_ref_equal(ward_match(msg, ward_terminated)->who, stage.near_one));
	ward_assert_err(ward_inbox_receive(inbox, 10, &msg), WARD_ETIMEDOUT);
	ward_inbox_destroy(inbox);
	finish();
}

WARD_TEST_MAIN
