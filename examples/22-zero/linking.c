/* SPDX-License-Identifier: MIT
 *
 * linking.c - linking and unlinking at run time, in the words of Akka 0.x.
 *
 *	cc examples/22-zero/linking.c $(pkg-config --cflags --libs ward-akka-zero) -o linking
 *
 * An actor that a keeper has linked is restarted when it fails; after an unlink it is stopped.
 * Prints the incarnation of each, and the end of the last.
 */
#include <stdio.h>
#include <ward/akka_zero.h>
#include <ward/ward.h>

static const ward_failure_class my_exception = {.name = "my_exception", .parent = &ward_exception};
static const ward_failure_class io_exception = {.name = "io_exception", .parent = &ward_exception};

WARD_SIGNAL(fail);
WARD_SIGNAL(greet);
struct greeting {
	uint32_t incarnation;
};
WARD_MESSAGE_FLAT(greeting);
WARD_REPLY(greet, greeting);

/* ---- the supervised actor's side --------------------------------------------------------- */

static ward_result my_actor_receive(ward_self *self, void *state, const ward_msg *msg)
{
	(void)state;
	if (ward_match(msg, fail))
		return ward_failed(self, &my_exception, "told to");
	if (!ward_match(msg, greet))
		return WARD_UNHANDLED;
	return ward_answer(self, msg, greet, .incarnation = ward_incarnation(self));
}

static const ward_behavior my_actor = {.name = "my_actor", .receive = my_actor_receive};
static const ward_zero_component loner = {.props = {.behavior = &my_actor}};

/* ---- the supervising actor's side -------------------------------------------------------- */

/* trapExit = List(classOf[MyException], classOf[IOException])
 * faultHandler = Some(OneForOneStrategy(3, 1000)) */
static const ward_zero_strategy keeper_strategy =
	WARD_ZERO_STRATEGY(WARD_ONE_FOR_ONE, 3, 1000, &my_exception, &io_exception);

struct keeper {
	struct ward_zero_links links; /* first */
	ward_ref orphanage, orphan;
	int greeted;
};

static ward_result keeper_init(ward_self *self, void *state, const void *args)
{
	(void)args;
	ward_zero_init(self, &((struct keeper *)state)->links, &keeper_strategy);
	return WARD_DONE;
}

static void try_out(ward_self *self, ward_ref who)
{
	ward_tell(self, who, fail);
	ward_tell(self, who, greet);
}

static ward_result keeper_start(ward_self *self, void *state)
{
	struct keeper *me = state;

	me->orphanage = ward_spawn(self, &ward_zero_orphanage);
	try_out(self, ward_zero_spawn_link(self, &me->links, &my_actor));
	return WARD_DONE;
}

static ward_result keeper_greeted(ward_self *self, struct keeper *me, uint32_t incarnation)
{
	printf("%s: incarnation %u\n", me->greeted++ == 0 ? "spawned and linked" : "linked later",
	       incarnation);
	if (me->greeted == 1) {
		ward_tell(self, me->orphanage, ward_zero_spawn, .component = &loner);
		return WARD_DONE;
	}
	if (ward_failed_err(self, ward_zero_unlink(self, &me->links, me->orphan)))
		return WARD_FAILED;
	ward_watch(self, me->orphan);
	ward_tell(self, me->orphan, fail);
	return WARD_DONE;
}

static ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct keeper *me = state;
	const struct ward_zero_spawned *spawned = ward_match(msg, ward_zero_spawned);
	const struct greeting *greeting = ward_match(msg, greeting);

	if (greeting != NULL)
		return keeper_greeted(self, me, greeting->incarnation);
	if (spawned) {
		me->orphan = spawned->who;
		ward_zero_link(self, &me->links, me->orphanage, me->orphan, WARD_ZERO_PERMANENT);
	}
	if (ward_match(msg, ward_zero_linked))
		try_out(self, me->orphan);
	if (!ward_match(msg, ward_terminated))
		return WARD_DONE;
	printf("unlinked: dead\n");
	return ward_stop_self(self);
}

static const ward_behavior keeper = {.name = "keeper",
				     .state_size = sizeof(struct keeper),
				     .init = keeper_init,
				     .receive = keeper_receive,
				     .pre_start = keeper_start};

int main(void)
{
	return ward_main(&keeper);
}
