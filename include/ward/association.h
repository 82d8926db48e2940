/* SPDX-License-Identifier: MIT
 *
 * ward/association.h - the connection of a system to another place: for authors of transports. Not
 * included by ward/ward.h.
 *
 * An association is one life of a connection to another system, the peer: in this process, in
 * another one, or on another machine. It is an incarnation of an actor, which called
 * ward_association_open(). From then on refs with the place of the association denote actors of the
 * peer, and everything that takes a ref takes these: tell, reply, forward, ask, watch, link, exit,
 * stop. What is done to such a ref arrives in the mailbox of the association's actor, as an
 * outgoing message, which its receive passes to the peer in a form of its own:
 *
 *	struct ward_outgoing out;
 *
 *	if (ward_outgoing_open(self, msg, &out))
 *		return write_frame(self, state, &out);
 *
 * and what the peer sends, it applies with ward_incoming():
 *
 *	err = ward_incoming(self, &(struct ward_outgoing){
 *		.kind = WARD_CONTROL_STOP, .from = other, .to = who});
 *
 * The end of the incarnation is the end of the association. All that hangs on it ends then: a
 * watcher of an actor of the peer gets a ward_terminated with the end WARD_END_UNREACHED, a linked
 * actor an exit signal of the kind WARD_EXIT_UNREACHED, a question ends with WARD_EUNREACHED, what
 * still waits in the mailbox is a dead letter with the reason WARD_REASON_UNREACHED. Each watch,
 * link and question has exactly one such end. Refs of this association stay dead: the next one has
 * another place, unless the peer is in this process and bodies pass by value. So a transport needs
 * no lists of its own, except of what its peer does here, which ward_incoming() keeps, too.
 *
 * A peer may do what an actor of this system may: send to, watch, link with, stop and end any actor
 * whose ref it has or guesses, also below /system, and answer any question. ward_incoming() checks
 * that what comes in is well-formed, not whether the peer should do it. So a transport to other
 * machines makes sure first who the peer is.
 *
 * Back-pressure is that of the actor's mailbox: with messages_max and WARD_OVERFLOW_HOLD_SENDER the
 * senders wait while the peer does not read. An outgoing message counts for one in it, plus one for
 * each ward_association_options.bytes_unit bytes of its body.
 */
#ifndef WARD_ASSOCIATION_H
#define WARD_ASSOCIATION_H

#include <ward/actor.h>
#include <ward/event.h>
#include <ward/extend.h>
#include <ward/link.h>
#include <ward/watch.h>

WARD_BEGIN

/** Size of the name of a node, including the terminating 0. */
enum { WARD_NODE_NAME = 64 };

/** What goes from a system to its peer. The names are those of Erlang's distribution. The numbers
 *  are stable. */
typedef enum ward_control {
	/** A message from `from` (or nobody) to `to`: an actor, a question or a thread that waits.
	 * */
	WARD_CONTROL_SEND = 1,
	/** A message to all actors at `path`, as ward_select(). A path that does not begin with a
	 *  slash begins at the actor `to`. */
	WARD_CONTROL_SELECT = 2,
	/** `from` watches `to` from now on. If `stand_in` stands in for it, the TERMINATED comes
	 *  behind what was sent to that one before. */
	WARD_CONTROL_WATCH = 3,
	WARD_CONTROL_UNWATCH = 4,    /* no longer */
	WARD_CONTROL_TERMINATED = 5, /* `from` has ended, as `end` says: a watch of `to` is over */
	/** `from` has made a link with `to`, by the number `number`. `stand_in` as for WATCH: the
	 *  LINK_EXIT comes so. */
	WARD_CONTROL_LINK = 6,
	/** `from` has ended the link with `to`: the one that it made by `number`, and the one that
	 *  `to` made by `other_number`; 0: it knew of none. */
	WARD_CONTROL_UNLINK = 7,
	WARD_CONTROL_LINK_EXIT = 8, /* `from` has ended with `reason`; it was linked with `to` */
	WARD_CONTROL_EXIT = 9,      /* ward_exit() of `from` to `to`, with `reason` */
	WARD_CONTROL_STOP = 10,     /* ward_stop() of `from` to `to` */
	/** A message of the question or thread `to` became a dead letter, for `dead`: nobody will
	 *  answer. */
	WARD_CONTROL_UNHEARD = 11
} ward_control;

/** Returns "send", "watch", ...; never NULL. Threads: any. Cost: O(1). */
WARD_API const char *ward_control_text(ward_control kind);

