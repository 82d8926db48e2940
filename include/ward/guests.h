/* SPDX-License-Identifier: MIT
 *
 * ward/guests.h - the far side of children that live elsewhere: what others may start here.
 *
 *	static const ward_props teller = {.behavior = &till};
 *	static const ward_kind kinds[] = {{"teller", &teller}, {NULL, NULL}};
 *
 *	err = ward_guests_start(system, &(ward_guests_options){.kinds = kinds}, NULL);
 *
 * The near side is remote.h: a stand-in there asks for a guest here. Each guest has a host, an
 * actor under /system/guests, which is its parent and supervises it on the word of the stand-in:
 * what the stand-in's parent decides is carried out here. What a guest tells its parent
 * (ward_parent()) goes to the parent of the stand-in, as if the stand-in had sent it.
 *
 * A guest is stopped when its stand-in has ended, or is unreached.
 *
 * The second half is for authors of patterns: parents of guests, and stand-ins for guests that are
 * there already. So is the orphanage of the Akka 0.x profile made.
 *
 *      parent --- stand-in  . . . . . . . . . . . . . guest --- its parent
 *           ward_stand_in_receive()     ward_guest_failed(), ward_guest_receive()
 *
 * The parent of guests may have any number of them, each with a stand-in of its own. It passes on
 * what comes from a stand-in, which it finds by ward_guest_sender(), and watches the stand-ins:
 * when one has ended, it stops the guest.
 */
#ifndef WARD_GUESTS_H
#define WARD_GUESTS_H

#include <ward/actor.h>
#include <ward/link.h>
#include <ward/supervise.h>
#include <ward/system.h>

WARD_BEGIN

/** Length of the name of a kind, including the terminating 0. */
enum { WARD_KIND_NAME = 64 };

/** What others may start here, and its name for them. */
typedef struct ward_kind {
	const char *name; /* NULL ends a table */
	/** A template for each guest of this kind. The name is that of the guest below its host;
	 *  arguments here apply where the stand-in has none. */
	const ward_props *props;
} ward_kind;

/** Options of the guests of a system. Zero is the default. */
typedef struct ward_guests_options {
	/** Ended by a row without a name; NULL: no kinds. Nothing else can be started here from
	 *  outside this process. */
	const ward_kind *kinds;
	/** Failure classes for pre_restart and post_restart of a guest that is restarted with its
	 *  stand-in: as ward_remote.failure_classes. One that is not known here is ward_exception.
	 */
	const ward_failure_class *const *failure_classes;
	uintptr_t reserved[3]; /* zero */
} ward_guests_options;

/**
 * Starts /system/guests. From then on stand-ins may ask this system for guests; in this system
 * itself (a node of "") they may bring their own props, too.
 *
 * Ownership  borrows the kinds, with all that they point to, and the classes, for the life of the
 *            system.
 * Threads    as ward_system_spawn_service().
 * Cost       as ward_system_spawn_service(), and O(kinds), squared.
 * Errors     WARD_EEXIST there are guests already, or two kinds have one name; WARD_EINVAL a kind
 *            without props, or a name that is empty or too long; as ward_system_spawn_service().
 * Contract   S189
 */
WARD_API WARD_MUST_USE ward_err ward_guests_start(ward_system *system,
						  const ward_guests_options *options,
						  ward_ref *ret_guests);

/* ---- a parent of guests ------------------------------------------------------------------- */

/** Private to the library: a failure of a guest, and copies of what it brought. */
struct ward_guest_failure_ {
	uint64_t number; /* 0: none */
	const ward_failure_class *failure_class;
	void *why, *body;
	const ward_type *body_type;
	size_t body_size;
};

/** A child about which its stand-in decides. In the state of the parent, at first all zero. */
struct ward_guest {
	ward_ref who;      /* the child; nobody: it was not spawned yet */
	ward_ref stand_in; /* nobody: no failure waits */
	/** Of the stand-in, for the parent to set: its exit signals are those of the parent. */
	ward_ref parent;
	bool stops; /* it was told to stop, by ward_guest_stop() or its stand-in */
	/** For the parent to set: the bodies of its failures stay here. */
	bool keeps_bodies;
	/** The same: classes for restarts that are not about a failure of the guest; ended by NULL,
	 *  or NULL. One that is not known here is ward_exception. */
	const ward_failure_class *const *failure_classes;
	/** Private to the library. */
	bool suspended_, holds_, attended_, ready_, knows_ready_;
	ward_ref asker_;
	uint64_t told_, failures_;
	struct ward_guest_failure_ waits_;    /* for a verdict */
	struct ward_guest_failure_ answered_; /* by a restart before its stand-in failed likewise */
};

/**
 * The child was spawned. It is suspended if its stand-in is.
 *
 * Threads    in callbacks of the parent, as all of the following.
 * Cost       O(1).
 */
