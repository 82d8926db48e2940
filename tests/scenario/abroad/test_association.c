/* SPDX-License-Identifier: MIT
 *
 * test_association.c - an association is an incarnation of an actor: what is refused, and what its
 * end is for its refs (S195).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gate.h"

static ward_kit *begin(void)
{
	return script_start(&(ward_kit_options){.may_leave_mail = true});
}

static void end(ward_kit *kit)
{
	script_finish(kit);
}

/* ---- refusals ------------------------------------------------------------------------------ */

struct wanted {
	ward_association_options options;
	ward_err err;
	const char *text; /* a part of it; NULL: none */
};

static ward_result try_to_open(ward_self *self, void *arg)
{
	const struct wanted *wanted = arg;
	uint32_t place = 0;
	ward_err err = ward_association_open(self, &wanted->options, &place);

	if (err == WARD_ENOMEM)
		return ward_failed_err(self, err);
	ward_assert_eq(err, wanted->err);
	if (wanted->text != NULL)
		ward_assert_part(ward_err_detail(), wanted->text);
	ward_assert_eq(place != 0, err == WARD_OK);
	return WARD_DONE;
}

static void check_refused(ward_kit *kit, const struct wanted *wanted, const ward_mailbox *mailbox)
{
	struct script actor = {.name = "opener"};

	if (mailbox != NULL)
		actor.mailbox = *mailbox;
	script_spawn(kit, &actor);
	script_do(kit, actor.ref, try_to_open, (void *)(uintptr_t)wanted);
	ward_kit_run(kit);
	ward_system_stop(ward_kit_system(kit), actor.ref);
	ward_kit_run(kit);
}

static int32_t by_nothing(const ward_msg *msg)
{
	(void)msg;
	return 0;
}

WARD_TEST(association_is_refused_with_a_text, "S195")
{
	static const struct wanted refused[] = {
		{{.name = NULL}, WARD_ENAME, "empty"},
		{{.name = ""}, WARD_ENAME, "empty"},
		{{.name = "a/b"}, WARD_ENAME, "forbidden character (0x2f) at position 1"},
		{{.name = "x", .reserved = {0, 0, 1}}, WARD_EINVAL, "reserved word"},
		{{.name = "x", .lost_after_ms = -1}, WARD_EINVAL, "lost_after_ms"},
	};
	char long_name[WARD_NODE_NAME + 1];
	struct wanted other = {{.name = long_name}, WARD_ENAME, "64 bytes, at most 63"};
	ward_kit *kit = begin();

	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
		check_refused(kit, &refused[i], NULL);
	memset(long_name, 'n', sizeof long_name);
	long_name[WARD_NODE_NAME] = '\0';
	check_refused(kit, &other, NULL);
	long_name[WARD_NODE_NAME - 1] = '\0';
	other = (struct wanted){{.name = long_name}, WARD_OK, NULL};
	check_refused(kit, &other, NULL);
	other = (struct wanted){
		{.name = "x", .by_value = ward_kit_system(kit)}, WARD_EINVAL, "itself"};
	check_refused(kit, &other, NULL);
	end(kit);
}

WARD_TEST(association_needs_a_mailbox_that_takes_all, "S195")
{
	static const ward_mailbox wrong[] = {
		{.messages_max = 5, .overflow = WARD_OVERFLOW_REFUSE},
		{.messages_max = 5, .overflow = WARD_OVERFLOW_DROP_NEWEST},
		{.messages_max = 5, .overflow = WARD_OVERFLOW_DROP_OLDEST},
		{.priority = by_nothing},
		{.messages_max = 5, .overflow = WARD_OVERFLOW_HOLD_SENDER, .priority = by_nothing},
	};
	static const ward_mailbox right[] = {
		{.counted = true},
		{.messages_max = 5, .overflow = WARD_OVERFLOW_HOLD_SENDER},
	};
	const struct wanted refused = {{.name = "x"}, WARD_EINVAL, "must hold its senders"};
	const struct wanted opened = {{.name = "x"}, WARD_OK, NULL};
	ward_kit *kit = begin();

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		check_refused(kit, &refused, &wrong[i]);
	for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
		check_refused(kit, &opened, &right[i]);
	end(kit);
}

