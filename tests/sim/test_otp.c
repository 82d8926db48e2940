/* SPDX-License-Identifier: MIT
 *
 * test_otp.c - supervisors of the OTP profile against a model of OTP's rules; and where callbacks
 * fail, spawns are refused and memory is out, what they say of themselves against who is there
 * (S110-S113, S115, S116).
 *
 * Method: children fail, leave, are terminated, restarted, deleted and added at random. In the
 * first simulations each step is done when all is quiet, so the model says exactly who was started
 * and stopped in which order. In the last one a fault may strike anybody.
 */
#include "support/otp_workers.h"

enum { IDS = 5, STEPS = 40 };

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Ids "a" to "e"; how long each lives goes by its letter. */
static const ward_otp_child_spec five[] = {PERMANENT("a"), TRANSIENT("b"), TEMPORARY("c"),
					   PERMANENT("d"), TRANSIENT("e"), {0}};

/* ---- the model --------------------------------------------------------------------------- */

struct part {
	const ward_otp_child_spec *spec;
	bool alive;
};

/* In the order of their starts. */
static struct {
	ward_otp_strategy strategy;
	struct part parts[IDS];
	int count;
	char broken; /* its next start fails */
	char log[sizeof o.log];
} model;

static void model_note(int i, const char *what)
{
	o_note(model.log, sizeof model.log, model.parts[i].spec->id, what);
}

static int model_find(const char *id)
{
	for (int i = 0; i < model.count; i++)
		if (strcmp(model.parts[i].spec->id, id) == 0)
			return i;
	return -1;
}

static void model_remove(int i)
{
	model.count--;
	memmove(&model.parts[i], &model.parts[i + 1],
		(size_t)(model.count - i) * sizeof model.parts[0]);
}

static bool model_start(int i)
{
	bool breaks = model.broken == model.parts[i].spec->id[0];

	if (breaks)
		model.broken = 0;
	model_note(i, breaks ? "x" : "+");
	model.parts[i].alive = !breaks;
	return !breaks;
}

/* Off, or deleted. */
static void model_off(int i)
{
	model.parts[i].alive = false;
	if (model.parts[i].spec->restart == WARD_OTP_TEMPORARY)
		model_remove(i);
}

static void model_stop(int i)
{
	if (model.parts[i].alive)
		model_note(i, "-");
	model_off(i);
}

/* What is to be started again, with `id`; when one does not start, with that one. */
static void model_restart(const char *id)
{
	while (id != NULL) {
		int from = model.strategy == WARD_OTP_ONE_FOR_ALL ? 0 : model_find(id);

		if (model.strategy == WARD_OTP_ONE_FOR_ONE) {
			id = model_start(from) ? NULL : id;
			continue;
		}
		for (int i = model.count - 1; i >= from; i--)
			model_stop(i);
		id = NULL;
		for (int i = from; i < model.count && id == NULL; i++)
			id = model_start(i) ? NULL : model.parts[i].spec->id;
	}
}

static void model_end(int i, bool normal)
{
	ward_otp_restart life = model.parts[i].spec->restart;

	model_note(i, "-");
	model.parts[i].alive = false;
	if (life == WARD_OTP_PERMANENT || (life == WARD_OTP_TRANSIENT && !normal))
		model_restart(model.parts[i].spec->id);
	else
		model_off(i);
}

static const char *model_which(void)
{
	static char text[64];
	size_t length = 0;

	text[0] = '\0';
	for (int i = model.count - 1; i >= 0; i--)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%c",
					   length > 0 ? " " : "", model.parts[i].spec->id,
					   model.parts[i].alive ? '+' : '-');
	return text;
}

/* ---- steps ------------------------------------------------------------------------------- */

static void end_child(ward_ref supervisor, int i, bool normal)
{
	ward_ref who = o_child(supervisor, model.parts[i].spec->id);

	if (normal)
		ward_kit_tell(o.kit, who, act, .what = LEAVE);
	else
		ward_kit_tell(o.kit, who, act, .what = FAIL);
	model_end(i, normal);
}

static void terminate(ward_ref supervisor, const char *id)
{
	int i = model_find(id);

	ward_assert_eq(o_terminate(supervisor, id), i < 0 ? WARD_OTP_NOT_FOUND : WARD_OTP_OK);
	if (i >= 0)
		model_stop(i);
}

