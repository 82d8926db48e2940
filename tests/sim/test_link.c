/* SPDX-License-Identifier: MIT
 *
 * test_link.c - links and exit signals against a model of Erlang's rules (S117).
 *
 * Method: members link, unlink, trap, fail, exit and end each other at random. In the first
 * simulation each step is done when all is quiet, so the model can say exactly who lives and who
 * has got which ward_exited. In the second one all do it at once: what has happened is told by the
 * books of those who called, since a link is there, or over, when the call returns.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/testkit.h>
#include <ward/ward.h>

enum { MEMBERS = 6, STEPS = 80, QUOTA = 15, KINDS = WARD_EXIT_UNREACHED + 1 };

static const ward_failure_class oops = {.name = "oops", .parent = &ward_exception};
static const ward_failure_class fatal = {.name = "fatal", .parent = &ward_exception};

/* The first failure is survived, the others are not. */
static const ward_strategy strategy = {
	.rules = {{&oops, WARD_RESTART}, {&fatal, WARD_STOP}, {&ward_killed, WARD_STOP}},
	.quiet = true,
};

struct number {
	int number;
};
WARD_MESSAGE(number);

typedef enum deed {
	LINK,
	UNLINK,
	TRAP,
	TRAP_NO_MORE,
	STOP_SELF,
	STOP_OTHER,
	EXIT_SELF,
	EXIT_OTHER,
	FAIL,
	DIE,
	KILL_OTHER,
	DEEDS
} deed;

/* What one member does, to another one if it takes two. */
struct step {
	uint32_t deed, kind;
	int other;
};
WARD_MESSAGE(step);

static ward_ref refs[MEMBERS];
static int got[MEMBERS][MEMBERS][KINDS]; /* receiver, sender, reason */
static bool wrong;                       /* a message that is none */

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static int number_of(ward_ref ref)
{
	for (int i = 0; i < MEMBERS; i++)
		if (ward_ref_equal(refs[i], ref))
			return i;
	return -1;
}

static ward_exit_reason reason_of(uint32_t kind)
{
	ward_exit_reason reason = {.kind = kind};

	if (kind >= WARD_EXIT_FAILURE)
		strcpy(reason.name, "mine");
	return reason;
}

static void hear(int me, const struct ward_exited *gone)
{
	int from = number_of(gone->who);

	if (from < 0 || gone->reason.kind >= KINDS)
		wrong = true;
	else
		got[me][from][gone->reason.kind]++;
}

/* ---- the first: step by step ------------------------------------------------------------- */

static struct {
	bool lives[MEMBERS], traps[MEMBERS], linked[MEMBERS][MEMBERS];
	int wants[MEMBERS][MEMBERS][KINDS];
} model;

static ward_result do_step(ward_self *self, const struct step *step)
{
	ward_ref other = refs[step->other];
	ward_exit_reason reason = reason_of(step->kind);

	switch ((deed)step->deed) {
	case LINK:
		wrong |= ward_try_link(self, other) != WARD_OK;
		break;
	case UNLINK:
		ward_unlink(self, other);
		break;
	case TRAP:
	case TRAP_NO_MORE:
		(void)ward_trap_exit(self, step->deed == TRAP);
		break;
	case STOP_SELF:
		ward_stop_self(self);
		break;
	case STOP_OTHER:
		ward_stop(self, other);
		break;
	case EXIT_SELF:
		wrong |= ward_try_exit_self(self, &reason) != WARD_OK;
		break;
	case EXIT_OTHER:
		wrong |= ward_exit(self, other, &reason) != WARD_OK;
		break;
	case FAIL:
		return ward_failed(self, &oops, "once more");
	case DIE:
		return ward_failed(self, &fatal, "no more");
	case KILL_OTHER:
	case DEEDS:
		ward_tell(self, other, ward_kill);
		break;
	}
	return WARD_DONE;
}

