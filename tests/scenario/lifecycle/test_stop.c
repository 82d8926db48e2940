/* SPDX-License-Identifier: MIT
 *
 * test_stop.c - the end of an actor: the steps of a stop, what becomes of its mail, and the ways to
 * ask for it (S45-S47, S49-S53).
 *
 * Method: a family whose members are stopped at any moment of a story; each order of turns is drawn
 * from a seed.
 */
#include "support/family_tree.h"

enum { ROUNDS = 40 };

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};

static void stop_and_run(struct family *f, const struct script *who)
{
	ward_system_stop(ward_kit_system(f->kit), who->ref);
	ward_kit_run(f->kit);
}

/* ---- S45: asking ------------------------------------------------------------------------- */

WARD_TEST(stop_waits_for_all_children_and_runs_no_mail_meanwhile, "S45", "S46")
{
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_STOPPING);
		ward_actor_info p;
		ward_assert(ward_kit_info(f.kit, f.p.ref, &p));
		ward_assert_eq(p.suspended, 1);
		script_say(f.kit, f.p.ref, "late");
		while (ward_kit_state(f.kit, f.p.ref) == WARD_STATE_STOPPING) {
			ward_assert(strstr(journal_text(), "p:late") == NULL);
			seen++;
			ward_assert(ward_kit_step(f.kit));
		}
		ward_kit_run(f.kit);
		/* The children first, in any order; then p. */
		ward_assert(noted_before("a:post_stop", "p:post_stop"));
		ward_assert(noted_before("b:post_stop", "p:post_stop"));
		ward_assert(noted_before("c:post_stop", "p:post_stop"));
		assert_journal_of("p", "post_stop");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*/g/p"), 1);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

WARD_TEST(repeated_stop_is_one_stop, "S45")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		for (int i = 0; i < 3; i++)
			ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_STOPPING);
		ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_run(f.kit);
		ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_run(f.kit);
		assert_journal_of("p", "post_stop");
		assert_journal_of("a", "post_stop");
		check_well(f.kit, &f.g);
		script_finish(f.kit);
	}
}

WARD_TEST(failed_actor_can_be_stopped, "S45")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_break(f.kit, f.p.ref, &bad_luck);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
		stop_and_run(&f, &f.p);
		assert_journal_of("p", "break;post_stop");
		ward_assert_state(f.kit, f.p.ref, WARD_STATE_GONE);
		check_well(f.kit, &f.g);
		script_finish(f.kit);
	}
}

static ward_result watch_arg(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_watch(self, ((struct script *)arg)->ref));
	return WARD_DONE;
}

WARD_TEST(stopping_actor_hears_of_no_death_any_more, "S45", "S64")
{
	/* p watches g's other child x, which dies before, while, or after p stops. */
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script x = {.name = "x"};
		f.g.children[1] = &x;
		family_start(&f);
		script_do(f.kit, f.p.ref, watch_arg, &x);
		ward_kit_run(f.kit);
		ward_system_stop(ward_kit_system(f.kit), f.p.ref);
		ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_STOPPING);
		stop_and_run(&f, &x);
		assert_journal_of("p", "post_stop");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
		script_finish(f.kit);
	}
}

WARD_TEST(terminated_that_waits_in_the_mailbox_is_forgotten_at_a_stop, "S45", "S63")
{
	struct family f = FAMILY;
	struct script x = {.name = "x"};
	f.g.children[1] = &x;
	family_start(&f);
	script_do(f.kit, f.p.ref, watch_arg, &x);
	ward_kit_run(f.kit);
	script_break(f.kit, f.p.ref, &bad_luck); /* so that p reads no mail for now */
	ward_kit_run_until_state(f.kit, f.p.ref, WARD_STATE_FAILED);
	ward_system_stop(ward_kit_system(f.kit), x.ref);
	ward_system_stop(ward_kit_system(f.kit), f.p.ref);
	ward_kit_run(f.kit);
	assert_journal_of("p", "break;post_stop");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	script_finish(f.kit);
}

