/* SPDX-License-Identifier: MIT
 *
 * test_messages_across.c - messages to actors of another system: order, senders, what they own, and
 * what becomes of those that do not arrive (S196).
 */
#include <ward/ask.h>
#include <ward/codec.h>
#include <ward/selection.h>

#include "gate.h"
#include "two_systems.h"

/* ---- arriving ------------------------------------------------------------------------------ */

static ward_result tell_three(ward_self *self, void *arg)
{
	static const char *const words[] = {"one", "two", "three"};

	for (int i = 0; i < 3; i++)
		script_tell(self, ((struct script *)arg)->ref, words[i]);
	return WARD_DONE;
}

WARD_TEST(messages_of_one_actor_arrive_in_order_also_in_bodies_that_own, "S196")
{
	struct two two = {.loop = NULL};

	two_start(&two, &(ward_loop_options){.latency_ms = 5, .jitter_ms = 20});
	let(&two, &two.a, tell_three, &two.b);
	let_and_settle(&two, &two.a, tell_three, &two.b);
	assert_journal_of("b", "one;two;three;one;two;three");
	two_finish(&two);
}

struct ball {
	int hops;
};
WARD_MESSAGE_FIELDS(ball, 1, WARD_FIELD(INT, ball, hops));
static struct two *game;

/* b forwards to d, d replies: the reply goes to a, whose ball it was. */
static ward_result play(ward_self *self, const ward_msg *msg)
{
	const struct ball *ball = ward_match(msg, ball);
	const struct script *script = script_of(self);

	if (ball == NULL)
		return note_ends(self, msg);
	journal_note("%s:%d of %s", script->name, ball->hops, script_name(ward_msg_sender(msg)));
	if (script == &game->b)
		(void)ward_forward(self, game->c.ref);
	else if (script == &game->c)
		(void)ward_forward(self, game->d.ref);
	else if (script == &game->d)
		ward_reply(self, msg, ball, .hops = ball->hops + 1);
	return WARD_DONE;
}

static ward_result throw_ball(ward_self *self, void *arg)
{
	ward_tell(self, ((struct script *)arg)->ref, ball, .hops = 1);
	return WARD_DONE;
}

WARD_TEST(reply_and_forward_keep_the_sender_across_both_ways, "S196")
{
	struct two two = {
		.a.receive = play, .b.receive = play, .c.receive = play, .d.receive = play};

	game = &two;
	two_start(&two, NULL);
	let_and_settle(&two, &two.a, throw_ball, &two.b);
	assert_journal_of("b", "1 of a");
	assert_journal_of("c", "1 of a");
	assert_journal_of("d", "1 of a");
	assert_journal_of("a", "2 of d");
	two_finish(&two);
}

static ward_result take_and_give(ward_self *self, const ward_msg *msg)
{
	struct script_word *word;

	if (ward_msg_body(msg, &ward_type_script_word) == NULL || script_of(self)->arg == NULL)
		return WARD_UNHANDLED;
	word = ward_take_body(self, &ward_type_script_word);
	if (word != NULL)
		ward_give_body(self, ((struct script *)script_of(self)->arg)->ref,
			       &ward_type_script_word, word);
	return WARD_DONE;
}

WARD_TEST(given_body_goes_across_with_what_it_owns, "S196")
{
	struct two two = {.a.receive = take_and_give};

	two_start(&two, NULL);
	two.a.arg = &two.b;
	script_say(two.left, two.a.ref, "a present");
	settle(&two);
	assert_journal_of("b", "a present");
	two.a.arg = NULL;
	two_finish(&two);
}

/* ---- not arriving -------------------------------------------------------------------------- */

static void check_dead(ward_kit *kit, size_t number, ward_ref to, const char *type,
		       ward_reason reason)
{
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", number);

	ward_assert_str(event->message_type, type);
	ward_assert_eq(event->reason, reason);
	ward_assert(ward_ref_equal(event->subject, to));
}

static ward_result close_mailbox(ward_self *self, void *arg)
{
	(void)arg;
	ward_mailbox_close(self);
	return WARD_DONE;
}