static ward_result member_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct step *step = ward_match(msg, step);
	const struct ward_exited *gone = ward_match(msg, ward_exited);

	(void)state;
	if (step != NULL)
		return do_step(self, step);
	if (gone == NULL)
		return WARD_UNHANDLED;
	hear(((const struct number *)ward_args(self))->number, gone);
	return WARD_DONE;
}

static const ward_behavior member = {
	.name = "member",
	.args = &ward_type_number,
	.receive = member_receive,
};

static void model_signal(int who, int from, uint32_t kind);

static void model_die(int who, uint32_t kind)
{
	model.lives[who] = model.traps[who] = false;
	for (int i = 0; i < MEMBERS; i++) {
		if (!model.linked[who][i])
			continue;
		model.linked[who][i] = model.linked[i][who] = false;
		model_signal(i, who, kind);
	}
}

/* Over a link, kill is a reason like others; but nobody ends with it. */
static void model_signal(int who, int from, uint32_t kind)
{
	if (!model.lives[who])
		return;
	if (model.traps[who])
		model.wants[who][from][kind]++;
	else if (kind != WARD_EXIT_NORMAL || who == from)
		model_die(who, kind);
}

static void model_link(int who, int other)
{
	if (who == other)
		return;
	if (!model.lives[other])
		model_signal(who, other, WARD_EXIT_NOPROC);
	else
		model.linked[who][other] = model.linked[other][who] = true;
}

static void model_step(int who, const struct step *step)
{
	int other = step->other;

	switch ((deed)step->deed) {
	case LINK:
		model_link(who, other);
		break;
	case UNLINK:
		model.linked[who][other] = model.linked[other][who] = false;
		break;
	case TRAP:
	case TRAP_NO_MORE:
		model.traps[who] = step->deed == TRAP;
		break;
	case STOP_SELF:
		model_die(who, WARD_EXIT_NORMAL);
		break;
	case STOP_OTHER:
		if (model.lives[other])
			model_die(other, who == other ? WARD_EXIT_NORMAL : WARD_EXIT_SHUTDOWN);
		break;
	case EXIT_SELF:
		model_die(who, step->kind == WARD_EXIT_KILL ? WARD_EXIT_KILLED : step->kind);
		break;
	case EXIT_OTHER:
		if (step->kind != WARD_EXIT_KILL)
			model_signal(other, who, step->kind);
		else if (model.lives[other])
			model_die(other, WARD_EXIT_KILLED);
		break;
	case FAIL:
		model.traps[who] = false; /* links stay */
		break;
	case DIE:
		model_die(who, WARD_EXIT_FAILURE);
		break;
	case KILL_OTHER:
	case DEEDS:
		if (model.lives[other])
			model_die(other, WARD_EXIT_KILLED);
		break;
	}
}

static void check(ward_kit *kit)
{
	ward_assert(!wrong);
	for (int i = 0; i < MEMBERS; i++)
		ward_assert_eq(ward_system_is_alive(ward_kit_system(kit), refs[i]), model.lives[i]);
	ward_assert(memcmp(got, model.wants, sizeof got) == 0);
}

static void spawn(ward_kit *kit, const ward_behavior *behavior, int i)
{
	refs[i] = ward_kit_spawn(kit, behavior, .args = WARD_ARGS(number, i));
}

/* Links are more frequent than ends: else nobody would be left to be notified. */
static struct step draw(uint64_t dice)
{
	static const deed deeds[] = {LINK, LINK, LINK, LINK, LINK, TRAP, TRAP, UNLINK, FAIL};
	struct step step = {.kind = (uint32_t)(dice >> 8) % KINDS,
			    .other = (int)(dice >> 16 & 0xffff) % MEMBERS};
	uint32_t at = (uint32_t)(dice >> 40) % (2 * (sizeof deeds / sizeof deeds[0]));

	step.deed = at < sizeof deeds / sizeof deeds[0] ? deeds[at] : (dice >> 32) % DEEDS;
	return step;
}

