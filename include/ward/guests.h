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
 */
#ifndef WARD_GUESTS_H
#define WARD_GUESTS_H

#include <ward/actor.h>
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
	uintptr_t reserved[4]; /* zero */
} ward_guests_options;

/**
 * Starts /system/guests. From then on stand-ins may ask this system for guests; in this system
 * itself (a node of "") they may bring their own props, too.
 *
 * Ownership  borrows the kinds, with all that they point to, for the life of the system.
 * Threads    as ward_system_spawn_service().
 * Cost       as ward_system_spawn_service(), and O(kinds), squared.
 * Errors     WARD_EEXIST there are guests already, or two kinds have one name; WARD_EINVAL a kind
 *            without props, or a name that is empty or too long; as ward_system_spawn_service().
 * Contract   S189
 */
WARD_API WARD_MUST_USE ward_err ward_guests_start(ward_system *system,
						  const ward_guests_options *options,
						  ward_ref *ret_guests);

WARD_END
#endif