WARD_TEST(association_of_an_actor_is_one_and_so_is_that_of_a_name, "S195")
{
	struct gate gate = {.place = 0};
	const struct wanted second = {{.name = "y"}, WARD_EEXIST, "has an open association"};
	const struct wanted same = {{.name = "x"}, WARD_EEXIST, "\"x\" is open"};
	const struct wanted opened = {{.name = "x"}, WARD_OK, NULL};
	ward_kit *kit = begin();

	gate_spawn(kit, &gate, "x");
	script_do(kit, gate.script.ref, try_to_open, (void *)(uintptr_t)&second);
	check_refused(kit, &same, NULL);
	ward_assert_eq(ward_node_place(ward_kit_system(kit), "x"), gate.place);
	ward_system_stop(ward_kit_system(kit), gate.script.ref);
	ward_kit_run(kit);
	ward_assert_eq(ward_node_place(ward_kit_system(kit), "x"), 0);
	check_refused(kit, &opened, NULL);
	end(kit);
}

WARD_TEST(system_of_this_process_has_one_name, "S195")
{
	ward_kit *kit = begin(), *peer = ward_kit_start(&(ward_kit_options){.seed = 1});
	struct gate gate = {.options.by_value = ward_kit_system(peer)};
	const struct wanted other = {
		{.name = "y", .by_value = ward_kit_system(peer)}, WARD_EEXIST, "\"x\" is open"};

	gate_spawn(kit, &gate, "x");
	ward_assert_eq(gate.place, ward_place(ward_kit_system(peer)));
	check_refused(kit, &other, NULL);
	ward_kit_finish(peer);
	end(kit);
}

static ward_result open_many(ward_self *self, void *arg)
{
	char name[24];
	uint32_t place;

	snprintf(name, sizeof name, "node-%" PRIu64, ward_self_ref(self).uid);
	ward_err err =
		ward_association_open(self, &(ward_association_options){.name = name}, &place);
	if (err == WARD_ENOMEM)
		return ward_failed_err(self, err);
	if (err == WARD_ELIMIT)
		ward_assert_part(ward_err_detail(), "512 associations are open");
	else
		ward_assert_ok(err);
	++*(int *)arg;
	return err == WARD_OK ? WARD_DONE : ward_stop_self(self);
}

WARD_TEST(at_most_512_associations_are_open, "S195")
{
	struct script actor = {.pre_start = open_many};
	ward_kit *kit = begin();
	int opened = 0, count = ward_test_shortage() ? 3 : 513;
	ward_ref last = ward_nobody();

	for (int i = 0; i < count; i++) {
		actor.name = NULL;
		actor.arg = &opened;
		script_spawn(kit, &actor);
		if (i < 512)
			last = actor.ref;
	}
	ward_assert_eq(opened, count);
	if (count > 512)
		ward_assert(!ward_system_is_alive(ward_kit_system(kit), actor.ref));
	ward_system_stop(ward_kit_system(kit), last);
	ward_kit_run(kit);
	script_spawn(kit, &actor);
	ward_assert(ward_system_is_alive(ward_kit_system(kit), actor.ref));
	end(kit);
}

/* ---- the end ------------------------------------------------------------------------------- */

WARD_TEST(restart_of_the_actor_is_another_place_and_old_refs_are_dead, "S195")
{
	struct gate gate = {.place = 0};
	ward_kit *kit = begin();
	ward_system *system = ward_kit_system(kit);
	char name[WARD_NODE_NAME];

	gate_spawn(kit, &gate, "x");
	ward_ref old = gate_peer(&gate);
	uint32_t old_place = gate.place;

	script_break(kit, gate.script.ref, &ward_exception);
	ward_kit_run(kit);
	ward_assert_ok(gate.opened);
	ward_assert(gate.place != old_place && gate.place != 0);
	ward_assert_eq(ward_node_place(system, "x"), gate.place);
	ward_assert(ward_node_name(system, old_place, name));
	ward_assert_str(name, "x");
	journal_clear();
	gate_write(kit, old, "late");
	gate_write(kit, gate_peer(&gate), "well");
	ward_kit_run(kit);
	assert_journal("gate:send letter");
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert_eq(event->reason, WARD_REASON_UNREACHED);
	ward_assert(ward_ref_equal(event->subject, old));
	end(kit);
}

