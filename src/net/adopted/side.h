/* SPDX-License-Identifier: MIT
 *
 * side.h - one descriptor of an adopted stream: of what kind it is, and how it is used without a
 * wait.
 */
#ifndef WARDI_NET_SIDE_H
#define WARDI_NET_SIDE_H

#include <stdbool.h>
#include <ward/types.h>

enum wardi_side_kind {
	WARDI_SIDE_NONE,
	WARDI_SIDE_SOCKET,
	WARDI_SIDE_POLLED, /* a pipe, a terminal, another device */
	WARDI_SIDE_ALWAYS  /* never waits, and cannot be polled: a regular file, /dev/null */
};

struct wardi_side {
	enum wardi_side_kind kind;
	int fd;       /* used */
	int given;    /* of the program; may be `fd` */
	bool changed; /* O_NONBLOCK was set on `given`, and is to be taken back */
};

/* Looks at a descriptor of the program, which must be open for `mode` (O_RDONLY, O_WRONLY, O_RDWR),
 * and makes it usable without a wait. -1: NONE. On an error the descriptor is as before. Errors:
 * WARD_EINVAL, WARD_ESYS; ward_err_detail() says why. */
ward_err wardi_side_open(int fd, int mode, struct wardi_side *ret_end);
/* Undoes wardi_side_open(); the descriptor of the program stays open. */
void wardi_side_undo(struct wardi_side *end);
/* The same, and closes the descriptor of the program. */
void wardi_side_close(struct wardi_side *end);

#endif
