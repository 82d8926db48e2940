/* SPDX-License-Identifier: MIT
 *
 * ward/testkit/neighbours.h - connects systems of one process: for tests of programs whose actors
 * are on several nodes.
 *
 *	ward_kit *left = ward_kit_start(&(ward_kit_options){.system.name = "left"});
 *	ward_kit *right = ward_kit_start(&(ward_kit_options){.system.name = "right"});
 *	ward_loop *loop = ward_loop_start(NULL);
 *	ward_ref far;
 *	ward_loop_join(loop, ward_kit_system(left), "left");
 *	ward_loop_join(loop, ward_kit_system(right), "right");
 *	ward_loop_connect(loop, "left", "right");
 *	ward_assert(ward_loop_await(loop, "left", "right", WARD_MINUTE));
 *	far = ward_loop_ref(loop, "left", "right", ward_kit_spawn(right, &client));
 *	ward_kit_tell(left, far, ward_poison_pill);
 *	ward_loop_finish(loop);
 *	ward_kit_finish(left);
 *	ward_kit_finish(right);
 *
 * The loop is a transport on ward/association.h. In each system it has, for each neighbour, a
 * service under /system, the keeper, named loop-NAME, whose child `line` is the association. The
 * keeper connects again when the connection is lost.
 *
 * Simulated systems of a loop share one thread and one clock. Whichever of them a call moves
 * (ward_kit_run(), ward_kit_advance(), ward_system_ask(), ...), all move: turns are drawn among the
 * ready actors of all systems, and the clocks go to the next event of any of them together. Frames
 * arrive after latency_ms, in order between two systems, in no order between three. Systems on
 * threads hand frames over at once.
 *
 * By bytes, a message whose type has no table is refused to its sender, with WARD_ELOCAL: a dead
 * letter with the reason LOCAL. One that cannot be written is that at its end; one for whose bytes
 * there is no memory, with NO_MEMORY. Both have the text of the codec, and end the question that
 * they ask or answer. Memory is that of the system: `test_x --shortages` strikes it, when a message
 * is written and when it is read.
 *
 * In a WARD_SIMULATION the faults `reset`, `cut`, `cut_one_way`, `late` and `crash` of the mix
 * strike the frames of the loops; they are part of the replay line. Faults of actors (`fail`,
 * `memory`, `stall`, ...) do not strike keepers and lines, unless `path` of the mix matches them:
 * then a keeper that fails may be stopped, and its connection is not opened again.
 *
 * A frame that is lost breaks its direction: no later frame of that connection arrives there, and
 * their bytes stay in its window, so a flood into a cut is held until the connection is lost. Each
 * end sends ticks, which the other echoes, and closes its association lost_after_ms after it has
 * sent the last tick that was echoed. So after any cut, one way or both, the end to which nothing
 * comes closes within lost_after_ms of the last frame that it received, and the other end within
 * 2 * lost_after_ms.
 *
 * All functions fail the test if something is wrong, at the line of their call. They must be called
 * on the thread that started the loop, outside callbacks.
 */
#ifndef WARD_TESTKIT_NEIGHBOURS_H
#define WARD_TESTKIT_NEIGHBOURS_H

#include <ward/testkit/kit.h>

#include <ward/association.h>

WARD_BEGIN

/** A loop. Opaque. */
typedef struct ward_loop ward_loop;

/** How bodies go from one system to another. */
typedef enum ward_loop_form {
	/** As they are: types need no table, and a body may own things. */
	WARD_LOOP_BY_VALUE = 0,
	/** Encoded and decoded by the table of their type. Refs are written, too, so that each
	 *  connection has a place of its own; failure classes stay behind. */
	WARD_LOOP_BY_BYTES = 1,
	/** Encoded and decoded likewise, but refs are those of the systems, as by value: for tests
	 *  that use a ref of one system in another. With WARD_LOOP=bytes in the environment
	 *  this stands in place of WARD_LOOP_BY_VALUE. */
	WARD_LOOP_BY_BYTES_SAME_REFS = 2
} ward_loop_form;

