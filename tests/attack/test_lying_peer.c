/* SPDX-License-Identifier: MIT
 *
 * test_lying_peer.c - control messages that no association sends: fields out of range, texts
 * without an end, refs of what is no actor, and an association that is its own neighbour.
 *
 * Method: an association by hand, whose peer is nobody.
 */
#include "scenario/abroad/gate.h"

static ward_kit *kit;
static struct gate gate;
static struct script near;

static ward_result note_what_comes(ward_self *self, const ward_msg *msg)
{
	const struct ward_terminated *gone = ward_match(msg, ward_terminated);
	const struct ward_exited *exited = ward_match(msg, ward_exited);

	(void)self;
	if (gone != NULL)
		journal_note("near:gone %d %zu", (int)gone->end,
			     strnlen(gone->name, sizeof gone->name));
	else if (exited != NULL)
		journal_note("near:exited %u %zu", exited->reason.kind,
			     strnlen(exited->reason.text, sizeof exited->reason.text));
	return gone != NULL || exited != NULL ? WARD_DONE : WARD_UNHANDLED;
}

static void begin(void)
{
	near = (struct script){.name = "near", .receive = note_what_comes};
	gate = (struct gate){.opened = WARD_OK};
	kit = script_start(&(ward_kit_options){.may_leave_mail = true});
	gate_spawn(kit, &gate, "peer");
	script_spawn(kit, &near);
	journal_clear();
}

static ward_err apply(struct ward_outgoing in)
{
	if (ward_ref_is_nobody(in.from))
		in.from = gate_peer(&gate);
	if (ward_ref_is_nobody(in.to))
		in.to = near.ref;
	return gate_apply(kit, &gate, in);
}

static ward_result do_watch(ward_self *self, void *arg)
{
	(void)arg;
	ward_watch(self, gate_peer(&gate));
	return WARD_DONE;
}

static ward_result do_link(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_trap_exit(self, true);
	ward_link(self, gate_peer(&gate));
	return WARD_DONE;
}

static ward_result do_unlink(ward_self *self, void *arg)
{
	(void)arg;
	ward_unlink(self, gate_peer(&gate));
	ward_unwatch(self, gate_peer(&gate));
	return WARD_DONE;
}

WARD_TEST(end_that_is_none_is_refused, "S198")
{
	struct ward_outgoing in = {.kind = WARD_CONTROL_TERMINATED, .end = WARD_END_FAILED};

	begin();
	script_do(kit, near.ref, do_watch, NULL);
	ward_kit_run(kit);
	journal_clear();
	memset(in.name, 'x', sizeof in.name);
	ward_assert_err(apply(in), WARD_EINVAL);
	memset(in.name, 0, sizeof in.name);
	in.end = (ward_end)99;
	ward_assert_err(apply(in), WARD_EINVAL);
	assert_journal("");
	in.end = WARD_END_FAILED;
	ward_assert_ok(apply(in));
	assert_journal("near:gone 3 0");
	script_finish(kit);
}

WARD_TEST(reason_of_a_link_s_end_is_checked_as_any, "S199")
{
	struct ward_outgoing in = {.kind = WARD_CONTROL_LINK_EXIT,
				   .reason = {.kind = WARD_EXIT_OTHER, .name = "so"}};

	begin();
	script_do(kit, near.ref, do_link, NULL);
	ward_kit_run(kit);
	journal_clear();
	memset(in.reason.text, 'x', sizeof in.reason.text);
	ward_assert_err(apply(in), WARD_EINVAL);
	memset(in.reason.text, 0, sizeof in.reason.text);
	in.reason.kind = 99;
	ward_assert_err(apply(in), WARD_EINVAL);
	assert_journal("");
	in.reason.kind = WARD_EXIT_OTHER;
	ward_assert_ok(apply(in));
	assert_journal("near:exited 6 0");
	script_finish(kit);
}

