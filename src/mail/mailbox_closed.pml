/* SPDX-License-Identifier: MIT
 *
 * mailbox_closed.pml - a model of one cell, third part: a mailbox that its actor closes and opens.
 * CLOSES: it does so when it likes, in a callback. Every second message passes.
 */

#ifdef CLOSES

/* Those of a holder: `at` and `seen` are nodes, `behind` is what comes behind `seen`. */
#define CLOSED_LOCALS byte at, seen, behind; bool was_closed;

#ifdef OPENS_UNSEEN /* a turn that began with a closed one goes on so */
#define IS_CLOSED (closed || was_closed)
#else
#define IS_CLOSED closed
#endif

/* read_on() as well: the place is the tail if that was reached. */
inline wardi_closed_read_on()
{
#ifndef NO_READ_ON
	looked = (looked == tail -> 0 : looked)
#else
	skip
#endif
}

/* The store and the CAS are one step: nobody else writes to `at` before the CAS. */
inline take_out(ret_pop)
{
	behind = next[seen]; /* [P1] */
	if
	:: behind == 0 ->
		atomic { /* [P2] [P3] */
			IS_HOLDER;
			assert(!idle);
			if
#ifdef TAKES_THE_LAST_AT_ONCE
			:: true ->
#else
			:: head == seen ->
#endif
				head = at;
				ret_pop = MESSAGE;
#ifndef LINK_AFTER_THE_CAS
				next[at] = 0;
#endif
				REACHED(taken_last)
#ifndef TAKES_THE_LAST_AT_ONCE
			:: else -> REACHED(take_refused)
#endif
			fi
		}
#ifdef LINK_AFTER_THE_CAS
		if
		:: ret_pop == MESSAGE -> next[at] = 0
		:: else
		fi;
#endif
		if
		:: ret_pop == MESSAGE
		:: else -> /* the pauses */
			atomic {
				if
				:: next[seen] != 0 -> behind = next[seen]
				:: next[seen] == 0 ->
#ifndef TAKES_BEFORE_THE_LINK
					ret_pop = BUSY;
#endif
					REACHED(take_busy)
				fi
			}
		fi
	:: else
	fi;
	atomic {
		if
		:: ret_pop == EMPTY ->
			next[at] = behind; ret_pop = MESSAGE; REACHED(taken_between)
		:: else
		fi;
		if
		:: ret_pop == MESSAGE -> msg = seen; free_link(msg); popped(HANDLE, msg)
		:: else
		fi
	}
}

inline wardi_mailbox_pick(ret_pop)
{
	do
	:: true ->
		ret_pop = EMPTY;
		atomic { /* load of next [P1] */
			IS_HOLDER;
			at = (looked == 0 -> tail : looked);
			assert(!HAS(freed, at));
			seen = next[at]
		}
		if
		:: seen == 0 ->
			atomic { /* load of head */
				if
				:: head == at
				:: else -> ret_pop = BUSY
				fi
			}
			if
			:: ret_pop == EMPTY -> break
			:: else
			fi;
			atomic { /* the pauses */
				if
				:: next[at] != 0 -> seen = next[at]; ret_pop = EMPTY
				:: next[at] == 0 -> REACHED(pick_busy)
				fi
			}
			if
			:: ret_pop == BUSY -> break
			:: else
			fi
		:: else
		fi;
		if
		:: PASSES(seen) -> take_out(ret_pop); break
		:: else -> looked = seen; REACHED(passed_over)
		fi
	od;
	atomic { at = 0; seen = 0; behind = 0 }
}

inline wardi_closed_give_up(ret_ok)
{
	if
	:: looked == 0 -> wardi_mailbox_give_up(ret_ok)
	:: else ->
		atomic { /* wardi_mailbox_give_up_behind [P2] [P3] */
			IS_HOLDER;
			assert(!idle);
#ifdef CLOSED_AND_UNREAD
			ret_ok = true;
#else
			ret_ok = head == looked;
#endif
			if
			:: ret_ok -> idle = true; holder = NOBODY; REACHED(give_up_behind)
			:: else -> REACHED(behind_refused)
			fi
		}
	fi
}

/* look_past_closed() of turn.c. Over: the cell is ready, or given up, which is in `ret_ok`. */
inline look_past_closed(ret_ok, ret_over)
{
	if
	:: left == 0 -> wardi_closed_give_up(ret_ok); ret_over = !ret_ok
	:: else ->
		wardi_mailbox_pick(pop);
		if
		:: pop == MESSAGE -> left--; ret_ok = false
		:: pop == BUSY -> ret_over = true
		:: else -> wardi_closed_give_up(ret_ok)
		fi
	fi;
	if
	:: ret_over -> atomic { wardi_cell_ready() }
	:: else
	fi
}

#endif
