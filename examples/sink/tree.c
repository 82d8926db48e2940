/* SPDX-License-Identifier: MIT
 *
 * tree.c - the children of the ledger; see tree.h.
 *
 * Those that wait for a disk run on the blocking dispatcher. What waits in a mailbox is bounded by
 * what the ledger asks for; the bounds of writer and parsers are a second wall behind that, and
 * show in the view how full they are. The view alone may drop: it is only for show.
 */
#include "tree.h"

#include "messages.h"

enum { WRITER_MAILBOX = 4096, VIEW_MAILBOX = 256 };

static const ward_mailbox unbounded = {0};

/* Spawns one, or fails. */
static ward_ref child(ward_self *self, const struct sink_args *args, const ward_behavior *behavior,
		      const char *dispatcher, ward_mailbox mailbox)
{
	ward_ref ref;
	ward_props props = {.behavior = behavior,
			    .name = behavior->name,
			    .args = args,
			    .mailbox = mailbox,
			    .dispatcher = dispatcher};
	if (ward_spawn(self, &props, &ref) != WARD_OK)
		ward_fail(self, &ward_misuse, "%s: %s", behavior->name, ward_err_detail());
	return ref;
}

struct tree tree_spawn(ward_self *self, struct job *job)
{
	struct tree tree = {.chaos = ward_nobody()};
	struct sink_args args = {.job = job, .ledger = ward_self_ref(self)};

	args.view = tree.view =
		child(self, &args, &view_behavior, WARD_BLOCKING,
		      (ward_mailbox){.messages_max = VIEW_MAILBOX, .overflow = WARD_DROP_OLDEST});
	args.writer = tree.writer = child(self, &args, &writer_behavior, WARD_BLOCKING,
					  (ward_mailbox){.messages_max = WRITER_MAILBOX});
	tree.crew = child(self, &args, &crew_behavior, NULL, unbounded);
	tree.reader = child(self, &args, &reader_behavior, WARD_BLOCKING, unbounded);
	child(self, &args, &signals_behavior, NULL, unbounded);
	if (job->intake_source >= 0)
		child(self, &args, &intake_behavior, WARD_BLOCKING, unbounded);
	if (job->chaos)
		tree.chaos = child(self, &args, &chaos_behavior, WARD_BLOCKING, unbounded);
	return tree;
}