/* ---- S46: the order of the end ----------------------------------------------------------- */

static ward_kit *watched_kit; /* NULL: it has not started */

static ward_result note_gone(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	if (gone == NULL)
		return WARD_UNHANDLED;
	size_t letters =
		watched_kit == NULL ? 0 : ward_kit_count(watched_kit, WARD_EVENT_DEAD_LETTER, "*");
	journal_note("%s:gone %s, %zu letters", script_of(self)->name, script_name(gone->who),
		     letters);
	return WARD_DONE;
}

static void note_release(void *arg)
{
	journal_note("%s", (const char *)arg);
}

static ward_result own_something(ward_self *self, void *arg)
{
	ward_defer(self, note_release, arg);
	return WARD_DONE;
}

WARD_TEST(end_goes_step_by_step, "S46", "S65")
{
	/* post_stop; the clean-ups; the mail to dead letters; the notices. p watches its child a
	 * and hears once; b, a sibling, hears, too. An error in post_stop changes nothing. */
	for (int fails = 0; fails < 3; fails++) {
		WARD_TEST_SEEDS(ROUNDS)
		{
			struct family f = FAMILY;
			f.p.watches_children = true;
			f.p.receive = f.b.receive = note_gone;
			watched_kit = NULL;
			if (fails > 0)
				f.a.traps[0] = (struct script_trap){SCRIPT_POST_STOP, .first = 1,
								    .jumps = fails == 2};
			family_start(&f);
			watched_kit = f.kit;
			script_do(f.kit, f.a.ref, own_something, "a:released");
			script_do(f.kit, f.b.ref, watch_arg, &f.a);
			ward_kit_run(f.kit);
			ward_system_stop(ward_kit_system(f.kit), f.a.ref);
			script_say(f.kit, f.a.ref, "late");
			script_say(f.kit, f.a.ref, "later");
			ward_kit_run(f.kit);
			assert_journal_of("a", "post_stop;released");
			assert_journal_of("p", "gone a, 2 letters");
			assert_journal_of("b", "gone a, 2 letters");
			ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_HOOK_FAILURE, "*/p/a"),
				       fails > 0);
			ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
			script_finish(f.kit);
		}
	}
}

WARD_TEST(children_end_before_their_parents_all_the_way_up, "S46")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		stop_and_run(&f, &f.g);
		ward_assert(noted_before("a:post_stop", "p:post_stop"));
		ward_assert(noted_before("b:post_stop", "p:post_stop"));
		ward_assert(noted_before("c:post_stop", "p:post_stop"));
		ward_assert(noted_before("p:post_stop", "g:post_stop"));
		script_finish(f.kit);
	}
}

/* ---- S47: errors on the way out ---------------------------------------------------------- */

static ward_result spawn_and_stop(ward_self *self, void *arg)
{
	ward_assert_ok(script_spawn_child(self, arg));
	ward_stop(self, ward_self_ref(self));
	return WARD_DONE;
}

WARD_TEST(failure_of_a_child_of_a_stopping_parent_is_not_decided, "S47", "S6")
{
	/* d fails at its start whenever its turn comes: mostly when p is stopping already. */
	size_t seen = 0;
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		struct script d = {.name = "d", .traps = {{SCRIPT_PRE_START, .first = 1}}};
		family_start(&f);
		script_do(f.kit, f.p.ref, spawn_and_stop, &d);
		ward_kit_run(f.kit);
		assert_journal_of("p", "post_stop");
		assert_journal_of("g", "");
		ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_FAILURE, "*"), 0);
		seen += d.calls[SCRIPT_PRE_START] > 0;
		ward_assert_state(f.kit, d.ref, WARD_STATE_GONE);
		script_finish(f.kit);
	}
	ward_assert_seen(seen);
}

static ward_result stop_and_fail(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop(self, ward_self_ref(self));
	return ward_failed(self, &bad_luck, "on the way out");
}

