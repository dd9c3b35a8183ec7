/** @module The system files that processes with project code can read. */

/** Libraries, certificates, time zones, and settings for name resolution. */
const LIBRARIES_AND_SETTINGS: readonly string[] = [
  "/lib",
  "/lib64",
  "/usr/lib",
  "/usr/lib64",
  "/usr/share/zoneinfo",
  "/usr/share/ca-certificates",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/ld.so.cache",
  "/etc/resolv.conf",
  "/etc/hosts",
  "/etc/host.conf",
  "/etc/gai.conf",
  "/etc/nsswitch.conf",
  "/etc/services",
  "/etc/protocols",
  "/etc/localtime",
];

/**
 * More paths for native code: other libraries, fonts, and the certificate folders of other
 * distributions.
 */
const FOR_NATIVE_CODE: readonly string[] = [
  "/lib32",
  "/usr/lib32",
  "/usr/local/lib",
  "/nix/store",
  "/usr/bin/ldd",
  "/usr/share/fonts",
  "/usr/share/fontconfig",
  "/etc/fonts",
  "/etc/pki/tls/certs",
  "/etc/pki/ca-trust/extracted",
  "/etc/ca-certificates/extracted",
];

/** Stateless devices. */
const DEVICES: readonly string[] = ["/dev/zero", "/dev/random", "/dev/urandom"];

/** Files about the machine and the process that a runtime reads if it has no root folder. */
const FOR_RUNTIMES: readonly string[] = [
  // /etc/resolv.conf is often a link to these files.
  "/run/systemd/resolve/stub-resolv.conf",
  "/run/systemd/resolve/resolv.conf",
  "/proc/self/stat",
  "/proc/self/statm",
  "/proc/meminfo",
  "/proc/cpuinfo",
  "/proc/stat",
  "/sys/devices/system/cpu",
  "/proc/loadavg",
  "/proc/sys/kernel/hostname",
  "/proc/sys/kernel/osrelease",
  "/sys/fs/cgroup",
];

/** The machine's paths that a server on Deno can read. */
export const READABLE_BY_DENO: readonly string[] = [
  ...LIBRARIES_AND_SETTINGS,
  ...DEVICES,
  ...FOR_RUNTIMES,
];

/** The machine's paths that a server on Node can read if it has no root folder. */
export const READABLE_BY_NODE: readonly string[] = [...READABLE_BY_DENO, ...FOR_NATIVE_CODE];

/** The system's programs, and the files that they read. */
export const READABLE_PROGRAMS: readonly string[] = [
  "/bin",
  "/sbin",
  "/usr",
  "/var/lib/gems",
  "/etc/alternatives",
  "/etc/java-11-openjdk",
  "/etc/java-17-openjdk",
  "/etc/java-21-openjdk",
  "/etc/java-25-openjdk",
  "/etc/mime.types",
  "/etc/php",
];

/** System paths in Node's root folder. */
export const SHOWN_TO_NODE: readonly string[] = [
  ...LIBRARIES_AND_SETTINGS,
  ...FOR_NATIVE_CODE,
  ...DEVICES,
  "/dev/null",
  "/dev/full",
];

/** System paths in the root folder of a server that starts programs. */
export const SHOWN_TO_PROGRAMS: readonly string[] = [
  ...SHOWN_TO_NODE.filter((path) => !path.startsWith("/usr/")),
  ...READABLE_PROGRAMS,
];

/** System paths to add to the root folder of an image, which contains all other paths itself. */
export const SHOWN_TO_IMAGES: readonly string[] = [
  ...DEVICES,
  "/dev/null",
  "/dev/full",
  "/etc/resolv.conf",
];
