/* SPDX-License-Identifier: MIT
 *
 * sender_and_children.h - a back-off sender and the child behind it, for the tests of back-off
 * senders.
 *
 * Children are numbered from 1 as they are made. What they get is a text: "1.7 2.7" says that the
 * first got message 7 and failed of it, or did not, and that the second got it again.
 */
#ifndef SCENARIO_BACKOFF_SENDER_AND_CHILDREN_H
#define SCENARIO_BACKOFF_SENDER_AND_CHILDREN_H

#include <stdio.h>
#include <string.h>

#include <ward/backoff_sender.h>
#include <ward/codec.h>
#include <ward/testkit.h>
#include <ward/ward.h>

#include "support/raw_bytes.h"

enum { GOT_MAX = 1024, TIMES_MAX = 32 };

struct job {
	int number;
	bool escalates; /* the child fails of it with an error */
};
WARD_MESSAGE_FIELDS_FLAGS(job, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, job, number),
			  WARD_FIELD(BOOL, job, escalates));

struct job_done {
	int number;
	int child;
};
WARD_MESSAGE_FIELDS_FLAGS(job_done, 1, WARD_TYPE_FLAT, WARD_FIELD(INT, job_done, number),
			  WARD_FIELD(INT, job_done, child));

/* Owns something: `parcels_alive` of them are there. A single cannot be copied. */
struct parcel {
	int number;
	bool full;
	char rest[200]; /* does not fit a message's own block */
};
struct single {
	int number;
	bool full;
};
static int parcels_alive;

