/* SPDX-License-Identifier: MIT
 *
 * blocking_drop.h - a message that holds up the end of who leaves it behind, until it is let go:
 * the actor is closed by then, and its parent has not been told. For real threads.
 */
#ifndef SCENARIO_PATHS_BLOCKING_DROP_H
#define SCENARIO_PATHS_BLOCKING_DROP_H

#include <pthread.h>
#include <stdbool.h>

#include <ward/ward.h>

static struct {
	pthread_mutex_t mu;
	pthread_cond_t changed;
	int waiting; /* under mu, both */
	bool let_go;
} gate = {.mu = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

struct burden {
	int weight;
};

static inline void put_down(struct burden *burden)
{
	(void)burden;
	pthread_mutex_lock(&gate.mu);
	gate.waiting++;
	pthread_cond_broadcast(&gate.changed);
	while (!gate.let_go)
		pthread_cond_wait(&gate.changed, &gate.mu);
	pthread_mutex_unlock(&gate.mu);
}
WARD_MESSAGE_DROP(burden, put_down);

static inline void await_ends(int count)
{
	pthread_mutex_lock(&gate.mu);
	while (gate.waiting < count)
		pthread_cond_wait(&gate.changed, &gate.mu);
	pthread_mutex_unlock(&gate.mu);
}

static inline void let_go(void *arg)
{
	(void)arg;
	pthread_mutex_lock(&gate.mu);
	gate.let_go = true;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.mu);
}

#endif
