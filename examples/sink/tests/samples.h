/* SPDX-License-Identifier: MIT
 *
 * samples.h - lines of a dpkg.log and of a list of packages, as they stand on a machine.
 */
#ifndef SINK_TESTS_SAMPLES_H
#define SINK_TESTS_SAMPLES_H

static const char *const samples[] = {
	"2025-06-24 14:36:25 startup archives unpack",
	"2025-06-24 14:36:25 upgrade libsystemd0:amd64 252.36-1~deb12u1 252.38-1~deb12u1",
	"2025-06-24 14:36:25 status triggers-pending libc-bin:amd64 2.36-9+deb12u10",
	"2025-06-24 14:36:25 status half-configured libsystemd0:amd64 252.36-1~deb12u1",
	"2025-06-24 14:36:25 status unpacked libsystemd0:amd64 252.36-1~deb12u1",
	"2025-06-24 14:36:25 status half-installed libsystemd0:amd64 252.36-1~deb12u1",
	"2025-06-24 14:36:25 status unpacked libsystemd0:amd64 252.38-1~deb12u1",
	"2025-06-24 14:36:25 startup packages configure",
	"2025-06-24 14:36:25 configure libsystemd0:amd64 252.38-1~deb12u1 <none>",
	"2025-06-24 14:36:25 status unpacked libsystemd0:amd64 252.38-1~deb12u1",
	"2025-06-24 14:36:25 status half-configured libsystemd0:amd64 252.38-1~deb12u1",
	"2025-06-24 14:36:25 status installed libsystemd0:amd64 252.38-1~deb12u1",
	"2025-06-24 14:36:25 startup archives unpack",
	"2025-06-24 14:36:25 upgrade libudev1:amd64 252.36-1~deb12u1 252.38-1~deb12u1",
	"2025-06-24 14:36:25 status half-configured libudev1:amd64 252.36-1~deb12u1",
	"2025-06-24 14:36:25 status unpacked libudev1:amd64 252.36-1~deb12u1",
	"2025-06-24 14:36:25 status half-installed libudev1:amd64 252.36-1~deb12u1",
	"2025-06-24 14:36:25 status unpacked libudev1:amd64 252.38-1~deb12u1",
	"2025-06-24 14:36:25 startup packages configure",
	"2025-06-24 14:36:25 configure libudev1:amd64 252.38-1~deb12u1 <none>",
	"2025-06-24 14:36:25 status unpacked libudev1:amd64 252.38-1~deb12u1",
	"2025-06-24 14:36:25 status half-configured libudev1:amd64 252.38-1~deb12u1",
	"2025-06-24 14:36:25 status installed libudev1:amd64 252.38-1~deb12u1",
	"2025-06-24 14:36:25 startup packages configure",
	"Package: adduser",
	"Status: install ok installed",
	"Priority: important",
	"Section: admin",
	"Installed-Size: 686",
	"Maintainer: Debian Adduser Developers <adduser@packages.debian.org>",
	"Architecture: all",
	"Multi-Arch: foreign",
	"Version: 3.134",
	"Depends: passwd",
	"Suggests: liblocale-gettext-perl, perl, cron, quota",
	"Conffiles:",
	" /etc/adduser.conf cc3493ecd2d09837ffdcc3e25fdfff18",
	" /etc/deluser.conf 11a06baf8245fd8d690b99024d228c1f",
	"Description: add and remove users and groups",
	" This package includes the 'adduser' and 'deluser' commands for creating",
	" and removing users.",
	" .",
	"  - 'adduser' creates new users and groups and adds existing users to",
	"    existing groups;",
	"  - 'deluser' removes users and groups and removes users from a given",
	"    group.",
};

enum { SAMPLES = sizeof(samples) / sizeof(samples[0]) };

#endif
