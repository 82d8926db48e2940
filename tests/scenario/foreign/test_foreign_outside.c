/* SPDX-License-Identifier: MIT
 *
 * test_foreign_outside.c - each call of a thread that takes a ref, with three that are not of
 * this system; paths of nodes that are not connected.
 *
 * Method: a table with a row for each call; see foreign_stage.h.
 */
#include "foreign_stage.h"

/* ---- calls of a thread -------------------------------------------------------------------- */

static ward_err thread_tells(ward_system *system, ward_ref who)
{
	ward_system_tell(system, who, ping);
	return WARD_OK;
}

static ward_err thread_tries_to_tell(ward_system *system, ward_ref who)
{
	return ward_system_try_send(system, who, &ward_type_ping, NULL, 0);
}

static ward_err thread_tells_from(ward_system *system, ward_ref who)
{
	ward_system_send_from(system, stage.caller, who, &ward_type_ping, NULL, 0);
	return WARD_OK;
}

static ward_err thread_tells_in_its_name(ward_system *system, ward_ref who)
{
	ward_system_send_from(system, who, stage.echo, &ward_type_ping, NULL, 0);
	return WARD_OK;
}

static ward_err thread_asks(ward_system *system, ward_ref who)
{
	struct pong answer;

	return ward_system_ask_send(system, who, 1000, &ward_type_pong, &answer, &ward_type_ping,
				    NULL, 0);
}

static ward_err thread_stops(ward_system *system, ward_ref who)
{
	ward_system_stop(system, who);
	return WARD_OK;
}

static ward_err thread_asks_to_stop(ward_system *system, ward_ref who)
{
	return ward_system_ask_stop(system, who, 1000);
}

static ward_err thread_waits(ward_system *system, ward_ref who)
{
	return ward_system_wait_for(system, who, 10);
}

static ward_err thread_inspects(ward_system *system, ward_ref who)
{
	ward_actor_info info;

	ward_assert(!ward_system_is_alive(system, who));
	return ward_system_actor(system, who, &info);
}

static void over(void *arg, bool ran)
{
	(void)arg;
	(void)ran;
}

static ward_result inside(ward_self *self, void *state, void *arg)
{
	(void)self;
	(void)state;
	(void)arg;
	return WARD_DONE;
}

static ward_err thread_runs_inside(ward_system *system, ward_ref who)
{
	return ward_system_inside(system, who, &(ward_inside){inside, over, NULL});
}

static ward_err thread_broadcasts(ward_system *system, ward_ref who)
{
	return ward_system_broadcast_send(system, who, &ward_type_ping, NULL, 0);
}

static ward_err thread_asks_a_router(ward_system *system, ward_ref who)
{
	size_t count;

	return ward_system_routees(system, who, 1000, NULL, 0, &count);
}

static ward_err inbox_tells(ward_system *system, ward_ref who)
{
	const ward_msg *msg;

	(void)system;
	ward_inbox_send(stage.inbox, who, &ward_type_ping, NULL, 0);
	if (ward_inbox_receive(stage.inbox, 10, &msg) == WARD_OK)
		see("inbox %s", ward_msg_type(msg)->name);
	return WARD_OK;
}

static ward_err inbox_watches(ward_system *system, ward_ref who)
{
	const ward_msg *msg;
	ward_err err = ward_inbox_watch(stage.inbox, who);

	(void)system;
	if (err == WARD_OK && ward_inbox_receive(stage.inbox, 10, &msg) == WARD_OK)
		see("inbox %s", ward_msg_type(msg)->name);
	return err;
}

static ward_err inbox_unwatches(ward_system *system, ward_ref who)
{
	(void)system;
	return ward_inbox_unwatch(stage.inbox, who);
}

/* ---- the table ---------------------------------------------------------------------------- */

CALL_OF_A_THREAD("ward_system_tell", thread_tells, "dead ping nobody", "there ping",
		 "dead ping unreached");
CALL_OF_A_THREAD("ward_system_try_tell", thread_tries_to_tell, "foreign", "there ping",
		 "unreached");
CALL_OF_A_THREAD("ward_system_send_from", thread_tells_from, "dead ping nobody", "there ping; pong",
		 "dead ping unreached");
CALL_OF_A_THREAD("sender", thread_tells_in_its_name, "dead pong nobody", "there pong",
		 "dead pong unreached");
CALL_OF_A_THREAD("ward_system_ask", thread_asks, "foreign; dead ping nobody", "there ping",
		 "unreached; dead ping unreached");
CALL_OF_A_THREAD("ward_system_stop", thread_stops, "dead ward_stop nobody", "there ends", "");
CALL_OF_A_THREAD("ward_system_ask_stop", thread_asks_to_stop, "foreign", "there ends", "unreached");
CALL_OF_A_THREAD("ward_system_wait_for", thread_waits, "foreign", "the time is up", "unreached");
CALL_OF_A_THREAD("ward_system_actor", thread_inspects, "foreign", "foreign", "foreign");
CALL_OF_A_THREAD("ward_system_inside", thread_runs_inside, "foreign", "foreign", "foreign");
CALL_OF_A_THREAD("ward_system_broadcast", thread_broadcasts, "dead ward_broadcast nobody",
		 "dead ward_broadcast local", "dead ward_broadcast unreached");
CALL_OF_A_THREAD("ward_system_routees", thread_asks_a_router, "foreign",
		 "there ward_get_routees; the time is up", "gone; dead ward_get_routees unreached");
CALL_OF_A_THREAD("ward_inbox_send", inbox_tells, "dead ping nobody", "there ping; inbox pong",
		 "dead ping unreached");
CALL_OF_A_THREAD("ward_inbox_watch", inbox_watches, "foreign", "", "inbox ward_terminated");
CALL_OF_A_THREAD("ward_inbox_unwatch", inbox_unwatches, "", "", "");

static void lose_a_selection(const char *path, const char *wanted)
{
	ward_kit_forget_events(stage.left);
	stage.seen[0] = '\0';
	ward_system_select_send(ward_kit_system(stage.left), path, &ward_type_ping, NULL, 0);
	ward_kit_run(stage.left);
	see_dead_letters();
	ward_assert_str(stage.seen, wanted);
}

WARD_TEST(path_of_a_node_that_is_not_connected_is_a_dead_letter)
{
	open_stage();
	lose_a_selection("ward://nowhere/user/target", "dead ping unreached");
	lose_a_selection("ward://right/user/target", "there ping");
	ward_loop_reset(stage.loop, "left", "right");
	ward_kit_run(stage.left);
	lose_a_selection("ward://right/user/target", "dead ping unreached");
	close_stage();
}

WARD_TEST_MAIN
