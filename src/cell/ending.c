/* SPDX-License-Identifier: MIT
 *
 * ending.c - how a life has ended, in the form of a ward_terminated.
 *
 * Threads: runs only on the holder's worker.
 */
#include "cell/ending.h"

#include "cell/path.h"

const char *ward_end_text(ward_end end)
{
	static const char *const texts[] = {
		[WARD_END_UNKNOWN] = "unknown",     [WARD_END_NORMAL] = "normal",
		[WARD_END_STOPPED] = "stopped",     [WARD_END_FAILED] = "failed",
		[WARD_END_KILLED] = "killed",       [WARD_END_EXITED] = "exited",
		[WARD_END_UNREACHED] = "unreached", [WARD_END_RESTARTED] = "restarted",
	};

	return (unsigned)end < sizeof texts / sizeof texts[0] ? texts[end] : "?";
}

ward_end wardi_end_shown(enum wardi_end end, const ward_failure_class **failure_class)
{
	static const ward_end shown[] = {
		[WARDI_END_TOLD] = WARD_END_STOPPED,  [WARDI_END_OWN] = WARD_END_NORMAL,
		[WARDI_END_PILL] = WARD_END_STOPPED,  [WARDI_END_FAILED] = WARD_END_FAILED,
		[WARDI_END_KILLED] = WARD_END_KILLED, [WARDI_END_EXITED] = WARD_END_EXITED,
	};

	if (end == WARDI_END_KILLED)
		*failure_class = &ward_killed;
	else if (end == WARDI_END_FAILED && ward_failure_class_is(*failure_class, &ward_killed))
		return WARD_END_KILLED;
	return shown[end];
}

/* Copies the name without the number of a generated name: each watched actor does this at its end,
 * and formatting the number takes long. The rest of `name` is zero. */
static void copy_name(const struct wardi_cell *cell, char name[WARD_END_NAME])
{
	const char *given = wardi_cell_name(cell);
	const char *from = given != NULL ? given : cell->behavior->name;
	size_t length;

	memset(name, 0, WARD_END_NAME);
#pragma GCC unroll 19
	for (length = 0; length < WARD_END_NAME - 1; length++) {
		if (from[length] == '\0')
			return;
		name[length] = from[length];
	}
	if (from[length] != '\0') /* no half characters */
		while (length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80)
			name[--length] = '\0';
}

void wardi_ending_fill(struct wardi_cell *cell, struct wardi_ending *ending)
{
	ending->end = (enum wardi_end)cell->end;
	ending->failure = WARDI_NO_FAILURE;
	ending->shown.failure_class = NULL;
	if (ending->end == WARDI_END_FAILED) {
		ending->failure = wardi_cell_last_failure(cell);
		ending->shown.failure_class = wardi_failure_class(ending->failure);
	}
	ending->shown.end = wardi_end_shown(ending->end, &ending->shown.failure_class);
	copy_name(cell, ending->shown.name);
}
