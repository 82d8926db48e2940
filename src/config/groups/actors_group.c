/* SPDX-License-Identifier: MIT
 *
 * actors_group.c - the groups `services` and `actors`: one node for each actor, filled in from its
 * group in the file.
 *
 * A node is read before its children, so errors come in the order of the file. The nesting depth of
 * the file bounds the recursion.
 *
 * Threads: as the config.
 */
#include "config/groups/actors_group.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ward/text.h>

#include "config/groups/mailbox_group.h"
#include "config/groups/remote_group.h"
#include "config/groups/wrap.h"
#include "config/read/blocks.h"
#include "config/read/errors.h"
#include "config/read/module_check.h"
#include "config/read/modules.h"
#include "config/read/suggest.h"
#include "config/read/tree.h"

typedef const config_setting_t *raw;

struct file_node {
	const char *behavior, *dispatcher;
	uint32_t stash_max;
	size_t memory_max;
	const ward_strategy *strategy;
	raw args, listen, connect, remote, mailbox, children, backoff, pool;
};

#define RAW ((ward_config_type)WARDI_CONFIG_RAW)
#define AT(member) WARD_CONFIG_AT(struct file_node, member)
static const ward_config_field fields[] = {
	{"behavior", WARD_CONFIG_STRING, AT(behavior)},
	{"args", RAW, AT(args)},
	{"listen", RAW, AT(listen)},
	{"connect", RAW, AT(connect)},
	{"remote", RAW, AT(remote)},
	{"dispatcher", WARD_CONFIG_STRING, AT(dispatcher)},
	{"mailbox", RAW, AT(mailbox)},
	{"stash-max", WARD_CONFIG_UINT, AT(stash_max), .min = 1, .max = UINT32_MAX},
	{"memory-max", WARD_CONFIG_SIZE, AT(memory_max), .min = 1},
	{"strategy", WARD_CONFIG_STRATEGY, AT(strategy)},
	{"children", RAW, AT(children)},
	{"backoff", RAW, AT(backoff)},
	{"pool", RAW, AT(pool)},
	{0},
};
#undef AT

enum { NAME_MAX_BYTES = 1024 }; /* as a spawn takes them */

/* ---- parts of a node --------------------------------------------------------------------- */

/* Whether it is a dispatcher of the library. */
static bool is_own(const char *name)
{
	return strcmp(name, WARD_WORKERS) == 0 || strcmp(name, WARD_BLOCKING) == 0 ||
	       strcmp(name, WARD_PINNED) == 0;
}

static bool is_dispatcher(const ward_config *config, const char *name)
{
	const ward_dispatcher *own = config->options.dispatchers;

	if (is_own(name))
		return true;
	for (; own != NULL && own->name != NULL; own++)
		if (strcmp(own->name, name) == 0)
			return true;
	return false;
}

static void check_dispatcher(ward_config *config, const config_setting_t *at, const char *name)
{
	const ward_dispatcher *own = config->options.dispatchers;
	struct wardi_config_words words = {0};
	char text[WARDI_CONFIG_TEXT];

	if (name == NULL || is_dispatcher(config, name))
		return;
	wardi_config_word(config, &words, WARD_BLOCKING);
	wardi_config_word(config, &words, WARD_PINNED);
	wardi_config_word(config, &words, WARD_WORKERS);
	for (; own != NULL && own->name != NULL; own++)
		if (!is_own(own->name))
			wardi_config_word(config, &words, own->name);
	wardi_config_suggest(&words, name, "there are", text, sizeof text);
	wardi_config_wrong(config, at, "dispatcher", "no dispatcher \"%.*s\"; %s",
			   WARD_TEXT_FIT(name, 64), text);
}

/* For ward_config_wrong(): where the arguments of a node are. */
struct ward_config_report {
	ward_config *config;
	const config_setting_t *node;
	const char *group; /* "args", "listen", "connect" */
};

void ward_config_wrong(ward_config_report *report, const char *key, const char *text, ...)
{
	const config_setting_t *args = config_setting_get_member(report->node, report->group);
	const config_setting_t *at = NULL;
	char words[WARDI_CONFIG_TEXT], below[WARDI_CONFIG_KEY];
	va_list list;

	va_start(list, text);
	vsnprintf(words, sizeof words, text, list);
	va_end(list);
	if (args != NULL && !config_setting_is_group(args))
		at = args; /* it is one value */
	else if (args != NULL && key != NULL)
		at = config_setting_lookup((config_setting_t *)(uintptr_t)args, key);
	if (at != NULL) {
		wardi_config_wrong(report->config, at, NULL, "%s", words);
		return;
	}
	snprintf(below, sizeof below, "%s%s%s", report->group, key != NULL ? "." : "",
		 key != NULL ? key : "");
	wardi_config_wrong(report->config, report->node, below, "%s", words);
}

