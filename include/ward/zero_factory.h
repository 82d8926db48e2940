/* SPDX-License-Identifier: MIT
 *
 * ward/zero_factory.h - SupervisorFactory of Akka 0.x: a supervision tree from one constant table.
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
 * The supervisor creates, links and starts all components, or none: one after the other in the
 * order of the table, each when the previous one runs. If one is refused, or fails in init or
 * pre_start, the supervisor fails, and by default is stopped with all components. A component that
 * ends by itself counts as started.
 *
 * To stop the supervisor is to stop all components. It handles only the messages of this header;
 * any other makes it fail with ward_misuse. When it is restarted it stops all components and starts
 * them again, as any actor does.
 */
#ifndef WARD_ZERO_FACTORY_H
#define WARD_ZERO_FACTORY_H

#include <ward/system.h>
#include <ward/zero.h>

WARD_BEGIN

/** Nesting depth of factories. */
enum { WARD_ZERO_DEPTH_MAX = 16 };

/** The table of a supervisor, and the arguments of ward_zero_supervisor. Constant, with everything
 *  that it points to; must outlive every supervisor that is made from it. */
typedef struct ward_zero_factory {
	/** Of the supervisor, in ward_zero_start() and where the table is nested; NULL: generated.
	 *  ward_zero_supervisor does not use it. */
	const char *name;
	const ward_zero_strategy *strategy; /* NULL: ward_zero_untrapped */
	/** At least one; ended by a row without behavior and nested. */
	const ward_zero_component *components;
	uintptr_t reserved[2]; /* zero */
} ward_zero_factory;
WARD_MESSAGE(ward_zero_factory);

/** The failure of a supervisor whose components did not all start. It is a ward_initialization, so
 *  the supervisor is stopped by default. Contract: S123. */
WARD_API extern const ward_failure_class ward_zero_not_started;

/**
 * Checks a table. Returns WARD_OK if it can be started.
 *
 * Threads    any.
 * Cost       O(components), squared for their names.
 * Errors     WARD_EINVAL the table is invalid, ward_err_detail() says why; WARD_EEXIST two
 *            components have the same name; WARD_ENOENT a component has a remote address, which is
 *            not possible yet.
 * Contract   S123
 */
WARD_API WARD_MUST_USE ward_err ward_zero_check(const ward_zero_factory *factory);

/**
 * Starts a supervisor at the top, and waits until all its components run.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0. After a failure it waits up to timeout_ms more
 *            for the end of the started components.
 * Cost       twice as ward_zero_check(), and as ward_system_spawn() and ward_system_ask_send(); for
 *            each component as ward_zero_start_link() and ward_ask_send().
 * Errors     as ward_zero_check() and ward_system_spawn(); WARD_EDEAD a component failed while it
 *            started, ward_err_detail() says which and how; WARD_ETIMEDOUT. All components are told
 *            to stop then, and *ret_supervisor is not written.
 * Contract   S123
 */
WARD_API WARD_MUST_USE ward_err ward_zero_start(ward_system *system,
						const ward_zero_factory *factory,
						int64_t timeout_ms, ward_ref *ret_supervisor);

/**
 * The behaviour of a supervisor for a tree of your own. Its arguments are a table.
 *
 *	ward_spawn(self, &ward_zero_supervisor, .name = "shop",
 *		   .args = {WARD_COPY(ward_zero_factory, &factory)});
 *
 * Its name is that of the props, as for any actor, not ward_zero_factory.name.
 *
 * Ownership  borrows what the table points to for the life of the supervisor.
 * Cost       of the spawn: as ward_zero_check(); of the start: as ward_zero_start(), without the
 *            wait.
 * Errors     of the spawn: those of ward_zero_check(). A supervisor that cannot start all its
 *            components fails with ward_zero_not_started.
 * Contract   S123
 */
WARD_API extern const ward_behavior ward_zero_supervisor;

/** Asks a supervisor to answer with ward_zero_started when all its components run. If they do not
 *  all start, the supervisor fails: a stop ends the question, a restart starts again. If it is
 *  resumed, it stays as it is and answers with the reason. Contract: S123. */
WARD_SIGNAL(ward_zero_ready);

/** The answer to a ward_zero_ready. */
struct ward_zero_started {
	ward_err err;
	char text[WARD_ZERO_TEXT]; /* why it could not start */
};
WARD_MESSAGE_FLAT(ward_zero_started);

/** Asks a supervisor for an actor by its behaviour. The answer, a ward_zero_found, has the first
 *  one in the order of the table that is alive; those of nested tables come last. Contract: S123.
 */
struct ward_zero_find {
	const ward_behavior *behavior;
};
WARD_MESSAGE(ward_zero_find);

/** The answer to a ward_zero_find. */
struct ward_zero_found {
	ward_ref who; /* or nobody */
};
WARD_MESSAGE_FLAT(ward_zero_found);

#ifndef __cplusplus
WARD_REPLY(ward_zero_ready, ward_zero_started);
WARD_REPLY(ward_zero_find, ward_zero_found);
#endif

/**
 * Asks like ward_zero_find, from a thread outside, and waits for the answer.
 *
 * Threads    any outside the system's actors.
 * Units      timeout_ms milliseconds, more than 0.
 * Cost       as ward_system_ask_send(); for each supervisor on the way O(components), including
 *            those of nested tables.
 * Errors     WARD_ENOENT no such actor is alive; as ward_system_ask_send().
 * Contract   S123
 */
WARD_API WARD_MUST_USE ward_err ward_zero_actor(ward_system *system, ward_ref supervisor,
						const ward_behavior *behavior, int64_t timeout_ms,
						ward_ref *ret_who);

WARD_END
#endif
