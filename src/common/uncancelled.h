/* SPDX-License-Identifier: MIT
 *
 * uncancelled.h - a block in which the thread is not cancelled: for calls of threads outside that
 * open files, write, or call code of the program. The same for the runtime, and why:
 * base/uncancelled.h.
 */
#ifndef WARDI_COMMON_UNCANCELLED_H
#define WARDI_COMMON_UNCANCELLED_H

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

/* From this declaration to the end of the block. */
#define WARDI_UNCANCELLED                                                                          \
	__attribute__((cleanup(wardi_cancel_as_before), unused)) const int uncancelled_ =          \
		wardi_cancel_put_off()

#endif