WARD_TEST(message_that_waits_when_the_association_ends_is_unreached, "S196")
{
	struct gate gate = {.place = 0};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	gate_spawn(kit, &gate, "x");
	ward_ref far = gate_peer(&gate);

	script_do(kit, gate.script.ref, close_mailbox, NULL);
	ward_kit_run(kit);
	gate_write(kit, far, "waits");
	ward_system_select_send(ward_kit_system(kit), "ward://x/user/b", &ward_type_letter,
				&(struct letter){strdup("waits, too")}, sizeof(struct letter));
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_system_stop(ward_kit_system(kit), gate.script.ref);
	ward_kit_run(kit);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 2);
	check_dead(kit, 0, far, "letter", WARD_REASON_UNREACHED);
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 1);
	ward_assert_eq(event->reason, WARD_REASON_UNREACHED);
	ward_assert_str(event->path, "ward://x/user/b");
	ward_assert_str(event->message_type, "letter");
	gate_write(kit, far, "late");
	ward_kit_run(kit);
	check_dead(kit, 2, far, "letter", WARD_REASON_UNREACHED);
	script_finish(kit);
}

static ward_result note_identity(ward_self *self, const ward_msg *msg)
{
	const struct ward_identity *identity = ward_match(msg, ward_identity);

	if (identity == NULL)
		return note_ends(self, msg);
	journal_note("%s:%s", script_of(self)->name, identity->found ? "found" : "not found");
	return WARD_DONE;
}

static ward_result ask_who(ward_self *self, void *arg)
{
	ward_tell(self, *(ward_ref *)arg, ward_identify, .tag = 1);
	ward_select_tell(self, "ward://x/user/b", ward_identify, .tag = 2);
	return WARD_DONE;
}

WARD_TEST(identify_that_waits_when_the_association_ends_finds_nobody, "S90", "S196")
{
	struct gate gate = {.place = 0};
	struct script a = {.name = "a", .receive = note_identity}, until = {.name = NULL};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	gate_spawn(kit, &gate, "x");
	script_spawn(kit, &a);
	ward_ref far = gate_peer(&gate);
	gate_close(kit, &gate, &until);
	script_do(kit, a.ref, ask_who, &far);
	ward_kit_run(kit);
	assert_journal_of("a", "");
	ward_system_stop(ward_kit_system(kit), gate.script.ref);
	ward_kit_run(kit);
	assert_journal_of("a", "not found;not found");
	script_finish(kit);
}

WARD_TEST(message_in_hand_when_the_association_fails_is_dropped_once, "S196")
{
	struct gate gate = {.script.traps = {{SCRIPT_RECEIVE, .first = 1}}};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	gate_spawn(kit, &gate, "x");
	gate_write(kit, gate_peer(&gate), "opened, then the failure");
	ward_kit_run(kit);
	ward_assert_ok(gate.opened);
	script_finish(kit); /* counts what was not dropped */
}

struct local {
	int number;
};
WARD_MESSAGE(local);
WARD_SIGNAL(signal);

static ward_result send_local(ward_self *self, void *arg)
{
	ward_ref far = *(ward_ref *)arg;
	const struct local body = {1};

	journal_note("a:%s",
		     ward_err_text(ward_try_send(self, far, &ward_type_local, &body, sizeof body)));
	journal_note("a:%s", ward_err_text(ward_try_send(self, far, &ward_type_signal, NULL, 0)));
	ward_tell(self, far, local, .number = 2);
	return WARD_DONE;
}

static void refuse_local(const ward_association_options *options)
{
	struct gate gate = {.options = *options};
	struct script a = {.name = "a"};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	char wanted[100];

	gate_spawn(kit, &gate, "x");
	script_spawn(kit, &a);
	journal_clear();
	ward_ref far = gate_peer(&gate);
	script_do(kit, a.ref, send_local, &far);
	ward_kit_run(kit);
	snprintf(wanted, sizeof wanted, "%s;%s", ward_err_text(WARD_ELOCAL),
		 ward_err_text(WARD_OK));
	assert_journal_of("a", wanted);
	assert_journal_of("gate", "send signal");
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	check_dead(kit, 0, far, "local", WARD_REASON_LOCAL);
	ward_system_select_send(ward_kit_system(kit), "ward://x/user/b", &ward_type_local,
				&(struct local){3}, sizeof(struct local));
	ward_kit_run(kit);
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 1);
	ward_assert_eq(event->reason, WARD_REASON_LOCAL);
	ward_assert_str(event->path, "ward://x/user/b");
	script_finish(kit);
}

