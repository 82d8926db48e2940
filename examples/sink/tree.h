/* SPDX-License-Identifier: MIT
 *
 * tree.h - the children of the ledger: who runs where, with which mailbox.
 */
#ifndef SINK_TREE_H
#define SINK_TREE_H

#include "job.h"
#include "messages.h"

struct tree {
	ward_ref view, crew, reader;
	ward_ref writer; /* its keeper */
	ward_ref chaos;  /* nobody, if there is none */
};

/* These spawn children of the running ledger, or fail: first the view, */
ward_ref tree_spawn_view(ward_self *self, struct job *job);
/* then all others that the job needs; */
struct tree tree_spawn_others(ward_self *self, struct job *job, ward_ref view);
/* or all at once, as the file has them that its arguments come from. */
struct tree tree_spawn_given(ward_self *self, const struct sink_args *given);

#endif
