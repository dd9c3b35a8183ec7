#!/bin/sh
# Runs the compiled program in a root that has only the C library, the kernel's /proc, a few
# devices, a name for 127.0.0.1, and the folder for temporary files, which tests share with it.
# Needs root privileges on Linux.
#
#   EMPTY_ROOT=libc deno task test e2e
#
# The program is dist/svc, or the file in SVC_EMPTY_ROOT_BIN. SVC_EMPTY_ROOT_RUN starts another file
# instead, from the folder for temporary files. in_tools_root.sh does the same with the programs of
# this machine, read-only.
set -eu
: "${SVC_EMPTY_ROOT_BIN:=$(cd "$(dirname "$0")/.." && pwd)/dist/svc}"
export SVC_EMPTY_ROOT_BIN
if [ "${SVC_EMPTY_ROOT_INSIDE-}" = "" ]; then
  SVC_EMPTY_ROOT_INSIDE=1 exec unshare --mount --propagation private -- "$0" "$@"
fi
folder=${TMPDIR:-/tmp}
root=/mnt
mount -t tmpfs -o mode=755 tmpfs "$root"
mkdir -p "$root/proc" "$root/dev" "$root/etc" "$root$folder"
echo "127.0.0.1 localhost" > "$root/etc/hosts"
mount --rbind /proc "$root/proc"
mount --rbind "$folder" "$root$folder"
if [ "${SVC_EMPTY_ROOT_TOOLS-}" = 1 ]; then
  mount --rbind /dev "$root/dev"
  for path in /usr /bin /sbin /lib /lib64 /etc; do
    if [ -L "$path" ]; then cp -P "$path" "$root$path"; continue; fi
    mkdir -p "$root$path"
    mount --bind "$path" "$root$path"
    mount -o remount,bind,ro "$root$path"
  done
else
  for device in null zero urandom random tty; do
    : > "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  ldd "$SVC_EMPTY_ROOT_BIN" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    cp "$library" "$root$library"
  done
fi
# The same path as outside the root. Programs such as git are told to start it from there.
mkdir -p "$root$(dirname "$SVC_EMPTY_ROOT_BIN")"
# A program below the folder for temporary files already exists here, and would be emptied.
if [ ! -e "$root$SVC_EMPTY_ROOT_BIN" ]; then
  : > "$root$SVC_EMPTY_ROOT_BIN"
  mount --bind "$SVC_EMPTY_ROOT_BIN" "$root$SVC_EMPTY_ROOT_BIN"
fi
program=${SVC_EMPTY_ROOT_RUN:-$SVC_EMPTY_ROOT_BIN}
here=$PWD
[ -d "$root$here" ] || here=/
tools=${SVC_EMPTY_ROOT_TOOLS-}
unset SVC_EMPTY_ROOT_INSIDE SVC_EMPTY_ROOT_BIN SVC_EMPTY_ROOT_RUN SVC_EMPTY_ROOT_TOOLS
if [ "$tools" = 1 ]; then
  # Builds create namespaces, which a process in a changed root (chroot) cannot do.
  mkdir "$root/old"
  cd "$root"
  pivot_root . old
  umount -l /old
  cd "$here"
  exec "$program" "$@"
fi
exec unshare --root="$root" --wd="$here" "$program" "$@"
