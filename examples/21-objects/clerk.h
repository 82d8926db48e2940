/* SPDX-License-Identifier: MIT
 *
 * clerk.h - an actor that calls an account.
 */
#ifndef CLERK_H
#define CLERK_H

#include <ward/ward.h>

/* Starts a clerk with an account, and waits until the clerk is done. */
ward_err employ_clerk(ward_system *system);

#endif
