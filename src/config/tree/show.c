/* SPDX-License-Identifier: MIT
 *
 * show.c - the tree that a file describes, as lines of text.
 *
 * Threads: as the config.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ward/extend.h>
#include <ward/text.h>

#include "common/uncancelled.h"
#include "config/groups/actors_group.h"
#include "config/read/strategy_names.h"
#include "config/read/tree.h"
#include "config/read/unit.h"

enum { LINE_MAX_BYTES = 1024, INDENT_MAX = 64 };

struct line {
	char text[LINE_MAX_BYTES];
	size_t length;
	bool listed; /* something stands behind the name */
};

WARD_PRINTF(2, 3) static void add(struct line *line, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	ward_text_vformat(line->text + line->length, sizeof line->text - line->length, format,
			  list);
	va_end(list);
	line->length += strlen(line->text + line->length);
}

/* One of the things behind the name: ": a, b, c". */
#define ALSO(line, ...)                                                                            \
	(add((line), "%s", (line)->listed ? ", " : ": "), (line)->listed = true,                   \
	 add((line), __VA_ARGS__))

static void begin(struct line *line, int depth, const char *name)
{
	line->length = 0;
	line->listed = false;
	line->text[0] = '\0';
	add(line, "%*s%.*s", 2 * (depth > INDENT_MAX ? INDENT_MAX : depth), "",
	    WARD_TEXT_FIT(name, 256));
}

/* ---- parts ------------------------------------------------------------------------------- */

static void add_strategy(const ward_config *config, struct line *line, const char *what,
			 const ward_strategy *strategy)
{
	const char *name;

	if (strategy == NULL)
		return;
	name = wardi_config_strategy_name(config, strategy);
	ALSO(line, "%s %.*s", what, WARD_TEXT_FIT(name != NULL ? name : "?", 64));
}

static void add_mailbox(struct line *line, const struct wardi_config_node *node)
{
	static const char *const overflows[] = {"refuse", "drop-newest", "drop-oldest",
						"hold-sender"};
	const ward_mailbox *box = &node->props.mailbox;

	if (box->messages_max != 0)
		ALSO(line, "mailbox %" PRIu32 " %s", box->messages_max, overflows[box->overflow]);
	if (box->priority != NULL)
		ALSO(line, "priority %.*s", WARD_TEXT_FIT(node->priority, 64));
	if (box->control_first)
		ALSO(line, "control first");
}

static void add_backoff(const ward_config *config, struct line *line,
			const struct wardi_config_node *node)
{
	char least[48], most[48];

	wardi_config_duration_text(node->backoff.min_backoff_ms, least, sizeof least);
	wardi_config_duration_text(node->backoff.max_backoff_ms, most, sizeof most);
	ALSO(line, "back-off on %s, %s to %s", node->on_failure ? "failure" : "stop", least, most);
	if (node->backoff_child != NULL)
		ALSO(line, "its child %.*s", WARD_TEXT_FIT(node->backoff_child, 64));
	add_strategy(config, line, "its strategy", node->backoff.strategy);
	if (!node->on_failure &&
	    (node->backoff.strategy == NULL || node->backoff.strategy == &ward_default_strategy))
		ALSO(line, "failures: restarted at once");
}

static void add_remote(struct line *line, const struct ward_remote *remote)
{
	ALSO(line, "remote kind %.*s", WARD_TEXT_FIT(remote->kind, 64));
	if (remote->nodes == NULL)
		return;
	for (size_t i = 0; remote->nodes[i] != NULL; i++)
		add(line, "%s %.*s", i == 0 ? " at" : " or", WARD_TEXT_FIT(remote->nodes[i], 128));
}

static void add_pool(const ward_config *config, struct line *line,
		     const struct wardi_config_node *node)
{
	static const char *const routings[] = {
		"round-robin",    "random",        "smallest-mailbox",  "broadcast",
		"scatter-gather", "tail-chopping", "consistent-hashing"};

	ALSO(line, "pool of %" PRIu32 " %s", node->pool.routees > 0 ? node->pool.routees : 1,
	     routings[node->pool.routing]);
	if (node->pool.resizer != NULL)
		add(line, " and more");
	add_strategy(config, line, "its strategy", node->pool_strategy);
}

