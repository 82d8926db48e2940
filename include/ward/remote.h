/* SPDX-License-Identifier: MIT
 *
 * ward/remote.h - a child that lives elsewhere, about which its parent decides as about any other.
 *
 *	static const char *const nodes[] = {"left@10.9.0.1", "right@10.9.0.2", NULL};
 *	const struct ward_remote teller = {.nodes = nodes, .kind = "teller"};
 *	ward_props props = ward_remote_props(&teller);
 *
 *	props.name = "till";
 *	ward_ref till = ward_spawn_props(self, &props);
 *
 * The child here is a stand-in. It asks the nodes in turn for a guest of this kind (guests.h).
 * Until one has started it, the mailbox of the stand-in is closed. Then what is sent to the stand-
 * in is passed on, with its sender. The ref of the stand-in is good for its whole life, also when
 * the guest moves.
 *
 * If the guest fails, the stand-in fails with the same class, text and body. The guest waits for
 * what its parent decides about the stand-in: restart, resume, stop or escalate. If the stand-in is
 * restarted for the sake of another child or of its parent, suspended, resumed or stopped, so is
 * the guest, which has ended before the stand-in ends. If the guest ends, the stand-in ends
 * likewise.
 *
 * If the node is unreached, the stand-in waits for grace_ms and fails with ward_unreached, so that
 * by default it is restarted, and asks the next node. If it is resumed, it does the same: it has no
 * guest that could go on, as a child whose start failed. What waits in its mailbox is for the new
 * guest; what the old one had, or was on its way to it, is lost. If no node answers, it fails with
 * ward_unreached after start_timeout_ms; if all refuse, with ward_initialization.
 *
 * If the stand-in itself is stopped while the node is unreached, it does not wait: another child of
 * that name may live while the guest of this one has not stopped itself yet.
 *
 * What an actor on the node of the stand-in has sent to that comes before the notice of its end, if
 * the guest watches it, and before its exit signal.
 *
 * What the guest tells its parent goes to the parent of the stand-in, as if the stand-in had sent
 * it. All else that the guest sends to the node of the stand-in has the stand-in as its sender,
 * too; what it sends elsewhere has the guest. A ref in a body is that of the guest.
 */
#ifndef WARD_REMOTE_H
#define WARD_REMOTE_H

#include <ward/actor.h>

WARD_BEGIN

/** Where a child lives, and what it is. Zero is the default; `kind` or `props` must be set. */
struct ward_remote {
	/** Tried in turn; ended by NULL. The first start of a stand-in begins with the first node,
	 *  each later one with the node behind the one that it asked last. So all routees of a pool
	 *  begin with the first. NULL: this very system, as a node of "". */
	const char *const *nodes;
	const char *kind; /* a name that the nodes have in their table: see ward_kind */
	/** For this process only, in place of a kind: what to start. Their name is that of the
	 *  guest below its host. */
	const ward_props *props;
	ward_body args; /* of the guest; WARD_ARGS(T, ...). With props leave it out */
	/** The failures of the guest that keep their class: one of these with the same chain of
	 *  names, or one of ward's own. Any other becomes ward_remote_failure, with its name in the
	 *  text. Within one process all keep it. Ended by NULL; NULL: none. */
	const ward_failure_class *const *failure_classes;
	int64_t start_timeout_ms; /* for each node; 0: 5 s */
	/** Time from the loss of the connection to the failure of the stand-in: by then the guest
	 *  has stopped itself, since it has received nothing either. 0: the least that is safe,
	 *  which the connection says; a node where less is wanted counts as one that refuses, in
	 *  each start. */
	int64_t grace_ms;
	uintptr_t reserved[3]; /* zero */
	void *own_;            /* the library's; NULL */
};

/**
 * Returns the props of a child that lives elsewhere, for any call that takes props: a spawn, a
 * pool, a back-off. Set its name, mailbox and dispatcher as those of any: they are the stand-in's.
 *
 * Ownership  borrows what `remote` points to, and `remote` itself, until the props were used: the
 *            spawn copies it.
 * Threads    any.
 * Cost       O(1). The spawn: a copy of all that it points to. A message: one more send.
 * Errors     of the spawn: WARD_EINVAL neither kind nor props, or both; a name that is too long; no
 *            nodes in the list; a grace_ms that is safe with no node, or a number below 0;
 *            WARD_EUNIQUE arguments that own things, and have no clone; WARD_ENOMEM.
 * Contract   S189-S194
 */
WARD_API WARD_MUST_USE ward_props ward_remote_props(const struct ward_remote *remote);

/** An exception: the node of a child that lives elsewhere is unreached, or none has started it.
 *  Default: restart. After a resume the stand-in asks the next node, too. Contract: S193. */
WARD_API extern const ward_failure_class ward_unreached;
/** An exception: a guest failed with a class that is not known here. Default: restart. Contract:
 *  S190. */
WARD_API extern const ward_failure_class ward_remote_failure;

WARD_END
#endif
