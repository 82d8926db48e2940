/* SPDX-License-Identifier: MIT
 *
 * mailbox.pml - a model of one cell: its two lanes, the turn that runs it, the end of a life, late
 * mail, and the next life. For spin; tools/model checks it.
 *
 * One inline for each C function, under its name; a tag such as [P1] is that of the C line. One
 * step here is one access to what threads share. What a holder does to its own things in between
 * is part of the step before, and so is making the cell ready: nobody sees when it happens. (A
 * dispatcher is looked at only by who takes the cell from a queue.)
 *
 * What is modelled and what is not, and the figures: docs/internals/mailbox-model.md.
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
/* SUSPENDS: the parent suspends and resumes each life.  STOPS: how many lives it stops.
 * PINNED: the second life runs on the last worker only.  BOUNDED: 0, or the maximum. */
#ifndef STOPS
#define STOPS LIVES
#endif
#ifndef BOUNDED
#define BOUNDED 0
#endif

#define MESSAGES (SENDERS * EACH)
#define LAST_WORKER (SENDERS + WATCHERS + WORKERS) /* its _pid */
#define STUB (MESSAGES + 1) /* the one that the cell is made with; 0 is NULL */
#define CLOSED 255          /* WARDI_SYS_CLOSED; 0 is NULL */
#define COMMAND (WATCHERS + 1)
#define STOP (WATCHERS + 2)
#define SYSTEM_MESSAGES (WATCHERS + 3)

/* Says once, when the search first comes here: tools/model wants to see all of them. */
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

#if BOUNDED
chan box = [MESSAGES] of { byte };
byte owner;
#endif

/* ---- what must hold ---------------------------------------------------------------------- */

/* Who may touch what belongs to the holder: a process, the run queue, or nobody. */
#define NOBODY 255
#define QUEUED 254
byte holder = NOBODY;

byte msg_gen[MESSAGES + 2];
/* Sets of messages. */
byte decided; /* handled, or a dead letter */
byte freed;
byte answered;  /* by number of the watcher */
byte waiting;   /* system messages that are linked and not carried out */
byte overtaken; /* those of them that one user message was handled before */

#define BIT(n) (1 << (n))
#define HAS(set, n) ((set) & BIT(n))
#define ADD(set, n) set = set | BIT(n)
#define REMOVE(set, n) set = set & ~BIT(n)
#define IS_FIRST(m) ((m) % EACH == 1 || EACH == 1) /* of its sender */
#define IS_HOLDER assert(holder == _pid)
#define IS_OVER (state == STOPPED || state == FREE)

/* Bit 0 was set and the caller cleared it: it is the holder. */
inline takes_bit()
{
	assert(holder == NOBODY);
	holder = _pid;
}

/* wardi_cell_ready(), and again() of run.c. */
inline wardi_cell_ready()
{
	IS_HOLDER;
	holder = QUEUED;
}

/* Handled, or a dead letter: exactly one of them, once. */
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
	assert(IS_FIRST(m) || HAS(decided, m - 1));
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

/* In two steps, as pop sees it; between them the lane is cut. `got`: the bit was set. */
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
		next[old] = m;
		if
		:: got -> wardi_cell_ready()
		:: else
		fi;
		old = 0;
		got = false;
	}
}

/* One step: the load before the CAS decides nothing, since the CAS fails if it is not true still. */
inline wardi_mailbox_link_system(s, ret_ok)
{
	atomic { /* [P4] */
		ret_ok = system != CLOSED;
		if
		:: ret_ok ->
			assert(!HAS(waiting, s));
			sys_next[s] = system;
			system = s;
			ADD(waiting, s)
		:: else
		fi
	}
}

/* With the making ready that follows it everywhere. */
inline wardi_cell_wake()
{
	atomic { /* wardi_mailbox_wake [P2] [P3] */
		if
		:: idle -> idle = false; takes_bit(); wardi_cell_ready(); REACHED(wake_schedules)
		:: else
		fi
	}
}

/* The exchange; then the reversal, of what is the holder's by now. `to` is what the lane is
 * afterwards: NULL, or closed for good. */
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

/* What the holder does with a message that it popped, in the same step. */
#define HANDLE 1 /* run.c: handle() */
#define DEAD 2   /* life.c: drain_to_dead_letters() */
#define LATE 3   /* late.c */

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

inline move_tail(ret_msg)
{
	IS_HOLDER;
	assert(!HAS(freed, tail));
	ADD(freed, tail);
	ret_msg = next[tail];
	next[tail] = 0;
	tail = ret_msg;
#ifdef FREES_AT_ONCE
	ADD(freed, tail);
#endif
}

