/* SPDX-License-Identifier: MIT
 *
 * test_outside.c - threads outside that do everything at once, many systems in one process, and a
 * process that forks.
 *
 * Method: outside threads spawn, tell, ask, await and stop at random, all sharing a few refs, and
 * one of them terminates the system in the middle of it. Whatever a call answers must be an answer
 * that it may give; each payload is dropped exactly once; then the system is destroyed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/stress.h"

enum { THREADS = 4, SHARED = 16, SYSTEMS = 12 };

struct cargo {
	char *owned;
};

static _Atomic uint64_t loaded, unloaded;

static void drop_cargo(struct cargo *cargo)
{
	free(cargo->owned);
	stress_add(&unloaded, 1);
}
WARD_MESSAGE_DROP(cargo, drop_cargo);
struct answer {
	uint64_t value;
};
WARD_MESSAGE(answer);
struct question {
	uint64_t value;
};
WARD_MESSAGE(question);
WARD_REPLY(question, answer);
WARD_SIGNAL(fail);

/* One system with its refs, for the threads that use it. */
struct field {
	ward_kit *kit;
	pthread_mutex_t mu;
	ward_ref refs[SHARED]; /* under mu */
	uint64_t rounds;
	_Atomic uint64_t answers, refusals;
	_Atomic bool terminated;
	_Atomic uint64_t hooks;
};

static char *load(void)
{
	stress_add(&loaded, 1);
	return strdup("cargo");
}

static ward_result receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct question *question = ward_match(msg, question);

	(void)state;
	if (ward_match(msg, fail) != NULL)
		ward_fail(self, &ward_exception, "as told");
	if (ward_match(msg, cargo) != NULL && ward_random(self) % 4 == 0)
		ward_assert(ward_take(self, cargo) != NULL);
	if (question == NULL)
		return WARD_DONE;
	switch (question->value % 8) {
	case 0: /* no answer */
		break;
	case 1: /* too late, perhaps */
		ward_answer(self, msg, question, .value = question->value);
		ward_answer(self, msg, question, .value = 0); /* one too many */
		break;
	case 2: /* of another type */
		ward_reply(self, msg, cargo, load());
		break;
	default:
		ward_answer(self, msg, question, .value = question->value);
		break;
	}
	return WARD_DONE;
}

static const ward_behavior worker = {.name = "worker", .receive = receive};

static ward_ref get(struct field *field, uint64_t dice)
{
	pthread_mutex_lock(&field->mu);
	ward_ref ref = field->refs[dice % SHARED];
	pthread_mutex_unlock(&field->mu);
	return ref;
}

static void spawn(struct field *field, uint64_t dice)
{
	ward_props props = {.behavior = &worker};
	ward_ref ref;
	ward_err err;

	if (dice % 4 == 0)
		props.mailbox.messages_max = 2;
	if (dice % 16 == 1)
		props.name = "known";
	err = ward_system_spawn(ward_kit_system(field->kit), &props, &ref);
	ward_assert(err == WARD_OK || (err == WARD_EEXIST && props.name != NULL) ||
		    (err == WARD_ESTOPPING && field->terminated));
	if (err != WARD_OK)
		return;
	pthread_mutex_lock(&field->mu);
	ward_ref old = field->refs[(dice >> 8) % SHARED];
	field->refs[(dice >> 8) % SHARED] = ref;
	pthread_mutex_unlock(&field->mu);
	ward_system_stop(ward_kit_system(field->kit), old);
}

static void ask(struct field *field, ward_ref to, uint64_t dice)
{
	struct answer answer = {0};
	ward_err err = ward_system_ask(ward_kit_system(field->kit), to, 1 + (int64_t)(dice % 3),
				       &answer, question, .value = dice);

	ward_assert(err == WARD_OK || err == WARD_ETIMEDOUT || err == WARD_EDEAD ||
		    err == WARD_EFULL || err == WARD_ETYPE);
	if (err == WARD_ETYPE)
		ward_assert_eq(dice % 8, 2);
	if (err == WARD_OK)
		ward_assert_eq(answer.value, dice);
	stress_add(err == WARD_OK ? &field->answers : &field->refusals, 1);
}

static void try_tell(struct field *field, ward_ref to)
{
	char *owned = load();
	ward_err err = ward_system_try_tell(ward_kit_system(field->kit), to, cargo, owned);

	ward_assert(err == WARD_OK || err == WARD_EDEAD || err == WARD_EFULL);
	if (err != WARD_OK)
		drop_cargo(&(struct cargo){owned});
}

