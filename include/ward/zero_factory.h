/* SPDX-License-Identifier: MIT
 *
 * ward/zero_factory.h - SupervisorFactory of Akka 0.x: a supervision tree of one constant table.
 * Of the library ward-akka-zero.
 *
 *	static const ward_zero_strategy all =
 *		WARD_ZERO_STRATEGY(WARD_ALL_FOR_ONE, 3, 1000, &ward_exception);
 *	static const ward_zero_factory factory = {
 *		.name = "shop",
 *		.strategy = &all,
 *		.components = (const ward_zero_component[]){
 *			{.props = {.behavior = &till, .name = "till"}},
 *			{.props = {.behavior = &errand}, .life = WARD_ZERO_TEMPORARY},
 *			{.nested = &back_room},
 *			{0}},
 *	};
 *
 *	err = ward_zero_start(system, &factory, 5 * WARD_SECOND, &supervisor);
 *
 * The supervisor creates, links and starts them all, or nothing: one after the other in the order
 * of the table, each when the one before it runs. If one is refused, or fails in init or pre_start,
 * the supervisor fails, and by default is stopped with all it has.
 *
 * To stop it is to stop all. It has nothing else to do: any message that is not one of this header
 * fails it with ward_misuse. When it is restarted it stops all and starts anew, as any actor does.
 */
#ifndef WARD_ZERO_FACTORY_H
#define WARD_ZERO_FACTORY_H

#include <ward/system.h>
#include <ward/zero.h>

WARD_BEGIN

/** How deep factories may be nested. */
enum { WARD_ZERO_DEPTH_MAX = 16 };

/** The table. Constant, with all it points to; must outlive every supervisor made of it. The
 *  arguments of a ward_zero_supervisor. */
typedef struct ward_zero_factory {
	const char *name;                      /* see ward_zero_supervisor; NULL: generated */
	const ward_zero_strategy *strategy;    /* NULL: ward_zero_untrapped */
	const ward_zero_component *components; /* ended by one without behavior and nested */
	uintptr_t reserved[2];                 /* zero */
} ward_zero_factory;
WARD_MESSAGE(ward_zero_factory);

/** The failure of a supervisor whose components did not all start. An initialization, so it is
 *  stopped by default. Contract: S123. */
WARD_API extern const ward_failure_class ward_zero_not_started;

/**
 * Says whether a table is one that could be started.
 *
 * Threads    any.
 * Errors     WARD_EINVAL, and the detail says what is wrong; WARD_EEXIST two components have one
 *            name; WARD_ENOENT one has a remote address, which is not available: there is no
 *            clustering yet.
 * Cost       O(components), squared for their names.
 * Contract   S123
 */
WARD_API WARD_MUST_USE ward_err ward_zero_check(const ward_zero_factory *factory);

/**
 * Starts a supervisor at the top, and waits until all its components run.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0; and as long again for the end of what has
 *            failed.
 * Cost       twice as ward_zero_check(), and as ward_system_spawn() and ward_system_ask_send(); for
 *            each component as ward_zero_start_link() and ward_ask_send().
 * Errors     as ward_zero_check() and ward_system_spawn(); WARD_EDEAD a component failed while it
 *            started, and the detail says which and how; WARD_ETIMEDOUT. Then everything was told
 *            to stop, and *ret_supervisor is not written.
 * Contract   S123
 */
WARD_API WARD_MUST_USE ward_err ward_zero_start(ward_system *system,
						const ward_zero_factory *factory,
						int64_t timeout_ms, ward_ref *ret_supervisor);

/**
 * A supervisor in a tree of one's own, which starts by itself: give it props with a table.
 *
 *	ward_spawn(self, &ward_zero_supervisor, .name = "shop",
 *		   .args = {WARD_COPY(ward_zero_factory, &factory)});
 *
 * Its name is that of the props. The name in a table is for ward_zero_start(), and for one that is
 * nested.
 *
 * Ownership  borrows what the table points to for the life of the supervisor.
 * Cost       of the spawn as ward_zero_check(); the start as ward_zero_start(), but for the wait.
 * Errors     of the spawn: those of ward_zero_check(). One that cannot start all of its components
 *            fails with ward_zero_not_started.
 * Contract   S123
 */
WARD_API extern const ward_behavior ward_zero_supervisor;

/** Asks a supervisor; it answers when all its components run. One that does not get so far fails,
 *  and then is stopped, which ends the question, or restarted, which begins anew. One that is
 *  resumed all the same stays as it is, and answers why. Contract: S123. */
WARD_SIGNAL(ward_zero_ready);

/** The answer. */
struct ward_zero_started {
	ward_err err;
	char text[WARD_ZERO_TEXT]; /* of what kept it from starting */
};
WARD_MESSAGE_FLAT(ward_zero_started);

/** Asks a supervisor for an actor by its type: the first one in the order of the table that is
 *  alive; those of nested tables after its own. Contract: S123. */
struct ward_zero_find {
	const ward_behavior *behavior;
};
WARD_MESSAGE(ward_zero_find);

/** The answer. */
struct ward_zero_found {
	ward_ref who; /* or nobody */
};
WARD_MESSAGE_FLAT(ward_zero_found);

#ifndef __cplusplus
WARD_REPLY(ward_zero_ready, ward_zero_started);
WARD_REPLY(ward_zero_find, ward_zero_found);
#endif

/**
 * The same question from a thread outside.
 *
 * Cost       as ward_system_ask_send(); for each supervisor on the way O(components), those of
 *            nested tables included.
 * Errors     WARD_ENOENT no such actor is alive; as ward_system_ask_send().
 * Contract   S123
 */
WARD_API WARD_MUST_USE ward_err ward_zero_actor(ward_system *system, ward_ref supervisor,
						const ward_behavior *behavior, int64_t timeout_ms,
						ward_ref *ret_who);

WARD_END
#endif