WARD_TEST(unheard_for_no_reason_is_refused, "S201")
{
	begin();
	ward_assert_err(
		apply((struct ward_outgoing){
			.kind = WARD_CONTROL_UNHEARD,
			.to = ward_ref_at(ward_place(ward_kit_system(kit)), WARD_REF_QUESTION, 1),
			.dead = (ward_reason)99}),
		WARD_EINVAL);
	ward_assert_ok(apply((struct ward_outgoing){
		.kind = WARD_CONTROL_UNHEARD,
		.to = ward_ref_at(ward_place(ward_kit_system(kit)), WARD_REF_QUESTION, UINT64_MAX),
		.dead = WARD_REASON_DEAD}));
	ward_assert_ok(apply((struct ward_outgoing){
		.kind = WARD_CONTROL_UNHEARD,
		.to = ward_ref_at(ward_place(ward_kit_system(kit)), WARD_REF_THREAD, UINT64_MAX),
		.dead = WARD_REASON_DEAD}));
	script_finish(kit);
}

/* Everything in one order or the other, with the numbers of links that a liar may name. */
WARD_TEST(links_and_watches_out_of_order_leave_nothing, "S198", "S199")
{
	static const ward_control kinds[] = {
		WARD_CONTROL_WATCH, WARD_CONTROL_UNWATCH, WARD_CONTROL_TERMINATED,
		WARD_CONTROL_LINK,  WARD_CONTROL_UNLINK,  WARD_CONTROL_LINK_EXIT,
	};
	WARD_TEST_SEEDS(300)
	{
		uint64_t draw = ward_test_seed() * UINT64_C(0x9e3779b97f4a7c15);
		begin();
		script_do(kit, gate.script.ref, do_link, NULL);
		script_do(kit, near.ref, do_link, NULL);
		for (int i = 0; i < 40; i++) {
			draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407U;
			uint64_t bits = draw >> 32;
			struct ward_outgoing in = {
				.kind = kinds[bits % 6],
				.from = gate_peer(&gate),
				.to = (bits >> 4) % 3 == 0 ? gate.script.ref : near.ref,
				.number = (bits >> 8) % 3,
				.other_number = (bits >> 10) % 3,
				.end = WARD_END_NORMAL,
			};
			struct script *who = (bits >> 13) % 3 == 0 ? &gate.script : &near;
			if ((bits >> 16) % 4 == 0)
				script_do(kit, who->ref, do_link, NULL);
			if ((bits >> 16) % 4 == 1)
				script_do(kit, who->ref, do_unlink, NULL);
			if ((bits >> 16) % 4 == 2)
				script_do(kit, who->ref, do_watch, NULL);
			if ((bits >> 20) % 16 == 0)
				script_break(kit, gate.script.ref, &ward_exception);
			struct gate_control control = {&gate, in};
			script_do(kit, gate.script.ref, gate_applies, &control);
			for (uint64_t steps = (bits >> 24) % 8; steps > 0; steps--)
				(void)ward_kit_step(kit);
			if ((bits >> 28) % 2 == 0)
				ward_kit_run(kit);
			else
				while (ward_kit_step(kit) && ward_kit_is_alive(kit, near.ref) &&
				       script_words_left() > 0)
					;
			if (!ward_kit_is_alive(kit, gate.script.ref) ||
			    !ward_kit_is_alive(kit, near.ref))
				break;
		}
		ward_kit_run(kit);
		script_finish(kit);
	}
}

/* An actor, and a question or a thread, and something that has both flags. */
WARD_TEST(refs_that_denote_nothing_are_refused_or_dead, "S196")
{
	begin();
	uint32_t here = ward_place(ward_kit_system(kit));
	ward_ref both = ward_ref_at(here | UINT32_C(0xc0000000), WARD_REF_ACTOR, 5);
	static const struct letter nothing;

	(void)apply((struct ward_outgoing){.kind = WARD_CONTROL_SEND,
					   .to = both,
					   .type = &ward_type_letter,
					   .body = &nothing,
					   .size = sizeof nothing});
	(void)apply((struct ward_outgoing){
		.kind = WARD_CONTROL_UNHEARD, .to = both, .dead = WARD_REASON_DEAD});
	for (int kind = 0; kind < 14; kind++) {
		(void)apply((struct ward_outgoing){
			.kind = (ward_control)kind,
			.to = ward_ref_at(here, WARD_REF_ACTOR, UINT64_MAX)});
		(void)apply((struct ward_outgoing){
			.kind = (ward_control)kind,
			.to = ward_ref_at(here, WARD_REF_ACTOR, UINT64_C(0xffffff) << 8)});
	}
	ward_assert(ward_kit_is_alive(kit, near.ref));
	script_finish(kit);
}

WARD_TEST_MAIN
