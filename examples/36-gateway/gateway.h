/* SPDX-License-Identifier: MIT
 *
 * gateway.h - the messages between the sessions, the writer, and the gateway above them.
 */
#ifndef GATEWAY_H
#define GATEWAY_H

#include <ward/net.h>

enum { KEY_SIZE = 32, LINE_SIZE = 4096, WAITING_MAX = 256, BATCH_MAX = 128 };

/* From a session to the writer: "KEY TEXT". */
struct line {
	uint32_t key_size;
	char text[];
};
WARD_MESSAGE_FLAT(line);

/* From the writer to the session of a line: it is committed. */
struct stored {
	char key[KEY_SIZE];
};
WARD_MESSAGE_FLAT(stored);

/* From the writer to the gateway: a batch is committed. */
WARD_SIGNAL(works);

/* The arguments of the writer, and of a session. */
struct store_args {
	char path[256];
};
WARD_MESSAGE_FLAT(store_args);
struct session_args {
	ward_ref writer;
};
WARD_MESSAGE_FLAT(session_args);

extern const ward_behavior writer, session;

#endif