static void look_for_children(struct wardi_config_node *node)
{
	const ward_config_field *field = node->kind->fields;

	for (; field != NULL && field->kind != WARD_CONFIG_END; field++)
		if (field->kind == WARD_CONFIG_CHILDREN) {
			node->takes_children = true;
			node->children_offset = field->offset;
		}
}

/* What the module says of arguments whose keys are valid one by one. */
static void check_args(ward_config *config, const struct wardi_config_node *node, const char *group)
{
	struct ward_config_report report = {config, node->setting, group};
	const char *key = NULL;

	if (node->kind->check != NULL)
		node->kind->check(node->args, &report);
	if (node->kind->verify != NULL && node->kind->verify(node->args, &key) != WARD_OK)
		ward_config_wrong(&report, key, "%s", ward_err_detail());
}

/* Memory for the arguments, with their defaults. False: there is none. */
static bool make_args(ward_config *config, struct wardi_config_node *node)
{
	const ward_type *type = node->kind->behavior->args;

	node->args_size = type->size;
	node->args = wardi_config_make(config, type->size);
	if (node->args == NULL)
		return false;
	if (node->kind->defaults != NULL)
		memcpy(node->args, node->kind->defaults, type->size);
	return true;
}

static void read_args(ward_config *config, struct wardi_config_node *node, raw args)
{
	static const ward_config_field none[] = {{0}};
	const ward_config_behavior *kind = node->kind;
	const ward_type *type = kind->behavior->args;
	struct wardi_config_reader reader = {.config = config, .links = &node->links};
	uint32_t errors = config->errors;

	if (args != NULL && !wardi_config_is_group(config, args))
		return;
	if (args != NULL && kind->fields == NULL) {
		wardi_config_wrong(config, args, NULL,
				   type == NULL ? "the behavior \"%.*s\" takes no arguments"
						: "the module lists no .fields for them, in its "
						  "row of the behavior \"%.*s\"",
				   WARD_TEXT_FIT(kind->name, 64));
		return;
	}
	if (wardi_config_serves_connections(kind)) {
		wardi_config_wrong(config, config_setting_get_member(node->setting, "behavior"),
				   NULL,
				   "\"%.*s\" serves connections: give the actor a key listen "
				   "or connect, such as listen = \"tcp:127.0.0.1:7000\"",
				   WARD_TEXT_FIT(kind->name, 64));
		return;
	}
	if (type == NULL || !make_args(config, node))
		return;
	reader.start = node->args;
	wardi_config_read(&reader, args, node->setting, "args",
			  kind->fields != NULL ? kind->fields : none, node->args);
	if (config->errors == errors)
		check_args(config, node, "args");
}

/* ---- listeners and connectors ------------------------------------------------------------- */

/* What makes an actor one. */
struct relation {
	const char *key;
	const char *behavior;
	const char *text; /* of a tree, in front of the address */
};
static const struct relation listening = {"listen", "ward-listener", "listens at"};
static const struct relation connecting = {"connect", "ward-connector", "connects to"};

static const ward_config_field *field_of(const ward_config_behavior *kind, ward_config_type type)
{
	const ward_config_field *field = kind->fields;

	while (field->kind != WARD_CONFIG_END && field->kind != type)
		field++;
	return field;
}

/* The value is an address, or a group with the keys of the listener or connector, whose child is
 * the behaviour of the actor. */
static void read_address(ward_config *config, struct wardi_config_node *node,
			 const struct relation *relation, raw value, const ward_behavior *child)
{
	const ward_config_field *address = field_of(node->kind, WARD_CONFIG_STRING);
	const ward_config_field *behavior = field_of(node->kind, WARD_CONFIG_BEHAVIOR);
	struct wardi_config_reader reader = {.config = config, .links = &node->links};
	const char *text = config_setting_get_string(value);
	uint32_t errors = config->errors;

	if (text == NULL && !config_setting_is_group(value)) {
		wardi_config_wrong(config, value, NULL,
				   "must be an address, such as \"tcp:127.0.0.1:7000\", or a group "
				   "with one");
		return;
	}
	if (!make_args(config, node))
		return;
	reader.start = node->args;
	if (text != NULL)
		memcpy((char *)node->args + address->offset, &text, sizeof text);
	else
		wardi_config_read(&reader, value, node->setting, relation->key, node->kind->fields,
				  node->args);
	if (text == NULL && config_setting_get_member(value, behavior->key) != NULL)
		wardi_config_wrong(config, config_setting_get_member(value, behavior->key), NULL,
				   "is not allowed here: it is the behavior of the actor");
	memcpy((char *)node->args + behavior->offset, &child, sizeof child);
	memcpy(&node->address, (char *)node->args + address->offset, sizeof node->address);
	if (config->errors == errors)
		check_args(config, node, relation->key);
}

