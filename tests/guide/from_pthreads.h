/* SPDX-License-Identifier: MIT
 *
 * from_pthreads.h - what the page for those who come from threads leaves out.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <ward/ward.h>

enum { FLUSH = 1 };
WARD_SIGNAL(flush);
struct session {
	int fd;
	char *buffer;
};

int serve(int fd, char *buffer);
