/* SPDX-License-Identifier: MIT
 *
 * fault_seat.h - where a thread that runs actors takes its hardware faults.
 */
#ifndef WARDI_FAULT_SEAT_H
#define WARDI_FAULT_SEAT_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* Where a thread that runs actors takes its faults. That thread only. */
struct wardi_fault_seat {
	uint8_t *stack; /* the handler's; NULL: faults are not contained here */
	size_t size;
	stack_t before;
	uintptr_t guard_from, guard_to; /* addresses that a stack which overflows hits */
	/* of the fault that was contained and has not been noted; 0: none */
	volatile int signal;
	volatile uintptr_t address, code;
};

#endif
