/* SPDX-License-Identifier: MIT
 *
 * fsm.c - a finite state machine inside an actor.
 *
 *	message -> receive of the state -> it asks to go -> leave, enter; again if enter asks to
 *	go on -> the timeout of the final state is set
 *
 * The timeout is a timer whose key is the address of the machine, so each machine has one, and
 * setting it again replaces the old one. Its message carries address and number, so a message from
 * another sender does not count as the timeout.
 *
 * Threads: runs only in callbacks of its actor.
 */
#include <ward/fsm.h>
#include <ward/resource.h>
#include <ward/system.h>
#include <ward/timer.h>

#include <stdio.h>

/* In memory of the incarnation. */
struct ward_fsm_subscriber {
	struct ward_fsm_subscriber *next;
	ward_ref who; /* nobody: this record is free */
};

static const ward_fsm_row *row(const ward_fsm *fsm)
{
	return &fsm->table->rows[fsm->current];
}

static uint64_t key_of(const ward_fsm *fsm)
{
	return (uint64_t)(uintptr_t)fsm;
}

/* ---- the timeout ------------------------------------------------------------------------- */

static ward_result put_off_timeout(ward_self *self, ward_fsm *fsm)
{
	struct ward_fsm_timeout body = {.state = fsm->current, .machine = key_of(fsm)};

	if (row(fsm)->timeout_ms == 0) {
		ward_timer_cancel(self, key_of(fsm));
		return WARD_DONE;
	}
	body.number = ++fsm->timeouts;
	if (ward_try_timer_start(
		    self, &(ward_timer){.key = key_of(fsm), .after_ms = row(fsm)->timeout_ms},
		    WARD_COPY(ward_fsm_timeout, &body)) != WARD_OK)
		return ward_failed(self, &ward_out_of_memory, "no timeout for state %s: %s",
				   row(fsm)->name, ward_err_detail());
	return WARD_DONE;
}

/* ---- subscribers ------------------------------------------------------------------------- */

static void tell(ward_self *self, const ward_fsm *fsm, ward_ref to, uint32_t from)
{
	struct ward_fsm_transition moved = {
		.who = ward_self_ref(self), .from = from, .to = fsm->current};

	snprintf(moved.from_name, sizeof moved.from_name, "%s", fsm->table->rows[from].name);
	snprintf(moved.to_name, sizeof moved.to_name, "%s", row(fsm)->name);
	ward_send(self, to, WARD_COPY(ward_fsm_transition, &moved));
}

static void tell_all(ward_self *self, ward_fsm *fsm, uint32_t from)
{
	for (struct ward_fsm_subscriber *at = fsm->subscribers; at != NULL; at = at->next) {
		if (ward_ref_is_nobody(at->who))
			continue;
		if (ward_system_is_alive(ward_self_system(self), at->who))
			tell(self, fsm, at->who, from);
		else
			at->who = ward_nobody();
	}
}

static struct ward_fsm_subscriber *find(ward_fsm *fsm, ward_ref who)
{
	struct ward_fsm_subscriber *at = fsm->subscribers;

	while (at != NULL && !ward_ref_equal(at->who, who))
		at = at->next;
	return at;
}

static ward_result subscribe(ward_self *self, ward_fsm *fsm, ward_ref who)
{
	struct ward_fsm_subscriber *at;

	if (ward_ref_is_nobody(who))
		return WARD_UNHANDLED;
	at = find(fsm, who);
	if (at == NULL)
		at = find(fsm, ward_nobody());
	if (at == NULL) {
		at = ward_try_alloc(self, sizeof *at);
		if (at == NULL)
			return WARD_UNHANDLED;
		at->next = fsm->subscribers;
		fsm->subscribers = at;
	}
	at->who = who;
	tell(self, fsm, who, fsm->current);
	return WARD_DONE;
}

static ward_result unsubscribe(ward_fsm *fsm, ward_ref who)
{
	struct ward_fsm_subscriber *at = find(fsm, who);

	if (at != NULL)
		at->who = ward_nobody();
	return WARD_DONE;
}

/* ---- moving ------------------------------------------------------------------------------ */

static ward_result leave(ward_self *self, ward_fsm *fsm, uint32_t to)
{
	ward_result result;

	if (row(fsm)->leave == NULL)
		return WARD_DONE;
	fsm->calling = fsm->leaving = true;
	result = row(fsm)->leave(self, ward_state(self), to);
	fsm->calling = fsm->leaving = false;
	return result;
}

static ward_result enter(ward_self *self, ward_fsm *fsm, uint32_t from)
{
	ward_result result;

	if (row(fsm)->enter == NULL)
		return WARD_DONE;
	fsm->calling = true;
	result = row(fsm)->enter(self, ward_state(self), from);
	fsm->calling = false;
	return result;
}

/* Whether a message restarts the timeout: all do, except types that opt out, and
 * ward_receive_timeout. */
static bool influences(const ward_msg *msg)
{
	const ward_type *type = ward_msg_type(msg);

	return (type->flags & WARD_TYPE_NOT_INFLUENCING) == 0 &&
	       !ward_match(msg, ward_receive_timeout);
}

/* Moves for as long as the hooks ask for it. */
static ward_result move(ward_self *self, ward_fsm *fsm, bool put_off)
{
	put_off = put_off || fsm->going;
	while (fsm->going) {
		uint32_t from = fsm->current;

		fsm->going = false;
		if (leave(self, fsm, fsm->next) == WARD_FAILED)
			return WARD_FAILED;
		ward_timer_cancel(self, key_of(fsm)); /* also if enter fails and is resumed */
		fsm->current = fsm->next;
		if (enter(self, fsm, from) == WARD_FAILED)
			return WARD_FAILED;
		tell_all(self, fsm, from);
	}
	return put_off ? put_off_timeout(self, fsm) : WARD_DONE;
}

