/* SPDX-License-Identifier: MIT
 *
 * guests.c - what others may start in this system.
 *
 *	stand-in --- start ---> guests --- makes a host for it, hands the start on
 *	         --- the rest ---------> hands on to the host of that stand-in
 *
 * Stand-ins know only this actor until they have an answer, so all that must not overtake the start
 * goes through it. A start with a higher token stops the host of the earlier one, and the new host
 * waits until all earlier ones have ended: a stand-in has one guest at most.
 *
 * Threads: runs as an actor.
 */
#include <string.h>

#include <ward/association.h>
#include <ward/extend.h>
#include <ward/guests.h>
#include <ward/watch.h>

#include "common/records.h"
#include "common/reserved.h"
#include "patterns/remote/host.h"
#include "patterns/remote/places.h"

struct wardi_guests {
	const ward_kind *kinds;
	const ward_failure_class *const *failure_classes;
};
WARD_MESSAGE(wardi_guests);

struct guest {
	struct wardi_tag tag; /* first */
	uint64_t serial;      /* of the record, from 1 */
	uint64_t life;        /* of the stand-in */
	/* of the latest start */
	ward_ref stand_in, host;
	uint64_t token;
	uint32_t alive; /* hosts, also of earlier starts */
};

struct guests {
	uint64_t serials;
	struct wardi_tags *guests;
};

/* In place of the ward_terminated of a host. */
struct wardi_host_gone {
	ward_ref stand_in;
	uint64_t serial; /* of the record */
};
WARD_MESSAGE_FLAT(wardi_host_gone);

/* ---- the table --------------------------------------------------------------------------- */

/* The number of a stand-in's ref stays with each connection of its system, its place does not. */
static struct guest *first(const struct guests *me, ward_ref stand_in)
{
	if (me->guests == NULL || me->guests->lists == 0)
		return NULL;
	return (struct guest *)*wardi_tags_list(me->guests, ward_ref_number(stand_in));
}

static struct guest *next(const struct guest *guest)
{
	return (struct guest *)guest->tag.next;
}

/* By the ref, which the latest start has brought. */
static struct guest *find(const struct guests *me, ward_ref stand_in)
{
	struct guest *guest = first(me, stand_in);

	while (guest != NULL && !ward_ref_equal(guest->stand_in, stand_in))
		guest = next(guest);
	return guest;
}

static struct guest *find_serial(const struct guests *me, const struct wardi_host_gone *gone)
{
	struct guest *guest = first(me, gone->stand_in);

	while (guest != NULL && guest->serial != gone->serial)
		guest = next(guest);
	return guest;
}

/* Whether both are of one node, by this connection or an earlier one. */
static bool are_of_one_node(ward_self *self, ward_ref a, ward_ref b)
{
	const ward_system *system = ward_self_system(self);
	char name[WARD_NODE_NAME], other[WARD_NODE_NAME];

	return ward_ref_place(a) == ward_ref_place(b) ||
	       (ward_node_name(system, ward_ref_place(a), name) &&
		ward_node_name(system, ward_ref_place(b), other) && strcmp(name, other) == 0);
}

/* By what is its own in all connections. Stand-ins of two systems may have the same number, and
 * another node may have learnt the life. */
static struct guest *find_life(ward_self *self, const struct guests *me,
			       const struct wardi_guest_start *start)
{
	struct guest *guest = first(me, start->stand_in);

	while (guest != NULL &&
	       (guest->life != start->life || guest->tag.tag != ward_ref_number(start->stand_in) ||
		!are_of_one_node(self, guest->stand_in, start->stand_in)))
		guest = next(guest);
	return guest;
}

static void forget(ward_self *self, struct guests *me, struct guest *guest)
{
	struct wardi_tag **at = wardi_tags_list(me->guests, guest->tag.tag);

	while (*at != &guest->tag)
		at = &(*at)->next;
	*at = guest->tag.next;
	me->guests->count--;
	ward_discard(self, guest);
}

/* Returns the record of a stand-in, new ones without a host. NULL: no memory. */
static struct guest *record_of(ward_self *self, struct guests *me,
			       const struct wardi_guest_start *start)
{
	struct guest *guest = find_life(self, me, start);

	if (guest != NULL || !wardi_tags_reserve(self, &me->guests))
		return guest;
	guest = wardi_record_make(self, sizeof *guest);
	if (guest == NULL)
		return NULL;
	guest->serial = ++me->serials;
	guest->life = start->life;
	guest->stand_in = start->stand_in;
	wardi_tags_insert(me->guests, &guest->tag, ward_ref_number(start->stand_in));
	return guest;
}

