/* SPDX-License-Identifier: MIT
 *
 * reload.h - makes the compiler compute an address again instead of keeping it.
 *
 * If atomic operations access a field in more than one place, GCC keeps its address, in a register
 * or, when those are used up, on the stack. Computing it from the pointer to the struct would cost
 * nothing: the offset is part of the instruction. So where each instruction counts the pointer is
 * reloaded between such places.
 */
#ifndef WARDI_RELOAD_H
#define WARDI_RELOAD_H

/* Keeps the pointer; all that was computed from it is computed again. */
#define wardi_reload(pointer) __asm__("" : "+r"(pointer))

#endif