static ward_otp_code code_of_off(int i)
{
	if (i < 0)
		return WARD_OTP_NOT_FOUND;
	return model.parts[i].alive ? WARD_OTP_RUNNING : WARD_OTP_OK;
}

static void restart(ward_ref supervisor, const char *id)
{
	int i = model_find(id);
	ward_otp_code code = code_of_off(i);

	if (code == WARD_OTP_OK && !model_start(i))
		code = WARD_OTP_START_FAILED;
	ward_assert_eq(o_restart(supervisor, id), code);
}

static void delete_it(ward_ref supervisor, const char *id)
{
	int i = model_find(id);
	ward_otp_code code = code_of_off(i);

	if (code == WARD_OTP_OK)
		model_remove(i);
	ward_assert_eq(o_delete(supervisor, id), code);
}

static void add(ward_ref supervisor, const ward_otp_child_spec *spec)
{
	int i = model_find(spec->id);
	ward_otp_code code = WARD_OTP_OK;

	if (i >= 0) {
		code = model.parts[i].alive ? WARD_OTP_ALREADY_STARTED : WARD_OTP_ALREADY_PRESENT;
	} else {
		model.parts[model.count] = (struct part){.spec = spec};
		if (!model_start(model.count++)) {
			model_remove(model.count - 1);
			code = WARD_OTP_START_FAILED;
		}
	}
	ward_assert_eq(o_add(supervisor, spec).code, code);
}

static void step(ward_ref supervisor, uint64_t dice)
{
	const ward_otp_child_spec *spec = &five[(dice >> 8) % IDS];
	int i = model_find(spec->id);

	if ((dice >> 16) % 4 == 0) {
		static const char *const letters[] = {"a", "b", "c", "d", "e"};

		o.broken = letters[(dice >> 20) % IDS];
		o.broken_for = 1;
		model.broken = o.broken[0];
	}
	switch (dice % 8) {
	case 0:
		terminate(supervisor, spec->id);
		break;
	case 1:
		restart(supervisor, spec->id);
		break;
	case 2:
		delete_it(supervisor, spec->id);
		break;
	case 3:
		add(supervisor, spec);
		break;
	default:
		if (i >= 0 && model.parts[i].alive)
			end_child(supervisor, i, dice >> 4 & 1);
		break;
	}
}

static void run_model(ward_kit *kit, ward_otp_strategy strategy)
{
	const ward_otp_supervisor table = {
		.strategy = strategy, .intensity = 1000, .children = five};
	uint64_t random = ward_test_seed();
	ward_ref who;

	memset(&o, 0, sizeof o);
	memset(&model, 0, sizeof model);
	o.kit = kit;
	model.strategy = strategy;
	who = o_start(&table);
	for (int i = 0; i < IDS; i++)
		model.parts[i] = (struct part){&five[i], true};
	model.count = IDS;
	(void)seen();
	for (int i = 0; i < STEPS; i++) {
		step(who, next_random(&random));
		ward_simulation_eventually_idle(kit, WARD_MINUTE);
		ward_assert_str(seen(), model.log);
		ward_assert_str(o_which(who), model_which());
		model.log[0] = '\0';
	}
	for (int i = model.count - 1; i >= 0; i--)
		model_stop(i);
	ward_assert_ok(ward_otp_stop(o_system(), who, WARD_MINUTE));
	ward_assert_str(seen(), model.log);
}

WARD_SIMULATION(one_for_one_does_what_otp_does, .faults = {.stall = 2, .delay = 2})
{
	(void)arg;
	run_model(kit, WARD_OTP_ONE_FOR_ONE);
}

WARD_SIMULATION(one_for_all_does_what_otp_does, .faults = {.stall = 2, .delay = 2})
{
	(void)arg;
	run_model(kit, WARD_OTP_ONE_FOR_ALL);
}

WARD_SIMULATION(rest_for_one_does_what_otp_does, .faults = {.stall = 2, .delay = 2})
{
	(void)arg;
	run_model(kit, WARD_OTP_REST_FOR_ONE);
}

/* ---- where anything may go wrong --------------------------------------------------------- */

