"""A virtual machine with Debian's own kernel: devices come and go on real buses, and power can be cut."""

import contextlib
import json
import lzma
import pathlib
import shutil
import socket
import subprocess
import tempfile

import images
from gpsd_harness import free_port
from handlebar_harness import ROOT, Late, until

# From the kernel's package what the machine has: its disk, its network, its serial ports, USB and its gadgets.
MODULES = (
    "drivers/usb", "drivers/virtio", "drivers/block", "drivers/char", "drivers/tty", "fs", "lib", "crypto", "arch",
    "drivers/net/virtio_net.ko*", "drivers/net/net_failover.ko*", "net/core/failover.ko*",
    # What stands in for a GPIO chip and for Bluetooth.
    "drivers/gpio/gpio-sim.ko*", "drivers/bluetooth/hci_vhci.ko*", "net/bluetooth", "net/rfkill",
)
AGENT = """\
[Unit]
Description=Hands of the test
[Service]
ExecStart=/usr/bin/python3 /opt/test/agent.py
Environment=PYTHONPATH=/opt/test
Restart=always
[Install]
WantedBy=multi-user.target
"""
FEEDER = """\
[Unit]
Description=What the receiver says
[Service]
ExecStart=/usr/bin/python3 -u /opt/test/gadget.py feed
Environment=PYTHONPATH=/opt/test
"""
INIT = """\
#!/bin/busybox sh
/bin/busybox mkdir -p /proc /sys /dev /new
/bin/busybox mount -t devtmpfs none /dev
for module in {modules}; do /bin/busybox insmod /$module; done
tries=0
until [ -b /dev/vda ] || [ $tries -ge 200 ]; do /bin/busybox sleep 0.05; tries=$((tries + 1)); done
/bin/busybox mount -t ext4 /dev/vda /new
exec /bin/busybox switch_root /new /sbin/init
"""
DISK = "3G"
# The emulator of an architecture with its board and the name of the board's first serial port.
EMULATORS = {
    "amd64": (("qemu-system-x86_64", "-machine", "q35", "-cpu", "max"), "ttyS0"),
    "arm64": (("qemu-system-aarch64", "-machine", "virt", "-cpu", "cortex-a72"), "ttyAMA0"),
}


def initrd(version, kernel):
    """The archive that finds the disk."""
    archive = images.CACHE / f"initrd-{version}-{images.ARCH}.cpio"
    if archive.exists():
        return archive
    needed = []
    for name in ("virtio_pci", "virtio_blk", "ext4", "crc32c_generic"):
        shown = images.run("modprobe", "--dirname", kernel, "--set-version", version, "--show-depends", name)
        needed += [pathlib.Path(line.split()[1]) for line in shown.splitlines() if line.startswith("insmod")]
    needed = list(dict.fromkeys(needed))
    with tempfile.TemporaryDirectory(dir=images.CACHE) as folder:
        folder = pathlib.Path(folder)
        (folder / "bin").mkdir()
        shutil.copy(next(kernel.glob("**/bin/busybox")), folder / "bin" / "busybox")
        for module in needed:
            opened = lzma.open(module) if module.suffix == ".xz" else open(module, "rb")
            with opened as file:
                (folder / module.name).write_bytes(file.read())
        (folder / "init").write_text(INIT.format(modules=" ".join(module.name for module in needed)))
        (folder / "init").chmod(0o755)
        draft = archive.with_suffix(".draft")
        images.run("sh", "-c", f"find . -mindepth 1 -printf '%P\\n' | cpio --quiet -o -H newc >{draft}", cwd=folder)
        draft.rename(archive)
    return archive


def furnish(root, version, kernel, packaged):
    """Puts the kernel's modules, the test's hands and, if wanted, the package onto a root file system."""
    target = root / "lib" / "modules" / version
    for name in MODULES:
        for source in (kernel / "lib" / "modules" / version / "kernel").glob(name):
            place = target / source.relative_to(kernel / "lib" / "modules" / version)
            place.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, place)
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(kernel / "lib" / "modules" / version / name, target)
    images.run("depmod", "-b", root, version)

    tests = root / "opt" / "test"
    tests.mkdir(parents=True)
    peers = ROOT / "Tests" / "Interop"
    guest = (ROOT / "Tests" / "System" / "guest").glob("*.py")
    for file in (*guest, *(peers / name for name in ("nmea_sender.py", "handlebar_harness.py", "simulated_receivers.py"))):
        shutil.copy(file, tests)
    (root / "etc" / "systemd" / "system" / "agent.service").write_text(AGENT)
    (root / "etc" / "systemd" / "system" / "feeder.service").write_text(FEEDER)
    (root / "etc" / "fstab").write_text("/dev/vda / ext4 defaults 0 1\n")
    images.inside(root, "systemctl enable agent.service")
    if packaged:
        (root / "package.deb").write_bytes(images.package().read_bytes())
        images.inside(root, "dpkg -i /package.deb && rm /package.deb")


