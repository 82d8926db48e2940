/* SPDX-License-Identifier: MIT
 *
 * tree.c - the children of the ledger; see tree.h.
 *
 * Those that wait for a disk run on the blocking dispatcher. What waits in a mailbox is bounded by
 * what the ledger asks for; the bounds of writer and parsers are a second wall behind that, and
 * show in the view how full they are. The view alone may drop: it is only for show.
 *
 * The writer has a keeper in front, which starts a new one when it has failed, after a delay: 0.1,
 * 0.2, 0.4, 0.8 and from then on 1 second. The writer says when the row is over: it has committed.
 */
#include "tree.h"

#include "failures.h"

enum { WRITER_MAILBOX = 4096, VIEW_MAILBOX = 256 };
enum { DELAY_MS = 100, DELAY_MAX_MS = 1000 };

static const ward_mailbox unbounded = {0};

/* Spawns one, or fails. */
static ward_ref child(ward_self *self, const struct sink_args *args, const ward_behavior *behavior,
		      const char *dispatcher, ward_mailbox mailbox)
{
	ward_ref ref;
	ward_props props = {.behavior = behavior,
			    .name = behavior->name,
			    .args = {WARD_COPY(sink_args, args)},
			    .mailbox = mailbox,
			    .dispatcher = dispatcher};
	if (ward_try_spawn(self, &props, &ref) != WARD_OK)
		ward_fail(self, &ward_misuse, "%s: %s", behavior->name, ward_err_detail());
	return ref;
}

/* When the writer cannot keep up its keeper is held, so what waits there is bounded, too. */
static ward_ref keeper(ward_self *self, const struct sink_args *args)
{
	struct ward_backoff options = {
		.child = {.behavior = &writer_behavior,
			  .args = {WARD_COPY(sink_args, args)},
			  .mailbox = {.messages_max = WRITER_MAILBOX,
				      .overflow = WARD_OVERFLOW_HOLD_SENDER},
			  .dispatcher = WARD_BLOCKING},
		.min_backoff_ms = DELAY_MS,
		.max_backoff_ms = DELAY_MAX_MS,
		.random_factor = 0.2,
		.manual_reset = true,
		.strategy = &keeper_strategy,
	};
	return ward_spawn(self, &ward_backoff_on_failure, .name = "keeper",
			  .args = {WARD_COPY(ward_backoff, &options)},
			  .mailbox.messages_max = WRITER_MAILBOX);
}

static struct tree children_of(ward_self *self, ward_ref view)
{
	return (struct tree){
		.view = view,
		.writer = ward_child(self, "keeper"),
		.crew = ward_child(self, "parsers"),
		.reader = ward_child(self, "reader"),
		.chaos = ward_child(self, "chaos"),
	};
}

ward_ref tree_spawn_view(ward_self *self, struct job *job)
{
	const struct sink_args args = {.job = job, .ledger = ward_self_ref(self)};

	return child(self, &args, &view_behavior, WARD_BLOCKING,
		     (ward_mailbox){.messages_max = VIEW_MAILBOX,
				    .overflow = WARD_OVERFLOW_DROP_OLDEST});
}

struct tree tree_spawn_others(ward_self *self, struct job *job, ward_ref view)
{
	struct sink_args args = {.job = job, .ledger = ward_self_ref(self), .view = view};

	args.writer = keeper(self, &args);
	child(self, &args, &crew_behavior, NULL, unbounded);
	child(self, &args, &reader_behavior, WARD_BLOCKING, unbounded);
	child(self, &args, &signals_behavior, NULL, unbounded);
	if (job->intake_source >= 0)
		child(self, &args, &intake_behavior, WARD_BLOCKING, unbounded);
	if (job->chaos)
		child(self, &args, &chaos_behavior, WARD_BLOCKING, unbounded);
	return children_of(self, view);
}

/* The file may lack something. */
struct tree tree_spawn_given(ward_self *self, const struct sink_args *given)
{
	static const char *const names[] = {"view", "keeper", "parsers", "reader"};

	if (given->spawn_children(self, given->children) != WARD_OK)
		ward_fail(self, &ward_misuse, "%s", ward_err_detail());
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ward_ref_is_nobody(ward_child(self, names[i])))
			ward_fail(self, &ward_misuse, "the file gives the ledger no child \"%s\"",
				  names[i]);
	if ((given->job->intake_source >= 0) == ward_ref_is_nobody(ward_child(self, "intake")))
		ward_fail(self, &ward_misuse,
			  "the child \"intake\" of the ledger, and \"-\" among the inputs of the "
			  "host, need each other");
	return children_of(self, ward_child(self, "view"));
}