static void end(struct field *field, ward_ref who, uint64_t dice)
{
	ward_system *system = ward_kit_system(field->kit);
	ward_err err;

	if (dice % 4 == 0)
		ward_system_tell(system, who, ward_poison_pill);
	else if (dice % 4 == 1)
		ward_system_tell(system, who, ward_kill);
	else if (dice % 4 == 2)
		ward_system_stop(system, who);
	else
		ward_system_tell(system, who, fail);
	err = ward_system_wait_for(system, who, (int64_t)(dice >> 8) % 2);
	ward_assert(err == WARD_OK || err == WARD_ETIMEDOUT);
}

static void count_row(void *arg, const ward_actor_info *info)
{
	ward_assert(strlen(info->path) > 0);
	++*(size_t *)arg;
}

static void look(struct field *field, ward_ref who)
{
	char path[64];
	size_t rows = 0;

	ward_assert(ward_system_path(ward_kit_system(field->kit), who, path, sizeof path) > 0);
	size_t count = ward_system_actors(ward_kit_system(field->kit), count_row, &rows);
	ward_assert_eq(count, rows);
	(void)ward_system_is_alive(ward_kit_system(field->kit), who);
	(void)ward_kit_stats(field->kit);
}

static void hook(void *arg)
{
	struct field *field = arg;

	stress_add(&field->hooks, 1);
}

static void do_one(struct field *field, uint64_t dice)
{
	ward_ref who = get(field, dice >> 40);

	switch (dice % 8) {
	case 0:
		spawn(field, dice >> 8);
		break;
	case 1:
	case 2:
		ask(field, who, dice >> 8);
		break;
	case 3:
		try_tell(field, who);
		break;
	case 4:
		end(field, who, dice >> 8);
		break;
	case 5:
		look(field, who);
		break;
	default:
		ward_system_tell(ward_kit_system(field->kit), who, cargo, load());
		break;
	}
}

static void *play(void *arg)
{
	struct field *field = arg;
	uint64_t random = (uint64_t)stress_now_ns();

	for (uint64_t i = 0; i < field->rounds; i++)
		do_one(field, stress_random(&random));
	return NULL;
}

/* Ends the system before the others are through. */
static void *terminate(void *arg)
{
	struct field *field = arg;
	uint64_t before = field->rounds / 2 * THREADS;

	while (stress_get(&field->answers) + stress_get(&field->refusals) < before / 4)
		ward_kit_advance(field->kit, 1);
	ward_assert_ok(ward_system_on_terminate(ward_kit_system(field->kit), hook, field));
	field->terminated = true;
	ward_system_shutdown(ward_kit_system(field->kit), NULL);
	ward_assert_ok(ward_system_wait(ward_kit_system(field->kit), WARD_MINUTE));
	ward_assert_eq(stress_get(&field->hooks), 1);
	ward_assert_err(ward_system_on_terminate(ward_kit_system(field->kit), hook, field),
			WARD_ESTOPPING);
	return NULL;
}

static void start_field(struct field *field, uint32_t workers, uint64_t rounds)
{
	static const ward_strategy quiet = {.quiet = true};

	memset(field, 0, sizeof *field);
	pthread_mutex_init(&field->mu, NULL);
	field->rounds = rounds;
	field->kit = stress_start(
		&(ward_kit_options){.system.workers = workers, .system.user_strategy = &quiet});
	for (uint64_t i = 0; i < SHARED; i++)
		spawn(field, 2 | i << 8);
}

static void all_at_once(uint32_t workers)
{
	struct field field;
	pthread_t threads[THREADS + 1];

	start_field(&field, workers, stress_size(3000, 100000));
	for (int i = 0; i < THREADS; i++)
		threads[i] = stress_thread(play, &field);
	threads[THREADS] = stress_thread(terminate, &field);
	for (int i = 0; i <= THREADS; i++)
		stress_join(threads[i]);
	printf("%llu questions answered, %llu not\n",
	       (unsigned long long)stress_get(&field.answers),
	       (unsigned long long)stress_get(&field.refusals));
	ward_kit_finish(field.kit);
	ward_assert_eq(stress_get(&loaded), stress_get(&unloaded));
}

STRESS_WORKERS(all_at_once, "S77", "S78", "S79")

/* ---- many systems ------------------------------------------------------------------------ */

static void *live_and_die(void *arg)
{
	uint64_t rounds = stress_size(4, 40);

	for (uint64_t i = 0; i < rounds; i++) {
		struct field *field = calloc(1, sizeof *field);

		ward_assert(field != NULL);
		start_field(field, 1 + (uint32_t)(uintptr_t)arg % 3, 100);
		play(field);
		field->terminated = true;
		ward_kit_finish(field->kit);
		free(field);
	}
	return NULL;
}

