/* SPDX-License-Identifier: MIT
 *
 * auto_received.c - the types of messages that the runtime handles before receive sees them.
 */
#include "mail/auto_received.h"

#include <ward/actor.h>
#include <ward/codec.h>
#include <ward/fd.h>
#include <ward/link.h>
#include <ward/selection.h>
#include <ward/simulation.h>
#include <ward/supervise.h>
#include <ward/timer.h>
#include <ward/watch.h>

#define SPECIAL(name, size, kind, flags)                                                           \
	{                                                                                          \
		name, (size), 0, 0, WARDI_AUTO_TYPE(kind) | (flags), NULL, NULL, NULL, NULL, NULL, \
		{                                                                                  \
			0, 0                                                                       \
		}                                                                                  \
	}

const ward_type ward_type_ward_poison_pill =
	SPECIAL("ward_poison_pill", 0, WARDI_AUTO_PILL, WARD_TYPE_QUIET);
const ward_type ward_type_ward_kill = SPECIAL("ward_kill", 0, WARDI_AUTO_KILL, 0);
const ward_type ward_type_ward_terminated = SPECIAL(
	"ward_terminated", sizeof(struct ward_terminated), WARDI_AUTO_FORGED, WARD_TYPE_QUIET);
const ward_type ward_type_ward_fd_ready = SPECIAL("ward_fd_ready", sizeof(struct ward_fd_ready),
						  WARDI_AUTO_FD_READY, WARD_TYPE_QUIET);
/* These two go to other systems, too. */
WARD_FIELDS(ward_identify, WARD_FIELD(UINT, ward_identify, tag));
static const ward_codec identify_codec = {.version = 1, .fields = ward_fields_ward_identify};
const ward_type ward_type_ward_identify = {
	.name = "ward_identify",
	.size = sizeof(struct ward_identify),
	.flags = WARDI_AUTO_TYPE(WARDI_AUTO_IDENTIFY) | WARD_TYPE_FLAT,
	.codec = &identify_codec,
};

WARD_FIELDS(ward_identity, WARD_FIELD(UINT, ward_identity, tag),
	    WARD_FIELD(REF, ward_identity, who), WARD_FIELD(BOOL, ward_identity, found));
static const ward_codec identity_codec = {.version = 1, .fields = ward_fields_ward_identity};
const ward_type ward_type_ward_identity = {
	.name = "ward_identity",
	.size = sizeof(struct ward_identity),
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET,
	.codec = &identity_codec,
};

const ward_type ward_type_ward_restarts_exceeded =
	SPECIAL("ward_restarts_exceeded", sizeof(struct ward_restarts_exceeded),
		WARDI_AUTO_EXCEEDED, WARD_TYPE_QUIET);
const ward_type ward_type_ward_receive_timeout =
	SPECIAL("ward_receive_timeout", 0, WARDI_AUTO_RECEIVE_TIMEOUT, WARD_TYPE_QUIET);
const ward_type ward_type_ward_children_few = SPECIAL(
	"ward_children_few", sizeof(struct ward_children_few), WARDI_AUTO_FEW, WARD_TYPE_QUIET);
const ward_type wardi_type_tick =
	SPECIAL("ward.tick", sizeof(struct wardi_tick), WARDI_AUTO_TICK, WARD_TYPE_QUIET);
const ward_type wardi_type_notice =
	SPECIAL("ward.notice", sizeof(struct wardi_token), WARDI_AUTO_NOTICE, WARD_TYPE_QUIET);

const ward_type wardi_type_forgotten =
	SPECIAL("ward.forgotten", 0, WARDI_AUTO_FORGOTTEN, WARD_TYPE_QUIET);

const ward_type wardi_type_exit =
	SPECIAL("ward.exit", sizeof(struct ward_exited), WARDI_AUTO_EXIT, WARD_TYPE_QUIET);

const ward_type wardi_type_inside =
	SPECIAL("ward.inside", sizeof(struct ward_inside), WARDI_AUTO_INSIDE,
		WARD_TYPE_QUIET | WARD_TYPE_NOT_INFLUENCING);

const ward_type wardi_type_detour =
	SPECIAL("ward.detour", sizeof(struct wardi_token), WARDI_AUTO_DETOUR, WARD_TYPE_QUIET);

const ward_type wardi_type_answer =
	SPECIAL("ward.answer", sizeof(struct wardi_token), WARDI_AUTO_ANSWER, WARD_TYPE_QUIET);
const ward_type wardi_type_ask_over = SPECIAL("ward.ask_over", sizeof(struct wardi_ask_over),
					      WARDI_AUTO_ASK_OVER, WARD_TYPE_QUIET);

/* A stand-in passes it on to another system. */
WARD_FIELDS(ward_exit_reason, WARD_FIELD(UINT, ward_exit_reason, kind),
	    WARD_FIELD(TEXT, ward_exit_reason, name), WARD_FIELD(TEXT, ward_exit_reason, text));
WARD_FIELDS(ward_exited, WARD_FIELD(REF, ward_exited, who),
	    WARD_FIELD(GROUP, ward_exited, reason, .fields = ward_fields_ward_exit_reason));
static const ward_codec exited_codec = {.version = 1, .fields = ward_fields_ward_exited};
const ward_type ward_type_ward_exited = {
	.name = "ward_exited",
	.size = sizeof(struct ward_exited),
	.flags = WARD_TYPE_FLAT | WARD_TYPE_QUIET | WARD_TYPE_CERTAIN_,
	.codec = &exited_codec,
};
