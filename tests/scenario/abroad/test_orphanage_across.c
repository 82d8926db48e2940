/* SPDX-License-Identifier: MIT
 *
 * test_orphanage_across.c - a supervisor of the Akka 0.x profile that is linked with an orphan of
 * another node (S118, S119).
 *
 * Method: a chief below /user on the left, the orphanage and its orphan on the right. The orphan
 * notes each init, receive and end.
 */
#include <ward/zero.h>

#include "two_systems.h"

WARD_SIGNAL(fall);
WARD_SIGNAL(work);

static ward_result orphan_init(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	journal_note("orphan:init %d", (int)ward_incarnation(self));
	return WARD_DONE;
}

static ward_result orphan_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, fall))
		return ward_failed(self, &bad_luck, "it fell");
	journal_note("orphan:work");
	return WARD_DONE;
}

static ward_result orphan_end(ward_self *self, void *state)
{
	(void)self, (void)state;
	journal_note("orphan:end");
	return WARD_DONE;
}

static const ward_behavior orphan = {
	.name = "orphan", .init = orphan_init, .receive = orphan_receive, .post_stop = orphan_end};
static const ward_zero_component component = {.life = WARD_ZERO_PERMANENT,
					      .props = {.behavior = &orphan, .name = "orphan"}};
static const ward_zero_strategy strategy =
	WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 5, 60000, &bad_luck);

static struct {
	struct two two;
	ward_ref orphanage, orphan, chief;
} at;

struct chief {
	struct ward_zero_links links;
};

static ward_result chief_init(ward_self *self, void *state, const void *args)
{
	(void)args;
	ward_zero_init(self, &((struct chief *)state)->links, &strategy);
	return WARD_DONE;
}

static ward_result chief_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct chief *me = state;
	const struct ward_zero_linked *linked = ward_match(msg, ward_zero_linked);

	if (linked != NULL)
		journal_note("chief:%s", linked->err == WARD_OK ? "linked" : "refused");
	else if (ward_match(msg, work))
		ward_assert_ok(ward_try_zero_link(self, &me->links, at.orphanage, at.orphan,
						  WARD_ZERO_PERMANENT));
	return WARD_DONE;
}

static const ward_behavior chief = {.name = "chief",
				    .state_size = sizeof(struct chief),
				    .init = chief_init,
				    .receive = chief_receive};

static void begin(void)
{
	struct ward_zero_spawned spawned;

	memset(&at, 0, sizeof at);
	two_start(&at.two, &(ward_loop_options){.latency_ms = 5});
	at.orphanage = ward_kit_spawn(at.two.right, &ward_zero_orphanage, .name = "orphans");
	ward_assert_ok(ward_system_ask(ward_kit_system(at.two.right), at.orphanage, WARD_SECOND,
				       &spawned, ward_zero_spawn, .component = &component));
	ward_assert_ok(spawned.err);
	at.orphan = spawned.who;
	at.chief = ward_kit_spawn(at.two.left, &chief, .child_strategy = &strategy.fault_handler);
	settle(&at.two);
	ward_kit_tell(at.two.left, at.chief, work);
	settle(&at.two);
	assert_journal("orphan:init 1;chief:linked");
	journal_clear();
}

static void tell_orphan(ward_body body)
{
	ward_system_send(ward_kit_system(at.two.right), at.orphan, body.type, body.bytes,
			 body.size);
	settle(&at.two);
}

WARD_TEST(orphan_of_another_node_is_restarted_by_its_supervisor, "S118", "S119")
{
	begin();
	tell_orphan((ward_body){&ward_type_fall, NULL, 0});
	tell_orphan((ward_body){&ward_type_work, NULL, 0});
	assert_journal("orphan:end;orphan:init 2;orphan:work");
	two_finish(&at.two);
}

WARD_TEST(orphan_of_another_node_ends_with_its_supervisor, "S118")
{
	begin();
	ward_kit_stop(at.two.left, at.chief);
	settle(&at.two);
	assert_journal("orphan:end");
	two_finish(&at.two);
}

WARD_TEST(orphan_whose_supervisor_is_unreached_ends_also_while_it_waits, "S118")
{
	for (int waits = 0; waits < 2; waits++) {
		begin();
		if (waits != 0) {
			ward_loop_cut_one_way(at.two.loop, "right", "left");
			tell_orphan((ward_body){&ward_type_fall, NULL, 0});
			assert_journal("");
		}
		lose(&at.two);
		assert_journal("orphan:end");
		two_finish(&at.two);
	}
}

WARD_TEST_MAIN