/* A message goes to `use` in the same step: it is the holder's. */
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
		:: ret_pop == BUSY -> /* the pauses: it is there meanwhile, or they are over */
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

/* The CAS. */
inline wardi_mailbox_give_up(ret_ok)
{
	atomic { /* [P2] [P3] */
		IS_HOLDER;
		assert(!idle);
#ifdef POP_IGNORES_BUSY /* then nobody checks that it is empty */
		ret_ok = true;
#else
		ret_ok = head == tail;
#endif
		if
		:: ret_ok -> idle = true; holder = NOBODY
		:: else -> REACHED(give_up_refused)
		fi
	}
}

/* ---- tell.c, bounded.c, slots.c ---------------------------------------------------------- */

inline wardi_slot_open(to, ret_ok)
{
	ret_ok = open_gen == to /* [S2] */
}

#if BOUNDED

/* Under the lock of the box, so one step. Drops the oldest when it is full. */
inline wardi_bounded_push(m, to, ret_ok)
{
	atomic {
#ifdef NO_GENERATION
		ret_ok = true;
#else
		ret_ok = owner == to;
#endif
		if
		:: ret_ok && len(box) == BOUNDED ->
			box ? oldest; decide(oldest); oldest = 0; box ! m;
			REACHED(bounded_dropped)
		:: ret_ok && len(box) < BOUNDED -> box ! m
		:: else -> REACHED(bounded_dead)
		fi
	}
}

inline wardi_bounded_pop(ret_pop, use)
{
	atomic {
		if
		:: box ? msg -> ret_pop = MESSAGE; popped(use, msg)
		:: empty(box)
		fi
	}
}

/* What it has is for the dead letters. */
inline wardi_bounded_close()
{
	atomic {
		owner = 0;
		do
		:: box ? msg -> decide(msg)
		:: empty(box) -> break
		od
	}
}

#endif

proctype sender(byte first)
{
	byte msg = first, to, old;
	bool got, ok;
#if BOUNDED
	byte oldest;
#endif

	do
	:: msg < first + EACH ->
		/* A ref is of any life that was spawned until now. */
		atomic {
			if
			:: to = 1
			:: last_gen > 1 && open_gen != 1 -> to = 2
			fi;
			wardi_slot_open(to, ok);
			msg_gen[msg] = to;
			if
			:: ok
			:: else -> decide(msg); REACHED(stale_ref)
			fi
		}
		if
		:: ok ->
#if BOUNDED
			wardi_bounded_push(msg, to, ok);
			if
			:: ok -> wardi_cell_wake()
			:: else -> atomic { decide(msg) }
			fi
#else
			wardi_mailbox_push(msg, old, got)
#endif
		:: else
		fi;
		atomic { msg++; to = 0; ok = false }
	:: else -> break
	od
}

/* ---- sysmsg.c, command.c, watch.c -------------------------------------------------------- */

/* A system message with a sender that wants an answer: from the life, or that it is over. */
proctype watcher(byte self)
{
	byte to;
	bool ok;

	atomic {
		if
		:: to = 1
		:: last_gen > 1 && open_gen != 1 -> to = 2
		fi;
		wardi_slot_open(to, ok);
		target_gen[self] = to
	}
	if
	:: ok ->
#ifdef WAKE_BEFORE_LINK
		wardi_cell_wake();
#endif
		wardi_mailbox_link_system(self, ok)
	:: else
	fi;
	if
	:: !ok -> atomic { target_gen[self] = 0; answer(self); REACHED(watch_refused) }
#ifndef WAKE_BEFORE_LINK
	:: else -> wardi_cell_wake()
#else
	:: else
#endif
	fi
}

/* order() of command.c: sums under the slot's lock, and the node if it is not queued. */
inline order(more_suspends, more_resumes)
{
	atomic {
		wake = false;
		if
		:: life == 0 -> REACHED(order_to_closed)
		:: else ->
			if
			:: more_resumes && suspends -> suspends--
			:: more_resumes && !suspends -> resumes++
			:: else
			fi;
			suspends = suspends + more_suspends;
			wake = !queued;
			if
			:: wake ->
				queued = true;
				target_gen[COMMAND] = life;
				wardi_mailbox_link_system(COMMAND, ok);
				assert(ok);
			:: else
			fi
		fi
	}
	if
	:: wake -> wardi_cell_wake()
	:: else
	fi
}

inline wardi_command_stop(to)
{
	atomic {
		wake = life == to && !stop_sent;
		if
		:: wake ->
			stop_sent = true;
			target_gen[STOP] = to;
			wardi_mailbox_link_system(STOP, ok);
			assert(ok);
		:: else
		fi
	}
	if
	:: wake -> wardi_cell_wake()
	:: else
	fi
}

