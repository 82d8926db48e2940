/* SPDX-License-Identifier: MIT
 *
 * test_given_args.c - arguments that move to the actor: who owns them after a spawn and after a
 * refusal, and when they are dropped (S125, S126).
 *
 * Method: a parcel owns a block of memory, has no clone, and notes its drop. So a parcel that is
 * dropped twice, early or never shows in the journal, or in the count of those that are left.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ward/backoff.h>
#include <ward/backoff_sender.h>
#include <ward/extend.h>
#include <ward/link.h>
#include <ward/otp.h>
#include <ward/resource.h>
#include <ward/router.h>
#include <ward/zero.h>
#include <ward/zero_factory.h>

#include "support/script.h"

struct parcel {
	char *text;
};
static int parcels_left;
static const void *first_args; /* of the first incarnation */
static int watched_fd;         /* what the keeper adopts; -1: nothing */
static bool tells_why;         /* a drop notes why the actor has ended */

static struct parcel packed(const char *text)
{
	parcels_left++;
	return (struct parcel){strdup(text)};
}

static void parcel_drop(struct parcel *parcel)
{
	if (watched_fd >= 0 && fcntl(watched_fd, F_GETFD) >= 0)
		journal_note("still open");
	journal_note("drop %s", parcel->text);
	if (tells_why) {
		const ward_failure *failure = NULL;
		ward_end end = ward_stop_reason(NULL, &failure);

		journal_note("%s%s%s", ward_end_text(end), failure == NULL ? "" : " by ",
			     failure == NULL ? "" : ward_failure_class_of(failure)->name);
	}
	free(parcel->text);
	parcels_left--;
}
WARD_MESSAGE_DROP(parcel, parcel_drop);

struct cloned {
	struct parcel parcel;
};
static void cloned_drop(struct cloned *cloned)
{
	parcel_drop(&cloned->parcel);
}
static ward_err cloned_clone(struct cloned *to, const struct cloned *from)
{
	to->parcel = packed(from->parcel.text);
	journal_note("clone");
	return WARD_OK;
}
WARD_MESSAGE_CLONE(cloned, cloned_drop, cloned_clone);

/* ---- the keeper of a parcel -------------------------------------------------------------- */

static uint32_t init_fails; /* in how many incarnations, from the first */

static void deferred(void *arg)
{
	(void)arg;
	journal_note("deferred");
}

static ward_result keeper_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	ward_assert(args == ward_args(self));
	if (ward_incarnation(self) == 1)
		first_args = args;
	ward_assert(args == first_args);
	journal_note("init %u %s", ward_incarnation(self), ((const struct parcel *)args)->text);
	ward_defer(self, deferred, NULL);
	if (ward_incarnation(self) <= init_fails)
		return ward_failed(self, &ward_exception, "no init today");
	return WARD_DONE;
}

static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct script_word *word = ward_match(msg, script_word);

	(void)state;
	if (word != NULL && word->call != NULL)
		return word->call(self, word->arg);
	if (word != NULL && word->breaks != NULL)
		return ward_failed(self, word->breaks, "broken");
	return WARD_UNHANDLED;
}

static ward_result keeper_post_stop(ward_self *self, void *state)
{
	(void)state;
	journal_note("post_stop %s", ((const struct parcel *)ward_args(self))->text);
	return WARD_DONE;
}

static const ward_behavior keeper = {.name = "keeper",
				     .args = &ward_type_parcel,
				     .init = keeper_init,
				     .receive = keeper_receive,
				     .post_stop = keeper_post_stop};
static const ward_behavior clones = {.name = "clones",
				     .args = &ward_type_cloned,
				     .init = keeper_init,
				     .receive = keeper_receive,
				     .post_stop = keeper_post_stop};

static ward_kit *start(void)
{
	parcels_left = 0;
	watched_fd = -1;
	tells_why = false;
	init_fails = 0;
	return script_start(NULL);
}

static void finish(ward_kit *kit)
{
	script_finish(kit);
	ward_assert_eq(parcels_left, 0);
}

