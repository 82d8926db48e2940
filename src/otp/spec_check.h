/* SPDX-License-Identifier: MIT
 *
 * spec_check.h - the tables of the supervisor of OTP: whether they could be started.
 */
#ifndef WARDI_SPEC_CHECK_H
#define WARDI_SPEC_CHECK_H

#include <ward/otp.h>
#include <ward/types.h>

const ward_behavior *wardi_otp_behavior(const ward_otp_child_spec *spec);

/* Whether one of such a supervisor could be started; by itself. */
ward_err wardi_otp_check_spec(const ward_otp_supervisor *table, const ward_otp_child_spec *spec);

/* Whether it is the one that ends a table. */
bool wardi_otp_is_end(const ward_otp_child_spec *spec);

/* Never 0. */
int64_t wardi_otp_shutdown_ms(const ward_otp_child_spec *spec);

bool wardi_otp_is_supervisor(const ward_otp_child_spec *spec);

#endif
