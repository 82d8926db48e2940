/* SPDX-License-Identifier: MIT
 *
 * ward/akka_zero.h - the whole library ward-akka-zero: links, fault handlers and supervisor tables
 * of Akka 0.x, and its active objects.
 *
 *	cc shop.c $(pkg-config --cflags --libs ward-akka-zero)
 */
#ifndef WARD_AKKA_ZERO_H
#define WARD_AKKA_ZERO_H

#include <ward/object.h>
#include <ward/proxy.h>
#include <ward/ward.h>
#include <ward/zero.h>
#include <ward/zero_factory.h>

#endif