/* ---- S125 -------------------------------------------------------------------------------- */

WARD_TEST(given_args_are_moved_where_no_clone_exists, "S125")
{
	ward_kit *kit = start();
	struct parcel parcel = packed("p");
	const char *text = parcel.text;
	ward_ref who = ward_kit_spawn(kit, &keeper, .args = {WARD_COPY(parcel, &parcel)},
				      .args_given = true);

	ward_kit_run(kit);
	ward_assert(parcel.text == text);
	assert_journal("init 1 p");
	ward_kit_stop(kit, who);
	ward_kit_run(kit);
	assert_journal("init 1 p;post_stop p;deferred;drop p");
	finish(kit);
}

WARD_TEST(given_args_are_moved_where_a_clone_exists, "S125")
{
	ward_kit *kit = start();
	struct cloned cloned = {packed("c")};
	ward_ref who = ward_kit_spawn(kit, &clones, .args = {WARD_COPY(cloned, &cloned)},
				      .args_given = true);

	ward_kit_stop(kit, who);
	ward_kit_run(kit);
	assert_journal("init 1 c;post_stop c;deferred;drop c");
	finish(kit);
}

static ward_props given(const struct parcel *parcel)
{
	return (ward_props){
		.behavior = &keeper, .args = {WARD_COPY(parcel, parcel)}, .args_given = true};
}

struct refusal {
	ward_err err;
	const char *name, *dispatcher;
	const ward_behavior *behavior;
	bool stopping; /* tried by a parent that is stopping */
};
static const ward_behavior bare = {.name = "bare", .receive = keeper_receive};
static const ward_behavior other = {
	.name = "other", .args = &ward_type_cloned, .receive = keeper_receive};
static const struct refusal refusals[] = {
	{WARD_EEXIST, "taken", NULL, &keeper, false},     {WARD_ENAME, "a/b", NULL, &keeper, false},
	{WARD_ENOENT, "free", "nowhere", &keeper, false}, {WARD_EINVAL, NULL, NULL, &bare, false},
	{WARD_EINVAL, NULL, NULL, &other, false},         {WARD_EINVAL, NULL, NULL, NULL, false},
	{WARD_ESTOPPING, NULL, NULL, &keeper, true},
};

static ward_props refused_props(const struct refusal *refusal, const struct parcel *parcel)
{
	ward_props props = given(parcel);

	props.behavior = refusal->behavior;
	props.name = refusal->name;
	props.dispatcher = refusal->dispatcher;
	return props;
}

static ward_result try_refused(ward_self *self, void *arg)
{
	const struct refusal *refusal = arg;
	struct parcel parcel = packed("kept");
	ward_props props = refused_props(refusal, &parcel);
	ward_err tried = ward_try_spawn(self, &props, NULL);
	ward_err linked = ward_try_spawn_link(self, &props, NULL);
	bool kept = parcels_left == 1;

	parcel_drop(&parcel);
	ward_assert_err(tried, refusal->err);
	ward_assert_err(linked, refusal->err);
	ward_assert(kept);
	return WARD_DONE;
}

static ward_result spawn_refused(ward_self *self, void *arg)
{
	struct parcel parcel = packed("lost");
	ward_props props = refused_props(arg, &parcel);

	ward_assert(ward_ref_is_nobody(ward_spawn_props(self, &props)));
	parcel = packed("lost, too");
	ward_assert(ward_ref_is_nobody(ward_spawn_link_props(self, &props)));
	return WARD_DONE;
}

/* Makes the call in a parent that has a child "taken"; in its post_stop if it is stopping. */
static void call_in_parent(const struct refusal *refusal, script_call *call)
{
	struct script taken = {.name = "taken"};
	struct script parent = {
		.name = "parent", .children = {&taken}, .arg = (void *)(uintptr_t)refusal};
	ward_kit *kit = start();

	if (refusal->stopping)
		parent.post_stop = call;
	script_spawn(kit, &parent);
	journal_clear();
	if (!refusal->stopping)
		script_do(kit, parent.ref, call, (void *)(uintptr_t)refusal);
	else
		ward_kit_stop(kit, parent.ref);
	ward_kit_run(kit);
	finish(kit);
}

