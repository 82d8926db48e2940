/* SPDX-License-Identifier: MIT
 *
 * chapter_25.h - what chapter 25 leaves out: a bank.
 */
#include <stdio.h>
#include <ward/config.h>
#include <ward/testkit.h>
#include <ward/ward.h>

bool book(const void *deposit);
extern const ward_behavior clerk;
