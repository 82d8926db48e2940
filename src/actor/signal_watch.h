/* SPDX-License-Identifier: MIT
 *
 * signal_watch.h - the signals of the process that an actor watches.
 */
#ifndef WARDI_SIGNAL_WATCH_H
#define WARDI_SIGNAL_WATCH_H

#include "cell/self.h"

/* Holder: a notice has come. Turns it into the ward_signal; false: it is out of date. */
bool wardi_signal_due(struct ward_self *self, struct ward_msg *msg);

/* Holder: the incarnation ends. What comes from now on waits for the next one. */
void wardi_signals_put_aside(struct wardi_cell *cell);
/* Holder: the next one has started. Ends the watches that it has not made again. */
void wardi_signals_restarted(struct ward_self *self);
/* Holder: there is no next one. */
void wardi_signals_unwatch_all(struct ward_self *self);

#endif
