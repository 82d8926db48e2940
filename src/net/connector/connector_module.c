/* SPDX-License-Identifier: MIT
 *
 * connector_module.c - what a configuration file may say of a connector; the module of ward-net.
 *
 * Tables only: the library ward-config is not needed, nor linked.
 */
#include <string.h>
#include <ward/config.h>
#include <ward/extend.h>
#include <ward/net/listener.h>
#include <ward/net/module.h>

#include "net/connector/connector_args.h"
#include "net/listener/listener_module.h"

#define AT(member) WARD_CONFIG_AT(struct ward_connector, member)
static const ward_config_field fields[] = {
	{"address", WARD_CONFIG_STRING, AT(address), .required = true, .min = 1},
	{"timeout", WARD_CONFIG_DURATION, AT(connect_ms), .min = 1, .max = INT32_MAX},
	{"min-backoff", WARD_CONFIG_DURATION, AT(min_backoff_ms), .min = 1, .max = INT32_MAX},
	{"max-backoff", WARD_CONFIG_DURATION, AT(max_backoff_ms), .min = 1, .max = INT32_MAX},
	{"random-factor", WARD_CONFIG_FLOAT, AT(random_factor), .min = 0, .max = 1},
	{"auto-reset", WARD_CONFIG_DURATION, AT(auto_reset_ms), .min = 1, .max = INT32_MAX},
	{"tries-max", WARD_CONFIG_UINT, AT(tries_max), .min = 1, .max = UINT32_MAX},
	{"stash-max", WARD_CONFIG_UINT, AT(stash_max), .min = 1, .max = UINT32_MAX},
	{"child", WARD_CONFIG_BEHAVIOR, AT(child.behavior)},
	{0},
};

static ward_err verify_address(const char *address)
{
	if (strncmp(address, "sim:", strlen("sim:")) == 0)
		return ward_refused(WARD_EINVAL, "\"%.200s\" is for systems that are simulated",
				    address);
	return wardi_opening_check_address(address);
}

static ward_err verify(const void *args, const char **ret_key) WARD_NOEXCEPT
{
	const struct ward_connector *connector = args;
	struct wardi_opening_how how = wardi_connector_how(connector);
	ward_err err;

	*ret_key = "address";
	err = verify_address(connector->address);
	if (err != WARD_OK)
		return err;
	*ret_key = "max-backoff"; /* the others are right, each by itself */
	if (wardi_opening_check(&how, "") != WARD_OK)
		return ward_refused(WARD_EINVAL, "is less than min-backoff (default: 100 ms)");
	*ret_key = "child";
	return wardi_config_child_check(connector->child.behavior);
}

static const ward_config_behavior behaviors[] = {
	{.name = "ward-listener",
	 .behavior = &ward_listen,
	 .fields = wardi_listener_fields,
	 .verify = wardi_listener_verify},
	{.name = "ward-connector", .behavior = &ward_connect, .fields = fields, .verify = verify},
	{0},
};

static const ward_failure_class *const failure_classes[] = {
	&ward_net_failure,   &ward_peer_lost,
	&ward_peer_cut_off,  &ward_peer_idle,
	&ward_peer_slow,     &ward_bad_frame,
	&ward_not_trusted,   &ward_not_listening,
	&ward_not_connected, NULL,
};

const ward_config_module ward_net_module = {
	.version = WARD_CONFIG_VERSION,
	.name = "ward-net",
	.behaviors = behaviors,
	.failure_classes = failure_classes,
};