WARD_API void ward_guest_set_child(ward_self *self, struct ward_guest *guest, ward_ref child);
/** From now on this actor stands in for the guest; nobody: none does. What another one has ordered
 *  is taken back: a suspension is lifted, and a failure that waits stops the guest. Cost: O(1). */
WARD_API void ward_guest_set_stand_in(ward_self *self, struct ward_guest *guest, ward_ref stand_in);
/** The guest has started; a stand-in that wants to know gets a message. Cost: O(1), and it. */
WARD_API void ward_guest_set_ready(ward_self *self, struct ward_guest *guest);

/**
 * The decision of the parent's `decide` about a failure of the guest: WARD_LATER, and the stand-in
 * fails with the same class, text and body. WARD_STOP if nobody stands in for it, or it was told to
 * stop.
 *
 * Cost       a copy of the text and the body, and a message. Without memory for either the failure
 *            is passed on without it.
 * Contract   S190
 */
WARD_API WARD_MUST_USE ward_directive ward_guest_failed(ward_self *self, struct ward_guest *guest,
							const ward_failure *failure);
/**
 * Carries out what a stand-in orders: a verdict, a restart without a failure, a suspension, its
 * end, a stop, an exit signal. Answers its questions. Returns true if the message was one of these.
 * `guest` NULL: the stand-in has no guest here, or no longer, and nothing is done; stop it, lest it
 * waits.
 *
 * Cost       O(1), and that of the order.
 * Contract   S190-S192
 */
WARD_API bool ward_guest_receive(ward_self *self, struct ward_guest *guest, const ward_msg *msg);
/** Returns the stand-in that has sent an order or a question of it, here or on another node; of any
 *  other message its sender. For a parent of several guests, to find the guest. Cost: O(1). */
WARD_API ward_ref ward_guest_sender(const ward_msg *msg);
/** Stops the guest, also one with a failure that waits. Cost: O(1). */
WARD_API void ward_guest_stop(ward_self *self, struct ward_guest *guest);
/** The guest has ended: its stand-in gets a message, if it waits for news. Returns whether it does;
 *  if not, it will: call this again after the next ward_guest_receive(). A stand-in that is
 *  suspended is ended. Cost: O(1), a message and a signal. */
WARD_API bool ward_guest_ended(ward_self *self, struct ward_guest *guest, ward_end end,
			       const ward_exit_reason *reason);

/* ---- a stand-in --------------------------------------------------------------------------- */

/** Tags of questions from here on are the library's, in a stand-in. */
enum { WARD_STAND_IN_OWN = 1 << 30 };

/** What a stand-in knows of its guest. It outlives restarts, so it is not in the state: the copy of
 *  the arguments belongs to the actor alone. What is private to the library is zero at first. */
struct ward_stand_in {
	ward_ref host;  /* the parent of the guest */
	ward_ref guest; /* what is sent to the stand-in is for it */
	/** The end of the stand-in waits for that of this actor: see ward_try_represent(). Without
	 *  memory for a verdict it is stopped. Nobody: nothing waits, and the guest is stopped. */
	ward_ref until;
	/** Those that keep their class: see ward_remote. */
	const ward_failure_class *const *failure_classes;
	bool is_ready; /* the guest has started; if set at first, it had started before */
	/** Private to the library. */
	uint64_t failed_;
	void *failure_;
	bool restarted_, unasked_;
};

/**
 * From now on the running actor stands in for the guest. In pre_start, post_restart or receive, in
 * each incarnation.
 *
 * Threads    in callbacks of the stand-in, as all of the following.
 * Cost       as ward_try_represent(), and a question.
 * Errors     as ward_try_represent() and ward_try_ask().
 * Contract   S187, S190
 */
WARD_API WARD_MUST_USE ward_err ward_stand_in_attend(ward_self *self, struct ward_stand_in *me);
/**
 * Handles a message of the host; call it for each message before all else, since a message after a
 * failure shows that it was resumed. On WARD_OK *ret_result is for receive to return: it may be
 * that the stand-in fails as the guest did, or has ended as it did.
 *
 * Cost       O(1), at most a question, a message and a copy of a failure.
 * Errors     WARD_ENOENT it is another message, perhaps one to be passed on; WARD_EDEAD,
 *            WARD_EUNREACHED the host has ended, or is unreached; others: the host could not be
 *            asked for news, and the stand-in no longer attends.
 * Contract   S190
 */
WARD_API WARD_MUST_USE ward_err ward_stand_in_receive(ward_self *self, struct ward_stand_in *me,
						      const ward_msg *msg, ward_result *ret_result);
/** In pre_restart: restarts the guest, too. Cost: O(1), a message. Contract: S191. */
WARD_API void ward_stand_in_restart(ward_self *self, struct ward_stand_in *me,
				    const ward_failure *why);

WARD_END
#endif
