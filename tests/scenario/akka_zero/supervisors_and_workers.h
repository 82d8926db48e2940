/* SPDX-License-Identifier: MIT
 *
 * supervisors_and_workers.h - supervising actors of the Akka 0.x profile, and workers that do what
 * they are told.
 *
 * What happens to a worker is a text: "a+" it starts, "a!" it is about to be restarted, "aR" it was
 * restarted, "a-" it ended, "a1" it was given the number 1. A chief is a supervising actor that
 * runs a function of the test's.
 */
#ifndef SCENARIO_AKKA_ZERO_SUPERVISORS_AND_WORKERS_H
#define SCENARIO_AKKA_ZERO_SUPERVISORS_AND_WORKERS_H

#include <stdio.h>
#include <string.h>

#include <ward/akka_zero.h>
#include <ward/testkit.h>
#include <ward/ward.h>

static const ward_failure_class bad_luck = {.name = "bad_luck", .parent = &ward_exception};
static const ward_failure_class odd_luck = {.name = "odd_luck", .parent = &ward_exception};

struct number {
	int value;
};
WARD_MESSAGE_FLAT(number);

struct mishap {
	const ward_failure_class *why;
};
WARD_MESSAGE(mishap);

struct name {
	char text[8];
};
WARD_MESSAGE_FLAT(name);

static struct {
	ward_kit *kit;
	ward_probe *probe; /* the parent of supervisors */
	char broken;       /* the worker of this name cannot start */
	char log[4096];
} z;

static inline void note(const char *who, const char *what)
{
	size_t length = strlen(z.log);

	ward_assert(length + strlen(who) + strlen(what) + 2 < sizeof z.log);
	snprintf(z.log + length, sizeof z.log - length, "%s%s%s", length > 0 ? " " : "", who, what);
}

/* What has happened since the last look. */
static inline const char *seen(void)
{
	static char copy[sizeof z.log];

	ward_kit_run(z.kit);
	memcpy(copy, z.log, sizeof copy);
	z.log[0] = '\0';
	return copy;
}

static inline size_t times(const char *text, const char *what)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
		count++;
	return count;
}

/* ---- workers ----------------------------------------------------------------------------- */

static inline const char *name_of(ward_self *self)
{
	return ((const struct name *)ward_args(self))->text;
}

static inline ward_result worker_start(ward_self *self, void *state)
{
	(void)state;
	if (name_of(self)[0] == z.broken)
		return ward_failed(self, &odd_luck, "%s cannot start", name_of(self));
	note(name_of(self), "+");
	return WARD_DONE;
}

static inline ward_result worker_stop(ward_self *self, void *state)
{
	(void)state;
	note(name_of(self), "-");
	return WARD_DONE;
}

static inline ward_result worker_pre_restart(ward_self *self, void *state, const ward_failure *why,
					     const ward_msg *msg)
{
	(void)state, (void)why, (void)msg;
	note(name_of(self), "!");
	return WARD_DONE;
}

static inline ward_result worker_post_restart(ward_self *self, void *state, const ward_failure *why)
{
	(void)state, (void)why;
	note(name_of(self), "R");
	return WARD_DONE;
}

static inline ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct mishap *mishap;
	const struct number *number;
	char text[16];

	(void)state;
	if ((mishap = ward_match(msg, mishap)))
		return ward_failed(self, mishap->why, "%s had it", name_of(self));
	if (!(number = ward_match(msg, number)))
		return WARD_UNHANDLED;
	snprintf(text, sizeof text, "%d", number->value);
	note(name_of(self), text);
	return WARD_DONE;
}

/* Two kinds of workers, to be told apart by type. */
#define WORKER(name_)                                                                              \
	{                                                                                          \
		.name = name_, .args = &ward_type_name, .receive = worker_receive,                 \
		.pre_start = worker_start, .post_stop = worker_stop,                               \
		.pre_restart = worker_pre_restart, .post_restart = worker_post_restart,            \
	}
static const ward_behavior worker = WORKER("worker");
static const ward_behavior helper = WORKER("helper");

#define COMPONENT_OF(behavior_, name_, ...)                                                        \
	{                                                                                          \
		.props = {.behavior = &(behavior_),                                                \
			  .name = name_,                                                           \
			  .args = WARD_ARGS(name, name_)},                                         \
		__VA_ARGS__                                                                        \
	}
#define TABLE(...) ((const ward_zero_component[]){__VA_ARGS__, {0}})
#define PERMANENT(name_) COMPONENT_OF(worker, name_, .life = WARD_ZERO_PERMANENT)
#define TEMPORARY(name_) COMPONENT_OF(worker, name_, .life = WARD_ZERO_TEMPORARY)

/* ---- the kit ----------------------------------------------------------------------------- */

static inline void z_begin_at(uint64_t seed)
{
	memset(&z, 0, sizeof z);
	z.kit = ward_kit_start(&(ward_kit_options){.seed = seed});
	z.probe = ward_probe_start(z.kit, "probe");
}

static inline void z_begin(void)
{
	z_begin_at(0);
}

#define z_end() ward_kit_finish(z.kit)

static inline ward_system *z_system(void)
{
	return ward_kit_system(z.kit);
}

static inline bool z_lives(ward_ref who)
{
	return ward_system_is_alive(z_system(), who);
}

static inline void z_fail(ward_ref who, const ward_failure_class *why)
{
	ward_kit_tell(z.kit, who, mishap, .why = why);
	ward_kit_run(z.kit);
}

#endif