WARD_TEST(actor_that_stops_itself_and_fails_ends_all_the_same, "S47", "S45")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		script_do(f.kit, f.a.ref, stop_and_fail, NULL);
		ward_kit_run(f.kit);
		assert_journal_of("a", "post_stop");
		ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
		check_well(f.kit, &f.p);
		script_finish(f.kit);
	}
}

/* ---- S49: the mail that is left ---------------------------------------------------------- */

static ward_result tell_three(ward_self *self, void *arg)
{
	ward_ref to = ((struct script *)arg)->ref;
	script_tell(self, to, "one");
	script_tell(self, to, "two");
	script_tell(self, to, "three");
	return WARD_DONE;
}

WARD_TEST(mail_of_a_stopped_actor_becomes_dead_letters_in_order, "S49")
{
	struct family f = FAMILY;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck); /* keeps it from reading */
	ward_kit_run_until_state(f.kit, f.a.ref, WARD_STATE_FAILED);
	f.p.decides = WARD_STOP;
	script_say(f.kit, f.a.ref, "from outside");
	script_do(f.kit, f.b.ref, tell_three, &f.a);
	ward_ref a = f.a.ref;
	/* b's turn comes before p's or after; both ways everything is a dead letter. */
	ward_kit_run(f.kit);
	script_say(f.kit, a, "much later");
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 5);
	ward_ref senders[] = {ward_nobody(), f.b.ref, f.b.ref, f.b.ref, ward_nobody()};
	for (size_t i = 0; i < 5; i++) {
		const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", i);
		ward_assert(ward_ref_equal(event->subject, a));
		ward_assert(ward_ref_equal(event->sender, senders[i]));
		ward_assert_eq(event->reason, WARD_REASON_DEAD);
		ward_assert_str(event->message_type, "script_word");
	}
	ward_assert_eq(ward_kit_stats(f.kit).dead_letters, 5);
	script_finish(f.kit);
}

struct numbered {
	int number;
};
WARD_MESSAGE_FLAT(numbered);

WARD_TEST(dead_letters_of_one_mailbox_are_first_in_first_out, "S49")
{
	struct family f = FAMILY;
	family_start(&f);
	for (int i = 0; i < 10; i++)
		ward_system_tell(ward_kit_system(f.kit), f.a.ref, numbered, .number = i);
	stop_and_run(&f, &f.a);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 10);
	for (int i = 0; i < 10; i++) {
		struct numbered copy;
		memcpy(&copy, ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", (size_t)i)->bytes,
		       sizeof(copy));
		ward_assert_eq(copy.number, i);
	}
	script_finish(f.kit);
}

static ward_result stop_in_the_middle(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop(self, ward_self_ref(self));
	journal_note("a:goes on");
	return WARD_DONE;
}

WARD_TEST(stop_of_oneself_ends_after_the_message, "S49", "S45")
{
	struct family f = FAMILY;
	family_start(&f);
	script_do(f.kit, f.a.ref, stop_in_the_middle, NULL);
	script_say(f.kit, f.a.ref, "after");
	ward_kit_run(f.kit);
	assert_journal("a:goes on;a:post_stop");
	script_finish(f.kit);
}

/* ---- S50: stop, pill, kill --------------------------------------------------------------- */

WARD_TEST(poison_pill_stops_when_its_turn_comes, "S50")
{
	struct family f = FAMILY;
	family_start(&f);
	script_say(f.kit, f.a.ref, "before");
	ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_poison_pill);
	script_say(f.kit, f.a.ref, "after");
	ward_kit_run(f.kit);
	assert_journal("a:before;a:post_stop");
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*/p/a"), 1);
	ward_assert_str(ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*/p/a", 0)->message_type,
			"script_word");
	script_finish(f.kit);
}

WARD_TEST(poison_pill_waits_while_the_actor_is_suspended, "S50")
{
	struct family f = FAMILY;
	family_start(&f);
	script_break(f.kit, f.a.ref, &bad_luck);
	ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_poison_pill);
	ward_kit_run(f.kit);
	assert_journal_of("a", "break;pre_restart;post_stop;init;post_restart;pre_start;post_stop");
	ward_assert_state(f.kit, f.a.ref, WARD_STATE_GONE);
	script_finish(f.kit);
}