WARD_TEST(refused_try_spawn_leaves_given_args_with_the_caller, "S125")
{
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		call_in_parent(&refusals[i], try_refused);
		ward_assert(strstr(journal_text(), "drop kept") != NULL);
	}
}

WARD_TEST(refused_spawn_drops_given_args, "S125")
{
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
		call_in_parent(&refusals[i], spawn_refused);
		ward_assert(strstr(journal_text(), "drop lost;drop lost, too") != NULL);
	}
}

WARD_TEST(refused_spawn_from_outside_drops_given_args, "S125")
{
	ward_kit *kit = start();
	struct parcel parcel = packed("wrong");
	ward_props props = given(&parcel);
	ward_err wrong, late;

	props.name = "a/b";
	wrong = ward_system_spawn(ward_kit_system(kit), &props, NULL);
	ward_assert_eq(parcels_left, 0);
	parcel = packed("service");
	ward_assert_err(ward_system_spawn_service(ward_kit_system(kit), &props, NULL), wrong);
	props.name = NULL;
	ward_system_shutdown(ward_kit_system(kit), NULL);
	ward_kit_run(kit);
	parcel = packed("late");
	late = ward_system_spawn(ward_kit_system(kit), &props, NULL);
	assert_journal("drop wrong;drop service;drop late");
	ward_assert_err(wrong, WARD_ENAME);
	ward_assert_err(late, WARD_ESTOPPING);
	finish(kit);
}

struct attempt {
	ward_kit *kit;
	uint64_t nth;
	bool plain, spawned;
};

static ward_result spawn_short_of_memory(ward_self *self, void *arg)
{
	struct attempt *attempt = arg;
	struct parcel parcel = packed("p");
	ward_props props = given(&parcel);
	ward_ref child = ward_nobody();

	props.name = "named";
	props.mailbox.messages_max = 10;
	ward_kit_fail_allocation(attempt->kit, attempt->nth);
	if (attempt->plain)
		child = ward_spawn_props(self, &props);
	else if (ward_try_spawn(self, &props, &child) != WARD_OK)
		parcel_drop(&parcel);
	ward_kit_fail_allocation(attempt->kit, 0);
	attempt->spawned = !ward_ref_is_nobody(child);
	return WARD_DONE;
}

WARD_TEST(spawn_without_memory_leaves_or_drops_given_args, "S125")
{
	for (int plain = 0; plain < 2; plain++) {
		struct attempt attempt = {.plain = plain != 0};

		for (attempt.nth = 1; !attempt.spawned; attempt.nth++) {
			struct script parent = {.name = "parent"};

			ward_assert(attempt.nth < 100);
			attempt.kit = start();
			script_spawn(attempt.kit, &parent);
			journal_clear();
			script_do(attempt.kit, parent.ref, spawn_short_of_memory, &attempt);
			ward_kit_run(attempt.kit);
			ward_assert_eq(parcels_left, attempt.spawned);
			finish(attempt.kit);
		}
		ward_assert(attempt.nth > 3);
	}
}

/* ---- templates --------------------------------------------------------------------------- */

static void check_refused(ward_err err)
{
	ward_assert_err(err, WARD_EINVAL);
	ward_assert_part(ward_err_detail(), "args_given");
	ward_assert_part(ward_err_detail(), "template");
	ward_assert_eq(parcels_left, 1);
}

static ward_err spawn_in(ward_kit *kit, const ward_props *props)
{
	return ward_system_spawn(ward_kit_system(kit), props, NULL);
}

static bool no_id(const ward_msg *msg, uint64_t *ret_id)
{
	(void)msg, (void)ret_id;
	return false;
}

