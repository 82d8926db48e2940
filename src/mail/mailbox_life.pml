/* SPDX-License-Identifier: MIT
 *
 * mailbox_life.pml - a model of one cell, second part: its senders, the turn that runs it, the end
 * of a life, late mail, the next life; and the checks at the end.
 */

#include "mailbox.pml"
#include "mailbox_closed.pml"

/* ---- tell.c, bounded.c, table.c ---------------------------------------------------------- */

inline wardi_table_open(to, ret_ok)
{
	ret_ok = open_gen == to /* [S2] */
}

#if BOUNDED

/* Under the lock of the box, so one step. Drops the oldest message of a full box. */
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

/* Its messages become dead letters. */
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
		/* A ref to any life that was spawned until now. */
		atomic {
			if
			:: to = 1
			:: last_gen > 1 && open_gen != 1 -> to = 2
			fi;
			wardi_table_open(to, ok);
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

/* A system message with a sender that expects an answer: from the life, or that the life is
 * over. */
proctype watcher(byte self)
{
	byte to;
	bool ok, first;

	atomic {
		if
		:: to = 1
		:: last_gen > 1 && open_gen != 1 -> to = 2
		fi;
		wardi_table_open(to, ok);
		target_gen[self] = to
	}
	if
	:: ok ->
#ifdef WAKE_BEFORE_LINK
		wardi_cell_wake();
#endif
		wardi_mailbox_link_system(self, ok, first)
	:: else
	fi;
	if
	:: !ok -> atomic { target_gen[self] = 0; answer(self); REACHED(watch_refused) }
#ifndef WAKE_BEFORE_LINK
	:: ok && first -> wardi_cell_wake()
#endif
	:: else
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
				wardi_mailbox_link_system(COMMAND, ok, wake);
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
			wardi_mailbox_link_system(STOP, ok, wake);
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
		answer(s); /* by the life, or as misaddressed */
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

/* ---- turn.c, life.c, late_mail.c ----------------------------------------------------------- */

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
#ifdef CLOSES
	atomic { IS_HOLDER; closed = false; looked = 0 } /* wardi_closed_reset */
#endif
#ifdef HELD_BY_NOBODY
	holder = NOBODY;
#else
	wardi_late_mail();
#endif
	gone = true
}

#ifdef TAKE_BACK_IN_PLACE /* and keeps running the cell, as if it had been held all the time */
#define MAYBE_CLOSED
#define TAKEN_BACK ret_got = true
#else
#define MAYBE_CLOSED && system != CLOSED
#define TAKEN_BACK wardi_cell_ready()
#endif

/* After giving up: by now the cell may have another holder, or be in another life. */
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

#ifdef NO_GENERATION
#define IS_STRANGE(m)
#else
#define IS_STRANGE(m) || msg_gen[m] != gen
#endif

/* wardi_mailbox_after(), and is_plain() before the message is popped. BUSY: the turn becomes a
 * general one. */
inline look_plainly()
{
	atomic { /* load of next [P1] */
		if
		:: next[tail] == 0 -> pop = EMPTY
		:: next[tail] != 0 && (left == 0 IS_STRANGE(next[tail])) ->
			pop = BUSY; REACHED(plain_left)
		:: else -> move_tail(msg); pop = MESSAGE; popped(HANDLE, msg); left--
		fi
	}
}

/* turn_plainly() and go_on_plainly() of plain_turn.c, for a cell that needs no general turn. Ends
 * the turn, or leaves the rest of it to a general turn. Looks twice behind the tail: after a CAS
 * that failed the second look decides. */
inline turn_plainly(ret_over)
{
	do
	:: true ->
		atomic { /* wardi_mailbox_has_system */
			IS_HOLDER;
			assert(!IS_OVER && state == RUNNING && !suspended);
#ifdef NO_LOOK_BETWEEN
			ok = system != 0 && left == BATCH;
#else
			ok = system != 0;
#endif
			if
			:: ok -> ok = false; pop = BUSY; REACHED(plain_interrupted)
			:: else -> pop = MESSAGE
			fi
		}
		if
		:: pop == MESSAGE -> look_plainly()
		:: else
		fi;
		if
		:: pop == EMPTY && left < BATCH ->
			wardi_mailbox_give_up(ok);
			if
			:: ok ->
				wardi_mailbox_take_back(got);
				atomic {
					ret_over = !got; /* got: only TAKE_BACK_IN_PLACE */
					got = false;
					ok = false;
					REACHED(plain_over)
				}
			:: else -> look_plainly()
			fi
		:: else
		fi;
		if
		:: pop != MESSAGE -> break
		:: else
		fi
	od
}

inline wardi_turn_goes_on()
{
	do
	:: true ->
		atomic { /* wardi_start; wardi_mailbox_has_system */
			IS_HOLDER;
			assert(!IS_OVER);
			if
			:: state == STARTING -> state = RUNNING
#ifdef CLOSES
			:: state == STARTING -> state = RUNNING; closed = true /* in init */
#endif
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
#ifdef CLOSES
		:: !suspended && IS_CLOSED ->
			look_past_closed(ok, over);
			if
			:: over -> over = false; break
			:: else
			fi
		:: !suspended && !IS_CLOSED && left == 0 ->
#else
		:: !suspended && left == 0 ->
#endif
			atomic { wardi_cell_ready(); REACHED(batch_over) } break
		:: else ->
#ifdef CLOSES
			wardi_closed_read_on();
#endif
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
	byte msg, newest, after, batch, s, left, link;
	mtype pop;
	bool ok, got, stops, may_read;
#if defined(PLAIN) || defined(CLOSES)
	bool over;
#endif
#ifdef CLOSES
	CLOSED_LOCALS
#endif

end:
	do
	:: atomic {
		holder == QUEUED && (!pinned || _pid == LAST_WORKER) ->
		holder = _pid;
#ifdef CLOSES
		was_closed = closed;
#endif
		left = BATCH
	   }
	   if
	   :: IS_OVER -> wardi_late_mail()
#ifdef PLAIN
	   :: !IS_OVER && state == RUNNING && !suspended -> /* wardi_plain_turns */
		turn_plainly(over);
		if
		:: over -> over = false
		:: else -> wardi_turn_goes_on()
		fi
#endif
	   :: !IS_OVER -> wardi_turn_goes_on() /* general, maybe for a reason not modelled */
	   fi;
#ifdef CLOSES
	   was_closed = false;
#endif
	   atomic { pop = EMPTY; ok = false; got = false; left = 0; may_read = false }
	od
}

/* ---- spawn.c, table.c: the parent -------------------------------------------------------- */

/* publish_life(), the end of wardi_spawn(), and the step that makes it ready. */
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

	/* A cell that was never used is held by its maker. */
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
		order(1, 0); /* a parent that has forgotten the stop */
#endif
		/* wardi_child_gone, wardi_table_give */
		atomic { gone -> gone = false; state = FREE }
		if
		:: last_gen == LIVES -> break
		:: else
		fi;
		/* reuse_cell: tries another cell while this one is busy with late mail. */
#ifdef REUSE_WITHOUT_THE_BIT
		atomic { idle = false; holder = _pid; }
#else
		atomic { idle -> idle = false; takes_bit(); REACHED(reuse) }
#endif
		wardi_spawn()
	od
}

/* ---- start and end ----------------------------------------------------------------------- */

/* No process can take another step: so no work may be left behind. */
inline check_end()
{
	assert(idle && holder == NOBODY);
	assert(waiting == 0 && suspended == 0);
#ifdef CLOSES
#define MAY_WAIT(m) (closed && !PASSES(m))
	assert(head == tail || closed);
#else
#define MAY_WAIT(m) false
	assert(head == tail);
#endif
	i = 1;
	do
	:: i <= MESSAGES -> assert(HAS(decided, i) || MAY_WAIT(i)); i++
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

#ifdef CLOSES
#define SPECIAL 340 /* 2, 4, 6, 8 */
#define DECIDED (((ALL(MESSAGES) & ~decided) & SPECIAL) == 0 && (closed || decided == ALL(MESSAGES)))
#else
#define DECIDED (decided == ALL(MESSAGES))
#endif

ltl progress { <> (DECIDED && answered == ALL(WATCHERS)) }
#endif
