/* SPDX-License-Identifier: MIT
 *
 * router_and_workers.h - a router and workers behind it, for the tests of routers.
 *
 * Workers that the router "pool" has made are numbered from 1 in that order; others from OTHERS + 1
 * as they start. What each has handled is a text: the numbers of its jobs, "1 4 7", and "R" for a
 * restart.
 */
#ifndef SCENARIO_ROUTER_ROUTER_AND_WORKERS_H
#define SCENARIO_ROUTER_ROUTER_AND_WORKERS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ward/codec.h>
#include <ward/router.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#include "support/raw_bytes.h"

enum { OTHERS = 40, WORKERS_MAX = 64, GOT_MAX = 1024 };

/* What a worker does about a job. */
enum op { NOTE, ANSWER, BREAK, QUIT, SILENT };

struct job {
	int number;
	enum op op;
	int only; /* the op is for this worker, NOTE for the others; 0: for each */
};
WARD_MESSAGE_FIELDS_FLAGS(job, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, job, number),
			  WARD_FIELD(UINT, job, op), WARD_FIELD(INT, job, only));

struct result {
	int worker;
	int number;
};
WARD_MESSAGE_FIELDS_FLAGS(result, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, result, worker),
			  WARD_FIELD(INT, result, number));
WARD_REPLY(job, result);

/* Owns something: `alive` of them are there. A single cannot be copied. */
struct parcel {
	int number;
	bool full; /* owns */
};
struct single {
	int number;
	bool full;
};
static int parcels_alive, clones_refused_from; /* that clone and all after it; 0: none */

static inline void parcel_drop(void *body)
{
	parcels_alive -= ((struct parcel *)body)->full;
}
static inline ward_err parcel_clone(void *to, const void *from)
{
	memcpy(to, from, sizeof(struct parcel));
	if (clones_refused_from != 0 && --clones_refused_from == 0) {
		clones_refused_from = 1;
		return WARD_ENOMEM;
	}
	parcels_alive += ((const struct parcel *)from)->full;
	return WARD_OK;
}
static inline void single_drop(void *body)
{
	parcels_alive -= ((struct single *)body)->full;
}
static inline ward_err parcel_decode(const void *bytes, size_t count, void *body, size_t size)
{
	ward_err err = raw_decode(bytes, count, body, size);
	parcels_alive += err == WARD_OK && ((struct parcel *)body)->full;
	return err;
}
static inline ward_err single_decode(const void *bytes, size_t count, void *body, size_t size)
{
	ward_err err = raw_decode(bytes, count, body, size);
	parcels_alive += err == WARD_OK && ((struct single *)body)->full;
	return err;
}
RAW_MESSAGE_OWNED(parcel, parcel_drop, parcel_clone, parcel_decode);
RAW_MESSAGE_OWNED(single, single_drop, NULL, single_decode);

struct worker_record {
	ward_ref ref;
	char got[GOT_MAX];
};

static struct {
	ward_kit *kit;
	ward_ref router;
	int made; /* workers, of all kinds */
	int others;
	struct worker_record workers[WORKERS_MAX + 1];
	ward_ref last_sender;
	ward_probe *asker; /* of a test's own */
} rig;

static const ward_failure_class bad_job = {.name = "bad_job", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_job);

static inline int worker_number(ward_ref ref)
{
	for (int i = 1; i <= WORKERS_MAX; i++)
		if (ward_ref_equal(rig.workers[i].ref, ward_kit_ref(rig.kit, ref)))
			return i;
	return 0;
}

static inline void got(int worker, const char *what)
{
	char *text = rig.workers[worker].got;
	size_t length = strlen(text);

	ward_assert(length + strlen(what) + 2 < GOT_MAX);
	snprintf(text + length, GOT_MAX - length, "%s%s", length > 0 ? " " : "", what);
}

/* A pool names its routees worker$1, worker$2 and so on. */
static inline int new_number(const ward_self *self)
{
	char path[WARD_EVENT_PATH];
	const char *name;

	ward_kit_path(rig.kit, ward_self_ref(self), path);
	name = strstr(path, "/pool/");
	name = name == NULL ? NULL : strchr(name, '$');
	if (name == NULL || strchr(name, '/') != NULL)
		return OTHERS + ++rig.others;
	return atoi(name + 1);
}

