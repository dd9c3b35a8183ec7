#!/bin/sh
# Runs a command in the current folder under a Linux kernel with control groups version 2, even if
# this machine has another version. It uses User Mode Linux, a kernel that runs as a program. The
# command sees this machine's files, but its changes are lost. It has only a loopback network, and
# lacks Landlock.
#
#   CGROUP_VM=<folder> scripts/in_cgroup2_vm.sh deno task test:file tests/integration/compute/control_groups_test.ts
#
# CGROUP_VM is the folder of the unpacked Debian package: `apt-get download user-mode-linux` and
# `dpkg -x`. CGROUP_VM_MEMORY is its memory in MiB. Needs busybox-static.
set -eu
: "${CGROUP_VM:?must name the folder of the unpacked package user-mode-linux}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
words=""
for word in "$@"; do
  words="$words '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
done
{
  # The kernel starts this script without an environment.
  export -p | grep -Ev "^export (PWD|OLDPWD|SHLVL|TMPDIR|CGROUP_VM)="
  echo "cd '$PWD' && code=0 && {$words </dev/null || code=\$?; }"
  echo 'echo "CGROUP_VM ended with $code"'
} > "$work/command"
cat > "$work/init" <<EOI
#!$(command -v busybox) sh
b=$(command -v busybox)
command=$work/command
overlay=$(find "$CGROUP_VM" -name overlay.ko)
EOI
cat >> "$work/init" <<'EOI'
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b insmod "$overlay"
$b mount -t tmpfs -o size=75% changes /mnt
$b mkdir /mnt/upper /mnt/work /mnt/root
$b mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work all /mnt/root
cd /mnt/root
for folder in proc sys; do $b mount --move "/$folder" "$folder"; done
$b mount -t devtmpfs dev dev
$b mount -t cgroup2 cgroup2 sys/fs/cgroup
$b mkdir -p dev/pts dev/shm
$b mount -t devpts devpts dev/pts
for folder in dev/shm tmp run; do $b mount -t tmpfs -o mode=1777 tmpfs "$folder"; done
[ -e dev/fd ] || $b ln -s /proc/self/fd dev/fd
$b cp "$command" "$b" run/
$b ifconfig lo 127.0.0.1 up
# Moves the root to the top, because a process in a changed root (chroot) cannot create namespaces.
$b mount --move . /
exec $b chroot . /run/busybox sh -c 'ulimit -n 65536; /bin/sh /run/command; /run/busybox poweroff -f'
EOI
chmod 755 "$work" "$work/init"
"$CGROUP_VM/usr/bin/linux.uml" root=/dev/root rootfstype=hostfs rootflags=/ ro quiet \
  "mem=${CGROUP_VM_MEMORY:-3072}M" "init=$work/init" con=null con0=null,fd:1 </dev/null 2>&1 |
  tee "$work/console"
code=$(sed -n 's/^CGROUP_VM ended with \([0-9]*\).*/\1/p' "$work/console" | tail -n 1)
exit "${code:-1}"
