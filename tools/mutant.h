/* SPDX-License-Identifier: MIT
 *
 * mutant.h - the switch of tools/mutate: which of the changes that are compiled in is made.
 *
 * WARD_MUTANT=17 makes the change 17, and no other. WARD_MUTANT_LOG=FILE names a file of
 * WARDI_MUTANTS_MAX bytes, in which a change that is reached sets the one with its number: the file
 * is mapped, so a process that is forked, killed or ended by _exit() leaves its traces, too.
 */
#ifndef WARDI_MUTANT_H
#define WARDI_MUTANT_H

enum { WARDI_MUTANTS_MAX = 1 << 16 };

extern unsigned wardi_mutant;
extern unsigned char *wardi_mutants_seen;

/* Threads write the same byte, all of them a 1; what they see of it does not matter. */
#define WARDI_MUTANT(number) (wardi_mutants_seen[number] = 1, wardi_mutant == (number))

#endif
