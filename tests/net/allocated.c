/* SPDX-License-Identifier: MIT
 *
 * allocated.c - how much a program of the trials has allocated, for one with a sanitizer.
 *
 * The pages of such a process hold the sanitizer's own records, which grow with all that the
 * program has ever done. At each SIGUSR2 it prints "allocated NUMBER: BYTES", from a thread of its
 * own.
 */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* Of the sanitizers' <sanitizer/allocator_interface.h>, which not every compiler has. */
size_t __sanitizer_get_current_allocated_bytes(void);

static sigset_t asks;

static void *answer(void *arg)
{
	char text[80];
	int signal;

	(void)arg;
	for (int number = 1; sigwait(&asks, &signal) == 0; number++) {
		int size = snprintf(text, sizeof text, "allocated %d: %zu\n", number,
				    __sanitizer_get_current_allocated_bytes());

		if (write(STDOUT_FILENO, text, (size_t)size) != size)
			break;
	}
	return NULL;
}

/* Before there is another thread, which inherits the mask. */
__attribute__((constructor)) static void begin(void)
{
	pthread_t thread;

	sigemptyset(&asks);
	sigaddset(&asks, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &asks, NULL);
	if (pthread_create(&thread, NULL, answer, NULL) == 0)
		pthread_detach(thread);
}
