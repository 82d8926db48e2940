/* SPDX-License-Identifier: MIT
 *
 * test_foreign_refs.c - each call of an actor that takes a ref, with three that are not of this
 * system.
 *
 * Method: a table with a row for each call; see foreign_stage.h.
 */
#include <unistd.h>

#include "foreign_stage.h"

/* ---- calls of an actor -------------------------------------------------------------------- */

static const ward_exit_reason enough = {.kind = WARD_EXIT_SHUTDOWN};

static ward_err tells(ward_self *self, ward_ref who)
{
	ward_tell(self, who, ping);
	return WARD_OK;
}

static ward_err tries_to_tell(ward_self *self, ward_ref who)
{
	return ward_try_tell(self, who, ping);
}

static ward_err forwards(ward_self *self, ward_ref who)
{
	(void)ward_forward(self, who);
	return WARD_OK;
}

static ward_err gives(ward_self *self, ward_ref who)
{
	struct parcel *body = ward_make(self, parcel, 0);

	if (body != NULL)
		ward_give(self, who, parcel, &body);
	return WARD_OK;
}

static ward_err gives_from(ward_self *self, ward_ref who)
{
	struct parcel *body = ward_make(self, parcel, 0);

	if (body != NULL)
		ward_give_body_from(self, stage.echo, who, &ward_type_parcel, body);
	return body == NULL ? WARD_ENOMEM : WARD_OK;
}

static ward_err tries_to_give_from(ward_self *self, ward_ref who)
{
	struct parcel *body = ward_make(self, parcel, 0);

	return body == NULL
		       ? WARD_ENOMEM
		       : ward_try_give_body_from(self, stage.echo, who, &ward_type_parcel, body);
}

static ward_err gives_in_its_name(ward_self *self, ward_ref who)
{
	struct ping *body = ward_make(self, ping, 0);

	if (body != NULL) /* the echo answers to `who` */
		ward_give_body_from(self, who, stage.echo, &ward_type_ping, body);
	return body == NULL ? WARD_ENOMEM : WARD_OK;
}

static ward_err tells_later(ward_self *self, ward_ref who)
{
	return ward_try_timer_start(self, &(ward_timer){.key = 1, .after_ms = 5, .to = who},
				    &ward_type_ping, NULL, 0);
}

static ward_err identifies(ward_self *self, ward_ref who)
{
	ward_tell(self, who, ward_identify, .tag = 1);
	return WARD_OK;
}

static ward_err asks(ward_self *self, ward_ref who)
{
	return ward_try_ask(self, who, 1, 1000, ping);
}

static ward_err asks_for_it(ward_self *self, ward_ref who)
{
	ward_question question = {.to = stage.echo, .timeout_ms = 1000, .answer_to = who};

	return ward_try_ask_send(self, &question, &ward_type_ping, NULL, 0);
}

static ward_err asks_to_stop(ward_self *self, ward_ref who)
{
	return ward_try_ask_stop(self, who, 1, 1000);
}

static ward_err unwatches(ward_self *self, ward_ref who)
{
	ward_unwatch(self, who);
	return WARD_OK;
}

static ward_err watches_with(ward_self *self, ward_ref who)
{
	return ward_try_watch_with_send(self, who, &ward_type_last, NULL, 0);
}

static ward_err unlinks(ward_self *self, ward_ref who)
{
	ward_unlink(self, who);
	return WARD_OK;
}

static ward_err exits(ward_self *self, ward_ref who)
{
	return ward_exit(self, who, &enough);
}

static ward_err stops(ward_self *self, ward_ref who)
{
	ward_stop(self, who);
	return WARD_OK;
}

static ward_err represents(ward_self *self, ward_ref who)
{
	return ward_try_represent(self, who, ward_nobody());
}

static ward_err represents_until(ward_self *self, ward_ref who)
{
	return ward_try_represent(self, stage.echo, who);
}

static ward_err decides(ward_self *self, ward_ref who)
{
	return ward_decide(self, who, WARD_RESUME);
}

static ward_err restarts(ward_self *self, ward_ref who)
{
	return ward_restart_child(self, who, &ward_exception, "again");
}

static ward_err exits_child(ward_self *self, ward_ref who)
{
	return ward_exit_child(self, who, ward_self_ref(self), &(ward_exit_reason){0});
}

static ward_err gives_a_descriptor(ward_self *self, ward_ref who)
{
	int fd = dup(1);
	ward_err err = ward_try_fd_give(self, who, fd);

	if (err != WARD_OK)
		close(fd);
	return err;
}

