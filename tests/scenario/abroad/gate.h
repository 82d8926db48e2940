/* SPDX-License-Identifier: MIT
 *
 * gate.h - an association by hand: what goes out is noted, what comes in is said by the test. Its
 * peer is nobody.
 *
 *	"gate:send letter", "gate:link 1", "gate:unlink 1 0"
 */
#ifndef SCENARIO_ABROAD_GATE_H
#define SCENARIO_ABROAD_GATE_H

#include <stdlib.h>
#include <string.h>

#include <ward/association.h>
#include <ward/codec.h>

#include "support/script.h"

/* A type with a table, whose bodies own something. */
struct letter {
	char *text;
};
WARD_MESSAGE_FIELDS_OWNED(letter, 1, WARD_FIELD(STRING, letter, text));

struct gate {
	struct script script;
	ward_association_options options;
	uint32_t place;
	ward_err opened;
	ward_err applied; /* the last control message that came in */
};

enum { GATE_PEER = 77 };

/* An actor of the peer. */
static inline ward_ref gate_peer(const struct gate *gate)
{
	return ward_ref_at(gate->place, WARD_REF_ACTOR, GATE_PEER);
}

static inline ward_result gate_opens(ward_self *self, void *arg)
{
	struct gate *gate = arg;

	gate->opened = ward_association_open(self, &gate->options, &gate->place);
	return WARD_DONE;
}

static inline ward_result gate_receives(ward_self *self, const ward_msg *msg)
{
	struct ward_outgoing out;

	if (ward_match(msg, ward_terminated)) {
		ward_mailbox_open(self);
		return WARD_DONE;
	}
	if (!ward_outgoing_open(self, msg, &out))
		return ward_msg_body(msg, &ward_type_script_word) ? WARD_UNHANDLED : WARD_DONE;
	if (out.type != NULL)
		journal_note("gate:%s %s", ward_control_text(out.kind), out.type->name);
	else if (out.kind == WARD_CONTROL_LINK)
		journal_note("gate:link %u", (unsigned)out.number);
	else if (out.kind == WARD_CONTROL_UNLINK)
		journal_note("gate:unlink %u %u", (unsigned)out.number, (unsigned)out.other_number);
	else
		journal_note("gate:%s", ward_control_text(out.kind));
	return WARD_DONE;
}

static inline void gate_spawn(ward_kit *kit, struct gate *gate, const char *node)
{
	gate->options.name = node;
	gate->script.name = "gate";
	gate->script.pre_start = gate_opens;
	gate->script.receive = gate_receives;
	gate->script.arg = gate;
	script_spawn(kit, &gate->script);
}

/* From now on what goes out waits, until the script has ended: its notice passes. */
static inline ward_result gate_closes_until(ward_self *self, void *arg)
{
	ward_watch(self, ((struct script *)arg)->ref);
	ward_mailbox_close(self);
	return WARD_DONE;
}

static inline void gate_close(ward_kit *kit, struct gate *gate, struct script *until)
{
	until->name = "until";
	script_spawn(kit, until);
	script_do(kit, gate->script.ref, gate_closes_until, until);
	ward_kit_run(kit);
	journal_clear();
}

static inline void gate_open(ward_kit *kit, const struct script *until)
{
	ward_system_stop(ward_kit_system(kit), until->ref);
	ward_kit_run(kit);
}

static inline void gate_write(ward_kit *kit, ward_ref to, const char *text)
{
	struct letter letter = {strdup(text)};

	ward_assert(letter.text != NULL);
	ward_system_send(ward_kit_system(kit), to, &ward_type_letter, &letter, sizeof letter);
}

/* What the peer sends. */
struct gate_control {
	struct gate *gate;
	struct ward_outgoing in;
};

static inline ward_result gate_applies(ward_self *self, void *arg)
{
	struct gate_control *control = arg;

	control->gate->applied = ward_incoming(self, &control->in);
	return WARD_DONE;
}

static inline ward_err gate_apply(ward_kit *kit, struct gate *gate, struct ward_outgoing in)
{
	struct gate_control control = {gate, in};

	script_do(kit, gate->script.ref, gate_applies, &control);
	ward_kit_run(kit);
	return gate->applied;
}

#endif
