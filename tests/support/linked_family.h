/* SPDX-License-Identifier: MIT
 *
 * linked_family.h - actors that are linked, for the tests of links and exit signals.
 */
#ifndef SUPPORT_LINKED_FAMILY_H
#define SUPPORT_LINKED_FAMILY_H

#include "support/watching_family.h"

/* As a script's receive: "exited b: shutdown". */
static inline ward_result note_exit(ward_self *self, const ward_msg *msg)
{
	const struct ward_exited *gone = ward_match(msg, ward_exited);
	char text[128];

	if (gone == NULL)
		return WARD_UNHANDLED;
	ward_assert(ward_ref_equal(gone->who, ward_msg_sender(msg)));
	ward_exit_format(&gone->reason, text, sizeof text);
	journal_note("%s:exited %s: %s", script_of(self)->name, script_name(gone->who), text);
	return WARD_DONE;
}

static inline ward_result link_arg(ward_self *self, void *arg)
{
	ward_assert_ok(ward_try_link(self, ((struct script *)arg)->ref));
	return WARD_DONE;
}

static inline ward_result unlink_arg(ward_self *self, void *arg)
{
	ward_unlink(self, ((struct script *)arg)->ref);
	return WARD_DONE;
}

static inline ward_result trap(ward_self *self, void *arg)
{
	(void)arg;
	(void)ward_trap_exit(self, true);
	return WARD_DONE;
}

static inline ward_result stop_itself(ward_self *self, void *arg)
{
	(void)arg;
	ward_stop_self(self);
	return WARD_DONE;
}

/* An actor that traps, and notes what it traps. */
static inline void let_trap(struct family *f, struct script *who)
{
	who->receive = note_exit;
	do_and_run(f, who, trap, NULL);
}

static inline bool lives(const struct family *f, const struct script *who)
{
	return ward_kit_is_alive(f->kit, who->ref);
}

#endif
