/* SPDX-License-Identifier: MIT
 *
 * far.h - a kit whose children live in a second system: what a kit needs of testkit/far.
 */
#ifndef WARDI_TESTKIT_KIT_FAR_H
#define WARDI_TESTKIT_KIT_FAR_H

#include <ward/testkit/kit.h>

/* Of the mechanism, in each system: the keeper of the loop, its line, the guests. */
enum { WARDI_KIT_FAR_ACTORS = 3 };

struct wardi_kit_far {
	/* Whether the children of such a kit live elsewhere. */
	bool (*wanted)(const ward_kit_options *options);
	/* Returns what drives the turns of such a kit; before its system is made. */
	const ward_simulation *(*turns)(ward_kit *kit);
	/* Before the first actor of the test: starts the second system and the loop, if the kit has
	 * them; if it may need them, looks out for a child that does. */
	void (*start)(ward_kit *kit, const ward_kit_options *options);
	/* Has all turns of the mechanism run that come before the program. Returns whether there
	 * was one. */
	bool (*settle)(ward_kit *kit);
	/* Ends both; the tree of the kit has ended. */
	void (*finish)(ward_kit *kit);
	/* Frees what actors of the kit may point to; its system is gone. */
	void (*forget)(ward_kit *kit);
	/* For ward_options.log of a kit; `kit` has its own events, those of the second system come
	 * here, too. */
	void (*hear)(void *kit, const ward_event *event);
	/* Returns the guest of a stand-in, and its kit in *kit; of another actor itself. */
	ward_ref (*guest)(ward_kit **kit, ward_ref who);
	/* Completes what is known of a stand-in by what its guest does. */
	void (*info)(const ward_kit *kit, ward_actor_info *info);
	/* Writes the path by which the test knows an actor. False: it is no stand-in or guest. */
	bool (*path)(const ward_kit *kit, ward_ref who, char path[WARD_EVENT_PATH]);
	/* Returns the ref by which the test knows an actor: of a guest its stand-in. */
	ward_ref (*known)(const ward_kit *kit, ward_ref who);
	/* Makes counters those of both systems, without what stands for the connection. */
	void (*add_stats)(const ward_kit *kit, ward_stats *stats);
	/* Returns the second kit. */
	ward_kit *(*other)(const ward_kit *kit);
	/* Whether faults of a simulation spare an actor of this path, which stands for the
	 * connection; or, with a type, a message of that type to whomever. */
	bool (*is_spared)(const char *path, const ward_type *type);
};
extern const struct wardi_kit_far wardi_kit_far;

#endif