static const ward_otp_supervisor below = {
	.strategy = WARD_OTP_REST_FOR_ONE, .intensity = 5, .children = five};
static const ward_otp_child_spec two[] = {
	{.id = "x", .supervisor = &below}, {.id = "y", .supervisor = &below}, {0}};

static ward_ref top;

struct life_counters {
	ward_system *system;
	uint64_t actors, stuck;
};

static void look_at(void *arg, const ward_actor_info *info)
{
	struct life_counters *life_counters = arg;

	life_counters->actors++;
	if (strcmp(info->state, "running") != 0 || info->suspended > 0)
		life_counters->stuck++;
}

/* All that it says is alive; gives how many. False: it has ended meanwhile. */
static bool count_alive(ward_ref supervisor, uint64_t *count)
{
	struct ward_otp_children all;
	ward_err err =
		ward_system_ask(o_system(), supervisor, WARD_MINUTE, &all, ward_otp_which_children);

	if (err != WARD_OK)
		return false;
	for (size_t i = 0; i < all.count; i++) {
		const ward_otp_child_info *info = &all.rows[i];

		ward_assert(info->state != WARD_OTP_CHILD_RESTARTING);
		ward_assert(info->state != WARD_OTP_CHILD_ALIVE || o_lives(info->who));
		if (info->state != WARD_OTP_CHILD_ALIVE)
			continue;
		++*count;
		if (info->type == WARD_OTP_SUPERVISOR)
			ward_assert(count_alive(info->who, count));
	}
	ward_otp_children_drop(&all);
	return true;
}

/* Whoever there is, is known to who supervises it; nobody is stuck. */
static void check_all(void)
{
	struct life_counters life_counters = {.system = o_system()};
	uint64_t alive = 4; /* the guardians and the one at the top */

	(void)ward_system_actors(o_system(), look_at, &life_counters);
	ward_assert_eq(life_counters.stuck, 0);
	if (!o_lives(top)) {
		ward_assert_eq(life_counters.actors, 3);
		return;
	}
	ward_assert(count_alive(top, &alive));
	ward_assert_eq(life_counters.actors, alive);
}

static void disturb(uint64_t dice)
{
	const char *id = five[(dice >> 8) % IDS].id;
	struct ward_otp_children all;
	ward_ref who = ward_nobody();

	if (ward_system_ask(o_system(), top, WARD_MINUTE, &all, ward_otp_which_children) != WARD_OK)
		return;
	if (all.count > 0)
		who = all.rows[(dice >> 16) % all.count].who;
	ward_otp_children_drop(&all);
	if (ward_system_ask(o_system(), who, WARD_MINUTE, &all, ward_otp_which_children) != WARD_OK)
		return;
	for (size_t i = 0; i < all.count; i++)
		if (strcmp(all.rows[i].id, id) == 0 && dice % 3 == 0)
			ward_kit_tell(o.kit, all.rows[i].who, act, .what = FAIL);
	ward_otp_children_drop(&all);
	if (dice % 3 == 1)
		ward_kit_tell(o.kit, who, ward_otp_restart_child, .id = "b");
	if (dice % 3 == 2)
		ward_kit_tell(o.kit, who, ward_otp_terminate_child, .id = "b");
}

WARD_SIMULATION(
	what_it_says_of_itself_is_true_whatever_goes_wrong,
	.faults = {.fail = 4, .refuse = 2, .memory = 4, .stall = 2, .delay = 2, .horizon = 1500})
{
	const ward_otp_supervisor table = {.name = "top", .intensity = 5, .children = two};
	uint64_t random = ward_test_seed();

	(void)arg;
	memset(&o, 0, sizeof o);
	o.kit = kit;
	while (ward_otp_start(o_system(), &table, WARD_MINUTE, &top) != WARD_OK) {
		top = ward_nobody();
		ward_simulation_eventually_idle(kit, WARD_MINUTE);
		check_all(); /* nothing is left of it */
	}
	for (int i = 0; i < 60 && o_lives(top); i++) {
		disturb(next_random(&random));
		o.log[0] = '\0';
	}
	ward_simulation_faults_end(kit);
	ward_simulation_eventually_idle(kit, WARD_MINUTE);
	check_all();
}

WARD_TEST_MAIN