/** One control message. Fields that its kind does not name are zero. */
struct ward_outgoing {
	ward_control kind;
	ward_ref from, to;
	/* SEND, SELECT */
	const ward_type *type;
	const void *body; /* NULL: none */
	size_t size;
	const char *path; /* SELECT: of the peer, such as "/user/a" or "a/b"; ended by a 0 */
	bool silent;      /* SELECT: a miss makes no dead letter */
	/* LINK, UNLINK */
	uint64_t number, other_number;
	/** WATCH, LINK: the actor of the peer by which others know `from`; or nobody. */
	ward_ref stand_in;
	/* TERMINATED */
	ward_end end;
	const ward_failure_class *failure_class; /* or NULL */
	char name[WARD_END_NAME];
	ward_exit_reason reason; /* LINK_EXIT, EXIT */
	ward_reason dead;        /* UNHEARD */
};

/** Options of an association. Zero is the default; only `name` must be set. */
typedef struct ward_association_options {
	/** The name of the peer as a node, for paths: ward://NAME/user/a; copied. One open
	 *  association has a name at a time. */
	const char *name;
	/** Bytes of a body that count in the mailbox like one message more. Default 0: 1 KiB. */
	uint32_t bytes_unit;
	/** The peer is in this process, and bodies pass by value: types need no table then, and a
	 *  body may own things. The place of the refs is that of the peer's system, so that refs
	 *  within bodies stay valid, also in the next association with it; it must not be
	 *  associated under another name. NULL: only types with a table, and those without a
	 *  body, can be sent. */
	ward_system *by_value;
	/** The peer's ward_guests, for ward_remote_props(); an actor of the peer, by the number
	 * that
	 *  ward_ref_number() returned there. 0: it takes none. */
	uint64_t guests;
	/** In milliseconds: the longest time after which the peer notices that this association is
	 *  lost, and stops what it has started for actors of this system. Default 0: 10 s. */
	int64_t lost_after_ms;
	/** With by_value: the transport writes and reads bodies, as for another process. Refs are
	 *  those of the peer's system, but only types with a table, and those without a body, can
	 *  be sent; any other is refused to its sender with WARD_ELOCAL, as without by_value. */
	bool bodies_written;
	uintptr_t reserved[3]; /* zero */
} ward_association_options;

/**
 * Opens an association with the running actor at this end. Writes the place of the peer's refs, for
 * ward_ref_at(), to *ret_place.
 *
 * Threads    only in a callback of the actor. It is closed when the incarnation ends.
 * Order      outgoing messages of earlier associations of this actor are in front in the mailbox;
 *            ward_outgoing_open() makes dead letters of them.
 * Cost       O(associations of the system), under a lock, and an allocation.
 * Errors     WARD_ENAME no name, or one that ward_node_name_check() refuses; WARD_EINVAL a reserved
 *            word that is not zero, a negative lost_after_ms, a mailbox that drops messages or has
 *            priorities, by_value of this system; WARD_EEXIST this actor has an open
 *            association, or another one has the name; WARD_ELIMIT 512 associations are open;
 *            WARD_ENOMEM.
 * Contract   S195
 */
WARD_API WARD_MUST_USE ward_err ward_association_open(ward_self *self,
						      const ward_association_options *options,
						      uint32_t *ret_place);

/** Returns WARD_OK if the text may be the name of a node: letters, digits, '-', '_', '.', '@', ':',
 *  at most 63 bytes. Threads: any. Cost: O(length). Errors: WARD_ENAME, with a detail. */
WARD_API WARD_MUST_USE ward_err ward_node_name_check(const char *name);

/**
 * Reads an outgoing message. Returns false if the message is not one, or if it was for an earlier
 * association of this actor: then it is a dead letter (or what it asked for is over) and the caller
 * returns WARD_DONE.
 *
 * From here on the message in hand is the one that is to be sent: ward_take_body() keeps its body,
 * ward_dead_letter() makes a dead letter of it. What `out` points to is borrowed until the callback
 * returns. `from` is a ref of this system, `to` one of the peer; a message that an actor of a third
 * system sent, and that is passed on, has that one as `from`.
 *
 * Cost       O(1).
 */
WARD_API bool ward_outgoing_open(ward_self *self, const ward_msg *msg, struct ward_outgoing *out);

/** The bytes of the body of the opened message were copied elsewhere, with what they own: the
 *  message is freed without a drop. For associations by value. Cost: O(1). */
