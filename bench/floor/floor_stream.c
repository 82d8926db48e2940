/* SPDX-License-Identifier: MIT
 *
 * floor_stream.c - actors that send without waiting: millions of messages lie in mailboxes.
 */
#include "rows.h"

enum { GO, COUNT };
enum { PRODUCERS = 100, CONSUMERS = 60 };

struct consumer {
	int64_t left;
};
STATE_FITS(consumer);

struct producer {
	struct actor *consumer;
	int64_t n;
};
STATE_FITS(producer);

static void consumer_receive(struct actor *self, const struct message *msg)
{
	(void)msg;
	if (--STATE(self, consumer)->left == 0)
		rows_done();
}

static void producer_receive(struct actor *self, const struct message *msg)
{
	const struct producer *me = STATE(self, producer);

	(void)msg;
	for (int64_t i = 0; i < me->n; i++)
		floor_send(me->consumer, COUNT, self, i);
}

/* Several producers send `n` messages to one consumer. */
static int64_t produce(int64_t n, int producers)
{
	struct actor *consumer = floor_spawn(consumer_receive);

	n -= n % producers;
	STATE(consumer, consumer)->left = n;
	for (int i = 0; i < producers; i++) {
		struct actor *one = floor_spawn(producer_receive);
		*STATE(one, producer) = (struct producer){.consumer = consumer, .n = n / producers};
		floor_send(one, GO, NULL, 0);
	}
	rows_expect(1);
	return n;
}

int64_t counting(int64_t n)
{
	return produce(n, 1);
}

int64_t mpsc(int64_t n)
{
	return produce(n, PRODUCERS);
}

/* ---- fjthroughput: one producer, to many in turn --------------------------------------------- */

static struct actor *consumers[CONSUMERS];

struct fan {
	int64_t n;
};
STATE_FITS(fan);

static void fan_receive(struct actor *self, const struct message *msg)
{
	(void)msg;
	for (int64_t i = 0; i < STATE(self, fan)->n; i++)
		for (int k = 0; k < CONSUMERS; k++)
			floor_send(consumers[k], COUNT, self, i);
}

int64_t fjthroughput(int64_t n)
{
	struct actor *fan = floor_spawn(fan_receive);

	for (int i = 0; i < CONSUMERS; i++) {
		consumers[i] = floor_spawn(consumer_receive);
		STATE(consumers[i], consumer)->left = n;
	}
	STATE(fan, fan)->n = n;
	floor_send(fan, GO, NULL, 0);
	rows_expect(CONSUMERS);
	return n * CONSUMERS;
}