/* The actor is a listener or connector; `kind` is that of its children. */
static void relate(ward_config *config, struct wardi_config_node *node,
		   const struct relation *relation, raw value)
{
	const ward_config_behavior *child = node->kind;
	const ward_config_behavior *kind = wardi_config_has_behavior(config, relation->behavior);

	if (kind == NULL) {
		wardi_config_wrong(config, value, NULL,
				   "no module brings the library ward-net: link a module with it, "
				   "or add ward_net_module to those of the program");
		return;
	}
	node->kind = kind;
	node->serves = child;
	node->relation = relation->text;
	node->props.behavior = kind->behavior;
	if (!wardi_config_serves_connections(child))
		wardi_config_wrong(config, config_setting_get_member(node->setting, "behavior"),
				   NULL,
				   "\"%.*s\" does not take connections: declare .args = "
				   "&ward_type_ward_connection",
				   WARD_TEXT_FIT(child->name, 64));
	else
		read_address(config, node, relation, value, child->behavior);
}

/* ---- what excludes each other ------------------------------------------------------------ */

static void not_with(ward_config *config, const config_setting_t *setting, const char *why)
{
	if (setting != NULL)
		wardi_config_wrong(config, setting, NULL, "%s", why);
}

/* An actor without a behaviour is the library's own supervisor. */
static void check_supervisor(ward_config *config, const config_setting_t *setting,
			     const struct file_node *file)
{
	static const char *const keys[] = {"args",    "listen",    "connect",    "remote",
					   "mailbox", "stash-max", "memory-max", "pool"};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		not_with(config, config_setting_get_member(setting, keys[i]),
			 "needs a behavior: an actor without one only supervises");
	if (file->children == NULL)
		wardi_config_wrong(config, setting, NULL, "needs a behavior or children");
}

/* They would be those of the listener. */
static void check_limits(ward_config *config, const config_setting_t *setting)
{
	static const char *const keys[] = {"mailbox", "stash-max", "memory-max"};

	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		not_with(config, config_setting_get_member(setting, keys[i]),
			 "would limit the listener, and not the actors that serve its connections; "
			 "a file has no limits for these");
}

static void check_serving(ward_config *config, const struct file_node *file)
{
	bool listens = file->listen != NULL;

	if (listens)
		not_with(config, file->connect, "listen and connect exclude each other");
	not_with(config, file->args,
		 listens ? "listen and args exclude each other: the arguments of an actor that "
			   "serves a connection are the connection"
			 : "connect and args exclude each other: the arguments of an actor that "
			   "serves a connection are the connection");
	not_with(config, file->pool,
		 listens ? "listen and pool exclude each other"
			 : "connect and pool exclude each other");
}

static void check_together(ward_config *config, const config_setting_t *setting,
			   const struct wardi_config_node *node, const struct file_node *file)
{
	if (config_setting_get_member(setting, "behavior") == NULL)
		check_supervisor(config, setting, file);
	if (node->kind != NULL && !node->takes_children && file->children != NULL)
		wardi_config_wrong(config, file->children, NULL,
				   "the behavior \"%.*s\" cannot have children in a file: its "
				   "arguments have no field for them",
				   WARD_TEXT_FIT(node->kind->name, 64));
	if (file->listen != NULL)
		check_limits(config, setting);
	if (file->listen != NULL || file->connect != NULL)
		check_serving(config, file);
	if (file->pool != NULL && file->backoff != NULL)
		not_with(config, file->backoff, "backoff and pool exclude each other");
	if (file->pool != NULL && file->children != NULL)
		not_with(config, file->children, "children and pool exclude each other");
}

