/* SPDX-License-Identifier: MIT
 *
 * mutant.h - the switch of tools/mutate: which of the compiled changes takes effect.
 *
 * WARD_MUTANT=17 enables change 17 alone. WARD_MUTANT_LOG=FILE names a file of WARDI_MUTANTS_MAX
 * bytes; a change that is reached sets the byte with its number. The file is mapped, so the records
 * of a process that is forked, killed or ended by _exit() are kept.
 */
#ifndef WARDI_MUTANT_H
#define WARDI_MUTANT_H

enum { WARDI_MUTANTS_MAX = 1 << 16 };

/* For the shared libraries, too, which hide their names. */
#pragma GCC visibility push(default)
extern unsigned wardi_mutant;
extern unsigned char *wardi_mutants_seen;
#pragma GCC visibility pop

/* Several threads may write a byte at the same time, all of them a 1; no thread reads it. */
#define WARDI_MUTANT(number) (wardi_mutants_seen[number] = 1, wardi_mutant == (number))

#endif