static ward_result note_err(ward_self *self, void *arg)
{
	struct script_word word = script_word("x", &(struct script_word){.arg = NULL});
	ward_err err =
		ward_try_send(self, *(ward_ref *)arg, &ward_type_script_word, &word, sizeof word);

	journal_note("err %s", ward_err_text(err));
	if (err != WARD_OK)
		ward_type_script_word.drop(&word);
	return WARD_DONE;
}

WARD_TEST(message_for_an_earlier_association_of_the_actor_is_not_passed_on, "S195", "S196")
{
	struct gate gate = {.place = 0};
	ward_kit *kit = begin();

	gate_spawn(kit, &gate, "x");
	ward_ref old = gate_peer(&gate);

	journal_clear();
	script_break(kit, gate.script.ref, &ward_exception);
	gate_write(kit, old, "waits behind the failure");
	ward_kit_run(kit);
	ward_assert(strstr(journal_text(), "gate:send") == NULL);
	ward_assert_eq(ward_kit_count(kit, WARD_EVENT_DEAD_LETTER, "*"), 1);
	const ward_event *event = ward_kit_event(kit, WARD_EVENT_DEAD_LETTER, "*", 0);
	ward_assert_eq(event->reason, WARD_REASON_UNREACHED);
	ward_assert(ward_ref_equal(event->subject, old));
	ward_assert_str(event->message_type, "letter");
	end(kit);
}

/* ---- lives of one place -------------------------------------------------------------------- */

struct binding {
	struct gate gate;
	struct script actor;
	bool is_early; /* in the first life of the association */
};

static ward_result bind(ward_self *self, void *arg)
{
	struct binding *it = arg;
	ward_ref peer = gate_peer(&it->gate);

	it->is_early = it->gate.script.calls[SCRIPT_PRE_START] == 1;
	(void)ward_trap_exit(self, true);
	ward_link(self, peer);
	ward_watch(self, peer);
	ward_stop(self, peer);
	return WARD_DONE;
}

static ward_result note_ends(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);

	(void)self;
	if (gone != NULL)
		journal_note("notice %d", gone->end == WARD_END_UNREACHED);
	if (exited != NULL)
		journal_note("exit %d", exited->reason.kind == WARD_EXIT_UNREACHED);
	return gone != NULL || exited != NULL ? WARD_DONE : WARD_UNHANDLED;
}

static bool is_noted(const char *what)
{
	return strstr(journal_text(), what) != NULL;
}

/* The mail of the first life waits behind the failure that ends it. */
static bool mail_of_an_earlier_life_is_lost(uint64_t seed)
{
	ward_kit *kit = script_start(&(ward_kit_options){.may_leave_mail = true, .seed = seed});
	ward_kit *other = ward_kit_start(&(ward_kit_options){.seed = 1});
	struct binding it = {.gate.options.by_value = ward_kit_system(other),
			     .actor = {.name = "a", .receive = note_ends}};

	gate_spawn(kit, &it.gate, "x");
	script_spawn(kit, &it.actor);
	journal_clear();
	script_break(kit, it.gate.script.ref, &ward_exception);
	gate_write(kit, gate_peer(&it.gate), "waits");
	script_do(kit, it.actor.ref, bind, &it);
	ward_kit_run(kit);
	ward_assert_eq(it.gate.place, ward_place(ward_kit_system(other)));
	ward_assert(!is_noted("gate:send"));
	for (int i = 0; i < 3; i++)
		ward_assert_eq(
			is_noted((const char *[]){"gate:link", "gate:watch", "gate:stop"}[i]),
			!it.is_early);
	ward_assert_eq(is_noted("notice 1") && is_noted("exit 1"), it.is_early);
	gate_write(kit, gate_peer(&it.gate), "well");
	ward_kit_run(kit);
	ward_assert(is_noted("gate:send letter"));
	ward_kit_finish(other);
	end(kit);
	return it.is_early;
}

