/* SPDX-License-Identifier: MIT
 *
 * systemd.h - sockets that systemd, or a program like it, has opened for this process.
 */
#ifndef WARDI_NET_SYSTEMD_H
#define WARDI_NET_SYSTEMD_H

#include "net/address/refusal.h"

/* Takes the first socket of LISTEN_FDS that was not taken yet, with a `name` other than "" the
 * first such of this name in LISTEN_FDNAMES. It is the caller's then: no other call of this process
 * returns it again. Checked as by wardi_inherited_check(); all others of LISTEN_FDS become
 * close-on-exec, too. Any thread, while none changes the environment. Returns -1: *ret_refusal. */
int wardi_systemd_take(const char *name, struct wardi_net_refusal *ret_refusal);

/* Allows a socket that its owner has not closed to be taken again, by the next incarnation of an
 * actor. Does nothing for other descriptors. */
void wardi_systemd_give_back(int fd);

#endif