/** Options of a loop. Zero is the default in every field. */
typedef struct ward_loop_options {
	ward_loop_form form;
	/** Simulated: how long a frame takes. Each takes up to jitter_ms more, drawn from the seed.
	 *  Default: 0, at once. */
	int64_t latency_ms, jitter_ms;
	/** After how long without an echo an end closes its association; four times the ticks'
	 *  interval. Default: 1 second. WARD_FOREVER: there are no ticks. */
	int64_t lost_after_ms;
	/** The pause before a lost connection is tried again; default: 100 ms. */
	int64_t retry_ms;
	/** The maximum of a line's mailbox, whose senders are held; default: 1000. Bytes of a body
	 *  that count as a message more: see ward_association_options. */
	uint32_t messages_max, bytes_unit;
	/** Bytes of frames in flight in one direction, from which on a line takes no more messages;
	 *  default: 256 KiB. */
	size_t window_bytes;
	/** Called between two turns when the fault `crash` has stopped a node; and when it is to
	 *  come back. The first should finish its kit, with may_leave_mail; the second starts
	 *  another, and lets it join under the same name. NULL: the fault does not strike; nor does
	 *  it strike a node that has been joined by ward_loop_join_main(). */
	void (*crashed)(void *arg, ward_loop *loop, const char *name);
	void (*comes_back)(void *arg, ward_loop *loop, const char *name);
	void *arg;
	uint64_t seed; /* default: ward_test_seed() */
	uintptr_t reserved[4];
} ward_loop_options;

/** Makes a loop without systems; NULL: all defaults. The caller ends it with ward_loop_finish(). */
#define ward_loop_start(...) ward_loop_start_at(__VA_ARGS__, __FILE__, __LINE__)
/** The function behind ward_loop_start(). */
WARD_API WARD_MUST_USE ward_loop *ward_loop_start_at(const ward_loop_options *options,
						     const char *file, int line);

/** Adds a system as a node of this name (ward_node_name_check()). A node that has crashed comes
 *  back by this, as another incarnation with all its connections. All systems of a loop are
 *  simulated, or none is. */
#define ward_loop_join(loop, system, name)                                                         \
	ward_loop_join_at((loop), (system), (name), __FILE__, __LINE__)
/** The function behind ward_loop_join(). */
WARD_API void ward_loop_join_at(ward_loop *loop, ward_system *system, const char *name,
				const char *file, int line);
/** The same for a node that must not crash: that of the kit of a WARD_SIMULATION. */
#define ward_loop_join_main(loop, system, name)                                                    \
	ward_loop_join_main_at((loop), (system), (name), __FILE__, __LINE__)
/** The function behind ward_loop_join_main(). */
WARD_API void ward_loop_join_main_at(ward_loop *loop, ward_system *system, const char *name,
				     const char *file, int line);

/** Names the actor of a node that takes children from others, as ward_association_options.guests.
 *  Has an effect on connections that are made later. */
#define ward_loop_guests(loop, name, guests)                                                       \
	ward_loop_guests_at((loop), (name), (guests), __FILE__, __LINE__)
/** The function behind ward_loop_guests(). */
WARD_API void ward_loop_guests_at(ward_loop *loop, const char *name, ward_ref guests,
				  const char *file, int line);

/** Connects two nodes, for as long as the loop lives. Returns at once: see ward_loop_await(). */
#define ward_loop_connect(loop, left, right)                                                       \
	ward_loop_connect_at((loop), (left), (right), __FILE__, __LINE__)
/** The function behind ward_loop_connect(). */
WARD_API void ward_loop_connect_at(ward_loop *loop, const char *left, const char *right,
				   const char *file, int line);

/** Moves until both ends of the connection are open, for at most timeout_ms; returns whether they
 *  are. */
#define ward_loop_await(loop, left, right, timeout_ms)                                             \
	ward_loop_await_at((loop), (left), (right), (timeout_ms), __FILE__, __LINE__)
/** The function behind ward_loop_await(). */
WARD_API bool ward_loop_await_at(ward_loop *loop, const char *left, const char *right,
				 int64_t timeout_ms, const char *file, int line);
/** Returns whether both ends of the connection are open now. */
#define ward_loop_is_open(loop, left, right)                                                       \
	ward_loop_is_open_at((loop), (left), (right), __FILE__, __LINE__)