static void check_name(ward_config *config, const config_setting_t *setting)
{
	const char *name = config_setting_name(setting);

	if (strchr(name, '*') != NULL)
		wardi_config_wrong(config, setting, NULL,
				   "the name of an actor has letters, digits, '-' and '_'");
	if (strlen(name) > NAME_MAX_BYTES)
		wardi_config_wrong(config, setting, NULL,
				   "the name has %zu bytes, at most %d are allowed", strlen(name),
				   NAME_MAX_BYTES);
}

/* ---- nodes ------------------------------------------------------------------------------- */

static struct wardi_config_node *make(ward_config *config, struct wardi_config_node *parent,
				      const char *name)
{
	struct wardi_config_node *node = wardi_config_make(config, sizeof *node);
	const char *above = parent != NULL ? parent->path : "";
	char *path = wardi_config_make(config, strlen(above) + strlen(name) + 2);

	if (node == NULL || path == NULL)
		return NULL;
	snprintf(path, strlen(above) + strlen(name) + 2, "%s/%s", above, name);
	node->name = name;
	node->path = path;
	node->parent = parent;
	node->number = config->nodes++;
	if (parent != NULL && parent->last != NULL)
		parent->last->next = node;
	else if (parent != NULL)
		parent->first = node;
	if (parent != NULL)
		parent->last = node;
	return node;
}

static void read_children(ward_config *config, struct wardi_config_node *node, raw group);

static void read_parts(ward_config *config, struct wardi_config_node *node,
		       const struct file_node *file)
{
	node->props.dispatcher = file->dispatcher;
	node->props.child_strategy = file->strategy;
	node->props.stash_max = file->stash_max;
	node->props.memory_max = file->memory_max;
	check_dispatcher(config, node->setting, file->dispatcher);
	if (file->behavior != NULL)
		node->kind =
			wardi_config_behavior(config, file->behavior,
					      config_setting_get_member(node->setting, "behavior"));
	if (node->kind != NULL) {
		node->props.behavior = node->kind->behavior;
		node->props.mailbox = config->mailbox;
		node->priority = config->mailbox_priority;
		if (file->listen != NULL) {
			relate(config, node, &listening, file->listen);
		} else if (file->connect != NULL) {
			relate(config, node, &connecting, file->connect);
		} else {
			look_for_children(node);
			read_args(config, node, file->args);
		}
		if (file->mailbox != NULL)
			wardi_config_mailbox(config, file->mailbox, &node->props.mailbox,
					     &node->priority);
	}
	check_together(config, node->setting, node, file);
	if (file->remote != NULL)
		wardi_config_remote(config, file->remote, node);
	if (file->backoff != NULL)
		wardi_config_backoff(config, file->backoff, node);
	if (file->pool != NULL)
		wardi_config_pool(config, file->pool, node);
	if (file->children != NULL)
		read_children(config, node, file->children);
}

static void read_node(ward_config *config, struct wardi_config_node *parent, raw setting)
{
	struct wardi_config_reader reader = {.config = config};
	struct wardi_config_node *node = make(config, parent, config_setting_name(setting));
	struct file_node file = {0};

	if (node == NULL)
		return;
	node->setting = setting;
	check_name(config, setting);
	if (!wardi_config_is_group(config, setting))
		return;
	wardi_config_read(&reader, setting, NULL, NULL, fields, &file);
	read_parts(config, node, &file);
}

static void read_children(ward_config *config, struct wardi_config_node *node, raw group)
{
	int count = wardi_config_is_group(config, group) ? config_setting_length(group) : 0;

	if (count == 0 && config_setting_is_group(group) && node->parent != NULL &&
	    config_setting_get_member(node->setting, "behavior") == NULL)
		wardi_config_wrong(config, group, NULL, "is empty: a supervisor needs children");
	for (int i = 0; i < count; i++)
		read_node(config, node, config_setting_get_elem(group, (unsigned)i));
}

void wardi_config_nodes(ward_config *config, const config_setting_t *services,
			const config_setting_t *actors)
{
	config->services = make(config, NULL, "system");
	config->actors = make(config, NULL, "user");
	if (config->services == NULL || config->actors == NULL)
		return;
	if (services != NULL)
		read_children(config, config->services, services);
	config->actors_from = config->nodes;
	if (actors != NULL)
		read_children(config, config->actors, actors);
}

struct wardi_config_node *wardi_config_next(const struct wardi_config_node *top,
					    struct wardi_config_node *node)
{
	if (node->first != NULL)
		return node->first;
	while (node != top && node->next == NULL)
		node = node->parent;
	return node == top ? NULL : node->next;
}
