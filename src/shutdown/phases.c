/* SPDX-License-Identifier: MIT
 *
 * phases.c - the table of a shutdown's phases: checked, and put in order.
 *
 *	row            after               sorted
 *	stop           unbind, drain       unbind
 *	unbind                       ->    drain
 *	drain          unbind              stop
 *
 * Each round takes the first row of the table whose predecessors are all taken; a round without
 * such a row has found a cycle.
 */
#include "shutdown/phases.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cell/path.h"

const ward_phase ward_default_phases[] = {
	{.name = "before-service-unbind"},
	{.name = "service-unbind", .after = {"before-service-unbind"}},
	{.name = "service-requests-done", .after = {"service-unbind"}},
	{.name = "service-stop", .after = {"service-requests-done"}},
	{.name = "before-actor-system-terminate", .after = {"service-stop"}},
	{.name = "actor-system-terminate",
	 .after = {"before-actor-system-terminate"},
	 .timeout_ms = 10 * WARD_SECOND},
	{.name = NULL},
};

static const ward_phase *find(const ward_phase *const *rows, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(rows[i]->name, name) == 0)
			return rows[i];
	return NULL;
}

static ward_err check_row(const ward_phase *const *rows, uint32_t count, const ward_phase *row)
{
	ward_err err = wardi_name_check(row->name);

	if (err != WARD_OK)
		return wardi_error(err, "options.phases: %s", ward_err_detail());
	if (strlen(row->name) >= WARD_PHASE_NAME)
		return wardi_error(WARD_ENAME,
				   "options.phases: the name \"%.*s\" has %zu bytes, at most %d "
				   "are allowed",
				   WARD_TEXT_FIT(row->name, 40), strlen(row->name),
				   WARD_PHASE_NAME - 1);
	if (strcmp(row->name, WARD_PHASE_SERVICES) == 0)
		return wardi_error(WARD_EEXIST,
				   "options.phases: \"%s\" is the phase behind /user, which has no "
				   "row",
				   row->name);
	if (find(rows, count, row->name) != row)
		return wardi_error(WARD_EEXIST, "options.phases: two rows are called \"%s\"",
				   row->name);
	if (row->timeout_ms < 0)
		return wardi_error(WARD_EINVAL,
				   "options.phases: .timeout_ms of \"%s\" is %lld: it must not be "
				   "negative",
				   row->name, (long long)row->timeout_ms);
	if (!WARDI_ALL_ZERO(row->reserved))
		return wardi_error(WARD_EINVAL,
				   "options.phases: a reserved word of \"%s\" is not zero",
				   row->name);
	for (int i = 0; i < WARD_PHASE_AFTER && row->after[i] != NULL; i++)
		if (find(rows, count, row->after[i]) == NULL)
			return wardi_error(WARD_ENOENT,
					   "options.phases: \"%s\" comes after \"%.*s\", which is "
					   "not in the table",
					   row->name, WARD_TEXT_FIT(row->after[i], 40));
	return WARD_OK;
}

static bool may_come(const ward_phase *row, const ward_phase *const *sorted, uint32_t count)
{
	for (int i = 0; i < WARD_PHASE_AFTER && row->after[i] != NULL; i++)
		if (find(sorted, count, row->after[i]) == NULL)
			return false;
	return true;
}

/* Moves the next row to the sorted ones. False: each row waits for another. */
static bool take_next(const ward_phase **rows, uint32_t count, const ward_phase **sorted,
		      uint32_t done)
{
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i] == NULL || !may_come(rows[i], sorted, done))
			continue;
		sorted[done] = rows[i];
		rows[i] = NULL;
		return true;
	}
	return false;
}

/* Returns a row on the cycle, not only behind it: going back from any row ends there. */
static const ward_phase *on_cycle(const ward_phase *const *rows, uint32_t count,
				  const ward_phase *table, const ward_phase *const *sorted,
				  uint32_t done)
{
	const ward_phase *all[WARD_PHASES_MAX];
	const ward_phase *row = NULL;

	for (uint32_t i = 0; i < count; i++) {
		all[i] = &table[i];
		if (rows[i] != NULL)
			row = rows[i];
	}
	for (uint32_t steps = 0; steps < count; steps++) {
		int waits_for = 0;

		/* There is one: otherwise the row would have been taken. */
		while (find(sorted, done, row->after[waits_for]) != NULL)
			waits_for++;
		row = find(all, count, row->after[waits_for]);
	}
	return row;
}

ward_err wardi_phases_sort(const ward_phase *table, const ward_phase *ret_sorted[WARD_PHASES_MAX],
			   uint32_t *ret_count)
{
	const ward_phase *rows[WARD_PHASES_MAX];
	uint32_t count = 0;

	for (; table[count].name != NULL; count++) {
		if (count == WARD_PHASES_MAX)
			return wardi_error(WARD_EINVAL, "options.phases has more than %d rows",
					   WARD_PHASES_MAX);
		rows[count] = &table[count];
	}
	for (uint32_t i = 0; i < count; i++) {
		ward_err err = check_row(rows, count, rows[i]);

		if (err != WARD_OK)
			return err;
	}
	for (uint32_t done = 0; done < count; done++)
		if (!take_next(rows, count, ret_sorted, done))
			return wardi_error(WARD_EINVAL, "options.phases: \"%s\" comes after itself",
					   on_cycle(rows, count, table, ret_sorted, done)->name);
	*ret_count = count;
	return WARD_OK;
}
