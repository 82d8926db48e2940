/* SPDX-License-Identifier: MIT
 *
 * gateway.c - stores lines that come over sockets, and acknowledges each when it is committed.
 *
 *	cd examples/36-gateway && cc *.c $(pkg-config --cflags --libs ward-net sqlite3) -o gateway
 *
 * `./gateway tcp:127.0.0.1:7000 lines.db` stores the lines of its clients. A client sends "KEY
 * TEXT" and gets "ok KEY". A line without an answer it sends again, also to the next process.
 *
 *	gateway --+-- writer
 *		  +-- listener --+-- session$1, ...
 *
 * After a failure the writer is restarted with a back-off. It keeps its mailbox over that: there
 * lines wait, and when it is full the sessions, and then their clients.
 *
 * `./test_gateway.py ./gateway` counts while the process is killed, the database is locked, and the
 * disk is full.
 */
#include <stdio.h>

#include <ward/exponential.h>

#include "gateway.h"

static const char *address = "tcp:127.0.0.1:0", *path = "lines.db";
WARD_SIGNAL(try_again);

struct gateway {
	ward_ref writer;
	ward_exponential wait;
};

/* The writer waits for its restart. All else ends the program, such as an address in use. */
static ward_directive wait_a_while(ward_self *self, ward_ref child, const ward_failure *failure)
{
	struct gateway *me = ward_state(self);

	(void)failure;
	if (!ward_ref_equal(child, me->writer))
		return WARD_ESCALATE;
	me->wait = ward_exponential_next(self, me->wait);
	ward_after(self, 0, me->wait.wait_ms, try_again);
	return WARD_LATER;
}
static const ward_strategy with_back_off = {.decide = wait_a_while};

static ward_result gateway_start(ward_self *self, void *state)
{
	struct gateway *me = state;
	struct store_args store;
	struct session_args args;
	struct ward_listener at = {
		.address = address,
		.child = {.behavior = &session, .args = {WARD_COPY(session_args, &args)}}};

	snprintf(store.path, sizeof store.path, "%s", path);
	args.writer = me->writer = ward_spawn(
		self, &writer, .name = "writer", .dispatcher = WARD_BLOCKING,
		.mailbox = {.messages_max = WAITING_MAX, .overflow = WARD_OVERFLOW_HOLD_SENDER},
		.args = {WARD_COPY(store_args, &store)});
	ward_spawn(self, &ward_listen, .name = "listener", .args = {WARD_COPY(ward_listener, &at)});
	return WARD_DONE;
}

static ward_result gateway_receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct gateway *me = state;

	if (ward_match(msg, works))
		me->wait = ward_exponential_reset(me->wait);
	else if (ward_match(msg, try_again))
		(void)!ward_decide(self, me->writer, WARD_RESTART);
	else
		return WARD_UNHANDLED;
	return WARD_DONE;
}

static const ward_behavior gateway = {.name = "gateway",
				      .state_size = sizeof(struct gateway),
				      .child_strategy = &with_back_off,
				      .pre_start = gateway_start,
				      .receive = gateway_receive};

int main(int argc, char **argv)
{
	if (argc > 2)
		address = argv[1], path = argv[2];
	return ward_main(&gateway);
}