WARD_TEST(template_cannot_give_its_args_away, "S125")
{
	ward_kit *kit = start();
	struct parcel parcel = packed("p");
	ward_props props = given(&parcel), copy;
	ward_otp_child_spec specs[] = {{.id = "a", .props = props}, {0}};
	ward_otp_supervisor table = {.children = specs};
	const ward_zero_component components[] = {{.props = props}, {0}};
	const ward_zero_factory factory = {.components = components};

	check_refused(ward_props_clone(&copy, &props));
	check_refused(spawn_in(
		kit, WARD_PROPS(&ward_pool, .args = WARD_ARGS(ward_router, .routee = props))));
	check_refused(spawn_in(
		kit, WARD_PROPS(&ward_backoff_on_stop,
				.args = WARD_ARGS(ward_backoff, .child = props,
						  .min_backoff_ms = 10, .max_backoff_ms = 20))));
	check_refused(spawn_in(kit, WARD_PROPS(&ward_backoff_sender,
					       .args = WARD_ARGS(ward_backoff_sender,
								 .child = props, .id = no_id))));
	check_refused(ward_otp_check(&table));
	check_refused(spawn_in(kit, WARD_PROPS(&ward_otp_behavior,
					       .args = {WARD_COPY(ward_otp_supervisor, &table)})));
	check_refused(ward_zero_check(&factory));
	parcel_drop(&parcel);
	finish(kit);
}

/* ---- S126 -------------------------------------------------------------------------------- */

static struct parcel of_child;
static ward_ref child_ref;

static ward_result spawn_watched(ward_self *self, void *arg)
{
	ward_props props = given(&of_child);

	(void)arg;
	child_ref = ward_spawn_props(self, &props);
	if (!ward_ref_is_nobody(child_ref))
		ward_watch(self, child_ref);
	return WARD_DONE;
}

static ward_result note_end(ward_self *self, const ward_msg *msg)
{
	(void)self;
	if (!ward_match(msg, ward_terminated))
		return WARD_UNHANDLED;
	journal_note("ended");
	return WARD_DONE;
}

static ward_result adopt(ward_self *self, void *arg)
{
	(void)arg;
	watched_fd = ward_adopt_fd(self, open("/dev/null", O_RDONLY | O_CLOEXEC));
	return WARD_DONE;
}

/* A parent with a child that has a parcel; the journal begins with the child. */
static ward_kit *start_family(struct script *parent, uint32_t failing, ward_directive decides)
{
	ward_kit *kit = start();

	*parent = (struct script){
		.name = "parent", .strategy = &script_one, .decides = decides, .receive = note_end};
	init_fails = failing;
	script_spawn(kit, parent);
	journal_clear();
	of_child = packed("p");
	script_do(kit, parent->ref, spawn_watched, NULL);
	ward_kit_run(kit);
	return kit;
}

WARD_TEST(args_live_over_restarts_and_are_dropped_after_all_else, "S126")
{
	struct script parent;
	ward_kit *kit = start_family(&parent, 0, WARD_RESTART);

	script_break(kit, child_ref, &ward_exception);
	script_do(kit, child_ref, adopt, NULL);
	ward_kit_run(kit);
	ward_kit_stop(kit, child_ref);
	ward_kit_run(kit);
	assert_journal(
		"init 1 p;parent:decide ?;post_stop p;deferred;init 2 p;post_stop p;deferred;"
		"drop p;ended");
	finish(kit);
}

WARD_TEST(args_of_an_actor_that_fails_for_good_are_dropped_once, "S126")
{
	struct script parent;
	ward_kit *kit = start_family(&parent, 0, WARD_RESTART);

	parent.decides = WARD_STOP;
	script_break(kit, child_ref, &ward_exception);
	ward_kit_run(kit);
	assert_journal("init 1 p;parent:decide ?;post_stop p;deferred;drop p;ended");
	finish(kit);
}

WARD_TEST(args_of_an_actor_whose_init_fails_are_dropped_once, "S126")
{
	struct script parent;
	ward_kit *kit = start_family(&parent, 1, WARD_RESTART);

	ward_kit_run(kit);
	ward_kit_stop(kit, child_ref);
	ward_kit_run(kit);
	assert_journal("init 1 p;parent:decide ?;deferred;init 2 p;post_stop p;deferred;drop p;"
		       "ended");
	finish(kit);
}