static void add_all(const ward_config *config, struct line *line,
		    const struct wardi_config_node *node)
{
	if (node->address != NULL)
		ALSO(line, "%s %.*s, behavior %.*s", node->relation,
		     WARD_TEXT_FIT(node->address, 128), WARD_TEXT_FIT(node->serves->name, 64));
	else if (node->kind != NULL)
		ALSO(line, "behavior %.*s", WARD_TEXT_FIT(node->kind->name, 64));
	else
		ALSO(line, "supervisor");
	if (node->far)
		add_remote(line, &node->remote);
	if (node->props.dispatcher != NULL)
		ALSO(line, "dispatcher %.*s", WARD_TEXT_FIT(node->props.dispatcher, 64));
	add_mailbox(line, node);
	if (node->props.stash_max != 0)
		ALSO(line, "stash %" PRIu32, node->props.stash_max);
	if (node->props.memory_max != 0)
		ALSO(line, "memory %zu bytes", node->props.memory_max);
	add_strategy(config, line, "strategy", node->props.child_strategy);
	if (node->front == WARDI_FRONT_BACKOFF)
		add_backoff(config, line, node);
	if (node->front == WARDI_FRONT_POOL)
		add_pool(config, line, node);
}

/* ---- dispatchers ------------------------------------------------------------------------- */

static void add_number(struct line *line, const char *key, int64_t value)
{
	if (value != 0)
		ALSO(line, "%s %" PRId64, key, value);
}

static void add_duration(struct line *line, const char *key, int64_t ms)
{
	char text[48];

	if (ms == 0)
		return;
	wardi_config_duration_text(ms, text, sizeof text);
	ALSO(line, "%s %s", key, text);
}

static void add_dispatcher(struct line *line, const ward_dispatcher *row)
{
	static const char *const classes[] = {
		[WARD_SCHEDULING_OTHER] = "other", [WARD_SCHEDULING_BATCH] = "batch",
		[WARD_SCHEDULING_IDLE] = "idle",   [WARD_SCHEDULING_FIFO] = "fifo",
		[WARD_SCHEDULING_RR] = "rr",
	};
	char stack[48];

	add_number(line, "threads", row->threads);
	add_number(line, "threads-min", row->threads_min);
	add_duration(line, "keep-alive", row->keep_alive_ms);
	add_number(line, "throughput", row->throughput);
	add_duration(line, "throughput-deadline", row->throughput_deadline_ms);
	if (row->cpus != NULL)
		ALSO(line, "cpus %.*s", WARD_TEXT_FIT(row->cpus, 64));
	if (row->scheduling != WARD_SCHEDULING_DEFAULT)
		ALSO(line, "scheduling %s", classes[row->scheduling]);
	add_number(line, "priority", row->priority);
	add_number(line, "nice", row->nice);
	if (row->stack_bytes == 0)
		return;
	wardi_config_size_text((int64_t)row->stack_bytes, stack, sizeof stack);
	ALSO(line, "stack %s", stack);
}

static void show_dispatchers(const ward_config *config, void (*each)(void *arg, const char *text),
			     void *arg)
{
	const ward_dispatcher *row = config->options.dispatchers;
	struct line line;

	for (; row != NULL && row->name != NULL; row++) {
		begin(&line, 1, "dispatcher ");
		add(&line, "%.*s", WARD_TEXT_FIT(row->name, 64));
		add_dispatcher(&line, row);
		each(arg, line.text);
	}
}

/* ---- the tree ---------------------------------------------------------------------------- */

static int depth_of(const struct wardi_config_node *node)
{
	int depth = 1;

	for (; node->parent != NULL; node = node->parent)
		depth++;
	return depth;
}

static void show(const ward_config *config, struct wardi_config_node *top,
		 void (*each)(void *arg, const char *text), void *arg)
{
	struct wardi_config_node *node = top;
	struct line line;

	if (top->first == NULL)
		return;
	begin(&line, 1, top->name);
	if (top == config->actors)
		add_strategy(config, &line, "strategy", config->options.user_strategy);
	each(arg, line.text);
	while ((node = wardi_config_next(top, node)) != NULL) {
		begin(&line, depth_of(node), node->name);
		add_all(config, &line, node);
		each(arg, line.text);
	}
}

static size_t count(struct wardi_config_node *top)
{
	struct wardi_config_node *node = top;
	size_t count = 0;

	while (top != NULL && (node = wardi_config_next(top, node)) != NULL)
		count++;
	return count;
}

size_t ward_config_count(const ward_config *config, size_t *ret_services)
{
	*ret_services = count(config->services);
	return count(config->actors);
}

ward_err ward_config_tree(const ward_config *config, void (*line)(void *arg, const char *text),
			  void *arg)
{
	WARDI_UNCANCELLED;

	if (!config->ready)
		return ward_refused(WARD_EINVAL, "%.*s: is not checked, or was refused",
				    WARD_TEXT_FIT(config->path, 300));
	line(arg, config->options.name != NULL ? config->options.name : "ward");
	show_dispatchers(config, line, arg);
	show(config, config->services, line, arg);
	show(config, config->actors, line, arg);
	return WARD_OK;
}
