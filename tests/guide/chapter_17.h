/* SPDX-License-Identifier: MIT
 *
 * chapter_17.h - what chapter 17 leaves out: workers, and what main prints.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <ward/otp.h>
#include <ward/testkit.h>
#include <ward/ward.h>

extern const ward_behavior store, till;
extern const ward_otp_supervisor errands;

void print_report(ward_self *self, const ward_otp_report *report);
void print_event(void *arg, const ward_event *event);

WARD_SIGNAL(jam);

static ward_system *system;
static ward_ref top;
static ward_err err;
static struct till {
	ward_ref store;
} * me;
