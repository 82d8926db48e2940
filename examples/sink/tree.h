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

/* Spawns all children of the running ledger that the job needs, as the file has them if its
 * arguments come from one; or fails. */
struct tree tree_spawn(ward_self *self, const struct sink_args *given);

#endif
