/* SPDX-License-Identifier: MIT
 *
 * tree.h - the actors of a file: read, checked, shown, started.
 *
 *	/system   <- config->services          one node each; the top two stand for guardians
 *	  journal
 *	/user     <- config->actors
 *	  tills      supervisor
 *	    left
 *	    right
 *	  bank       behind a back-off supervisor
 *
 * Constant once the config is ready.
 */
#ifndef WARDI_CONFIG_TREE_H
#define WARDI_CONFIG_TREE_H

#include <libconfig.h>

#include <ward/remote.h>

#include "config/read/fields.h"

/** The front of an actor. */
enum wardi_config_front { WARDI_FRONT_NONE, WARDI_FRONT_BACKOFF, WARDI_FRONT_POOL };

/** An actor of the file. */
struct wardi_config_node {
	const char *name;
	const char *path; /* "/user/tills/left" */
	const config_setting_t *setting;
	struct wardi_config_node *parent; /* NULL: it stands for a guardian */
	struct wardi_config_node *first, *last, *next;
	uint32_t number; /* parents first, in the order of the file */

	const ward_config_behavior *kind; /* NULL: it only supervises */
	ward_props props;                 /* without arguments and name */
	const char *priority;             /* the name of its mailbox's priority function */
	void *args;                       /* without refs */
	size_t args_size;
	struct wardi_config_link *links;
	bool takes_children;
	size_t children_offset;
	const char *address;                /* of a listener or connector; NULL: it is none */
	const char *relation;               /* to it: "listens at", "connects to" */
	const ward_config_behavior *serves; /* its connections */

	bool far;                  /* it lives elsewhere: */
	struct ward_remote remote; /* without arguments */

	enum wardi_config_front front;
	bool on_failure; /* the kind of back-off supervisor */
	struct ward_backoff backoff;
	const char *backoff_child; /* NULL: the same name */
	ward_mailbox front_mailbox;
	const char *front_priority;
	struct ward_router pool;
	ward_resizer resizer;
	const ward_strategy *pool_strategy;
};

#endif