/* Returns the end of the journal of a child that ends in this way. */
static const char *drop_of(ward_directive decides, bool fails)
{
	struct script parent;
	ward_kit *kit = start_family(&parent, 0, WARD_RESTART);

	tells_why = true;
	script_break(kit, child_ref, &ward_exception);
	ward_kit_run(kit);
	parent.decides = decides;
	if (fails)
		script_break(kit, child_ref, &ward_exception);
	else
		ward_kit_stop(kit, child_ref);
	ward_kit_run(kit);
	finish(kit);
	return strstr(journal_text(), "drop p");
}

WARD_TEST(drop_of_args_can_ask_why_the_actor_has_ended, "S126")
{
	struct parcel alone;

	ward_assert_part(drop_of(WARD_STOP, true), "drop p;failed by ward_exception;ended");
	ward_assert_part(drop_of(WARD_STOP, false), "drop p;stopped;ended");
	alone = packed("nobody's");
	tells_why = true;
	journal_clear();
	parcel_drop(&alone);
	ward_assert_part(journal_text(), ward_end_text(WARD_END_UNKNOWN));
}

static ward_result spawn_and_end(ward_self *self, void *arg)
{
	(void)spawn_watched(self, arg);
	ward_stop(self, child_ref);
	return ward_stop_self(self);
}

WARD_TEST(args_of_an_actor_that_never_started_are_dropped_once, "S126")
{
	struct script parent;
	ward_kit *kit = start_family(&parent, 1, WARD_STOP);

	ward_kit_run(kit);
	assert_journal("init 1 p;parent:decide ?;deferred;drop p;ended");
	finish(kit);
}

WARD_TEST(args_of_an_actor_that_is_stopped_at_once_are_dropped_once, "S126")
{
	struct script parent = {.name = "parent"};
	ward_kit *kit = start();

	script_spawn(kit, &parent);
	journal_clear();
	of_child = packed("p");
	script_do(kit, parent.ref, spawn_and_end, NULL);
	ward_kit_run(kit);
	assert_journal("init 1 p;post_stop p;deferred;drop p;parent:post_stop");
	ward_assert_eq(parcels_left, 0);
	finish(kit);
}

static ward_result spawn_and_fail(ward_self *self, void *arg)
{
	(void)spawn_watched(self, arg);
	return ward_failed(self, &ward_exception, "no more");
}

WARD_TEST(args_of_an_actor_whose_parent_fails_at_once_are_dropped_once, "S126")
{
	struct script parent = {.name = "parent"};
	ward_kit *kit = start();

	script_spawn(kit, &parent);
	journal_clear();
	of_child = packed("p");
	script_do(kit, parent.ref, spawn_and_fail, NULL);
	ward_kit_run(kit);
	/* Whether the child starts before its parent fails is up to the seed. */
	ward_assert_part(journal_text(), ";post_stop p;deferred;drop p;parent:init;");
	ward_assert_eq(parcels_left, 0);
	finish(kit);
}

static ward_result end_top(ward_self *self, void *state)
{
	(void)state;
	return ward_stop_self(self);
}

static const ward_behavior top = {
	.name = "top", .args = &ward_type_parcel, .pre_start = end_top, .receive = keeper_receive};

WARD_TEST(ward_run_takes_given_args_always, "S125", "S126")
{
	const ward_options quiet = {.log_kinds = WARD_EVENT_NONE, .workers = 1};
	struct parcel parcel = {NULL};
	ward_props props = given(&parcel);

	parcels_left = 0;
	watched_fd = -1;
	parcel = packed("p");
	props.behavior = &top;
	ward_assert_eq(ward_run(&props, &quiet), 0);
	ward_assert_eq(parcels_left, 0);
	parcel = packed("p");
	props.behavior = &bare;
	ward_assert_eq(ward_run(&props, &quiet), 2);
	ward_assert_eq(parcels_left, 0);
	journal_clear();
}

WARD_TEST_MAIN
