/* SPDX-License-Identifier: MIT
 *
 * mailbox.pml - a model of one cell, first part: the cell, the properties checked, and the two
 * lanes of its mailbox. Their users are in mailbox_life.pml and mailbox_closed.pml. For spin; tools/model checks it.
 *
 * One inline for each C function, under its name; a tag such as [P1] is the tag of the C line. One
 * step here is one access to shared memory. A holder's accesses to its own data in between are part
 * of the step before, and so is making the cell ready: nobody sees when it happens. (Only the
 * thread that takes the cell from a queue looks at a dispatcher.)
 *
 * The limits of the model, and the figures: docs/internals/mailbox-model.md.
 */

/* ---- size: set by tools/model ------------------------------------------------------------ */

#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef EACH /* user messages of each sender */
#define EACH 2
#endif
#ifndef WATCHERS /* each sends one system message */
#define WATCHERS 1
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef LIVES
#define LIVES 1
#endif
#ifndef BATCH
#define BATCH 2
#endif
/* SUSPENDS: the parent suspends and resumes each life. STOPS: the number of lives that it stops.
 * PINNED: the second life runs on the last worker only. BOUNDED: 0, or the maximum. PLAIN: a turn
 * may be a plain turn (plain_turn.c); never with BOUNDED. CLOSES: the actor closes its mailbox now
 * and then, and opens it; never with BOUNDED or PLAIN. */
#ifndef STOPS
#define STOPS LIVES
#endif
#ifndef BOUNDED
#define BOUNDED 0
#endif

#define MESSAGES (SENDERS * EACH)
#define LAST_WORKER (SENDERS + WATCHERS + WORKERS) /* its _pid */
#define STUB (MESSAGES + 1) /* the mailbox's own; 0 is NULL */
#define CLOSED 255          /* WARDI_SYS_CLOSED; 0 is NULL */
#define COMMAND (WATCHERS + 1)
#define STOP (WATCHERS + 2)
#define SYSTEM_MESSAGES (WATCHERS + 3)