WARD_TEST(system_of_this_process_keeps_its_place_and_not_the_mail_of_an_earlier_life, "S195",
	  "S196")
{
	int early = 0;

	for (uint64_t seed = 1; seed <= (ward_test_shortage() ? 1 : 50); seed++)
		early += mail_of_an_earlier_life_is_lost(seed);
	ward_assert(ward_test_shortage() || early > 5);
}

static ward_result link_trapping(ward_self *self, void *arg)
{
	(void)ward_trap_exit(self, true);
	ward_link(self, gate_peer(arg));
	return WARD_DONE;
}

static ward_result unlink_peer(ward_self *self, void *arg)
{
	ward_unlink(self, gate_peer(arg));
	return WARD_DONE;
}

static ward_err peer_says(ward_kit *kit, struct gate *gate, ward_ref to, ward_control kind)
{
	return gate_apply(kit, gate,
			  (struct ward_outgoing){.kind = kind,
						 .from = gate_peer(gate),
						 .to = to,
						 .number = kind == WARD_CONTROL_LINK,
						 .reason.kind = WARD_EXIT_NORMAL});
}

/* The exit of the first life waits, as the actor has failed, when the peer links in the second. */
static void link_twice(bool unlinks)
{
	ward_kit *kit = begin(), *other = ward_kit_start(&(ward_kit_options){.seed = 1});
	ward_probe *probe = ward_probe_start(kit, "probe");
	struct gate gate = {.options.by_value = ward_kit_system(other)};
	struct script actor = {.name = "a", .receive = note_ends};
	ward_ref a;

	gate_spawn(kit, &gate, "x");
	a = ward_probe_spawn_props(probe, script_props(&actor));
	script_do(kit, a, link_trapping, &gate);
	ward_kit_run(kit);
	script_break(kit, a, &ward_exception);
	(void)ward_expect_failure(probe, 0, a, &ward_exception);
	if (unlinks)
		script_do(kit, a, unlink_peer, &gate);
	script_break(kit, gate.script.ref, &ward_exception);
	ward_kit_run(kit);
	ward_assert_ok(peer_says(kit, &gate, a, WARD_CONTROL_LINK));
	journal_clear();
	ward_probe_decide(probe, a, WARD_RESUME);
	ward_kit_run(kit);
	ward_assert_eq(is_noted("exit 1"), !unlinks);
	ward_assert_eq(is_noted("gate:unlink 0 1"), unlinks);
	ward_assert_ok(peer_says(kit, &gate, a, WARD_CONTROL_LINK_EXIT));
	ward_assert_eq(is_noted("exit 0"), !unlinks);
	ward_kit_finish(other);
	end(kit);
}

WARD_TEST(link_of_a_later_life_is_not_that_whose_exit_waits, "S195", "S199")
{
	link_twice(false);
	link_twice(true);
}

/* ---- no place ------------------------------------------------------------------------------ */

WARD_TEST(ref_of_a_place_that_nobody_has_is_foreign, "S195")
{
	struct script actor = {.name = "a"};
	ward_kit *kit = begin();
	ward_ref stranger = ward_ref_at(0x12345678, WARD_REF_ACTOR, 1);

	script_spawn(kit, &actor);
	journal_clear();
	script_do(kit, actor.ref, note_err, &stranger);
	ward_kit_run(kit);
	char wanted[64];
	snprintf(wanted, sizeof wanted, "err %s", ward_err_text(WARD_EFOREIGN));
	assert_journal(wanted);
	end(kit);
}

WARD_TEST_MAIN