WARD_TEST(type_without_a_table_is_local_and_a_signal_needs_none, "S196")
{
	ward_kit *peer = ward_kit_start(&(ward_kit_options){.seed = 1});

	refuse_local(&(ward_association_options){0});
	refuse_local(&(ward_association_options){.by_value = ward_kit_system(peer),
						 .bodies_written = true});
	ward_kit_finish(peer);
}

WARD_TEST(message_for_one_that_has_ended_is_a_dead_letter_there, "S196")
{
	struct two two = {.loop = NULL};

	two_start(&two, NULL);
	let_and_settle(&two, &two.b, do_end, NULL);
	script_say(two.left, two.b.ref, "late");
	settle(&two);
	ward_assert_eq(ward_kit_count(two.left, WARD_EVENT_DEAD_LETTER, "*"), 0);
	ward_assert_eq(ward_kit_count(two.right, WARD_EVENT_DEAD_LETTER, "*"), 1);
	two_finish(&two);
}

static ward_result say_late(ward_self *self, void *arg)
{
	struct script_word word = script_word("late", &(struct script_word){0});

	ward_send(self, ((struct script *)arg)->ref, &ward_type_script_word, &word, sizeof word);
	return WARD_DONE;
}

WARD_TEST(dead_letter_of_a_sender_elsewhere_names_it, "S81", "S196")
{
	struct two two = {.loop = NULL};
	char path[WARD_EVENT_PATH];

	two_start(&two, NULL);
	let_and_settle(&two, &two.b, do_end, NULL);
	let_and_settle(&two, &two.a, say_late, &two.b);
	const ward_event *event = ward_kit_event(two.right, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert(ward_ref_equal(event->sender, two.a.ref));
	snprintf(path, sizeof path, "ward://left/#%llx",
		 (unsigned long long)ward_ref_number(two.a.ref));
	ward_assert_str(event->sender_path, path);
	two_finish(&two);
}

/* ---- what is seen of it --------------------------------------------------------------------- */

struct look {
	ward_node_info info;
	size_t nodes;
};

static void look_at(void *arg, const ward_node_info *info)
{
	((struct look *)arg)->info = *info;
	((struct look *)arg)->nodes++;
}

/* Of a system with one association. */
static ward_node_info node(ward_kit *kit)
{
	struct look look = {.nodes = 0};

	ward_assert_eq(ward_system_nodes(ward_kit_system(kit), look_at, &look), 1);
	ward_assert_eq(look.nodes, 1);
	return look.info;
}

static void check_node(ward_kit *kit, uint64_t waiting, uint64_t passed, uint64_t refused)
{
	ward_node_info info = node(kit);

	ward_assert_eq(info.waiting, waiting);
	ward_assert_eq(info.waiting_bytes, waiting * sizeof(struct letter));
	ward_assert_eq(info.passed, passed);
	ward_assert_eq(info.refused, refused);
}

static void write_both_ways(ward_kit *kit, ward_ref far)
{
	gate_write(kit, far, "to a ref");
	ward_system_select_send(ward_kit_system(kit), "ward://x/user/b", &ward_type_letter,
				&(struct letter){strdup("to a path")}, sizeof(struct letter));
	ward_kit_run(kit);
}

WARD_TEST(node_shows_what_waits_what_has_passed_and_what_was_refused, "S197")
{
	struct gate gate = {.place = 0};
	struct script a = {.name = "a"}, until = {.name = NULL};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	ward_assert_eq(ward_system_nodes(ward_kit_system(kit), look_at, NULL), 0);
	gate_spawn(kit, &gate, "x");
	script_spawn(kit, &a);
	ward_ref far = gate_peer(&gate);
	gate_close(kit, &gate, &until);
	write_both_ways(kit, far);
	check_node(kit, 2, 0, 0);
	ward_assert_str(node(kit).name, "x");
	ward_assert(node(kit).open && node(kit).place == gate.place);
	ward_assert(ward_ref_equal(node(kit).association, gate.script.ref));
	gate_open(kit, &until);
	check_node(kit, 0, 2, 0);
	script_do(kit, a.ref, send_local, &far); /* a signal passes, two local bodies do not */
	ward_kit_run(kit);
	check_node(kit, 0, 3, 2);
	ward_system_select_send(ward_kit_system(kit), "ward://x/user/b", &ward_type_local,
				&(struct local){3}, sizeof(struct local));
	ward_kit_run(kit);
	check_node(kit, 0, 3, 3);
	script_do(kit, gate.script.ref, close_mailbox, NULL);
	ward_kit_run(kit);
	write_both_ways(kit, far);
	check_node(kit, 2, 3, 3);
	ward_system_stop(ward_kit_system(kit), gate.script.ref);
	ward_kit_run(kit);
	check_node(kit, 0, 3, 5); /* what has waited is lost */
	ward_assert(!node(kit).open && ward_ref_is_nobody(node(kit).association));
	gate_write(kit, far, "late");
	ward_kit_run(kit);
	check_node(kit, 0, 3, 6);
	ward_assert_eq(ward_system_nodes(ward_kit_system(kit), NULL, NULL), 1);
	script_finish(kit);
	ward_assert_eq(ward_system_nodes(NULL, look_at, NULL), 0);
}

/* ---- back-pressure ------------------------------------------------------------------------- */

enum { MAX = 10, FLOOD = 1000 };

static int sent;
static ward_result flood(ward_self *self, const ward_msg *msg)
{
	struct letter letter;

	if (ward_match(msg, signal) == NULL)
		return note_ends(self, msg);
	letter.text = strdup("flood");
	sent++;
	ward_send(self, *(ward_ref *)script_of(self)->arg, &ward_type_letter, &letter,
		  sizeof letter);
	if (sent < FLOOD)
		ward_tell(self, ward_self_ref(self), signal);
	return WARD_DONE;
}

static struct gate bounded_gate(uint32_t bytes_unit)
{
	return (struct gate){
		.options.bytes_unit = bytes_unit,
		.script.mailbox = {.messages_max = MAX, .overflow = WARD_OVERFLOW_HOLD_SENDER}};
}

/* Returns how many messages an actor sends into an association that passes nothing on. */
static int held_after(ward_kit *kit, struct gate *gate, struct script *a, ward_ref *far,
		      struct script *until)
{
	gate_spawn(kit, gate, "x");
	*far = gate_peer(gate);
	a->name = "a";
	a->receive = flood;
	a->arg = far;
	script_spawn(kit, a);
	gate_close(kit, gate, until);
	sent = 0;
	ward_kit_tell(kit, a->ref, signal);
	ward_kit_run(kit);
	return sent;
}

WARD_TEST(sender_is_held_while_the_association_is_full_and_then_goes_on, "S197")
{
	struct gate gate = bounded_gate(0);
	struct script a = {.name = NULL}, until = {.name = NULL};
	ward_ref far;
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	ward_assert_eq(held_after(kit, &gate, &a, &far, &until), MAX + 1);
	gate_open(kit, &until);
	ward_assert_eq(sent, FLOOD);
	ward_assert_eq(node(kit).passed, FLOOD);
	ward_assert_eq(ward_kit_stats(kit).dead_letters, 0);
	script_finish(kit);
}

WARD_TEST(sender_that_is_held_goes_on_when_the_association_ends, "S197")
{
	struct gate gate = bounded_gate(0);
	struct script a = {.name = NULL}, until = {.name = NULL};
	ward_ref far;
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	ward_assert_eq(held_after(kit, &gate, &a, &far, &until), MAX + 1);
	ward_system_stop(ward_kit_system(kit), gate.script.ref);
	ward_kit_run(kit);
	ward_assert_eq(sent, FLOOD); /* nobody is held by what is closed */
	ward_assert_eq(node(kit).refused, FLOOD);
	script_finish(kit);
}

WARD_TEST(body_weighs_by_its_size, "S197")
{
	/* A letter has the size of a pointer: it weighs 1 + 8 / 2. */
	struct gate gate = bounded_gate(2);
	struct script a = {.name = NULL}, until = {.name = NULL};
	ward_ref far;
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	ward_assert_eq(held_after(kit, &gate, &a, &far, &until), 3);
	script_finish(kit);
}

static int made;
static ward_result make_watches(ward_self *self, const ward_msg *msg)
{
	const struct gate *gate = script_of(self)->arg;
	ward_ref who = ward_ref_at(gate->place, WARD_REF_ACTOR, (uint64_t)++made);

	if (ward_match(msg, signal) == NULL)
		return note_ends(self, msg);
	if (made % 2)
		ward_watch(self, who);
	else
		ward_link(self, who);
	if (made < FLOOD)
		ward_tell(self, ward_self_ref(self), signal);
	return WARD_DONE;
}

WARD_TEST(maker_of_watches_and_links_is_held_too, "S197")
{
	struct gate gate = bounded_gate(0);
	struct script a = {.name = "a", .receive = make_watches, .arg = &gate};
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true});

	made = 0;
	gate_spawn(kit, &gate, "x");
	script_spawn(kit, &a);
	script_do(kit, gate.script.ref, close_mailbox, NULL);
	ward_kit_run(kit);
	ward_kit_tell(kit, a.ref, signal);
	ward_kit_run(kit);
	ward_assert(made >= MAX && made <= MAX + 2);
	script_finish(kit);
}

