"""The kernel's simulated GPIO chips, which Debian leaves out: built as a module of the kernel that is booted."""

import pathlib
import tempfile

import images

# Debian's kernels have no simulated interrupts either, and irq_to_desc not for modules. With `debounces` a chip says that it
# debounces its lines, so that the kernel does not: all edges come through.
SOURCE = """\
#include <linux/gpio/driver.h>
#include <linux/module.h>
static bool debounces;
module_param(debounces, bool, 0600);
#undef ENOTSUPP
#define ENOTSUPP (debounces ? 0 : 524)
#include "drivers/gpio/gpio-sim.c"
#define irq_to_desc(irq) irq_data_to_desc(irq_get_irq_data(irq))
#include "kernel/irq/irq_sim.c"
"""
KBUILD = """\
obj-m := gpio-sim.o
gpio-sim-y := chip.o
"""
BUILD = """\
tar -xf /usr/src/linux-source-*.tar.xz -C /build --strip-components=1 --wildcards \
  '*/drivers/gpio/gpio-sim.c' '*/drivers/gpio/*.h' '*/kernel/irq/irq_sim.c' &&
  make -C /lib/modules/{version}/build M=/build modules
"""


def build():
    """Puts the module among those of the kernel, once. Its compiler and sources are Debian's, of a system of their own."""
    version, kernel = images.kernel()
    target = kernel / "lib" / "modules" / version / "kernel" / "drivers" / "gpio" / "gpio-sim.ko"
    if any(target.parent.glob("gpio-sim.ko*")):
        return
    series = ".".join(version.split(".")[:2])
    with tempfile.TemporaryDirectory(prefix="gpio-sim-", dir=images.CACHE) as folder:
        root = pathlib.Path(folder) / "root"
        try:
            images.debian(root, "apt", "make", "xz-utils", f"linux-headers-{version}", f"linux-source-{series}")
            build = root / "build"
            build.mkdir()
            (build / "Kbuild").write_text(KBUILD)
            (build / "chip.c").write_text(SOURCE)
            images.inside(root, BUILD.format(version=version))
        except images.Missing as missing:
            raise images.Missing(f"there is no gpio-sim for Debian's kernel {version}: {missing}") from missing
        (build / "gpio-sim.ko").rename(target)