WARD_TEST(poison_pill_of_a_parent_waits_for_its_children, "S50", "S46")
{
	WARD_TEST_SEEDS(ROUNDS)
	{
		struct family f = FAMILY;
		family_start(&f);
		ward_system_tell(ward_kit_system(f.kit), f.p.ref, ward_poison_pill);
		ward_kit_run(f.kit);
		ward_assert(noted_before("a:post_stop", "p:post_stop"));
		assert_journal_of("p", "post_stop");
		script_finish(f.kit);
	}
}

WARD_TEST(kill_is_a_failure_in_turn_that_a_decider_may_restart, "S50")
{
	struct family f = FAMILY;
	family_start(&f);
	script_say(f.kit, f.a.ref, "before");
	ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_kill);
	script_say(f.kit, f.a.ref, "after");
	ward_kit_run(f.kit);
	assert_journal_of("a", "before;pre_restart;post_stop;init;post_restart;pre_start;after");
	const ward_event *event = ward_kit_event(f.kit, WARD_EVENT_FAILURE, "*/p/a", 0);
	ward_assert_str(event->failure_class, "ward_killed");
	script_finish(f.kit);
}

WARD_TEST(kill_is_worth_a_dead_letter_and_a_pill_is_not, "S50")
{
	struct family f = FAMILY;
	family_start(&f);
	stop_and_run(&f, &f.a);
	ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_poison_pill);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_system_tell(ward_kit_system(f.kit), f.a.ref, ward_kill);
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_count(f.kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	ward_assert_str(ward_kit_event(f.kit, WARD_EVENT_DEAD_LETTER, "*", 0)->message_type,
			"ward_kill");
	script_finish(f.kit);
}

/* ---- S51: stop and wait ------------------------------------------------------------------ */

WARD_TEST(await_after_a_pill_answers_when_the_actor_is_gone, "S51")
{
	struct family f = FAMILY;
	family_start(&f);
	ward_system_tell(ward_kit_system(f.kit), f.p.ref, ward_poison_pill);
	ward_assert_ok(ward_system_wait_for(ward_kit_system(f.kit), f.p.ref, WARD_SECOND));
	assert_journal_of("p", "post_stop");
	ward_assert_ok(ward_system_wait_for(ward_kit_system(f.kit), f.p.ref,
					    0)); /* dead already: at once */
	script_finish(f.kit);
}

WARD_TEST(graceful_stop_lets_all_before_it_be_handled_and_waits, "S51")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &a);
	journal_clear();
	script_say(kit, a.ref, "before");
	ward_assert_ok(ward_system_ask_stop(ward_kit_system(kit), a.ref, WARD_SECOND));
	assert_journal("a:before;a:post_stop");
	ward_assert(!ward_kit_is_alive(kit, a.ref));
	/* At once, and without a dead letter, if it is gone already. */
	ward_assert_ok(ward_system_ask_stop(ward_kit_system(kit), a.ref, 0));
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 0);
	script_finish(kit);
}

WARD_TEST(graceful_stop_that_takes_too_long_says_so_and_takes_its_watch_back, "S51")
{
	struct script a = {.name = "a"};
	struct script p = {
		.name = "p", .strategy = &script_one, .decides = WARD_LATER, .children = {&a}};
	ward_kit *kit = script_start(NULL);
	script_spawn(kit, &p);
	script_break(kit, a.ref, &bad_luck); /* suspended, it does not get to its pill */
	ward_kit_run(kit);
	ward_assert_err(ward_system_ask_stop(ward_kit_system(kit), a.ref, 100), WARD_ETIMEDOUT);
	ward_assert_str(ward_err_detail(), "sim/user/p/a is still there after 100 ms");
	ward_system_stop(ward_kit_system(kit), a.ref);
	ward_kit_run(kit);
	script_finish(kit);
}