class Machine:
    """A machine with a disk of its own, booted and talked to.

    `release` is that of its Debian, `options` are further ones of QEMU, with the machine's `{folder}`. With `forwards` it has a network, on which the port of
    that number is the port `forward` here.
    """

    def __init__(self, folder, prepare=lambda root: None, extra=(), packaged=True, forwards=None, options=(), release=None):
        self.folder = pathlib.Path(folder)
        self.options = [one.format(folder=folder) for one in options]
        if forwards:
            self.forward = free_port()
            network = f"user,model=virtio-net-pci,restrict=on,hostfwd=tcp:127.0.0.1:{self.forward}-:{forwards}"
            self.options += ["-nic", network]
        self.version, self.kernel = images.kernel()
        self.emulator, self.port = EMULATORS[images.ARCH]
        images.need(self.emulator[0], "mke2fs", "modprobe", "depmod", "cpio")
        self.initrd = initrd(self.version, self.kernel)
        self.disk = self.folder / "disk.img"
        with images.root(*extra, release=release) as root:
            furnish(root, self.version, self.kernel, packaged)
            prepare(root)
            images.run("mke2fs", "-q", "-t", "ext4", "-d", root, self.disk, DISK)
        self.process = None
        self.boots = 0

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None and self.process is not None:
            print(self.console()[-3000:])
        self.cut()

    def console(self):
        return (self.folder / f"console-{self.boots}").read_text(errors="replace")

    def log(self):
        """What was written to the port named log since the last boot."""
        return (self.folder / f"log-{self.boots}").read_text(errors="replace")

    def boot(self, timeout=180.0):
        """Switches on; returns when the test's hands answer."""
        self.boots += 1
        for name in ("agent", "qmp"):
            (self.folder / name).unlink(missing_ok=True)
        command = [
            *self.emulator, "-nodefaults", "-display", "none", "-no-reboot", "-accel", "tcg,thread=multi", "-m", "512", "-smp", "2",
            "-kernel", next((self.kernel / "boot").glob("vmlinuz-*")), "-initrd", self.initrd,
            "-append", f"console={self.port} panic=-1 quiet systemd.show_status=0 mitigations=off",
            "-drive", f"file={self.disk},if=virtio,format=raw",
            "-serial", f"file:{self.folder}/console-{self.boots}",
            "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
            "-device", "virtio-serial-pci", "-chardev", f"socket,id=agent,path={self.folder}/agent,server=on,wait=off",
            "-device", "virtserialport,chardev=agent,name=agent", "-chardev", f"file,id=log,path={self.folder}/log-{self.boots}", "-device", "virtserialport,chardev=log,name=log",
            "-chardev", "null,id=ftdi", "-device", "virtio-rng-pci", "-device", "qemu-xhci,id=usb", *self.options,
        ]
        with open(self.folder / "qemu.log", "ab") as log:
            self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.agent = self.reach("agent")
        self.partial = b""
        # The first question waits in the port until somebody is there to answer.
        try:
            self.run("true", timeout=timeout)
        except TimeoutError as late:
            raise images.Missing(f"a virtual machine does not boot here within {timeout:.0f} s:\n{self.console()[-1500:]}") from late

    def reach(self, name):
        """A connection to one of QEMU's sockets."""

        def connected():
            if self.process.poll() is not None:
                raise images.Missing(f"qemu ended with {self.process.returncode}: {(self.folder / 'qemu.log').read_text()[-1000:]}")
            one = socket.socket(socket.AF_UNIX)
            try:
                one.connect(str(self.folder / name))
                return one
            except (FileNotFoundError, ConnectionRefusedError):
                one.close()
                return None

        return until(connected, f"QEMU's socket {name}")

    def run(self, script, check=True, timeout=60.0):
        """Runs a shell script in the machine; returns what it printed."""
        timeout *= images.SLOWNESS
        self.agent.settimeout(timeout + 10)
        self.agent.sendall(json.dumps({"script": script, "timeout": timeout}).encode() + b"\n")
        while b"\n" not in self.partial:
            data = self.agent.recv(65536)
            assert data, f"the machine went away during {script}"
            self.partial += data
        line, self.partial = self.partial.split(b"\n", 1)
        answer = json.loads(line)
        if check:
            assert answer["code"] == 0, f"{script}\nended with {answer['code']}:\n{answer['out'][-2000:]}{answer['err'][-2000:]}"
        return answer["out"]

    def until(self, script, what, timeout=60.0 * images.SLOWNESS):
        """Waits until a script succeeds in the machine; returns what it printed."""
        try:
            return until(lambda: self.run(f"({script}) && echo ' '", check=False), what, timeout=timeout, pause=0.2).strip()
        except Late as late:
            said = self.run("journalctl --no-pager --lines=60", check=False)
            raise AssertionError(f"{late}\n{said}") from late

    def order(self, execute, **arguments):
        """Orders something of QEMU itself."""
        with contextlib.closing(self.reach("qmp")) as qmp, qmp.makefile("rw") as lines:
            json.loads(lines.readline())
            for command in ({"execute": "qmp_capabilities"}, {"execute": execute, "arguments": arguments}):
                lines.write(json.dumps(command) + "\n")
                lines.flush()
                answer = {}
                while "return" not in answer and "error" not in answer:
                    answer = json.loads(lines.readline())
                assert "return" in answer, answer

    def reboot(self):
        """Shuts the machine down, and switches it on again."""
        self.run("systemctl --no-block reboot")
        until(lambda: self.process.poll() is not None, "the end of QEMU", timeout=60.0 * images.SLOWNESS, pause=0.1)
        self.cut()
        self.boot()

    def cut(self):
        """Takes the power away."""
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        self.process = None
        self.agent.close()


@contextlib.contextmanager
def machine(prepare=lambda root: None, extra=(), **more):
    """A machine in a folder of its own that goes away with it; `extra` names further packages of Debian."""
    images.CACHE.mkdir(exist_ok=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="m-", dir="/tmp"))
    try:
        with Machine(folder, prepare, extra, **more) as one:
            yield one
    finally:
        shutil.rmtree(folder, ignore_errors=True)

