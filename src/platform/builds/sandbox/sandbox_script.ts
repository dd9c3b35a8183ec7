/**
 * Fixed scripts that set up a build's sandbox. Only their arguments contain project data.
 *
 * @module
 */

/**
 * The platform keeps the other end of standard input open. When it closes, for any reason, all
 * processes of the build are killed. The same happens when the build's main process exits.
 */
const supervise = (killed: "-1" | "0") => `
exec 3<&0 </dev/null
( exec >/dev/null 2>&1; cat <&3; kill -KILL ${killed} ) &
exec 3<&-
"$@" &
wait $!
`;

/**
 * Pid 1 of the namespaces: builds a root folder from the system's read-only folders and the given
 * ones, hides the rest, and starts the build without privileges. Arguments: root folder, then \`ro
 * <from> <to>\`, \`rw <from> <to>\`, \`hide <path>\`, then \`--\` and the command.
 */
export const NAMESPACE_SCRIPT = `
set -eu
umask 022
echo 1000 >/proc/self/oom_score_adj 2>/dev/null || true
root=$1; shift
mount -t tmpfs -o mode=0755,size=16m svc "$root"
cd "$root"
mkdir proc dev old run
seal() { mount -o remount,bind,ro,nosuid,nodev "$1"; }
place() {
  if [ -d "$1" ]; then mkdir -p ".$2"
  else mkdir -p ".$(dirname "$2")"; [ -e ".$2" ] || : >".$2"; fi
  mount --rbind "$1" ".$2"
}
for folder in bin sbin lib lib32 lib64 libx32 usr etc opt nix run/systemd/resolve; do
  if [ -L "/$folder" ]; then cp -P "/$folder" "./$folder"
  elif [ -d "/$folder" ]; then place "/$folder" "/$folder"; seal "./$folder"; fi
done
for device in null zero full random urandom tty; do
  : >"dev/$device"; mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/shm
mount -t tmpfs -o mode=1777,size=256m,nosuid,nodev svc dev/shm
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
mount -t proc -o nosuid,nodev,noexec svc proc
while [ "$1" != -- ]; do
  case $1 in
    ro) place "$2" "$3"; seal ".$3"; shift 3 ;;
    rw) place "$2" "$3"; mount -o remount,bind,nosuid,nodev ".$3"; shift 3 ;;
    hide)
      if [ -d ".$2" ]; then mount -t tmpfs -o mode=0,size=4k svc ".$2"
      elif [ -e ".$2" ]; then mount --bind /dev/null ".$2"; fi
      shift 2 ;;
    *) exit 64 ;;
  esac
done
shift
pivot_root . old
cd /
umount -l /old
rmdir /old
seal /
${supervise("-1")}`;

/** The build's first process if there are no namespaces. No other process runs as its user. */
export const USER_SCRIPT = `
echo 1000 >/proc/self/oom_score_adj 2>/dev/null || true
${supervise("-1")}`;

/**
 * Without a sandbox, at least the processes in the build's process group are killed with the build.
 */
export const OPEN_SCRIPT = `
${supervise("0")}`;

/** Kills every process of the current user, and waits until all are gone. */
export const END_USER_SCRIPT = `
rounds=0
while kill -KILL -1 2>/dev/null && [ $rounds -lt 60 ]; do rounds=$((rounds + 1)); sleep 0.02; done
`;
