/* SPDX-License-Identifier: MIT
 *
 * test_lying_neighbour.c - a peer whose guests answer what they should not, and one whose stand-ins
 * order what they must not.
 *
 * Method: an association by hand, by value, so that the messages of the library's own protocol can
 * be forged. Its peer is nobody.
 */
#include "patterns/remote/wire.h"
#include "scenario/abroad/gate.h"

#include <ward/remote.h>
#include <ward/selection.h>

enum { GUESTS = 500, HOST, GUEST, STAND_IN, QUESTION };

/* ---- the peer ---------------------------------------------------------------------------- */

static ward_kit *kit, *other;
static struct gate gate;
static struct script boss;
static ward_ref child;

/* What came to the peer. */
static struct {
	ward_ref starts, makes, watches, bodies; /* the latest questions */
	uint64_t token;
	int count;
	struct wardi_guest_started started; /* the latest answer of guests here */
	int answers;
} heard;

static ward_ref peer(uint64_t number)
{
	return ward_ref_at(gate.place, WARD_REF_ACTOR, number);
}

static void note_message(const struct ward_outgoing *out)
{
	if (ward_type_same(out->type, &ward_type_wardi_guest_start)) {
		heard.starts = out->from;
		heard.token = ((const struct wardi_guest_start *)out->body)->token;
		heard.count++;
	} else if (ward_type_same(out->type, &ward_type_wardi_guest_make)) {
		heard.makes = out->from;
	} else if (ward_type_same(out->type, &ward_type_wardi_guest_watch)) {
		heard.watches = out->from;
	} else if (ward_type_same(out->type, &ward_type_wardi_guest_body)) {
		heard.bodies = out->from;
	} else if (ward_type_same(out->type, &ward_type_wardi_guest_started)) {
		heard.started = *(const struct wardi_guest_started *)out->body;
		heard.answers++;
	}
	journal_note("gate:%s", out->type->name);
}

static ward_result gate_hears(ward_self *self, const ward_msg *msg)
{
	struct ward_outgoing out;

	if (!ward_outgoing_open(self, msg, &out))
		return ward_msg_body(msg, &ward_type_script_word) ? WARD_UNHANDLED : WARD_DONE;
	if (out.kind == WARD_CONTROL_SEND)
		note_message(&out);
	else
		journal_note("gate:%s", ward_control_text(out.kind));
	return WARD_DONE;
}

static void say_from(ward_ref from, ward_ref to, const ward_type *type, const void *body)
{
	ward_assert_ok(gate_apply(kit, &gate,
				  (struct ward_outgoing){.kind = WARD_CONTROL_SEND,
							 .from = from,
							 .to = to,
							 .type = type,
							 .body = body,
							 .size = body == NULL ? 0 : type->size}));
}

#define SAY(from, to, T, ...) say_from(from, to, &ward_type_##T, &(struct T){__VA_ARGS__})

/* ---- a stand-in whose guests are the peer's ---------------------------------------------- */

/* Fails with the first message, and tells its parent of ends that are not its own. */
static ward_result none_receives(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, ward_exited)) {
		ward_forward(self, ward_parent(self));
		return WARD_DONE;
	}
	return ward_failed(self, &ward_exception, "as told");
}

static const ward_behavior none = {.name = "none", .receive = none_receives};
static const ward_props nothing = {.behavior = &none};
static const ward_kind kinds[] = {{"none", &nothing}, {NULL, NULL}};

static ward_result spawn_child(ward_self *self, void *arg)
{
	static const char *const nodes[] = {"peer", NULL};
	const struct ward_remote remote = {.nodes = nodes, .kind = "none"};
	ward_props props = ward_remote_props(&remote);

	(void)arg;
	props.name = "child";
	props.stash_max = 1;
	ward_assert_ok(ward_try_spawn(self, &props, &child));
	script_name_add(child, "child");
	return WARD_DONE;
}

static void begin(void)
{
	memset(&heard, 0, sizeof heard);
	boss = (struct script){.name = "boss", .strategy = &script_one, .decides = WARD_RESTART};
	kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	other = ward_kit_start(&(ward_kit_options){.system.name = "other"});
	gate = (struct gate){.options = {.by_value = ward_kit_system(other), .guests = GUESTS}};
	gate_spawn(kit, &gate, "peer");
	gate.script.receive = gate_hears;
	ward_assert_ok(ward_guests_start(ward_kit_system(kit),
					 &(ward_guests_options){.kinds = kinds}, NULL));
	script_spawn(kit, &boss);
	journal_clear();
}