WARD_SIMULATION(links_do_what_erlang_does_step_by_step,
		.faults = {.stall = 2, .delay = 2, .jump = 2, .path = "*/user/*"},
		.kit = {.system.user_strategy = &strategy})
{
	uint64_t random = ward_test_seed();

	(void)arg;
	memset(&model, 0, sizeof model);
	memset(got, 0, sizeof got);
	wrong = false;
	for (int i = 0; i < STEPS; i++) {
		uint64_t dice = next_random(&random);
		int who = (int)(dice % MEMBERS);
		struct step step = draw(next_random(&random));

		if (i < MEMBERS)
			who = i; /* all live at first */
		if (model.lives[who]) {
			ward_system_send(ward_kit_system(kit), refs[who], WARD_COPY(step, &step));
			model_step(who, &step);
		} else {
			spawn(kit, &member, who);
			model.lives[who] = true;
		}
		ward_simulation_eventually_idle(kit, WARD_MINUTE);
		if (i >= MEMBERS - 1)
			check(kit);
	}
}

/* ---- the second: all at once ------------------------------------------------------------- */

/* Nobody ends normally here, and all traps are set at the start: half of the members trap. */
static struct {
	bool linked[MEMBERS][MEMBERS]; /* both ways; as their calls have returned */
	int left[MEMBERS];
	int heard;
} books;

WARD_SIGNAL(go);

static bool traps(int number)
{
	return number % 2 == 0;
}

static void set_linked(int a, int b, bool linked)
{
	books.linked[a][b] = books.linked[b][a] = linked;
}

static void act(ward_self *self, int me, int other, uint64_t dice)
{
	ward_exit_reason reason = {.kind = dice % 2 == 0 ? WARD_EXIT_KILL : WARD_EXIT_KILLED};
	ward_err err = WARD_OK;

	switch (dice >> 1 & 15) {
	case 0:
		ward_unlink(self, refs[other]);
		set_linked(me, other, false);
		break;
	case 1: /* cannot be trapped, so it is no message */
		reason.kind = WARD_EXIT_KILL;
		err = ward_exit(self, refs[other], &reason);
		break;
	case 2:
		err = ward_try_exit_self(self, &reason);
		break;
	case 3:
		ward_tell(self, refs[other], go);
		break;
	default:
		err = ward_try_link(self, refs[other]);
		if (err == WARD_OK && me != other)
			set_linked(me, other, true);
		break;
	}
	wrong |= err != WARD_OK && err != WARD_ENOMEM;
}

static ward_result crowd_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)ward_trap_exit(self, traps(((const struct number *)args)->number));
	return WARD_DONE;
}

static ward_result crowd_receive(ward_self *self, void *state, const ward_msg *msg)
{
	int me = ((const struct number *)ward_args(self))->number;
	const struct ward_exited *gone = ward_match(msg, ward_exited);
	uint64_t dice = ward_random(self);
	int from;

	(void)state;
	if (gone != NULL) {
		from = number_of(gone->who);
		/* There is a link, and it is over now. */
		wrong |= from < 0 || !books.linked[me][from] || !traps(me);
		if (from >= 0) {
			set_linked(me, from, false);
			books.heard++;
		}
		return WARD_DONE;
	}
	if (ward_match(msg, go) == NULL)
		return WARD_UNHANDLED;
	act(self, me, (int)(dice >> 40) % MEMBERS, dice);
	if (books.left[me]-- > 0)
		ward_tell(self, ward_self_ref(self), go);
	if ((dice >> 36) % 8 == 0)
		return ward_failed(self, dice >> 33 & 1 ? &fatal : &oops, "now and then");
	return WARD_DONE;
}

static const ward_behavior crowd = {
	.name = "crowd",
	.args = &ward_type_number,
	.init = crowd_init,
	.receive = crowd_receive,
};

static bool nothing_is_wrong(void *arg)
{
	(void)arg;
	return !wrong;
}