static ward_result stop_at_word(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop_self(self);
	return WARD_DONE;
}

WARD_TEST(message_of_the_programs_and_a_wait_are_a_graceful_stop, "S51")
{
	struct script a = {.name = "a"}, deaf = {.name = "deaf"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	script_spawn(kit, &deaf);
	journal_clear();
	struct script_word word = script_word("close", &(struct script_word){.call = stop_at_word});
	ward_system_send(system, a.ref, &ward_type_script_word, &word, sizeof(word));
	ward_assert_ok(ward_system_wait_for(system, a.ref, 100));
	assert_journal("a:close;a:post_stop");
	/* One that leaves it alone is still there. */
	script_say(kit, deaf.ref, "what?");
	ward_assert_err(ward_system_wait_for(system, deaf.ref, 100), WARD_ETIMEDOUT);
	script_finish(kit);
}

WARD_TEST(graceful_stop_without_memory_is_refused_and_leaves_nothing, "S51")
{
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(NULL);
	ward_system *system = ward_kit_system(kit);
	script_spawn(kit, &a);
	for (uint64_t nth = 1; nth <= 2; nth++) {
		ward_kit_fail_allocation(kit, nth);
		ward_assert_err(ward_system_ask_stop(system, a.ref, 100), WARD_ENOMEM);
	}
	ward_kit_fail_allocation(kit, 0);
	ward_assert_state(kit, a.ref, WARD_STATE_RUNNING);
	script_finish(kit);
}

WARD_TEST(await_that_times_out_takes_its_watch_back, "S51")
{
	struct family f = FAMILY;
	family_start(&f);
	uint64_t blocks = ward_kit_blocks(f.kit);
	for (int i = 0; i < 10; i++)
		ward_assert_err(ward_system_wait_for(ward_kit_system(f.kit), f.a.ref, 50),
				WARD_ETIMEDOUT);
	ward_assert_part(ward_err_detail(), "sim/user/g/p/a");
	ward_kit_run(f.kit);
	ward_assert_eq(ward_kit_blocks(f.kit), blocks);
	check_well(f.kit, &f.a);
	script_finish(f.kit);
}

/* ---- S52: no children on the way out ----------------------------------------------------- */

static ward_err spawn_error;

static ward_result spawn_late(ward_self *self, void *arg)
{
	spawn_error = script_spawn_child(self, arg);
	return WARD_DONE;
}

WARD_TEST(stopping_actor_starts_no_children, "S52")
{
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	f.p.post_stop = spawn_late;
	f.p.arg = &d;
	family_start(&f);
	stop_and_run(&f, &f.p);
	ward_assert_err(spawn_error, WARD_ESTOPPING);
	assert_journal_of("d", "");
	script_finish(f.kit);
}

WARD_TEST(system_going_down_spawns_nothing_more, "S52")
{
	struct family f = FAMILY;
	struct script d = {.name = "d"};
	family_start(&f);
	ward_system_shutdown(ward_kit_system(f.kit), NULL);
	for (int i = 0; i < 3; i++) {
		ward_ref ref = f.a.ref;
		ward_assert_err(ward_system_spawn(ward_kit_system(f.kit), script_props(&d), &ref),
				WARD_ESTOPPING);
		ward_assert(ward_ref_equal(ref, f.a.ref)); /* untouched */
		ward_kit_run(f.kit);
	}
	assert_journal_of("d", "");
	script_finish(f.kit);
}

/* ---- S53: one of many -------------------------------------------------------------------- */

WARD_TEST(normal_stop_is_no_concern_of_the_siblings, "S53")
{
	struct family f = FAMILY;
	f.p.strategy = &script_all;
	family_start(&f);
	stop_and_run(&f, &f.a);
	ward_system_tell(ward_kit_system(f.kit), f.b.ref, ward_poison_pill);
	ward_kit_run(f.kit);
	assert_journal("a:post_stop;b:post_stop");
	check_well(f.kit, &f.c);
	script_finish(f.kit);
}

WARD_TEST_MAIN