inline wardi_command_execute()
{
	suspended = suspended + suspends;
	suspended = (suspended > resumes -> suspended - resumes : 0);
	suspends = 0;
	resumes = 0;
	queued = false
}

inline wardi_command_close()
{
	atomic {
		life = 0;
		suspends = 0;
		resumes = 0;
		queued = false;
		stop_sent = false
	}
}

/* next() of sysmsg.c without the gate, and discard_list(): takes the oldest of the batch. */
inline next_system(discards)
{
	s = batch;
	batch = sys_next[s];
	sys_next[s] = 0;
	REMOVE(waiting, s);
	REMOVE(overtaken, s);
	if
	:: s <= WATCHERS ->
		answer(s); /* by the life, or as a stray */
		if
		:: target_gen[s] != gen -> REACHED(watch_stray)
		:: discards && target_gen[s] == gen -> REACHED(watch_discarded)
		:: else
		fi
	:: s == COMMAND ->
		assert(target_gen[s] == gen);
		if
		:: discards -> REACHED(command_discarded)
		:: else -> wardi_command_execute()
		fi
	:: s == STOP -> assert(target_gen[s] == gen && !discards); stops = true
	fi;
	target_gen[s] = 0;
	s = 0
}

/* ---- run.c, life.c, late.c --------------------------------------------------------------- */

inline wardi_late_mail()
{
	do
	:: true ->
		do
		:: true ->
			wardi_mailbox_pop(pop, LATE);
			if
			:: pop == MESSAGE
			:: else -> break
			fi
		od;
		if
		:: pop == BUSY -> atomic { wardi_cell_ready(); REACHED(late_busy) } break
		:: else ->
			wardi_mailbox_give_up(ok);
			if
			:: ok -> break
			:: else
			fi
		fi
	od
}

/* wardi_finish() with close_mailbox() and drain_to_dead_letters(). */
inline wardi_finish()
{
	open_gen = 0;
	wardi_command_close();
	take_system(CLOSED);
	atomic {
		do
		:: batch != 0 -> next_system(true)
		:: else -> break
		od
	}
	do
	:: true ->
		wardi_mailbox_pop(pop, DEAD);
		if
		:: pop == MESSAGE
		:: else -> break
		fi
	od;
#if BOUNDED
	wardi_bounded_close();
#endif
	atomic { IS_HOLDER; suspended = 0; state = STOPPED; pinned = false }
#ifdef HELD_BY_NOBODY
	holder = NOBODY;
#else
	wardi_late_mail();
#endif
	gone = true
}

#ifdef TAKE_BACK_IN_PLACE /* and runs the cell on, as if it had been held all the time */
#define MAYBE_CLOSED
#define TAKEN_BACK ret_got = true
#else
#define MAYBE_CLOSED && system != CLOSED
#define TAKEN_BACK wardi_cell_ready()
#endif

/* After giving up: by now the cell may be another's, or in another life. */
inline wardi_mailbox_take_back(ret_got)
{
	if
#ifndef NO_SECOND_LOOK
	:: system != 0 MAYBE_CLOSED ->
		atomic { /* wardi_mailbox_wake [P2] [P3] */
			if
			:: idle -> idle = false; takes_bit(); TAKEN_BACK; REACHED(take_back)
			:: else
			fi
		}
#endif
	:: else -> REACHED(nothing_to_take_back)
	fi
}

#if BOUNDED

/* As late as take_back, and maybe of a later life. */
inline bounded_came(ret_got)
{
	atomic { ret_got = len(box) > 0 } /* wardi_bounded_empty */
	if
	:: ret_got ->
		ret_got = false;
		atomic { /* wardi_mailbox_wake [P2] [P3] */
			if
			:: idle -> idle = false; takes_bit(); TAKEN_BACK; REACHED(bounded_came)
			:: else
			fi
		}
	:: else
	fi
}

#endif

