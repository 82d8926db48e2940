/* SPDX-License-Identifier: MIT
 *
 * job_delivery.h - what the tests of at-least-once delivery share: a delivers jobs to b.
 *
 * b notes each job as "3 at 120" and confirms it, unless it is silent. Each job owns a block, so
 * that one lost or dropped twice is seen. Warnings are noted as "warned of 3 after 2".
 */
#ifndef SCENARIO_DELIVERY_JOB_DELIVERY_H
#define SCENARIO_DELIVERY_JOB_DELIVERY_H

#include <stdlib.h>
#include <string.h>

#include <ward/delivery.h>

#include "support/script.h"

enum { NS_PER_MS = 1000 * 1000, JOBS_MAX = 64 };

struct job {
	uint64_t id;
	char *block;
};

static int blocks; /* that are not freed yet */

static inline char *new_block(void)
{
	blocks++;
	return malloc(1);
}

static inline void job_drop(struct job *job)
{
	blocks -= job->block != NULL;
	free(job->block);
}
static inline ward_err job_clone(struct job *to, const struct job *from)
{
	(void)from;
	to->block = new_block();
	return WARD_OK;
}
WARD_MESSAGE_CLONE(job, job_drop, job_clone);

static struct {
	ward_kit *kit;
	struct script a, b;
	int64_t began_ns;
	bool silent;      /* b */
	bool gives_up;    /* a, when it is warned */
	bool delivers;    /* one more, when it is warned */
	bool keeps;       /* in pre_restart */
	ward_err refused; /* what the last job that was refused got */
} scene;

static struct ward_delivery out;
static ward_delivery_state *taken; /* what was unconfirmed, apart from the life of a */
static ward_delivery_options options;

static inline int now_ms(void)
{
	return (int)((ward_kit_now_ns(scene.kit) - scene.began_ns) / NS_PER_MS);
}

static inline ward_result receive_job(ward_self *self, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);
	if (job == NULL)
		return WARD_UNHANDLED;
	ward_assert(job->block != NULL);
	journal_note("%llu at %d", (unsigned long long)job->id, now_ms());
	if (!scene.silent)
		ward_reply(self, msg, ward_delivered, .id = job->id);
	return WARD_DONE;
}

static inline ward_err deliver_to(ward_self *self, ward_ref to)
{
	return ward_try_deliver(self, &out, to, job, .id = ward_delivery_next(&out),
				.block = new_block());
}

static inline void note_warning(ward_self *self, void *state, const ward_undelivered *what)
{
	static int depth; /* no warning comes while another one is handled */
	const struct job *job = what->body;
	ward_assert_eq(depth++, 0);
	ward_assert(state == ward_state(self));
	ward_assert(what->type == &ward_type_job && what->size == sizeof *job);
	ward_assert_eq(job->id, what->id);
	journal_note("warned of %llu after %u", (unsigned long long)what->id, what->attempts);
	if (scene.gives_up)
		ward_assert(ward_delivery_confirm(self, &out, what->id));
	if (scene.delivers)
		(void)!deliver_to(self, scene.b.ref);
	depth--;
}

static inline ward_result start(ward_self *self, void *arg)
{
	(void)arg;
	memset(&out, 0, sizeof out); /* as in a state */
	return ward_delivery_init(self, &out, &options);
}

static inline ward_result keep(ward_self *self, const ward_failure *why, const ward_msg *msg)
{
	(void)why;
	if (scene.keeps && ward_try_delivery_keep(self, &out, msg) != WARD_OK)
		journal_note("not kept");
	return WARD_DONE;
}

static inline ward_result note_rest(ward_self *self, const ward_msg *msg)
{
	return ward_delivery_receive(self, &out, msg);
}

static const ward_delivery_options plain = {.redeliver_ms = 100, .warn = note_warning};

static inline void begin(void)
{
	memset(&scene, 0, sizeof scene);
	blocks = 0;
	taken = NULL;
	scene.a = (struct script){
		.name = "a", .init = start, .receive = note_rest, .pre_restart = keep};
	scene.b = (struct script){.name = "b", .receive = receive_job};
	scene.kit = script_start(NULL);
	script_spawn(scene.kit, &scene.a);
	script_spawn(scene.kit, &scene.b);
	ward_kit_run(scene.kit);
	scene.began_ns = ward_kit_now_ns(scene.kit);
	journal_clear();
}

static inline ward_result do_deliver(ward_self *self, void *arg)
{
	int count = (int)(uintptr_t)arg;
	for (int i = 0; i < count; i++) {
		ward_err err = deliver_to(self, scene.b.ref);
		if (err == WARD_ENOMEM)
			return ward_failed(self, &ward_exception, "%s", ward_err_detail());
		if (err != WARD_OK)
			scene.refused = err;
	}
	return WARD_DONE;
}

static inline void deliver(int count)
{
	script_do(scene.kit, scene.a.ref, do_deliver, (void *)(uintptr_t)count);
	ward_kit_run(scene.kit);
}

static inline ward_result do_confirm(ward_self *self, void *arg)
{
	ward_assert(ward_delivery_confirm(self, &out, (uint64_t)(uintptr_t)arg));
	ward_assert(!ward_delivery_confirm(self, &out, (uint64_t)(uintptr_t)arg));
	return WARD_DONE;
}

static inline void confirm(uint64_t id)
{
	script_do(scene.kit, scene.a.ref, do_confirm, (void *)(uintptr_t)id);
	ward_kit_run(scene.kit);
}

static inline void fail_a(void)
{
	script_break(scene.kit, scene.a.ref, &ward_exception);
	ward_kit_run(scene.kit);
}

static inline ward_result do_take(ward_self *self, void *arg)
{
	(void)self, (void)arg;
	ward_assert_ok(ward_delivery_take(&out, &taken));
	return WARD_DONE;
}

static inline ward_result do_restore(ward_self *self, void *arg)
{
	(void)arg;
	ward_delivery_restore(self, &out, taken);
	return WARD_DONE;
}

static inline void restore(void)
{
	script_do(scene.kit, scene.a.ref, do_restore, NULL);
	ward_kit_run(scene.kit);
}

/* All is confirmed in the end, and nothing is left. */
static inline void finish(void)
{
	scene.silent = false;
	ward_kit_advance(scene.kit, WARD_MINUTE);
	ward_assert_eq(ward_delivery_count(&out), 0);
	ward_assert_eq(blocks, 0);
	ward_assert_eq(ward_kit_stats(scene.kit).timers, 0);
	script_finish(scene.kit);
}

/* a under a parent that has it go on after a failure. */
static inline void begin_resumed(struct script *parent)
{
	static const ward_strategy resume = {.otherwise = WARD_RESUME};
	begin();
	ward_kit_stop(scene.kit, scene.a.ref);
	ward_kit_run(scene.kit);
	*parent = (struct script){.name = "p", .strategy = &resume, .children = {&scene.a}};
	script_spawn(scene.kit, parent);
	ward_kit_run(scene.kit);
	journal_clear();
}

#endif
