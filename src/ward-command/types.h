/* SPDX-License-Identifier: MIT
 *
 * types.h - prints the messages of a shared object.
 */
#ifndef WARD_COMMAND_TYPES_H
#define WARD_COMMAND_TYPES_H

#include <stdbool.h>

/* Prints the JSON schema of all messages that the module of a shared object lists. False: has
 * printed why not. */
bool types(const char *name);

#endif
