#!/bin/sh
# Runs the compiled program in a root that holds nothing but the C library, the kernel's /proc, a few
# devices, a name for 127.0.0.1, and the folder for temporary files, which tests share with it. Needs root on Linux.
#
#   SVC_BIN=$PWD/scripts/in_empty_root.sh deno test -A tests/e2e
#
# The program is dist/svc, or what SVC_EMPTY_ROOT_BIN names.
set -eu
: "${SVC_EMPTY_ROOT_BIN:=$(cd "$(dirname "$0")/.." && pwd)/dist/svc}"
export SVC_EMPTY_ROOT_BIN
if [ "${SVC_EMPTY_ROOT_INSIDE-}" = "" ]; then
  SVC_EMPTY_ROOT_INSIDE=1 exec unshare --mount --propagation private -- "$0" "$@"
fi
folder=${TMPDIR:-/tmp}
root=/mnt
mount -t tmpfs -o mode=755 tmpfs "$root"
mkdir -p "$root/proc" "$root/dev" "$root/bin" "$root/etc" "$root$folder"
echo "127.0.0.1 localhost" > "$root/etc/hosts"
mount --rbind /proc "$root/proc"
mount --rbind "$folder" "$root$folder"
for device in null zero urandom random tty; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ldd "$SVC_EMPTY_ROOT_BIN" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp "$library" "$root$library"
done
: > "$root/bin/svc"
mount --bind "$SVC_EMPTY_ROOT_BIN" "$root/bin/svc"
program=/bin/svc
here=$PWD
[ -d "$root$here" ] || here=/
unset SVC_EMPTY_ROOT_INSIDE SVC_EMPTY_ROOT_BIN
exec unshare --root="$root" --wd="$here" "$program" "$@"
