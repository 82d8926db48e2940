/* SPDX-License-Identifier: MIT
 *
 * fault_seat.h - a thread's state for containing hardware faults of actors.
 */
#ifndef WARDI_FAULT_SEAT_H
#define WARDI_FAULT_SEAT_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a thread that runs actors; that thread only. */
struct wardi_fault_seat {
	uint8_t *stack; /* the handler's; NULL: faults are not contained here */
	size_t size;
	stack_t before;
	uintptr_t guard_from, guard_to; /* addresses hit by a stack overflow */
	/* signal of a contained fault that is not noted yet; 0: none */
	volatile int signal;
	volatile uintptr_t address, code;
};

#endif
