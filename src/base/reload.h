/* SPDX-License-Identifier: MIT
 *
 * reload.h - what the compiler need not keep.
 *
 * Of a field that atomic operations read or write in more than one place GCC keeps the address, in
 * a register of its own or, when those are used up, on the stack. To compute it from the pointer to
 * the struct would cost nothing: it is a part of the instruction. So where each instruction counts
 * the pointer is made anew between such places.
 */
#ifndef WARDI_RELOAD_H
#define WARDI_RELOAD_H

/* The pointer stays what it is; what was computed from it is computed again. */
#define wardi_reload(pointer) __asm__("" : "+r"(pointer))

#endif
