/* SPDX-License-Identifier: MIT
 *
 * sender_args.h - checks and copies the arguments of a back-off sender.
 */
#ifndef WARDI_SENDER_ARGS_H
#define WARDI_SENDER_ARGS_H

#include <ward/types.h>

extern const ward_type wardi_type_backoff_sender;

#endif
