/* SPDX-License-Identifier: MIT
 *
 * filter.c - filters of system calls, for all threads of a process, for good.
 */
#include "support/filter.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ward/testkit.h>

struct sock_filter filter_load_number(void)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					    offsetof(struct seccomp_data, nr));
}

struct sock_filter filter_load_architecture(void)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					    offsetof(struct seccomp_data, arch));
}

struct sock_filter filter_skip_unless(uint32_t value)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
}

struct sock_filter filter_answer(uint32_t answer)
{
	return (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
}

void filter_install(struct sock_filter *code, size_t count)
{
	struct sock_fprog program = {.len = (unsigned short)count, .filter = code};

	ward_assert_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ward_assert_eq(
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program),
		0);
}

void filter_refuse_membarrier(void)
{
	struct sock_filter code[] = {
		filter_load_number(),
		filter_skip_unless(SYS_membarrier),
		filter_answer(SECCOMP_RET_ERRNO | EPERM),
		filter_answer(SECCOMP_RET_ALLOW),
	};

	filter_install(code, sizeof code / sizeof code[0]);
}
