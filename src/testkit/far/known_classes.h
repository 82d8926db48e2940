/* SPDX-License-Identifier: MIT
 *
 * known_classes.h - the failure classes that both systems of a kit know, by bytes.
 */
#ifndef WARDI_KNOWN_CLASSES_H
#define WARDI_KNOWN_CLASSES_H

#include <ward/failure.h>

/* Ended by NULL. Frozen when the first kit starts. */
const ward_failure_class *const *wardi_known_classes(void);

#endif