ward_result ward_fsm_go(ward_self *self, ward_fsm *fsm, uint32_t next)
{
	const ward_fsm_table *table = fsm->table;

	if (table == NULL)
		return ward_failed(self, &ward_misuse, "ward_fsm_go before ward_fsm_init");
	if (next >= table->count)
		return ward_failed(self, &ward_misuse,
				   "there is no state %u to go to from %s: the table has %u", next,
				   row(fsm)->name, table->count);
	if (fsm->leaving)
		return ward_failed(self, &ward_misuse, "the leave hook of %s wants to go to %s",
				   row(fsm)->name, table->rows[next].name);
	if (row(fsm)->next != 0 && (row(fsm)->next & WARD_FSM_TO(next)) == 0)
		return ward_failed(self, &ward_misuse, "from %s the machine may not go to %s",
				   row(fsm)->name, table->rows[next].name);
	fsm->next = next;
	fsm->going = true;
	return fsm->calling ? WARD_DONE : move(self, fsm, true);
}

/* ---- starting ---------------------------------------------------------------------------- */

static const char *wrong_row(const ward_fsm_row *row, uint32_t count)
{
	if (row->name == NULL)
		return "it has no name";
	if (row->receive == NULL)
		return "it has no receive";
	if (count < WARD_FSM_STATES_MAX && row->next >> count != 0)
		return "its `next` has a bit beyond the last state";
	if (row->reserved[0] != 0 || row->reserved[1] != 0)
		return "a reserved word is not zero";
	return NULL;
}

static ward_result check_row(ward_self *self, const ward_fsm_table *table, uint32_t number)
{
	const ward_fsm_row *row = &table->rows[number];
	const char *name = row->name == NULL ? "?" : row->name;
	const char *wrong = wrong_row(row, table->count);

	if (wrong != NULL)
		return ward_failed(self, &ward_misuse, "state %u (%s) of a machine: %s", number,
				   name, wrong);
	if (row->timeout_ms < 0)
		return ward_failed(
			self, &ward_misuse,
			"state %u (%s) of a machine: .timeout_ms is %lld: it must not be negative",
			number, name, (long long)row->timeout_ms);
	return WARD_DONE;
}

static ward_result check(ward_self *self, const ward_fsm_table *table)
{
	if (table == NULL || table->rows == NULL)
		return ward_failed(self, &ward_misuse, "a machine has no table");
	if (table->count == 0 || table->count > WARD_FSM_STATES_MAX)
		return ward_failed(self, &ward_misuse,
				   "a machine has %u states: 1 to %d are allowed", table->count,
				   WARD_FSM_STATES_MAX);
	if (table->initial >= table->count)
		return ward_failed(self, &ward_misuse,
				   "the initial state is %u, but the table has %u", table->initial,
				   table->count);
	if (table->reserved[0] != 0 || table->reserved[1] != 0)
		return ward_failed(self, &ward_misuse,
				   "a reserved word of a machine's table is not zero");
	for (uint32_t i = 0; i < table->count; i++)
		if (check_row(self, table, i) == WARD_FAILED)
			return WARD_FAILED;
	return WARD_DONE;
}

ward_result ward_fsm_init(ward_self *self, ward_fsm *fsm, const ward_fsm_table *table)
{
	if (check(self, table) == WARD_FAILED)
		return WARD_FAILED;
	*fsm = (ward_fsm){.table = table, .current = table->initial};
	if (enter(self, fsm, fsm->current) == WARD_FAILED)
		return WARD_FAILED;
	return move(self, fsm, true);
}

/* ---- a message --------------------------------------------------------------------------- */

static ward_result hand_over(ward_self *self, ward_fsm *fsm, const ward_msg *msg)
{
	void *state = ward_state(self);
	ward_result result;

	fsm->calling = true;
	result = row(fsm)->receive(self, state, msg);
	if (result == WARD_UNHANDLED && fsm->table->unhandled != NULL)
		result = fsm->table->unhandled(self, state, msg);
	fsm->calling = false;
	return result;
}

ward_result ward_fsm_receive(ward_self *self, ward_fsm *fsm, const ward_msg *msg)
{
	const struct ward_fsm_timeout *timeout = ward_match(msg, ward_fsm_timeout);
	ward_result result;

	if (fsm->table == NULL)
		return ward_failed(self, &ward_misuse, "ward_fsm_receive before ward_fsm_init");
	if (ward_match(msg, ward_fsm_subscribe))
		return subscribe(self, fsm, ward_msg_sender(msg));
	if (ward_match(msg, ward_fsm_unsubscribe))
		return unsubscribe(fsm, ward_msg_sender(msg));
	if (timeout != NULL &&
	    (timeout->machine != key_of(fsm) || timeout->number != fsm->timeouts))
		return WARD_UNHANDLED;
	fsm->going = fsm->leaving = false; /* left over from a message that failed */
	result = hand_over(self, fsm, msg);
	if (result == WARD_FAILED || move(self, fsm, influences(msg)) == WARD_FAILED)
		return WARD_FAILED;
	return result;
}

/* ---- looking ----------------------------------------------------------------------------- */

uint32_t ward_fsm_state(const ward_fsm *fsm)
{
	return fsm->current;
}

const char *ward_fsm_state_text(const ward_fsm *fsm)
{
	return fsm->table == NULL ? "?" : row(fsm)->name;
}
