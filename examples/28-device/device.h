/* SPDX-License-Identifier: MIT
 *
 * device.h - what a thermometer understands, and its states.
 *
 *	ASLEEP -- measure --> WARMING -- warm --> READY -- measure --> MEASURING
 *	 ^  ^                    |                | ^                     |  |
 *	 |  +--------------------|- 30 s idle ----+ +------ reading ------+  |
 *	 |                       | 2 s                                       | 3 times 100 ms
 *	 +------ 10 s ------- FAULTY <---------------------------------------+
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <ward/ward.h>

enum { WARMING_MS = 2000, IDLE_MS = 30000, SAMPLE_MS = 100, SAMPLES_MAX = 3, FAULTY_MS = 10000 };

/* A request, and its answer. The flag: requests do not put off the timeouts of the states. */
WARD_SIGNAL_FLAGS(measure, WARD_TYPE_NOT_INFLUENCING);
struct measured {
	bool valid; /* false: the device does not work */
	int degrees;
};
WARD_MESSAGE_FLAT(measured);
WARD_REPLY(measure, measured);

/* Commands to the hardware, and its answers to power_on and sample. */
WARD_SIGNAL(power_off);
WARD_SIGNAL(power_on);
WARD_SIGNAL(sample);
WARD_SIGNAL(warm);
struct reading {
	int degrees;
};
WARD_MESSAGE_FLAT(reading);

struct device_args {
	ward_ref hardware;
};
WARD_MESSAGE(device_args);
extern const ward_behavior device;

#endif