WARD_API void ward_outgoing_moved(ward_self *self);

/**
 * The opened message cannot be written: `why` is the code of ward_encode_refs(), for example, and
 * its ward_err_detail() becomes the text. It is a dead letter, for its own receiver, with the
 * reason LOCAL, NO_MEMORY or MISUSE. A question ends, whether the message asks it or answers it.
 * The message may not be accessed after this. Without memory for a message of ward's own that may
 * not be lost self fails when the callback returns, and so closes the association.
 *
 * Cost       as ward_dead_letter().
 * Contract   S196, S201
 */
WARD_API void ward_outgoing_refused(ward_self *self, const struct ward_outgoing *out, ward_err why);

/**
 * Applies a control message of the peer: `to` is a ref of this system, `from` one of the peer. The
 * sender of a SEND or SELECT may be any ref, also nobody: a message that was passed on has the one
 * of the first sender, which may be an actor of a third system.
 *
 * A message for an actor that has ended is a dead letter here, and so is one whose mailbox is full.
 * A receiver that holds its senders holds the association's actor. UNWATCH, UNLINK, TERMINATED and
 * LINK_EXIT of what is unknown here have no effect. Order: as the calls.
 *
 * Ownership  SEND, SELECT: takes what the body owns, always; the bytes remain the caller's.
 * Cost       as the call that it stands for.
 * Errors     WARD_EINVAL an unknown kind, `to` is not of this system, `from` is not of the peer, an
 *            end or a reason that there is not, or whose text has no 0, no association is open;
 *            WARD_ENOMEM: a SEND is a dead letter then; for one of ward's own that may not be lost
 *            the actor fails, too, when the callback returns. After the refusal of any other the
 *            transport fails, and so closes the association: the peer would wait for an end that
 *            never comes.
 * Contract   S196-S203
 */
WARD_API WARD_MUST_USE ward_err ward_incoming(ward_self *self, const struct ward_outgoing *in);

/**
 * A SEND or SELECT of the peer cannot be read: as ward_outgoing_refused(), at this end. `in` has
 * all that was read; its body is not used. The type may be NULL, if it is not known here.
 *
 * Cost       as ward_dead_letter().
 * Contract   S196, S201
 */
WARD_API void ward_incoming_refused(ward_self *self, const struct ward_outgoing *in, ward_err why);

/* ---- nodes -------------------------------------------------------------------------------- */

/** Writes the name of the node at a place; returns false if no association has or had it. Threads:
 *  any. Cost: O(1), and a lock. */
WARD_API bool ward_node_name(const ward_system *system, uint32_t place, char name[WARD_NODE_NAME]);
/** Returns the place of the open association with this node; 0: there is none. Threads: any. Cost:
 *  O(associations), and a lock. */
WARD_API uint32_t ward_node_place(const ward_system *system, const char *name);
/** Reads what the open association with this node said of it: its ward_guests, and lost_after_ms.
 *  Returns false if there is no such association, or if the node takes none. Threads: any. Cost:
 *  O(associations), and a lock. */
WARD_API bool ward_node_guests(const ward_system *system, const char *name, ward_ref *ret_guests,
			       int64_t *ret_lost_after_ms);

/** What goes to a node, as seen at this end. Messages are those of tell, ask, select and so on; not
 *  watches, links and their ends. */
typedef struct ward_node_info {
	char name[WARD_NODE_NAME];
	uint32_t place;
	bool open;            /* false: the association has ended, and its refs are dead */
	ward_ref association; /* the actor at this end; nobody, if it has ended */
	/** Messages that wait in the mailbox of the association, and the bytes of their bodies.
	 *  What has left it is the transport's: in a window, in a socket, or there. */
	uint64_t waiting, waiting_bytes;
	uint64_t passed; /* messages that ward_outgoing_open() has given to the transport */
	/** Messages that did not go: refused with a code, or dead letters; some of these had
	 *  waited. */
	uint64_t refused;
	uintptr_t reserved[4];
} ward_node_info;

/**
 * Calls the function for each association of the system, open or closed, in no order; returns how
 * many there are. Of closed ones the latest are kept: with the open ones at most 1024. Numbers
 * count from the first opening of the place on, and are a picture: messages move at the same time.
 *
 * Threads    any. The function is called without a lock.
 * Cost       O(1024), with a lock for each.
 * Contract   S197
 */
WARD_API size_t ward_system_nodes(ward_system *system,
				  void (*each)(void *arg, const ward_node_info *info), void *arg);

WARD_END
#endif