static ward_err broadcasts(ward_self *self, ward_ref who)
{
	return ward_try_broadcast_send(self, who, &ward_type_ping, NULL, 0);
}

static ward_err counts(ward_self *self, ward_ref who)
{
	see("%d", (int)ward_mailbox_count(self, who));
	return WARD_OK;
}

static ward_err asker(ward_self *self, ward_ref who)
{
	ward_assert(ward_ref_equal(ward_asker(self, who), who));
	return WARD_OK;
}

static ward_err makes_a_dead_letter(ward_self *self, ward_ref who)
{
	ward_dead_letter(self, who, WARD_REASON_STALE);
	return WARD_OK;
}

/* ---- the table ---------------------------------------------------------------------------- */

CALL_OF_AN_ACTOR("ward_tell", tells, "dead ping nobody", "there ping; pong", "dead ping unreached");
CALL_OF_AN_ACTOR("ward_try_tell", tries_to_tell, "foreign", "there ping; pong", "unreached");
CALL_OF_AN_ACTOR("ward_forward", forwards, "dead go nobody", "there go", "dead go unreached");
CALL_OF_AN_ACTOR("ward_give", gives, "dead parcel nobody", "there parcel", "dead parcel unreached");
CALL_OF_AN_ACTOR("ward_give_body_from", gives_from, "dead parcel nobody", "there parcel",
		 "dead parcel unreached");
CALL_OF_AN_ACTOR("ward_try_give_body_from", tries_to_give_from, "foreign", "there parcel",
		 "unreached");
CALL_OF_AN_ACTOR("its name", gives_in_its_name, "dead pong nobody", "there pong",
		 "dead pong unreached");
CALL_OF_AN_ACTOR("ward_dead_letter", makes_a_dead_letter, "dead go stale", "dead go stale",
		 "dead go stale");
CALL_OF_AN_ACTOR("ward_try_timer_start", tells_later, "dead ping nobody", "there ping; pong",
		 "dead ping unreached");
CALL_OF_AN_ACTOR("ward_identify", identifies, "not found", "found", "not found");
CALL_OF_AN_ACTOR("ward_try_ask", asks, "foreign", "there ping; pong",
		 "failed unreached; dead ping unreached");
CALL_OF_AN_ACTOR("answer_to", asks_for_it, "foreign", "there pong", "dead pong unreached");
CALL_OF_AN_ACTOR("ward_try_ask_stop", asks_to_stop, "foreign", "there ends; ward_stopped",
		 "ward_stopped");
CALL_OF_AN_ACTOR("ward_try_watch", ward_try_watch, "foreign", "", "terminated unreached");
CALL_OF_AN_ACTOR("ward_try_watch_with", watches_with, "foreign", "", "last");
CALL_OF_AN_ACTOR("ward_unwatch", unwatches, "", "", "");
CALL_OF_AN_ACTOR("ward_try_link", ward_try_link, "foreign", "", "exited unreached");
CALL_OF_AN_ACTOR("ward_unlink", unlinks, "", "", "");
CALL_OF_AN_ACTOR("ward_exit", exits, "foreign", "there ends", "unreached");
CALL_OF_AN_ACTOR("ward_stop", stops, "dead ward_stop nobody", "there ends", "");
CALL_OF_AN_ACTOR("ward_try_represent", represents, "foreign", "", "");
CALL_OF_AN_ACTOR("until", represents_until, "foreign", "", "");
CALL_OF_AN_ACTOR("ward_decide", decides, "no such", "no such", "no such");
CALL_OF_AN_ACTOR("ward_restart_child", restarts, "no such", "no such", "no such");
CALL_OF_AN_ACTOR("ward_exit_child", exits_child, "no such", "no such", "no such");
CALL_OF_AN_ACTOR("ward_suspend_child", ward_suspend_child, "no such", "no such", "no such");
CALL_OF_AN_ACTOR("ward_resume_child", ward_resume_child, "no such", "no such", "no such");
CALL_OF_AN_ACTOR("ward_try_fd_give", gives_a_descriptor, "foreign", "local", "unreached");
CALL_OF_AN_ACTOR("ward_try_broadcast", broadcasts, "dead ward_broadcast nobody",
		 "dead ward_broadcast local", "dead ward_broadcast unreached");
CALL_OF_AN_ACTOR("ward_mailbox_count", counts, "-1", "-1", "-1");
CALL_OF_AN_ACTOR("ward_asker", asker, "", "", "");

WARD_TEST_MAIN
