/* SPDX-License-Identifier: MIT
 *
 * actor_props.c - the props of the actors of a file.
 *
 * All memory is allocated before the first spawn: the arguments are ready, and get their refs when
 * their actor is spawned.
 *
 * Threads: wardi_config_run_release() any; the rest as run.h says.
 */
#include "config/tree/actor_props.h"

#include <stdlib.h>
#include <string.h>

#include "config/groups/actors_group.h"
#include "config/tree/run.h"
#include "config/tree/supervisor.h"

/* Returns the next node, services first, then actors. NULL starts, and marks the end. */
static struct wardi_config_node *next_of_all(const ward_config *config,
					     struct wardi_config_node *node)
{
	struct wardi_config_node *next;

	/* Numbers are given in this order, but the two at the top come first. */
	if (node != NULL && node->number >= config->actors_from)
		return wardi_config_next(config->actors, node);
	next = wardi_config_next(config->services, node == NULL ? config->services : node);
	return next != NULL ? next : wardi_config_next(config->actors, config->actors);
}

static size_t rounded(size_t size)
{
	return (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
}

/* One block: the run, its tables, and the arguments one after the other. */
static size_t size_of(const ward_config *config)
{
	size_t size = rounded(sizeof(struct wardi_config_run));
	struct wardi_config_node *node = NULL;

	size += rounded(config->nodes * sizeof(ward_ref));
	size += rounded(config->nodes * sizeof(char *));
	size += rounded(config->nodes * sizeof(ward_config_children));
	while ((node = next_of_all(config, node)) != NULL)
		size += rounded(node->args_size);
	return size;
}

struct wardi_config_run *wardi_config_run_make(ward_config *config, ward_system *system)
{
	struct wardi_config_run *run = calloc(1, size_of(config));
	struct wardi_config_node *node = NULL;
	char *at = (char *)run;

	if (run == NULL)
		return NULL;
	run->config = config;
	run->system = system;
	atomic_init(&run->modules_stopped, false);
	atomic_init(&run->holders, 1);
	at += rounded(sizeof *run);
	run->refs = (ward_ref *)(void *)at;
	at += rounded(config->nodes * sizeof(ward_ref));
	run->args = (char **)(void *)at;
	at += rounded(config->nodes * sizeof(char *));
	run->children = (ward_config_children *)(void *)at;
	at += rounded(config->nodes * sizeof(ward_config_children));
	while ((node = next_of_all(config, node)) != NULL) {
		run->children[node->number] = (ward_config_children){.run = run, .node = node};
		run->args[node->number] = at;
		if (node->args_size > 0)
			memcpy(at, node->args, node->args_size);
		at += rounded(node->args_size);
	}
	return run;
}

void wardi_config_run_release(struct wardi_config_run *run)
{
	if (atomic_fetch_sub_explicit(&run->holders, 1, memory_order_acq_rel) == 1)
		free(run);
}

/* ---- props ------------------------------------------------------------------------------- */

/* Constant while any reader lives: the actors below this one end before it does. */
void wardi_config_note_parent(ward_self *self, const ward_config_children *children)
{
	ward_config_children *own = &children->run->children[children->node->number];
	ward_ref me = children->node->front == WARDI_FRONT_BACKOFF ? ward_parent(self)
								   : ward_self_ref(self);

	if (!ward_ref_equal(own->parent, me))
		own->parent = me;
}

static bool is_above(const struct wardi_config_node *node, const struct wardi_config_node *other)
{
	while (other != NULL && other != node)
		other = other->parent;
	return other == node;
}

static void fill_args(struct wardi_config_run *run, const struct wardi_config_node *node)
{
	const ward_config_children *children = &run->children[node->number];
	char *args = run->args[node->number];

	for (const struct wardi_config_link *link = node->links; link != NULL; link = link->next) {
		const struct wardi_config_node *target = link->target;
		const ward_ref *ref = is_above(target, node) ? &run->children[target->number].parent
							     : &run->refs[target->number];

		memcpy(args + link->offset, ref, sizeof *ref);
	}
	if (node->takes_children && node->first == NULL)
		children = NULL;
	if (node->takes_children)
		memcpy(args + node->children_offset, &children, sizeof children);
}

/* The default strategy of a back-off on failure: also retries a failed start. All other failures go
 * to the default decider. */
static const ward_strategy start_again = {.rules = {{&ward_initialization, WARD_RESTART}}};

static ward_props backoff_props(struct ward_backoff *backoff, const struct wardi_config_node *node,
				const ward_props *child)
{
	*backoff = node->backoff;
	backoff->child = *child;
	backoff->child.name = node->backoff_child != NULL ? node->backoff_child : node->name;
	if (!node->on_failure)
		return *WARD_PROPS(&ward_backoff_on_stop,
				   .args = {WARD_COPY(ward_backoff, backoff)});
	if (backoff->strategy == NULL)
		backoff->strategy = &start_again;
	return *WARD_PROPS(&ward_backoff_on_failure, .args = {WARD_COPY(ward_backoff, backoff)});
}

/* What the node says beside the group `remote` is about the stand-in. */
static ward_props remote_props(struct ward_remote *remote, const struct wardi_config_node *node,
			       const ward_props *guest)
{
	ward_props props;

	*remote = node->remote;
	remote->args = guest->args;
	props = ward_remote_props(remote);
	props.mailbox = guest->mailbox;
	props.dispatcher = guest->dispatcher;
	return props;
}

void wardi_config_made(struct wardi_config_run *run, const struct wardi_config_node *node,
		       struct wardi_config_made *made)
{
	ward_props props = node->props;

	if (node->kind == NULL) {
		made->group = &run->children[node->number];
		props.behavior = &wardi_config_supervisor;
		props.args =
			(ward_body){wardi_config_supervisor.args, &made->group, sizeof made->group};
	} else if (node->args_size > 0) {
		fill_args(run, node);
		props.args =
			(ward_body){props.behavior->args, run->args[node->number], node->args_size};
	}
	if (node->far)
		props = remote_props(&made->remote, node, &props);
	if (node->front == WARDI_FRONT_POOL) {
		made->pool = node->pool;
		made->pool.routee = props;
		props = (ward_props){.behavior = &ward_pool,
				     .args = {WARD_COPY(ward_router, &made->pool)},
				     .child_strategy = node->pool_strategy};
	} else if (node->front == WARDI_FRONT_BACKOFF) {
		props = backoff_props(&made->backoff, node, &props);
		props.mailbox = node->front_mailbox;
	}
	props.name = node->name;
	made->props = props;
}

ward_err ward_config_spawn_children(ward_self *self, const ward_config_children *children)
{
	struct wardi_config_made made;

	if (children == NULL)
		return WARD_OK;
	wardi_config_note_parent(self, children);
	for (const struct wardi_config_node *node = children->node->first; node != NULL;
	     node = node->next) {
		ward_err err;

		if (!ward_ref_is_nobody(ward_child(self, node->name)))
			continue;
		wardi_config_made(children->run, node, &made);
		err = ward_try_spawn(self, &made.props, &children->run->refs[node->number]);
		if (err != WARD_OK)
			return err;
	}
	return WARD_OK;
}
