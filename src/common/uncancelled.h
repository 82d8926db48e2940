/* SPDX-License-Identifier: MIT
 *
 * uncancelled.h - a block in which the thread is not cancelled.
 *
 * A thread outside that ended in the middle of a call would leave locks behind, and pointers to a
 * waiter on its stack. So each call that waits, enters the kernel or calls code of the program does
 * so in such blocks only, and pthread_cancel() takes effect after them. A send from outside is no
 * such block; its rare parts are, such as waking a worker. Threads of the scheduler are never
 * cancelled (sched/thread.c).
 */
#ifndef WARDI_UNCANCELLED_H
#define WARDI_UNCANCELLED_H

#include <pthread.h>

static inline int wardi_cancel_put_off(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void wardi_cancel_as_before(const int *before)
{
	pthread_setcancelstate(*before, NULL);
}

/* Disables cancellation from this declaration to the end of the block. */
#define WARDI_UNCANCELLED                                                                          \
	__attribute__((cleanup(wardi_cancel_as_before), unused)) const int uncancelled_ =          \
		wardi_cancel_put_off()

#endif