/* ---- memory -------------------------------------------------------------------------------- */

struct page {
	unsigned char bytes[4000];
};
WARD_MESSAGE_FIELDS(page, 1, WARD_FIELD(BYTES, page, bytes));

static ward_result send_pages(ward_self *self, const ward_msg *msg)
{
	static const struct page page;

	if (ward_match(msg, signal) == NULL)
		return note_ends(self, msg);
	ward_send(self, ((struct script *)script_of(self)->arg)->ref, &ward_type_page, &page,
		  sizeof page);
	if (++sent < FLOOD) /* nobody is held by what is closed */
		ward_tell(self, ward_self_ref(self), signal);
	return WARD_DONE;
}

static ward_result ignore_pages(ward_self *self, const ward_msg *msg)
{
	return ward_match(msg, page) != NULL ? WARD_DONE : note_ends(self, msg);
}

WARD_TEST(flood_towards_a_peer_that_is_silent_keeps_memory_bounded, "S197")
{
	/* A page weighs 4. What is in the window is the loop's; what is in the mailbox, the
	 * system's: 25 pages, and what one callback of each sender adds. */
	enum { LIMIT = 100, WINDOW = 64 * 1024, PAGES = LIMIT / 4 + WINDOW / 4096 + 3 };
	struct two two = {.a.receive = send_pages, .b.receive = ignore_pages};

	two_start(&two, &(ward_loop_options){.messages_max = LIMIT,
					     .window_bytes = WINDOW,
					     .latency_ms = 100,
					     .lost_after_ms = WARD_FOREVER});
	two.a.arg = &two.b;
	uint64_t before = ward_kit_bytes(two.left);

	sent = 0;
	ward_kit_tell(two.left, two.a.ref, signal);
	ward_kit_run(two.left);
	ward_assert(sent >= LIMIT / 4 && sent <= PAGES);
	ward_assert(ward_kit_bytes(two.left) - before <= (LIMIT + 8) * 1024 + 16 * 1024);
	ward_loop_cut(two.loop, "left", "right"); /* all that is on its way is lost */
	ward_system_stop(ward_kit_system(two.left), two.a.ref);
	ward_kit_run(two.left);
	two_finish(&two);
}

WARD_TEST_MAIN