/* ---- a start ----------------------------------------------------------------------------- */

static ward_result refuse(ward_self *self, const ward_msg *msg, ward_err err)
{
	struct wardi_guest_started answer = {.err = (uint32_t)err};

	ward_text_format(answer.text, sizeof answer.text, "%s", ward_err_detail());
	ward_send(self, ward_msg_sender(msg), WARD_COPY(wardi_guest_started, &answer));
	return WARD_DONE;
}

static ward_err make_host(ward_self *self, const struct guest *guest,
			  const struct wardi_guest_start *start, ward_ref *ret_host)
{
	const struct wardi_guests *own = ward_args(self);
	const struct wardi_host args = {.kinds = own->kinds,
					.failure_classes = own->failure_classes,
					.waits = guest->alive > 0};
	const ward_props props = {.behavior = &wardi_host_behavior,
				  .args = {WARD_COPY(wardi_host, &args)}};
	ward_ref host;
	ward_err err = ward_try_spawn(self, &props, &host);

	if (err != WARD_OK)
		return err;
	err = ward_try_watch_with_send(
		self, host,
		WARD_COPY(wardi_host_gone,
			  (&(struct wardi_host_gone){start->stand_in, guest->serial})));
	if (err == WARD_OK)
		*ret_host = host;
	else
		ward_stop(self, host);
	return err;
}

/* Nobody starts, or stops, what belongs to an actor of another system. */
static bool is_own(ward_ref stand_in, ward_ref asker)
{
	return ward_ref_kind_of(stand_in) == WARD_REF_ACTOR &&
	       ward_ref_place(stand_in) == ward_ref_place(asker);
}

static ward_result started(ward_self *self, struct guests *me, const ward_msg *msg,
			   const struct wardi_guest_start *start)
{
	struct guest *guest;
	ward_ref host;
	ward_err err = WARD_ENOMEM;

	if (start->protocol != WARDI_REMOTE_PROTOCOL)
		return refuse(self, msg,
			      ward_refused(WARD_EINVAL,
					   "the start is of protocol %u, and the guests here take "
					   "protocol %d",
					   (unsigned)start->protocol, WARDI_REMOTE_PROTOCOL));
	if (!is_own(start->stand_in, ward_msg_sender(msg)))
		return refuse(self, msg,
			      ward_refused(WARD_EINVAL,
					   "the stand-in is not an actor of the system that "
					   "asks"));
	guest = record_of(self, me, start);
	if (guest != NULL && start->token <= guest->token)
		return refuse(self, msg,
			      ward_refused(WARD_EEXIST,
					   "start %llu of this stand-in is not the "
					   "latest, which was %llu",
					   (unsigned long long)start->token,
					   (unsigned long long)guest->token));
	if (guest != NULL)
		err = make_host(self, guest, start, &host);
	if (err != WARD_OK) {
		if (guest != NULL && guest->alive == 0)
			forget(self, me, guest);
		return refuse(self, msg, err);
	}
	ward_stop(self, guest->host);
	guest->stand_in = start->stand_in;
	guest->host = host;
	guest->alive++;
	guest->token = start->token;
	ward_forward(self, host);
	return WARD_DONE;
}

/* ---- messages ---------------------------------------------------------------------------- */

static ward_result host_gone(ward_self *self, struct guests *me, const struct wardi_host_gone *gone)
{
	struct guest *guest = find_serial(me, gone);

	if (guest == NULL)
		return WARD_DONE;
	if (--guest->alive == 0)
		forget(self, me, guest);
	else if (guest->alive == 1 && ward_try_tell(self, guest->host, wardi_guest_go) != WARD_OK)
		ward_stop(self, guest->host); /* its end ends the question of the stand-in */
	return WARD_DONE;
}

