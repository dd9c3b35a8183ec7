#!/bin/sh
# Runs the arm64 program under qemu. dist/arm64 contains the program and its C library.
#
#   deno task test arm64
#
# The arm64 programs that it starts run too, if a user namespace can tell the kernel to run them
# with qemu (binfmt_misc, Linux 6.7 or later). Nothing outside that namespace changes.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)/dist/arm64
inside=${SVC_ARM64_INSIDE-}
if [ "$inside" = "" ]; then
  if SVC_ARM64_INSIDE=probe unshare --user --map-root-user --mount -- "$0" 2>/dev/null; then
    SVC_ARM64_INSIDE=run exec unshare --user --map-root-user --mount -- "$0" "$@"
  fi
  exec qemu-aarch64-static -L "$here/root" "$here/svc" "$@"
fi
qemu=$(command -v qemu-aarch64-static)
# Programs look for the C library in the folder that contains this machine's C library.
mount -t overlay overlay -o "lowerdir=$here/root/usr:/usr" /usr
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
header='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
printf '%s' ":arm64:M::$header:$mask:$qemu:F" > /proc/sys/fs/binfmt_misc/register
unset SVC_ARM64_INSIDE
[ "$inside" = run ] || exit 0
exec "$here/svc" "$@"