static inline void parcel_drop(void *body)
{
	parcels_alive -= ((struct parcel *)body)->full;
}
static inline ward_err parcel_clone(void *to, const void *from)
{
	memcpy(to, from, sizeof(struct parcel));
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

WARD_SIGNAL(stranger); /* no message for the child */

static struct {
	ward_kit *kit;
	ward_ref sender, child; /* the child that was made last */
	int made;
	bool broken; /* the child fails of what it gets */
	bool mute;   /* it does it, and says nothing */
	bool quits;  /* it does it, says nothing, and stops */
	bool fails_to_start;
	uint32_t draw;           /* what is drawn, or the last there is */
	bool every_second_is_no; /* wait: 0 is drawn */
	int drawn;
	char got[GOT_MAX];
	int64_t times[TIMES_MAX]; /* when each message was got */
	int count;
} rig;

static const ward_failure_class bad_line = {.name = "bad_line", .parent = &ward_exception};
WARD_TEST_FAILURE_CLASSES(&bad_line);

static inline void got(int child, int number, int64_t now_ms)
{
	size_t length = strlen(rig.got);

	snprintf(rig.got + length, GOT_MAX - length, "%s%d.%d", length > 0 ? " " : "", child,
		 number);
	if (rig.count < TIMES_MAX)
		rig.times[rig.count] = now_ms;
	rig.count++;
}

struct danger {
	int child;
};

static inline ward_result danger_start(ward_self *self, void *state)
{
	rig.child = ward_kit_ref(rig.kit, ward_self_ref(self));
	((struct danger *)state)->child = ++rig.made;
	return rig.fails_to_start ? ward_failed(self, &bad_line, "not there") : WARD_DONE;
}

static inline ward_result danger_receive(ward_self *self, void *state, const ward_msg *msg)
{
	const struct job *job = ward_match(msg, job);
	const struct parcel *parcel = ward_match(msg, parcel);
	int child = ((struct danger *)state)->child, number;

	if (job == NULL && parcel == NULL)
		return WARD_UNHANDLED;
	number = job != NULL ? job->number : parcel->number;
	got(child, number, ward_now_ns(self) / 1000000);
	if (job != NULL && job->escalates)
		return ward_failed(self, &ward_error, "beyond me");
	if (rig.broken)
		return ward_failed(self, &bad_line, "the line is down");
	if (rig.quits)
		ward_stop_self(self);
	else if (!rig.mute)
		ward_tell(self, ward_parent(self), ward_sent, .id = (uint64_t)number);
	if (!rig.mute && !ward_ref_is_nobody(ward_msg_sender(msg)))
		ward_reply(self, msg, job_done, .number = number, .child = child);
	return WARD_DONE;
}

static const ward_behavior danger = {.name = "danger",
				     .state_size = sizeof(struct danger),
				     .pre_start = danger_start,
				     .receive = danger_receive};

static inline bool id_of(const ward_msg *msg, uint64_t *ret_id)
{
	const struct job *job = ward_match(msg, job);
	const struct parcel *parcel = ward_match(msg, parcel);
	const struct single *single = ward_match(msg, single);

	if (job == NULL && parcel == NULL && single == NULL)
		return false;
	*ret_id = (uint64_t)(job != NULL      ? job->number
			     : parcel != NULL ? parcel->number
					      : single->number);
	return true;
}

static inline uint32_t draw(void *arg, uint32_t count)
{
	(void)arg;
	rig.drawn++;
	if (rig.every_second_is_no && rig.drawn % 2 == 0)
		return 0;
	return rig.draw < count ? rig.draw : count - 1;
}

/* ---- the rig ------------------------------------------------------------------------------- */

static inline void rig_open(const ward_kit_options *options)
{
	memset(&rig, 0, sizeof rig);
	rig.draw = UINT32_MAX; /* the longest waits: 10, 30, 70, 150 ... ms */
	parcels_alive = 0;
	rig.kit = ward_kit_start(options);
}

static inline void rig_close(void)
{
	ward_kit_finish(rig.kit);
	ward_assert_eq(parcels_alive, 0);
}

/* What is missing in the arguments is filled in. */
static inline struct ward_backoff_sender filled(struct ward_backoff_sender args)
{
	if (args.child.behavior == NULL)
		args.child.behavior = &danger;
	args.id = id_of;
	args.back_off.draw = draw;
	return args;
}

static inline void start_with(struct ward_backoff_sender args)
{
	args = filled(args);
	rig.sender = ward_kit_spawn(rig.kit, &ward_backoff_sender, .name = "sender",
				    .args = {WARD_COPY(ward_backoff_sender, &args)});
	ward_kit_run(rig.kit);
}

#define start_sender(...) start_with((struct ward_backoff_sender){__VA_ARGS__})
/* With the default of all. */
#define start_plain() start_with((struct ward_backoff_sender){.id = id_of})

/* From a thread outside: without a sender. */
static inline void send_jobs(int first, int last)
{
	for (int number = first; number <= last; number++)
		ward_kit_tell(rig.kit, rig.sender, job, .number = number);
	ward_kit_run(rig.kit);
}

static inline void send_parcel(int number)
{
	parcels_alive++;
	ward_kit_tell(rig.kit, rig.sender, parcel, .number = number, .full = true);
	ward_kit_run(rig.kit);
}

#define assert_got(text_) ward_assert_str(rig.got, text_)

static inline void assert_times(size_t count, const int64_t *times)
{
	ward_assert_eq(rig.count, count);
	for (size_t i = 0; i < count; i++)
		ward_assert_eq(rig.times[i], times[i]);
}
#define TIMES(...)                                                                                 \
	sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[])                      \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* Of the last message to the probe. */
static inline ward_ref sender_to(const ward_probe *probe)
{
	return ward_kit_ref(rig.kit, ward_probe_sender(probe));
}

/* How the sender is, asked by a thread outside. */
static inline struct ward_sending sending(void)
{
	struct ward_sending now = {.retries = UINT32_MAX};

	ward_assert_ok(
		ward_system_ask(ward_kit_system(rig.kit), rig.sender, 1, &now, ward_get_sending));
	return now;
}

/* Dead letters that are messages of a test. */
static inline size_t dead_letters(ward_reason reason)
{
	size_t count = 0;

	for (size_t i = 0; i < ward_kit_count(rig.kit, WARD_EVENT_DEAD_LETTER, "*"); i++) {
		const ward_event *event = ward_kit_event(rig.kit, WARD_EVENT_DEAD_LETTER, "*", i);

		count += event->reason == (uint32_t)reason &&
			 (strcmp(event->message_type, "job") == 0 ||
			  strcmp(event->message_type, "parcel") == 0 ||
			  strcmp(event->message_type, "single") == 0);
	}
	return count;
}

#endif