/* Of two that are linked none is gone without the other one's having heard, or gone as well. */
static void check_ends(ward_kit *kit, int a, int b)
{
	ward_system *system = ward_kit_system(kit);

	if (!ward_system_is_alive(system, refs[a]) && ward_system_is_alive(system, refs[b]))
		ward_assert(!books.linked[a][b]);
}

static void run_crowd(ward_kit *kit)
{
	memset(&books, 0, sizeof books);
	wrong = false;
	ward_simulation_invariant(kit, nothing_is_wrong, NULL, "only what is linked is heard of");
	for (int i = 0; i < MEMBERS; i++) {
		books.left[i] = QUOTA;
		spawn(kit, &crowd, i);
	}
	for (int i = 0; i < MEMBERS; i++)
		ward_system_tell(ward_kit_system(kit), refs[i], go);
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	for (int a = 0; a < MEMBERS; a++)
		for (int b = 0; b < MEMBERS; b++)
			check_ends(kit, a, b);
	ward_simulation_note(kit, (uint64_t)books.heard);
}

WARD_SIMULATION(links_hold_though_all_goes_wrong,
		.faults = {.stall = 3, .delay = 4, .jump = 2, .memory = 2, .path = "*/user/*"},
		.kit = {.system.user_strategy = &strategy})
{
	(void)arg;
	run_crowd(kit);
}

/* ---- order ------------------------------------------------------------------------------- */

struct count {
	int number;
};
WARD_MESSAGE(count);

static struct {
	ward_ref listener;
	int sent, heard, signals;
} line;

/* Mail, and a signal that says how much mail came before it. At the end it ends itself. */
static ward_result talker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	ward_exit_reason reason = {.kind = WARD_EXIT_OTHER};

	(void)state;
	if (ward_match(msg, go) == NULL)
		return WARD_UNHANDLED;
	for (int i = 0; i < 3; i++)
		ward_tell(self, line.listener, count, .number = ++line.sent);
	snprintf(reason.name, sizeof reason.name, "%d", line.sent);
	if (line.sent < 3 * QUOTA) {
		wrong |= ward_exit(self, line.listener, &reason) != WARD_OK;
		ward_tell(self, ward_self_ref(self), go);
	} else {
		wrong |= ward_try_exit_self(self, &reason) != WARD_OK;
	}
	return WARD_DONE;
}

static ward_result talker_start(ward_self *self, void *state)
{
	(void)state;
	wrong |= ward_try_link(self, line.listener) != WARD_OK;
	ward_tell(self, ward_self_ref(self), go);
	return WARD_DONE;
}

static ward_result listener_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct count *count = ward_match(msg, count);
	const struct ward_exited *exited = ward_match(msg, ward_exited);

	(void)self;
	(void)state;
	if (count != NULL)
		wrong |= count->number != ++line.heard;
	if (exited != NULL) {
		wrong |= atoi(exited->reason.name) > line.heard;
		line.signals++;
	}
	return WARD_DONE;
}

static ward_result listener_init(ward_self *self, void *state, const void *args)
{
	(void)state;
	(void)args;
	(void)ward_trap_exit(self, true);
	return WARD_DONE;
}

static const ward_behavior talker = {
	.name = "talker",
	.pre_start = talker_start,
	.receive = talker_receive,
};

static const ward_behavior listener = {
	.name = "listener",
	.init = listener_init,
	.receive = listener_receive,
};

WARD_SIMULATION(signals_come_after_the_mail_before_them,
		.faults = {.delay = 6, .stall = 3, .jump = 2, .path = "*/user/*"})
{
	(void)arg;
	memset(&line, 0, sizeof line);
	wrong = false;
	line.listener = ward_kit_spawn(kit, &listener);
	(void)ward_kit_spawn(kit, &talker);
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	ward_assert(!wrong);
	ward_assert_eq(line.heard, 3 * QUOTA);
	ward_assert_eq(line.signals, QUOTA);
}

WARD_TEST_MAIN