/* Prints once, when the search first comes here: tools/model expects all of them. */
#define REACHED(what)                                                                              \
	c_code { { static int seen; if (!seen++) printf("reached: " #what "\n"); } }

/* ---- the cell ---------------------------------------------------------------------------- */

mtype = { FREE, STARTING, RUNNING, STOPPED }; /* enum wardi_state, as far as it matters here */
mtype = { MESSAGE, EMPTY, BUSY };             /* enum wardi_pop */

byte head = STUB; /* last message of the user lane, without bit 0 */
bool idle;        /* bit 0 of head */
byte next[MESSAGES + 2];
byte tail = STUB;

byte system = CLOSED;
byte sys_next[SYSTEM_MESSAGES];
byte target_gen[SYSTEM_MESSAGES];

byte open_gen, gen, last_gen; /* gen: of cell->uid */
mtype state = FREE;
bool pinned; /* runnable.dispatcher: of the last worker only */

/* The command slot; each use is one step: it has a spin lock. */
byte life, suspends, resumes;
bool queued, stop_sent;
byte suspended; /* holder only */
bool gone;      /* the gone_node is in the parent's lane */

#ifdef CLOSES
bool closed; /* holder only, both */
byte looked; /* up to here nothing passes; 0: the tail */
#define PASSES(m) ((m) % 2 == 0)
#endif

#if BOUNDED
chan box = [MESSAGES] of { byte };
byte owner;
#endif

/* ---- properties -------------------------------------------------------------------------- */

/* The owner of the holder's data: a process, the run queue, or nobody. */
#define NOBODY 255
#define QUEUED 254
byte holder = NOBODY;

byte msg_gen[MESSAGES + 2];
/* Sets of messages. */
byte decided; /* handled, or a dead letter */
byte freed;
byte answered;  /* by number of the watcher */
byte waiting;   /* system messages that are linked and not executed */
byte overtaken; /* those of them that a user message overtook */

#define BIT(n) (1 << (n))
#define HAS(set, n) ((set) & BIT(n))
#define ADD(set, n) set = set | BIT(n)
#define REMOVE(set, n) set = set & ~BIT(n)
#define IS_FIRST(m) ((m) % EACH == 1 || EACH == 1) /* of its sender */
#define IS_HOLDER assert(holder == _pid)
#define IS_OVER (state == STOPPED || state == FREE)

/* Bit 0 was set and the caller cleared it: the caller is the holder. */
inline takes_bit()
{
	assert(holder == NOBODY);
	holder = _pid;
}

/* wardi_cell_ready(), and again() of turn.c. */
inline wardi_cell_ready()
{
	IS_HOLDER;
	holder = QUEUED;
}

/* A message is handled or a dead letter: exactly one of the two, once. */
inline decide(m)
{
	assert(!HAS(decided, m));
	ADD(decided, m);
	msg_gen[m] = 0;
}

/* The user's receive. At most one user message is handled while a system message waits: the one
 * that the holder was about to pop. */
inline receive(m)
{
	IS_HOLDER;
	assert(state == RUNNING && suspended == 0);
	assert(msg_gen[m] == gen);
	assert(!pinned || _pid == LAST_WORKER);
#ifdef CLOSES
	assert(!closed || PASSES(m));
	assert(IS_FIRST(m) || HAS(decided, m - 1) || (closed && !PASSES(m - 1)));
	if
	:: closed -> closed = false; REACHED(opens)
	:: closed -> REACHED(stays_closed)
	:: !closed -> closed = true; REACHED(closes)
	:: !closed
	fi;
#else
	assert(IS_FIRST(m) || HAS(decided, m - 1));
#endif
	decide(m);
	assert(!(waiting & overtaken));
	overtaken = waiting;
}

inline answer(s)
{
	assert(!HAS(answered, s));
	ADD(answered, s);
}

/* ---- mailbox.c --------------------------------------------------------------------------- */

/* A push in two steps, as pop sees it; between them the lane is cut. `got`: the bit was set. */
inline wardi_mailbox_push(m, old, got)
{
#ifdef PUSH_WITHOUT_EXCHANGE
	old = head;
#endif
	atomic { /* exchange of head [P2] [P3] */
		next[m] = 0;
#ifndef PUSH_WITHOUT_EXCHANGE
		old = head;
#endif
		got = idle;
		head = m;
		idle = false;
		if
		:: got -> takes_bit(); REACHED(push_schedules)
		:: else
		fi
	}
	atomic { /* [P1] */
		assert(!HAS(freed, old));
		assert(old != STUB || tail == STUB);
		next[old] = m;
		if
		:: got -> wardi_cell_ready()
		:: else
		fi;
		old = 0;
		got = false;
	}
}

/* One step: the load before the CAS decides nothing; if it is stale, the CAS fails. `first`: the
 * caller wakes the cell. */
inline wardi_mailbox_link_system(s, ret_ok, ret_first)
{
#ifdef BEHIND_BY_AN_EARLIER_LOOK
	ret_first = system == 0;
#endif
	atomic { /* [P4] */
		ret_ok = system != CLOSED;
		if
		:: ret_ok ->
			assert(!HAS(waiting, s));
#ifndef BEHIND_BY_AN_EARLIER_LOOK
			ret_first = system == 0;
#endif
			if
			:: ret_first -> REACHED(link_first)
			:: else -> REACHED(link_behind)
			fi;
			sys_next[s] = system;
			system = s;
			ADD(waiting, s)
		:: else
		fi
	}
}

/* With the step that makes the cell ready, which always follows. */
inline wardi_cell_wake()
{
	atomic { /* wardi_mailbox_wake [P2] [P3] */
		if
		:: idle -> idle = false; takes_bit(); wardi_cell_ready(); REACHED(wake_schedules)
		:: else
		fi
	}
}

/* The exchange; then the reversal, of data that is the holder's by now. `to` is the lane's new
 * value: NULL, or closed permanently. */
inline take_system(to)
{
	atomic { /* [P4] */
		IS_HOLDER;
		assert(system != CLOSED);
		newest = system;
		system = to;
		do
		:: newest != 0 ->
			after = sys_next[newest];
			sys_next[newest] = batch;
			batch = newest;
			newest = after;
		:: else -> break
		od;
		after = 0;
	}
}

/* The holder's use of a message that it popped, in the same step. */
#define HANDLE 1 /* turn.c: handle() */
#define DEAD 2   /* life.c: drain_to_dead_letters() */
#define LATE 3   /* late_mail.c */

inline popped(use, m)
{
	if
#ifdef NO_GENERATION
	:: use == HANDLE -> receive(m)
#else
	:: use == HANDLE && msg_gen[m] != gen -> decide(m); REACHED(late_in_next_life)
	:: use == HANDLE && msg_gen[m] == gen -> receive(m)
#endif
	:: use == DEAD -> decide(m); REACHED(drained)
	:: use == LATE -> decide(m); REACHED(late_letter)
	fi;
	m = 0
}

/* wardi_mailbox_free */
inline free_link(link)
{
	if
	:: link != STUB -> ADD(freed, link); next[link] = 0
	:: else
	fi
}

inline move_tail(ret_msg)
{
	IS_HOLDER;
	assert(!HAS(freed, tail));
	ret_msg = next[tail];
	free_link(tail);
	tail = ret_msg;
#ifdef FREES_AT_ONCE
	ADD(freed, tail);
#endif
}

/* A message goes to `use` in the same step: it belongs to the holder. */
inline wardi_mailbox_pop(ret_pop, use)
{
	ret_pop = EMPTY;
	atomic { /* load of next [P1] */
		if
		:: next[tail] != 0 -> move_tail(msg); ret_pop = MESSAGE; popped(use, msg)
		:: else
		fi
	}
	if
	:: ret_pop == MESSAGE
	:: else ->
		atomic { /* load of head */
			if
#ifdef POP_IGNORES_BUSY
			:: true
#else
			:: head == tail
			:: else -> ret_pop = BUSY
#endif
			fi
		}
		if
		:: ret_pop == BUSY -> /* the pauses: the rest arrives, or they end */
			atomic {
				if
				:: next[tail] != 0 ->
					move_tail(msg); ret_pop = MESSAGE; popped(use, msg);
					REACHED(pop_waited)
				:: next[tail] == 0 -> REACHED(pop_busy)
				fi
			}
		:: else
		fi
	fi
}

/* Sets the stub in the place of the last message, then the CAS, which decides: one step, since
 * nobody else writes to the stub while it is not at the tail, as the push asserts. `link` is the
 * last node, until it is freed. */
inline wardi_mailbox_give_up(ret_ok)
{
	atomic { /* [P2] [P3] */
		IS_HOLDER;
		assert(!idle);
		link = tail;
#ifdef POP_IGNORES_BUSY /* then nothing checks that the lane is empty */
		ret_ok = true;
#else
		ret_ok = head == link;
#endif
		if
		:: ret_ok ->
			idle = true;
			holder = NOBODY;
			head = STUB;
			tail = STUB;
#if !defined(STUB_AS_IT_WAS) && !defined(STUB_AFTER_THE_CAS)
			next[STUB] = 0;
#endif
			if
			:: link != STUB -> REACHED(stub_put_back)
			:: else -> REACHED(stub_is_there)
			fi;
			free_link(link)
		:: else -> REACHED(give_up_refused)
		fi;
		link = 0
	}
#ifdef STUB_AFTER_THE_CAS
	if
	:: ret_ok -> next[STUB] = 0
	:: else
	fi
#endif
}