static void ask_for_guest(void)
{
	begin();
	script_do(kit, boss.ref, spawn_child, NULL);
	ward_kit_run(kit);
	ward_assert_eq(heard.count, 1);
	journal_clear();
}

static void start_guest(void)
{
	ask_for_guest();
	SAY(peer(HOST), heard.starts, wardi_guest_started, .host = peer(HOST));
	SAY(peer(HOST), heard.makes, wardi_guest_started, .host = peer(HOST), .guest = peer(GUEST));
	ward_assert_part(journal_text(), "wardi_guest_watch");
	journal_clear();
}

static void finish(void)
{
	ward_kit_finish(other);
	script_finish(kit);
}

WARD_TEST(many_questions_for_a_guest_that_has_not_started_do_not_fail_it, "S193")
{
	start_guest();
	for (uint64_t tag = 1; tag <= 3; tag++)
		SAY(peer(2), child, ward_identify, .tag = tag);
	/* All but the one that is stashed are answered. */
	assert_journal("gate:ward_identity;gate:ward_identity");
	journal_clear();
	say_from(peer(HOST), heard.watches, &ward_type_wardi_guest_ready, NULL);
	ward_assert_part(journal_text(), "gate:ward_identity");
	ward_assert(ward_kit_is_alive(kit, child));
	finish();
}

WARD_TEST(start_with_another_answer_does_not_leave_the_child_waiting, "S193")
{
	ask_for_guest();
	SAY(peer(GUESTS), heard.starts, ward_identity, .found = true);
	ward_kit_advance(kit, WARD_MINUTE);
	ward_assert_part(journal_text(), "boss:decide child");
	finish();
}

/* Which host and guest the peer says that it has. */
enum claim { NOBODY, OF_THIS_SYSTEM, GUEST_OF_THIS_SYSTEM, NO_GUEST, UNKNOWN_PLACE, CLAIMS };

static struct wardi_guest_started claim(enum claim what)
{
	struct wardi_guest_started started = {.host = peer(HOST), .guest = peer(GUEST)};

	if (what == NOBODY || what == OF_THIS_SYSTEM)
		started.host = what == NOBODY ? ward_nobody() : boss.ref;
	if (what == OF_THIS_SYSTEM || what == GUEST_OF_THIS_SYSTEM)
		started.guest = child; /* what it passes on would come back to it */
	if (what == NOBODY || what == NO_GUEST)
		started.guest = ward_nobody();
	if (what == UNKNOWN_PLACE)
		started.host = ward_ref_at(12345, WARD_REF_ACTOR, HOST);
	return started;
}

WARD_TEST(guest_that_is_not_of_the_asked_node_is_refused, "S193")
{
	for (int what = NOBODY; what < CLAIMS; what++) {
		ask_for_guest();
		boss.decides = WARD_STOP;
		struct wardi_guest_started started = claim((enum claim)what);
		say_from(peer(GUESTS), heard.starts, &ward_type_wardi_guest_started, &started);
		if (!ward_ref_is_nobody(heard.makes))
			say_from(peer(HOST), heard.makes, &ward_type_wardi_guest_started, &started);
		ward_kit_advance(kit, WARD_MINUTE);
		ward_assert_part(journal_text(), "boss:decide child");
		ward_assert(!ward_kit_is_alive(kit, child));
		const ward_event *event = ward_kit_event(kit, WARD_EVENT_FAILURE, "*/child", 0);
		ward_assert(event != NULL);
		ward_assert_str(event->failure_class, "ward_initialization");
		finish();
	}
}

WARD_TEST(news_that_are_none_do_not_harm, "S190", "S192")
{
	static const ward_exit_reason odd = {.kind = 77};
	struct wardi_guest_failed failed = {.has_body = true};

	start_guest();
	memset(failed.why.chain, 'x', sizeof failed.why.chain - 1);
	memset(failed.why.text, 'x', sizeof failed.why.text - 1);
	say_from(peer(HOST), heard.watches, &ward_type_wardi_guest_failed, &failed);
	ward_assert_part(journal_text(), "wardi_guest_body");
	/* A body that is the question itself; and another answer, which nobody waits for. */
	SAY(peer(HOST), heard.bodies, wardi_guest_body, .number = 1);
	SAY(peer(HOST), heard.bodies, wardi_guest_body, .number = 1);
	ward_assert_part(journal_text(), "boss:decide child");
	ward_assert_part(journal_text(), "wardi_guest_verdict");
	journal_clear();
	boss.decides = WARD_STOP;
	SAY(peer(HOST), heard.watches, wardi_guest_ended, .end = 99, .reason = odd);
	ward_kit_run(kit);
	ward_assert_part(journal_text(), "boss:decide child");
	finish();
}

