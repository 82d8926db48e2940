/* SPDX-License-Identifier: MIT
 *
 * test_typed_sends.c - the typed verbs that send a struct which is filled already; reading a
 * message that is NULL; auto-received messages that are given; the version of the library.
 *
 * Method: a scripted actor sends the struct to another one in each way, which notes it.
 */
#include <ward/ask.h>

#include "support/script.h"

struct coin {
	int cents;
};
WARD_MESSAGE(coin);

static ward_result note_coin(ward_self *self, const ward_msg *msg)
{
	const struct coin *coin = ward_match(msg, coin);

	if (coin == NULL)
		return WARD_UNHANDLED;
	journal_note("%s:%d from %s", script_of(self)->name, coin->cents,
		     script_name(ward_msg_sender(msg)));
	return WARD_DONE;
}

/* Says what it got to whoever sent it. */
static ward_result return_coin(ward_self *self, const ward_msg *msg)
{
	const struct coin *coin = ward_match(msg, coin);

	if (coin == NULL)
		return WARD_UNHANDLED;
	ward_send(self, ward_msg_sender(msg), WARD_COPY(coin, coin));
	return WARD_DONE;
}

struct scene {
	ward_kit *kit;
	struct script a, b;
};

static void start(struct scene *scene)
{
	*scene = (struct scene){.a = {.name = "a", .receive = note_coin},
				.b = {.name = "b", .receive = return_coin}};
	scene->kit = script_start(NULL);
	script_spawn(scene->kit, &scene->a);
	script_spawn(scene->kit, &scene->b);
	journal_clear();
}

static ward_result send_copies(ward_self *self, void *arg)
{
	struct scene *scene = arg;
	struct coin coin = {1};

	ward_send(self, scene->b.ref, WARD_COPY(coin, &coin));
	coin.cents = 2;
	ward_assert_ok(ward_try_send(self, scene->b.ref, WARD_COPY(coin, &coin)));
	coin.cents = 3;
	ward_timer_start(self, &(ward_timer){.key = 1, .after_ms = 500}, WARD_COPY(coin, &coin));
	coin.cents = 4; /* each was copied when it was sent */
	return WARD_DONE;
}

WARD_TEST(struct_that_is_filled_already_is_sent_as_a_copy)
{
	struct scene scene;
	struct coin coin = {5};
	start(&scene);
	script_do(scene.kit, scene.a.ref, send_copies, &scene);
	ward_kit_run(scene.kit);
	assert_journal("a:1 from b;a:2 from b");
	ward_kit_advance(scene.kit, 500);
	assert_journal("a:1 from b;a:2 from b;a:3 from a");
	ward_system_send(ward_kit_system(scene.kit), scene.a.ref, WARD_COPY(coin, &coin));
	coin.cents = 6;
	ward_kit_run(scene.kit);
	ward_assert_part(journal_text(), "a:3 from a;a:5 from");
	script_finish(scene.kit);
}

/* ---- answers without a field --------------------------------------------------------------- */

WARD_SIGNAL(ping);
WARD_SIGNAL(pong);
WARD_REPLY(ping, pong);
WARD_SIGNAL(empty_purse);
WARD_REPLY(empty_purse, coin);

static ward_result answer_with_nothing(ward_self *self, const ward_msg *msg)
{
	if (ward_match(msg, ping))
		ward_answer(self, msg, ping);
	else if (ward_match(msg, empty_purse))
		ward_answer(self, msg, empty_purse);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static ward_result ask_both(ward_self *self, void *arg)
{
	const struct script *to = arg;

	ward_assert_ok(ward_try_ask(self, to->ref, 1, 100, ping));
	ward_assert_ok(ward_try_ask(self, to->ref, 2, 100, empty_purse));
	return WARD_DONE;
}

static ward_result note_answer(ward_self *self, const ward_msg *msg)
{
	const struct coin *coin = ward_match(msg, coin);

	if (ward_ask_tag(self) == 1 && ward_match(msg, pong))
		journal_note("pong");
	else if (ward_ask_tag(self) == 2 && coin != NULL)
		journal_note("coin:%d", coin->cents);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

WARD_TEST(answer_without_fields_is_a_signal_or_all_zero)
{
	struct script asker = {.name = "asker", .receive = note_answer},
		      asked = {.name = "asked", .receive = answer_with_nothing};
	ward_kit *kit = script_start(NULL);

	script_spawn(kit, &asker);
	script_spawn(kit, &asked);
	journal_clear();
	script_do(kit, asker.ref, ask_both, &asked);
	ward_kit_run(kit);
	assert_journal("pong;coin:0");
	script_finish(kit);
}

static ward_result answer_with_a_copy(ward_self *self, const ward_msg *msg)
{
	const struct coin coin = {7};

	if (!ward_match(msg, empty_purse))
		return WARD_UNHANDLED;
	ward_send(self, ward_msg_sender(msg), WARD_COPY(coin, &coin));
	return WARD_DONE;
}

static ward_result ask_for_a_coin(ward_self *self, void *arg)
{
	const struct script *to = arg;

	ward_assert_ok(ward_try_ask(self, to->ref, 2, 100, empty_purse));
	return WARD_DONE;
}

WARD_TEST(answer_may_be_a_struct_that_is_filled_already)
{
	struct script asker = {.name = "asker", .receive = note_answer},
		      asked = {.name = "asked", .receive = answer_with_a_copy};
	ward_kit *kit = script_start(NULL);

	script_spawn(kit, &asker);
	script_spawn(kit, &asked);
	journal_clear();
	script_do(kit, asker.ref, ask_for_a_coin, &asked);
	ward_kit_run(kit);
	assert_journal("coin:7");
	script_finish(kit);
}

WARD_TEST(message_that_is_null_has_no_sender_type_or_size)
{
	ward_assert(ward_ref_is_nobody(ward_msg_sender(NULL)));
	ward_assert(ward_msg_type(NULL) == NULL);
	ward_assert_eq(ward_msg_size(NULL), 0);
	ward_assert(ward_match(NULL, coin) == NULL);
}

WARD_TEST(version_of_the_library_is_that_of_its_headers)
{
	ward_assert_str(ward_version(), WARD_VERSION);
}

/* ---- auto-received messages ---------------------------------------------------------------- */

static ward_result give_specials(ward_self *self, void *arg)
{
	const ward_ref *to = arg;
	const ward_type *types[] = {&ward_type_ward_terminated, &ward_type_ward_kill,
				    &ward_type_ward_poison_pill};
	for (int i = 0; i < 3; i++) {
		void *body = ward_make_body(self, types[i], types[i]->size);
		ward_assert(body != NULL);
		ward_give_body(self, to[i], types[i], body);
	}
	return WARD_DONE;
}

WARD_TEST(special_messages_that_are_given_instead_of_sent_leave_nothing)
{
	struct script giver = {.name = "giver"},
		      targets[3] = {{.name = "forged"}, {.name = "killed"}, {.name = "poisoned"}};
	ward_kit *kit = script_start(NULL);
	ward_ref refs[3];
	script_spawn(kit, &giver);
	for (int i = 0; i < 3; i++) {
		script_spawn(kit, &targets[i]);
		refs[i] = targets[i].ref;
	}
	script_do(kit, giver.ref, give_specials, refs);
	ward_kit_run(kit);
	ward_assert_state(kit, refs[0], WARD_STATE_RUNNING);
	ward_assert_state(kit, refs[1], WARD_STATE_GONE);
	ward_assert_state(kit, refs[2], WARD_STATE_GONE);
	script_finish(kit); /* finds what is left */
}

WARD_TEST_MAIN
