/* SPDX-License-Identifier: MIT
 *
 * refs.c - resolves the names of other actors.
 *
 *	user
 *	  a            c may name a, b and x, and tree, below which it is; and every service.
 *	  tree         Not d, which starts later; nor y: a restart of b makes another y,
 *	    x          and c would keep the ref of the old one.
 *	    b
 *	      y
 *	    c
 *	    d
 *
 * So the named actor lives at least as long as the actor that names it: the restart of a common
 * ancestor makes both again, in their order.
 *
 * Threads: as the config.
 */
#include "config/tree/refs.h"

#include <string.h>

#include <ward/text.h>

#include "config/groups/actors_group.h"
#include "config/read/errors.h"
#include "config/read/suggest.h"
#include "config/read/tree.h"

/* ---- who may be named -------------------------------------------------------------------- */

static bool comes_before(const struct wardi_config_node *a, const struct wardi_config_node *b)
{
	for (const struct wardi_config_node *at = a->next; at != NULL; at = at->next)
		if (at == b)
			return true;
	return false;
}

static const struct wardi_config_node *top_of(const struct wardi_config_node *node)
{
	while (node->parent != NULL)
		node = node->parent;
	return node;
}

static bool may_name(const ward_config *config, const struct wardi_config_node *node,
		     const struct wardi_config_node *target)
{
	if (target->parent == config->services && top_of(node) == config->actors)
		return true;
	for (const struct wardi_config_node *at = node; at->parent != NULL; at = at->parent)
		if (at->parent == target ||
		    (at->parent == target->parent && comes_before(target, at)))
			return target->parent != NULL;
	return false;
}

/* ---- finding ----------------------------------------------------------------------------- */

static struct wardi_config_node *child(const struct wardi_config_node *parent, const char *name)
{
	for (struct wardi_config_node *at = parent->first; at != NULL; at = at->next)
		if (strcmp(at->name, name) == 0)
			return at;
	return NULL;
}

static const struct wardi_config_node *by_path(struct wardi_config_node *top, const char *path)
{
	struct wardi_config_node *node = top;

	while ((node = wardi_config_next(top, node)) != NULL)
		if (strcmp(node->path, path) == 0)
			return node;
	return NULL;
}

/* Searches outwards, group by group, services last. An actor that may be named wins. */
static const struct wardi_config_node *
by_name(const ward_config *config, const struct wardi_config_node *node, const char *name)
{
	const struct wardi_config_node *found = NULL, *next;

	for (const struct wardi_config_node *at = node->parent; at != NULL; at = at->parent) {
		next = child(at, name);
		if (next != NULL && may_name(config, node, next))
			return next;
		if (found == NULL)
			found = next;
	}
	next = child(config->services, name);
	if (next != NULL && may_name(config, node, next))
		return next;
	return found != NULL ? found : next;
}

static const struct wardi_config_node *find(const ward_config *config,
					    const struct wardi_config_node *node, const char *name)
{
	const struct wardi_config_node *found;

	if (name[0] != '/')
		return by_name(config, node, name);
	found = by_path(config->services, name);
	return found != NULL ? found : by_path(config->actors, name);
}

/* ---- telling ----------------------------------------------------------------------------- */

static void add_words(ward_config *config, const struct wardi_config_node *node,
		      struct wardi_config_node *top, bool paths, struct wardi_config_words *words)
{
	struct wardi_config_node *at = top;

	while ((at = wardi_config_next(top, at)) != NULL)
		if (may_name(config, node, at))
			wardi_config_word(config, words, paths ? at->path : at->name);
}

static void not_there(ward_config *config, const struct wardi_config_node *node,
		      const struct wardi_config_link *link)
{
	struct wardi_config_words words = {0};
	char text[WARDI_CONFIG_TEXT];
	bool paths = link->name[0] == '/';

	add_words(config, node, config->services, paths, &words);
	add_words(config, node, config->actors, paths, &words);
	wardi_config_suggest(&words, link->name, "allowed here", text, sizeof text);
	wardi_config_wrong(config, link->at, NULL, "no actor \"%.*s\" in this file; %s",
			   WARD_TEXT_FIT(link->name, 64), text);
}

static void not_allowed(ward_config *config, const struct wardi_config_node *node,
			const struct wardi_config_node *target,
			const struct wardi_config_link *link)
{
	if (target == node)
		wardi_config_wrong(config, link->at, NULL,
				   "\"%.*s\" is this actor itself: use ward_self_ref()",
				   WARD_TEXT_FIT(link->name, 64));
	else if (target->number > node->number)
		wardi_config_wrong(config, link->at, NULL,
				   "\"%.*s\" starts later: move it before this one",
				   WARD_TEXT_FIT(link->name, 64));
	else
		wardi_config_wrong(
			config, link->at, NULL,
			"\"%.*s\" is below another actor, whose restart replaces it: name %.*s",
			WARD_TEXT_FIT(link->name, 64), WARD_TEXT_FIT(target->parent->path, 64));
}

static void resolve(ward_config *config, const struct wardi_config_node *node,
		    struct wardi_config_link *link)
{
	const struct wardi_config_node *target = find(config, node, link->name);

	if (target == NULL)
		not_there(config, node, link);
	else if (!may_name(config, node, target))
		not_allowed(config, node, target, link);
	else
		link->target = target;
}

static void resolve_below(ward_config *config, struct wardi_config_node *top)
{
	struct wardi_config_node *node = top;

	while ((node = wardi_config_next(top, node)) != NULL)
		for (struct wardi_config_link *link = node->links; link != NULL; link = link->next)
			resolve(config, node, link);
}

void wardi_config_resolve(ward_config *config)
{
	if (config->services == NULL || config->actors == NULL)
		return; /* there was no memory */
	resolve_below(config, config->services);
	resolve_below(config, config->actors);
}
