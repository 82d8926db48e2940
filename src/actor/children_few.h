/* SPDX-License-Identifier: MIT
 *
 * children_few.h - the notice that an actor has few children. Holder of the parent.
 */
#ifndef WARDI_CHILDREN_FEW_H
#define WARDI_CHILDREN_FEW_H

#include "cell/self.h"

/* Of an actor that has waited for it, in its extra record; kept until the end of the life. */
struct wardi_children_few {
	uint32_t below;         /* notify of fewer; 0: it does not wait */
	uint64_t number;        /* of the last wait; notices of others are stale */
	struct ward_msg *ahead; /* the next notice; NULL: not made */
};

/* The rest: for the running actor, which has an extra record. */

/* A child is about to leave the list. */
void wardi_children_few_child_goes(struct ward_self *self);
/* A ward_children_few has arrived, maybe without such a record: returns whether it is waited for.
 */
bool wardi_children_few_due(const struct ward_self *self, struct ward_msg *msg);
/* The incarnation is over, and its wait. */
void wardi_children_few_cancel(struct ward_self *self);
/* The life is over. */
void wardi_children_few_finish(struct ward_self *self);

#endif