/** The function behind ward_loop_is_open(). */
WARD_API bool ward_loop_is_open_at(ward_loop *loop, const char *left, const char *right,
				   const char *file, int line);

/** Returns the number of the latest connection that has opened at the end of node `at`, perhaps the
 *  one that is open; 0: none has. It is the same at both ends, and higher for each later one. */
#define ward_loop_life(loop, at, of) ward_loop_life_at((loop), (at), (of), __FILE__, __LINE__)
/** The function behind ward_loop_life(). */
WARD_API uint64_t ward_loop_life_at(ward_loop *loop, const char *at, const char *of,
				    const char *file, int line);

/** Returns the ref by which node `at` knows an actor of node `of`; nobody if the end at `at` is not
 *  open. `who` is the ref within `of`. */
#define ward_loop_ref(loop, at, of, who)                                                           \
	ward_loop_ref_at((loop), (at), (of), (who), __FILE__, __LINE__)
/** The function behind ward_loop_ref(). */
WARD_API ward_ref ward_loop_ref_at(ward_loop *loop, const char *at, const char *of, ward_ref who,
				   const char *file, int line);

/** From now on no frame from `from` arrives at `to`, and nobody is notified. */
#define ward_loop_cut_one_way(loop, from, to)                                                      \
	ward_loop_cut_one_way_at((loop), (from), (to), __FILE__, __LINE__)
/** The function behind ward_loop_cut_one_way(). */
WARD_API void ward_loop_cut_one_way_at(ward_loop *loop, const char *from, const char *to,
				       const char *file, int line);
/** The same in both directions. */
#define ward_loop_cut(loop, left, right)                                                           \
	ward_loop_cut_at((loop), (left), (right), __FILE__, __LINE__)
/** The function behind ward_loop_cut(). */
WARD_API void ward_loop_cut_at(ward_loop *loop, const char *left, const char *right,
			       const char *file, int line);
/** Ends the cuts between two nodes. */
#define ward_loop_heal(loop, left, right)                                                          \
	ward_loop_heal_at((loop), (left), (right), __FILE__, __LINE__)
/** The function behind ward_loop_heal(). */
WARD_API void ward_loop_heal_at(ward_loop *loop, const char *left, const char *right,
				const char *file, int line);
/** Breaks the connection: what is in flight is lost, and both ends close at once. */
#define ward_loop_reset(loop, left, right)                                                         \
	ward_loop_reset_at((loop), (left), (right), __FILE__, __LINE__)
/** The function behind ward_loop_reset(). */
WARD_API void ward_loop_reset_at(ward_loop *loop, const char *left, const char *right,
				 const char *file, int line);
/** Takes a node out of the loop, as if its process had been killed: it sends nothing more. Its
 *  system is no longer moved by the loop; finish its kit. */
#define ward_loop_kill(loop, name) ward_loop_kill_at((loop), (name), __FILE__, __LINE__)
/** The function behind ward_loop_kill(). */
WARD_API void ward_loop_kill_at(ward_loop *loop, const char *name, const char *file, int line);

/** Counters of a loop. */
typedef struct ward_loop_stats {
	uint64_t frames, lost;     /* that were sent; that did not arrive */
	uint64_t opened;           /* ends of connections */
	uint64_t closed;           /* ends of them that were lost */
	uint64_t cuts, resets;     /* by faults and by calls; in one direction or both */
	uint64_t crashes, returns; /* nodes that stopped, and that joined again */
	uint64_t bytes_max;        /* in flight in one direction, at most */
} ward_loop_stats;

/** Reads the counters. Threads: any. */
WARD_API ward_loop_stats ward_loop_read_stats(ward_loop *loop);

/** Ends all connections, moves until the keepers have ended, and frees the loop. Call it before
 *  the kits of its nodes are finished: ward_kit_finish() of a node fails the test, unless
 *  ward_loop_kill() has taken it out. */
#define ward_loop_finish(loop) ward_loop_finish_at((loop), __FILE__, __LINE__)
/** The function behind ward_loop_finish(). */
WARD_API void ward_loop_finish_at(ward_loop *loop, const char *file, int line);

WARD_END
#endif
