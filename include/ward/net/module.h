/* SPDX-License-Identifier: MIT
 *
 * ward/net/module.h - listeners and connectors in configuration files (ward/config.h).
 *
 *	actors: {
 *		front: { behavior = "session"; listen = "tcp:127.0.0.1:7000"; };
 *		inner: {
 *			behavior = "session";
 *			listen: { address = "unix:/run/a.sock"; connections-max = 100; };
 *		};
 *		link: { behavior = "session"; connect = "tcp:example.org:7000"; };
 *	};
 *
 * The behaviour is one of a module of the program, with `.args = &ward_type_ward_connection` and no
 * fields: the actors that serve the connections have it. A program that reads files adds
 * ward_net_module to its modules. The command ward takes it from the library, which is loaded with
 * a module that uses it.
 */
#ifndef WARD_NET_MODULE_H
#define WARD_NET_MODULE_H

#include <ward/types.h>

WARD_BEGIN

/** What a program provides to files; see ward/config.h. */
typedef struct ward_config_module ward_config_module;

/** The module of ward-net, with the behaviours "ward-listener" and "ward-connector".
 *  ward-config(5) has their keys. */
WARD_API extern const ward_config_module ward_net_module;

WARD_END
#endif
