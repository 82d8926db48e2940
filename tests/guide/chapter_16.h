/* SPDX-License-Identifier: MIT
 *
 * chapter_16.h - what chapter 16 leaves out: actors, and a program that starts them.
 */
#include <stdio.h>

#include <ward/akka_zero.h>
#include <ward/ward.h>

extern const ward_failure_class paper_jam, my_exception, io_exception;
extern const ward_behavior ledger, till, clerk, my_actor;
extern const ward_zero_strategy one;
extern const ward_zero_component loner;

WARD_SIGNAL(begin);

ward_result keeper_receive(ward_self *self, void *state, const ward_msg *msg);

static ward_system *system;
static ward_ref supervisor, who, child;
static struct keeper *me;
