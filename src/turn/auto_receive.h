/* SPDX-License-Identifier: MIT
 *
 * auto_receive.h - user messages that the runtime looks at first: pills, ticks, notices, readiness.
 */
#ifndef WARDI_AUTO_RECEIVE_H
#define WARDI_AUTO_RECEIVE_H

#include "cell/self.h"

/* Handles an auto-received message. True: self has a message in hand for receive. False: nothing is
 * left to do, or the cell is stopping; *ret_gone then says whether it is gone. */
bool wardi_auto_receive(struct ward_self *self, struct ward_msg *msg, bool *ret_gone);

#endif