static ward_result hand_on(ward_self *self, const struct guests *me, const ward_msg *msg)
{
	const struct guest *guest = find(me, ward_msg_sender(msg));
	const struct wardi_guest_give_up *given_up = ward_match(msg, wardi_guest_give_up);
	const struct ward_represented *told = ward_match(msg, ward_represented);

	/* A stop needs no memory, as handing it on would. */
	if (guest != NULL && ((given_up != NULL && given_up->token == guest->token) ||
			      (told != NULL && told->standing == WARD_STANDING_STOPPING))) {
		ward_stop(self, guest->host);
		return WARD_DONE;
	}
	if (guest == NULL || given_up != NULL) /* a stand-in whose guest has ended, or a stranger */
		return told != NULL || given_up != NULL ? WARD_DONE : WARD_UNHANDLED;
	ward_forward(self, guest->host);
	return WARD_DONE;
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	struct guests *me = state;
	const struct wardi_guest_bring *bring;
	const struct wardi_guest_start *start;
	const struct wardi_host_gone *gone;

	if ((start = ward_match(msg, wardi_guest_start)))
		return started(self, me, msg, start);
	if ((bring = ward_match(msg, wardi_guest_bring)))
		return started(self, me, msg, &bring->start);
	if ((gone = ward_match(msg, wardi_host_gone)))
		return host_gone(self, me, gone);
	return hand_on(self, me, msg);
}

/* ---- life -------------------------------------------------------------------------------- */

static ward_result init(ward_self *self, void *state, const void *args)
{
	(void)state, (void)args;
	return ward_failed_err(
		self, wardi_remote_guests_set(ward_self_system(self), ward_self_ref(self)));
}

static ward_result post_stop(ward_self *self, void *state)
{
	(void)state;
	(void)!wardi_remote_guests_set(ward_self_system(self), ward_nobody());
	return WARD_DONE;
}

static const ward_strategy stop_hosts = {.otherwise = WARD_STOP};

static const ward_behavior guests_behavior = {
	.name = "ward_guests",
	.state_size = sizeof(struct guests),
	.args = &ward_type_wardi_guests,
	.child_strategy = &stop_hosts,
	.own_strategy = true,
	.init = init,
	.receive = receive,
	.post_stop = post_stop,
};

/* ---- starting ---------------------------------------------------------------------------- */

static ward_err check_kind(const ward_kind *kinds, const ward_kind *kind)
{
	size_t length = strlen(kind->name);

	if (length == 0 || length >= WARD_KIND_NAME)
		return ward_refused(WARD_EINVAL,
				    "ward_guests_start: the name of a kind has 1 to %d bytes, not "
				    "%zu",
				    WARD_KIND_NAME - 1, length);
	if (kind->props == NULL || kind->props->behavior == NULL)
		return ward_refused(WARD_EINVAL,
				    "ward_guests_start: kind \"%s\" has no props, or no behavior",
				    kind->name);
	if (kind->props->args_given)
		return ward_refused(WARD_EINVAL,
				    "ward_guests_start: kind \"%s\" has .args_given: its props are "
				    "a template",
				    kind->name);
	for (; kinds < kind; kinds++)
		if (strcmp(kinds->name, kind->name) == 0)
			return ward_refused(WARD_EEXIST,
					    "ward_guests_start: there are two kinds \"%s\"",
					    kind->name);
	return WARD_OK;
}

static ward_err check(const ward_guests_options *options)
{
	ward_err err = WARD_OK;

	if (!WARDI_RESERVED_ZERO(options->reserved))
		return ward_refused(WARD_EINVAL, "ward_guests_start: " WARDI_RESERVED_WRONG);
	for (const ward_kind *kind = options->kinds;
	     err == WARD_OK && kind != NULL && kind->name != NULL; kind++)
		err = check_kind(options->kinds, kind);
	for (const ward_failure_class *const *at = options->failure_classes;
	     err == WARD_OK && at != NULL && *at != NULL; at++)
		err = ward_failure_class_check(*at);
	return err;
}

ward_err ward_guests_start(ward_system *system, const ward_guests_options *options,
			   ward_ref *ret_guests)
{
	static const ward_guests_options none;
	struct wardi_guests args;
	ward_props props = {.behavior = &guests_behavior, .name = "guests"};
	ward_ref guests;
	ward_err err;

	if (options == NULL)
		options = &none;
	err = check(options);
	if (err != WARD_OK)
		return err;
	args = (struct wardi_guests){options->kinds, options->failure_classes};
	props.args = (ward_body){WARD_COPY(wardi_guests, &args)};
	err = ward_system_spawn_service(system, &props, &guests);
	if (err == WARD_EEXIST)
		return ward_refused(err, "ward_guests_start: this system has guests already, or "
					 "another service \"guests\"");
	/* At once, not when it runs: a child elsewhere may start before. */
	if (err == WARD_OK) {
		err = wardi_remote_guests_set(system, guests);
		if (err != WARD_OK)
			ward_system_stop(system, guests);
	}
	if (err == WARD_OK && ret_guests != NULL)
		*ret_guests = guests;
	return err;
}
