/* SPDX-License-Identifier: MIT
 *
 * task.h - tasks of a shutdown's phases: joining, asking, answering.
 */
#ifndef WARDI_TASK_H
#define WARDI_TASK_H

#include <ward/types.h>

struct ward_msg;
struct ward_self;

/* A message is sent to the asker of a task. True: it is an answer that is waited for. */
bool wardi_task_answer(ward_system *system, ward_ref to, const ward_type *type);

/* The message is in its receiver's hands. */
void wardi_task_arrived(struct ward_self *self, const struct ward_msg *msg);

/* The message was not delivered, or not to the end. */
void wardi_task_undelivered(ward_system *system, ward_ref asker);

/* /system: asks for all tasks of a phase. */
void wardi_tasks_ask(struct ward_self *self, uint32_t phase);

/* The first without an answer: "flush of sim/user/a"; false: there is none. Under mu. */
bool wardi_tasks_first(ward_system *system, char *text, size_t max);

/* /system: names the tasks without an answer in text[max], and stops waiting for them. */
void wardi_tasks_give_up(struct ward_self *self, char *text, size_t max);

/* Holder: the incarnation is over, so nobody answers the task that it has in hand; when the life is
 * over, nobody does what it has joined for. */
void wardi_tasks_incarnation_ended(struct ward_self *self);

void wardi_tasks_life_ended(struct ward_self *self);

#endif