static inline ward_result worker_init(ward_self *self, void *state, const void *args)
{
	int number = worker_number(ward_self_ref(self));

	(void)state, (void)args;
	if (number != 0) {
		got(number, "R");
		return WARD_DONE;
	}
	number = new_number(self);
	ward_assert(number <= WORKERS_MAX);
	rig.workers[number].ref = ward_kit_ref(rig.kit, ward_self_ref(self));
	rig.made++;
	return WARD_DONE;
}

static inline ward_result worker_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);
	const struct parcel *parcel = ward_match(msg, parcel);
	const struct single *single = ward_match(msg, single);
	int me = worker_number(ward_self_ref(self));
	char text[16];

	(void)state;
	rig.last_sender = ward_msg_sender(msg);
	if (job == NULL && parcel == NULL && single == NULL)
		return WARD_UNHANDLED;
	snprintf(text, sizeof text, "%d",
		 job != NULL      ? job->number
		 : parcel != NULL ? parcel->number
				  : single->number);
	got(me, text);
	if (job == NULL || (job->only != 0 && job->only != me))
		return WARD_DONE;
	if (job->op == ANSWER)
		ward_answer(self, msg, job, .worker = me, .number = job->number);
	if (job->op == QUIT)
		ward_stop_self(self);
	return job->op == BREAK ? ward_failed(self, &bad_job, "job %d", job->number) : WARD_DONE;
}

static const ward_behavior worker = {
	.name = "worker", .init = worker_init, .receive = worker_receive};

/* ---- the rig ------------------------------------------------------------------------------- */

static inline void rig_open(const ward_kit_options *options)
{
	memset(&rig, 0, sizeof rig);
	parcels_alive = clones_refused_from = 0;
	rig.kit = ward_kit_start(options);
}

static inline void rig_close(void)
{
	ward_kit_finish(rig.kit);
	ward_assert_eq(parcels_alive, 0);
}

/* A pool at the top with workers; what is missing in the arguments is filled in. */
static inline ward_ref start_pool_with(struct ward_router args, const ward_strategy *strategy)
{
	if (args.routee.behavior == NULL)
		args.routee.behavior = &worker;
	rig.router =
		ward_kit_spawn(rig.kit, &ward_pool, .name = "pool",
			       .args = {WARD_COPY(ward_router, &args)}, .child_strategy = strategy);
	ward_kit_run(rig.kit);
	return rig.router;
}

#define start_pool(...) start_pool_with((struct ward_router){__VA_ARGS__}, NULL)

static inline void send_jobs(int first, int last)
{
	for (int number = first; number <= last; number++)
		ward_kit_tell(rig.kit, rig.router, job, .number = number);
	ward_kit_run(rig.kit);
}

#define send_job(...) (ward_kit_tell(rig.kit, rig.router, job, __VA_ARGS__), ward_kit_run(rig.kit))

#define assert_got(worker_, text_) ward_assert_str(rig.workers[worker_].got, text_)

static inline size_t dead_letters(ward_reason reason)
{
	size_t count = 0;

	for (size_t i = 0; i < ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"); i++)
		count += ward_kit_event(rig.kit, WARD_EVENT_DEAD_LETTER, "*", i)->reason ==
			 (uint32_t)reason;
	return count;
}

/* How many jobs all workers have handled. */
static inline size_t handled(void)
{
	size_t count = 0;

	for (int i = 1; i <= WORKERS_MAX; i++) {
		char copy[GOT_MAX];

		strcpy(copy, rig.workers[i].got);
		for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
			count += strcmp(word, "R") != 0;
	}
	return count;
}

/* The numbers of the routees, "1 2 3", as the router tells them. */
static inline const char *routees(ward_probe *probe)
{
	static char text[GOT_MAX];
	const struct ward_routees *list;
	size_t length = 0;

	ward_probe_tell(probe, rig.router, ward_get_routees);
	list = ward_expect(probe, WARD_SECOND, ward_routees);
	text[0] = '\0';
	for (uint64_t i = 0; i < list->count; i++)
		length += (size_t)snprintf(text + length, sizeof text - length, "%s%d",
					   i > 0 ? " " : "",
					   worker_number(ward_routees_refs(list)[i]));
	return text;
}

#endif
