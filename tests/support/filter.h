/* SPDX-License-Identifier: MIT
 *
 * filter.h - filters of system calls, for all threads of a process, for good.
 */
#ifndef SUPPORT_FILTER_H
#define SUPPORT_FILTER_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

/* Pieces of one. */
struct sock_filter filter_load_number(void);
struct sock_filter filter_load_architecture(void);
/* Skips what follows, unless the loaded value is this one. */
struct sock_filter filter_skip_unless(uint32_t value);
/* SECCOMP_RET_... */
struct sock_filter filter_answer(uint32_t answer);

void filter_install(struct sock_filter *code, size_t count);

/* membarrier() fails with EPERM; all else is as it was. */
void filter_refuse_membarrier(void);

#endif
