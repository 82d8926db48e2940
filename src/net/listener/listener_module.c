/* SPDX-License-Identifier: MIT
 *
 * listener_module.c - what a configuration file may say of a listener.
 */
#include "net/listener/listener_module.h"

#include <stdio.h>
#include <string.h>
#include <ward/config.h>
#include <ward/extend.h>
#include <ward/net/listener.h>

#include "net/address/address.h"

#define AT(member) WARD_CONFIG_AT(struct ward_listener, member)
const ward_config_field wardi_listener_fields[] = {
	{"address", WARD_CONFIG_STRING, AT(address), .required = true, .min = 1},
	{"connections-max", WARD_CONFIG_UINT, AT(connections_max), .min = 1, .max = UINT32_MAX},
	{"backlog", WARD_CONFIG_INT, AT(backlog), .min = 1, .max = INT32_MAX},
	{"unix-mode", WARD_CONFIG_UINT, AT(unix_mode), .min = 1, .max = 0777},
	{"unix-replace", WARD_CONFIG_BOOL, AT(unix_replace)},
	{"reuse-port", WARD_CONFIG_BOOL, AT(reuse_port)},
	{"drain", WARD_CONFIG_DURATION, AT(drain_ms), .min = 1, .max = INT32_MAX},
	{"child", WARD_CONFIG_BEHAVIOR, AT(child.behavior)},
	{0},
};

static ward_err verify_address(const char *text, size_t size)
{
	struct wardi_address address;
	ward_err err = wardi_address_read(&address, text, size);

	if (err != WARD_OK)
		return err;
	switch (address.kind) {
	case WARDI_ADDRESS_TCP:
	case WARDI_ADDRESS_ANY:
	case WARDI_ADDRESS_UNIX:
	case WARDI_ADDRESS_FD:
	case WARDI_ADDRESS_SYSTEMD:
		return WARD_OK;
	default:
		return ward_refused(WARD_EINVAL,
				    "\"%.*s\" is no address to listen at: write one of this "
				    "machine, such as tcp:127.0.0.1:7000, tcp:*:7000 or "
				    "unix:/run/a.sock",
				    (int)(size < 200 ? size : 200), text);
	}
}

ward_err wardi_config_child_check(const ward_behavior *child)
{
	if (child == NULL)
		return ward_refused(WARD_EINVAL,
				    "is missing, must be the behavior that serves a connection");
	if (child->args == NULL || !ward_type_same(child->args, &ward_type_ward_connection))
		return ward_refused(WARD_EINVAL,
				    "the behavior \"%s\" does not take connections: declare "
				    ".args = &ward_type_ward_connection",
				    child->name != NULL ? child->name : "");
	return WARD_OK;
}

ward_err wardi_listener_verify(const void *args, const char **ret_key) WARD_NOEXCEPT
{
	const struct ward_listener *listener = args;
	const ward_behavior *child = listener->child.behavior;
	ward_err err = WARD_OK;

	*ret_key = "address";
	for (const char *at = listener->address + strspn(listener->address, " ");
	     *at != '\0' && err == WARD_OK; at += strspn(at, " ")) {
		size_t size = strcspn(at, " ");

		err = verify_address(at, size);
		at += size;
	}
	if (err != WARD_OK)
		return err;
	*ret_key = "child";
	return wardi_config_child_check(child);
}