WARD_TEST(many_systems_live_and_die_side_by_side)
{
	pthread_t threads[SYSTEMS];

	for (uintptr_t i = 0; i < SYSTEMS; i++)
		threads[i] = stress_thread(live_and_die, (void *)i);
	for (int i = 0; i < SYSTEMS; i++)
		stress_join(threads[i]);
	ward_assert_eq(stress_get(&loaded), stress_get(&unloaded));
}

WARD_TEST(refs_of_another_system_are_foreign)
{
	struct field a, b;
	struct answer answer;

	start_field(&a, 1, 0);
	start_field(&b, 1, 0);
	ward_assert_err(ward_system_try_tell(ward_kit_system(a.kit), b.refs[0], fail),
			WARD_EFOREIGN);
	ward_assert_err(ward_system_ask(ward_kit_system(a.kit), b.refs[0], 1, &answer, question),
			WARD_EFOREIGN);
	ward_assert_err(ward_system_wait_for(ward_kit_system(a.kit), b.refs[0], 0), WARD_EFOREIGN);
	ward_assert(!ward_system_is_alive(ward_kit_system(a.kit), b.refs[0]));
	ward_system_stop(ward_kit_system(a.kit), b.refs[0]);
	ward_assert(ward_system_is_alive(ward_kit_system(b.kit), b.refs[0]));
	ward_kit_finish(a.kit);
	ward_kit_finish(b.kit);
}

/* ---- fork -------------------------------------------------------------------------------- */

static void count_event(void *arg)
{
	(void)arg;
}

static void no_line(void *arg, const char *text)
{
	(void)arg;
	(void)text;
}

static void in_the_child(struct field *field)
{
	ward_system *system = ward_kit_system(field->kit);
	ward_props props = {.behavior = &worker};
	ward_ref ref = field->refs[0];
	struct answer answer;
	char path[64];

	(void)ward_system_path(system, ref, path, sizeof path);
	ward_assert_part(path, "?#");
	ward_assert_err(ward_system_spawn(system, &props, NULL), WARD_EFORKED);
	ward_assert_err(ward_system_try_tell(system, ref, fail), WARD_EFORKED);
	ward_assert_err(ward_system_ask(system, ref, WARD_FOREVER, &answer, question),
			WARD_EFORKED);
	ward_assert_err(ward_system_wait_for(system, ref, WARD_FOREVER), WARD_EFORKED);
	ward_assert_err(ward_system_wait(system, WARD_FOREVER), WARD_EFORKED);
	ward_assert_err(ward_system_tree(system, no_line, NULL), WARD_EFORKED);
	ward_assert_err(ward_system_resolve(system, "/user", WARD_FOREVER, &ref), WARD_EFORKED);
	ward_assert_err(ward_system_on_terminate(system, count_event, NULL), WARD_EFORKED);
	/* Owns nothing: not every malloc() works in the child of a process with threads. */
	ward_system_tell(system, ref, cargo, NULL);
	ward_system_select_tell(system, "/user", cargo, NULL);
	ward_system_stop(system, ref);
	ward_system_shutdown(system, NULL);
	ward_assert(!ward_system_is_alive(system, ref));
	ward_assert_eq(ward_system_actors(system, NULL, NULL), 0);
	ward_assert_eq(ward_kit_stats(field->kit).actors, 0);
	uint64_t blocks = ward_kit_blocks(field->kit);
	ward_assert_err(ward_system_destroy(system, WARD_FOREVER), WARD_EFORKED);
	ward_assert_eq(ward_kit_blocks(field->kit), blocks);
}

WARD_TEST(fork_while_all_are_busy_is_answered_with_a_code)
{
	struct field field;
	pthread_t threads[THREADS];
	uint64_t forks = stress_size(20, 200);

	start_field(&field, 2, stress_size(1000, 20000));
	for (int i = 0; i < THREADS; i++)
		threads[i] = stress_thread(play, &field);
	for (uint64_t i = 0; i < forks; i++) {
		int status;
		pid_t pid = fork();

		ward_assert(pid >= 0);
		if (pid == 0) {
			alarm(20);
			in_the_child(&field);
			_exit(0);
		}
		ward_assert_eq(waitpid(pid, &status, 0), pid);
		ward_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	for (int i = 0; i < THREADS; i++)
		stress_join(threads[i]);
	ward_kit_finish(field.kit);
	ward_assert_eq(stress_get(&loaded), stress_get(&unloaded));
}

WARD_TEST_MAIN