/* ---- a host whose stand-in is the peer's ------------------------------------------------- */

static ward_ref guests_here(void)
{
	ward_ref guests;

	ward_assert_ok(
		ward_system_resolve(ward_kit_system(kit), "/system/guests", WARD_SECOND, &guests));
	return guests;
}

static size_t actors(void)
{
	ward_stats stats;

	ward_system_stats(ward_kit_system(kit), &stats);
	return stats.actors;
}

static ward_ref question(void)
{
	return ward_ref_at(gate.place, WARD_REF_QUESTION, QUESTION);
}

static void start_here(ward_ref stand_in, uint64_t token)
{
	struct wardi_guest_start start = {.protocol = WARDI_REMOTE_PROTOCOL,
					  .stand_in = stand_in,
					  .parent = peer(1),
					  .token = token,
					  .kind = "none"};

	say_from(question(), guests_here(), &ward_type_wardi_guest_start, &start);
	if (heard.started.err == WARD_OK)
		say_from(question(), heard.started.host, &ward_type_wardi_guest_make, NULL);
}

WARD_TEST(start_in_the_name_of_another_node_s_actor_is_refused, "S189", "S194")
{
	begin();
	size_t before = actors();
	start_here(boss.ref, 1);
	ward_assert_eq(heard.answers, 1);
	ward_assert_err(heard.started.err, WARD_EINVAL);
	ward_assert_eq(actors(), before);
	start_here(ward_nobody(), 1);
	ward_assert_eq(heard.answers, 2);
	ward_assert_err(heard.started.err, WARD_EINVAL);
	ward_assert_eq(actors(), before);
	finish();
}

WARD_TEST(order_that_is_no_directive_does_not_keep_a_guest, "S190")
{
	static const uint32_t directives[] = {WARD_LATER, 77, UINT32_MAX, 0};

	for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++) {
		begin();
		size_t before = actors();
		start_here(peer(STAND_IN), 1);
		ward_assert_ok(heard.started.err);
		ward_assert_eq(actors(), before + 2);
		SAY(question(), heard.started.host, wardi_guest_watch, .knows_ready = true);
		SAY(peer(1), heard.started.guest, wardi_guest_watch, .knows_ready = true);
		ward_assert_part(journal_text(), "gate:wardi_guest_failed");
		for (uint64_t number = 0; number < 3; number++)
			SAY(peer(STAND_IN), heard.started.host, wardi_guest_verdict,
			    .number = number, .directive = directives[i]);
		ward_assert_ok(gate_apply(kit, &gate,
					  (struct ward_outgoing){.kind = WARD_CONTROL_TERMINATED,
								 .from = peer(STAND_IN),
								 .to = heard.started.host}));
		ward_assert_eq(actors(), before);
		finish();
	}
}

WARD_TEST(stranger_does_not_decide_about_a_guest, "S190", "S192")
{
	static const uint32_t stopping = WARD_STANDING_STOPPING;
	begin();
	size_t before = actors();
	start_here(peer(STAND_IN), 1);
	SAY(question(), heard.started.host, wardi_guest_watch, .knows_ready = true);
	SAY(peer(1), heard.started.guest, wardi_guest_watch, .knows_ready = true);
	journal_clear();
	SAY(peer(1), heard.started.host, ward_represented, .number = 9, .standing = stopping);
	SAY(peer(1), heard.started.host, wardi_guest_verdict, .directive = WARD_STOP);
	say_from(peer(1), heard.started.host, &ward_type_wardi_guest_go, NULL);
	ward_assert_eq(actors(), before + 2);
	SAY(peer(STAND_IN), heard.started.host, wardi_guest_verdict, .number = 1,
	    .directive = WARD_STOP);
	SAY(question(), heard.started.host, wardi_guest_watch, .knows_ready = true);
	ward_assert_part(journal_text(), "gate:wardi_guest_ended");
	ward_assert_eq(actors(), before);
	finish();
}

/* As it would with its parent beside it. */
WARD_TEST(guest_passes_on_to_its_parent_how_others_have_ended, "S191")
{
	begin();
	size_t before = actors();
	start_here(peer(STAND_IN), 1);
	SAY(peer(2), heard.started.guest, ward_exited, .who = peer(2));
	ward_assert_part(journal_text(), "gate:ward_exited");
	ward_assert_eq(actors(), before + 2);
	finish();
}

WARD_TEST_MAIN
