/* SPDX-License-Identifier: MIT
 *
 * conclude.c - the last count, and the last words; see conclude.h.
 */
#include "conclude.h"

#include <inttypes.h>
#include <string.h>

#include "audit.h"

void conclude_note(struct job *job, const ward_event *event)
{
	const char *name = strrchr(event->path, '/');
	if (name && strcmp(name, "/ledger") == 0)
		why_not(&job->outcome.why, "%s: %s", event->failure_class, event->text);
}

/* Counts, from a fresh connection, and says so. Returns whether all is as it should be. */
static bool count(struct job *job, int64_t failures)
{
	struct audit audit;
	struct why why;
	if (audit_run(job->db, job->sources, job->line_max, &audit, &why) != STORE_OK) {
		struct why all;
		why_not(&all, "%s: %s", job->db, why.text);
		fprintf(stderr, "ward-sink: %s\n", all.text);
		return false;
	}
	printf("sink: %" PRId64 " read = %" PRId64 " stored + %" PRId64 " quarantined, %" PRId64
	       " lost, %" PRId64 " duplicated; %" PRId64 " failures healed\n",
	       audit.read, audit.stored, audit.quarantined, audit.lost, audit.duplicated, failures);
	return audit_is_clean(&audit) && fflush(stdout) == 0;
}

static void release_spools(struct sources *sources)
{
	for (size_t i = 0; i < sources->count; i++)
		sources_release(sources, &sources->all[i]);
}

int conclude(struct job *job, int64_t failures)
{
	const struct outcome *outcome = &job->outcome;
	struct why why;
	if (outcome->interrupted)
		printf("sink: interrupted; run it again to go on\n");
	if (outcome->gave_up)
		fprintf(stderr, "ward-sink: %s; run it again to go on\n", outcome->why.text);
	else if (!outcome->finished && !outcome->interrupted)
		fprintf(stderr, "ward-sink: the ledger itself failed: %s; run it again to go on\n",
			outcome->why.text);
	size_t lost = intake_finish(job);
	if (lost > 0)
		fprintf(stderr,
			"ward-sink: there is no room for %zu bytes that were read from standard "
			"input\n",
			lost);
	bool good = count(job, failures) && lost == 0;
	if (!sources_save(job->sources, &why)) {
		fprintf(stderr, "ward-sink: %s\n", why.text);
		good = false;
	}
	/* Only now: what is remembered as verified is no longer needed. */
	if (good)
		release_spools(job->sources);
	if (!good || outcome->gave_up || outcome->input_broken)
		return 1;
	if (outcome->interrupted)
		return 128 + outcome->interrupted;
	return outcome->finished ? 0 : 1;
}