inline wardi_cell_run()
{
	do
	:: true ->
		atomic { /* wardi_start; wardi_mailbox_has_system */
			IS_HOLDER;
			assert(!IS_OVER);
			if
			:: state == STARTING -> state = RUNNING
			:: else
			fi;
#ifdef NO_LOOK_BETWEEN
			ok = system != 0 && left == BATCH
#else
			ok = system != 0
#endif
		}
		do
		:: ok -> /* wardi_sys_drain */
			take_system(0);
			atomic {
				do
				:: batch != 0 && !stops -> next_system(false)
				:: else -> break
				od
			}
			if
			:: stops -> break
			:: else -> ok = system != 0
			fi
		:: else -> break
		od;
		if
		:: stops -> stops = false; wardi_finish(); break
		:: else
		fi;
		pop = EMPTY;
		may_read = true;
		if
		:: suspended ->
			atomic { /* wardi_mailbox_give_up_unread [P2] [P3] */
				IS_HOLDER;
				assert(!idle);
#ifndef HELD_WHILE_SUSPENDED
				idle = true;
#endif
				holder = NOBODY;
				REACHED(give_up_unread)
			}
			ok = true;
			may_read = false
		:: !suspended && left == 0 -> atomic { wardi_cell_ready(); REACHED(batch_over) } break
		:: else ->
			wardi_mailbox_pop(pop, HANDLE);
#if BOUNDED
			if
			:: pop == EMPTY -> wardi_bounded_pop(pop, HANDLE)
			:: else
			fi;
#endif
			if
			:: pop == EMPTY -> wardi_mailbox_give_up(ok)
			:: pop == BUSY -> atomic { wardi_cell_ready() } break
			:: else -> left--; ok = false
			fi
		fi;
		if
		:: ok ->
			wardi_mailbox_take_back(got);
#if BOUNDED && !defined(NO_LOOK_AT_THE_BOX)
			if
			:: may_read && !got -> bounded_came(got)
			:: else
			fi;
#endif
			if
			:: got -> got = false /* only TAKE_BACK_IN_PLACE */
			:: else -> break
			fi
		:: else
		fi
	od
}

proctype worker()
{
	byte msg, newest, after, batch, s, left;
	mtype pop;
	bool ok, got, stops, may_read;

end:
	do
	:: atomic {
		holder == QUEUED && (!pinned || _pid == LAST_WORKER) ->
		holder = _pid;
		left = BATCH
	   }
	   if
	   :: IS_OVER -> wardi_late_mail()
	   :: else -> wardi_cell_run()
	   fi;
	   atomic { pop = EMPTY; ok = false; got = false; left = 0; may_read = false }
	od
}

/* ---- spawn.c, slots.c: the parent -------------------------------------------------------- */

/* publish_life() and the end of wardi_spawn(). */
inline wardi_spawn()
{
	atomic { IS_HOLDER; assert(IS_OVER); gen = last_gen + 1; }
#if BOUNDED
	owner = gen;
#endif
	system = 0; /* wardi_mailbox_open [P5] */
	atomic { life = gen; state = STARTING; }
#ifdef PINNED
	pinned = gen > 1;
#endif
	atomic { open_gen = gen; last_gen = gen; wardi_cell_ready() } /* [S2] */
}

proctype parent()
{
	bool ok, wake;

	/* A cell that was never used is held by who makes it. */
	atomic { holder = _pid; }
	wardi_spawn();
	do
	:: true ->
#ifdef SUSPENDS
		order(1, 0);
		order(0, 1);
#endif
		if
		:: last_gen > STOPS -> break
		:: else
		fi;
		wardi_command_stop(last_gen);
#ifdef SUSPENDS
		order(1, 0); /* a parent that did not think of the stop */
#endif
		/* wardi_child_gone, wardi_slot_give */
		atomic { gone -> gone = false; state = FREE }
		if
		:: last_gen == LIVES -> break
		:: else
		fi;
		/* reuse_cell: another cell is tried while this one is busy with late mail. */
#ifdef REUSE_WITHOUT_THE_BIT
		atomic { idle = false; holder = _pid; }
#else
		atomic { idle -> idle = false; takes_bit(); REACHED(reuse) }
#endif
		wardi_spawn()
	od
}

/* ---- start and end ----------------------------------------------------------------------- */

/* Nobody can do anything any more: so nothing may be left that nobody will look at. */
inline check_end()
{
	assert(idle && holder == NOBODY);
	assert(head == tail && waiting == 0 && suspended == 0);
	i = 1;
	do
	:: i <= MESSAGES -> assert(HAS(decided, i)); i++
	:: else -> break
	od;
	i = 1;
	do
	:: i <= WATCHERS -> assert(HAS(answered, i)); i++
	:: else -> break
	od
}

init
{
	byte i;

	atomic {
		i = 0;
		do
		:: i < SENDERS -> run sender(i * EACH + 1); i++
		:: else -> break
		od;
		i = 1;
		do
		:: i <= WATCHERS -> run watcher(i); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < WORKERS -> run worker(); i++
		:: else -> break
		od;
		run parent();
		i = 0
	}
#ifndef PROGRESS
	atomic { timeout -> check_end(); REACHED(end) }
#endif
}

#ifdef PROGRESS
#define ALL(n) ((1 << ((n) + 1)) - 2)

ltl progress { <> (decided == ALL(MESSAGES) && answered == ALL(WATCHERS)) }
#endif
