/* SPDX-License-Identifier: MIT
 *
 * chat.c - rooms, and clients that talk in them.
 *
 *	cd examples/35-chat && cc *.c $(pkg-config --cflags --libs ward-net) -o chat
 *
 * `./chat tcp:127.0.0.1:7000` listens there, `nc localhost 7000` is a client:
 *
 *	/join garden anna	anna takes a seat in the garden
 *	good morning		all others there get "anna: good morning"
 *	/fail			her session fails, and is restarted
 *	/poison			the room fails, and is restarted
 *
 * The tree:
 *
 *	chat --+-- hall ------+-- garden, ...
 *	       +-- listener --+-- session$1, ...
 *
 * `./test_chat.py ./chat` counts what many clients get while sessions and rooms fail.
 */
#include "chat.h"

/* A session goes on after a failure of its own; what its peer does wrong ends it. */
static const ward_strategy again = {.rules = {{&ward_net_failure, WARD_STOP}}};

static const char *address = "tcp:127.0.0.1:0";

static ward_result chat_start(ward_self *self, void *state)
{
	struct chat_args args = {ward_spawn(self, &hall, .name = "hall")};
	struct ward_listener at = {.address = address,
				   .child = {.behavior = &session,
					     .mailbox = CHAT_MAILBOX,
					     .args = {WARD_COPY(chat_args, &args)}}};

	(void)state;
	ward_spawn(self, &ward_listen, .name = "listener", .args = {WARD_COPY(ward_listener, &at)},
		   .child_strategy = &again);
	return WARD_DONE;
}

static const ward_behavior chat = {
	.name = "chat", .pre_start = chat_start, .child_strategy = &ward_escalating_strategy};

int main(int argc, char **argv)
{
	if (argc > 1)
		address = argv[1];
	return ward_main(&chat);
}
