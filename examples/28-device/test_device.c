/* SPDX-License-Identifier: MIT
 *
 * test_device.c - how to write a device as a state machine, and how to test it without hardware.
 *
 *	cd examples/28-device && cc *.c $(pkg-config --cflags --libs ward-testkit) -o device
 *
 * Prints the result of each test. In the first tests a probe plays the hardware, on a virtual
 * clock; the last test is a simulation, with bad hardware and many seeds.
 */
#include <ward/testkit.h>

#include "device.h"

static ward_ref start(ward_kit *kit, ward_probe *hardware)
{
	struct device_args args = {ward_probe_ref(hardware)};
	ward_ref it = ward_kit_spawn(kit, &device, .args = {WARD_COPY(device_args, &args)});

	ward_expect(hardware, 0, power_off); /* its first state */
	return it;
}

WARD_TEST(device_warms_up_once_and_sleeps_when_nobody_asks)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_probe *hardware = ward_probe_start(kit, "hardware");
	ward_probe *client = ward_probe_start(kit, "client");
	ward_ref it = start(kit, hardware);

	ward_probe_tell(client, it, measure);
	ward_probe_tell(client, it, measure);
	ward_expect(hardware, 0, power_on);
	ward_probe_reply(hardware, warm);
	for (int i = 0; i < 2; i++) {
		ward_expect(hardware, 0, sample);
		ward_probe_reply(hardware, reading, .degrees = 20 + i);
		ward_assert_eq(ward_expect(client, 0, measured)->degrees, 20 + i);
	}
	ward_expect_none(hardware, IDLE_MS - 1);
	ward_expect(hardware, 1, power_off);
	ward_kit_finish(kit);
}

WARD_TEST(cold_device_is_faulty_however_often_clients_ask)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_probe *hardware = ward_probe_start(kit, "hardware");
	ward_probe *client = ward_probe_start(kit, "client");
	ward_ref it = start(kit, hardware);

	for (int i = 0; i < 4; i++) { /* requests that come while it warms up */
		ward_probe_tell(client, it, measure);
		ward_kit_advance(kit, WARMING_MS / 4);
	}
	ward_expect(hardware, 0, power_on);
	for (int i = 0; i < 4; i++)
		ward_assert(!ward_expect(client, 0, measured)->valid);
	ward_probe_tell(client, it, measure);
	ward_assert(!ward_expect(client, 0, measured)->valid);
	ward_expect(hardware, FAULTY_MS, power_off); /* and it is tried again at the next request */
	ward_probe_tell(client, it, measure);
	ward_expect(hardware, 0, power_on);
	ward_probe_forget(client);
	ward_kit_finish(kit);
}

WARD_TEST(sample_is_repeated_twice)
{
	ward_kit *kit = ward_kit_start(NULL);
	ward_probe *hardware = ward_probe_start(kit, "hardware");
	ward_probe *client = ward_probe_start(kit, "client");
	ward_ref it = start(kit, hardware);

	ward_probe_tell(client, it, measure);
	ward_expect(hardware, 0, power_on);
	ward_probe_reply(hardware, warm);
	for (int i = 0; i < SAMPLES_MAX; i++)
		ward_expect(hardware, SAMPLE_MS, sample);
	ward_assert(!ward_expect(client, SAMPLE_MS, measured)->valid);
	ward_kit_finish(kit);
}

WARD_TEST_MAIN
