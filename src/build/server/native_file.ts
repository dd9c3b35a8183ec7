/** @module Detects the system that a native addon is built for, from its first bytes. Pure. */

export interface System {
  readonly os: "linux" | "macos" | "windows";
  /** Processor named as in `Deno.build.arch`, or `undefined` if unknown. */
  readonly arch: string | undefined;
  readonly libc?: "glibc" | "musl";
}

const ELF_MACHINES: Readonly<Record<number, string>> = { 0x3e: "x86_64", 0xb7: "aarch64" };
const MACH_MACHINES: Readonly<Record<number, string>> = {
  0x01000007: "x86_64",
  0x0100000c: "aarch64",
};

/** Libraries that a program linked against musl loads. */
const MUSL = /libc\.musl-|ld-musl-/;

/** Returns the system of a program or library, or `undefined` for other files. */
export function systemOf(bytes: Uint8Array): System | undefined {
  if (bytes.byteLength < 20) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) === 0x7f454c46) {
    const arch = ELF_MACHINES[view.getUint16(18, true)];
    const text = new TextDecoder("latin1").decode(bytes);
    return { os: "linux", arch, libc: MUSL.test(text) ? "musl" : "glibc" };
  }
  if (view.getUint32(0, true) === 0xfeedfacf) {
    return { os: "macos", arch: MACH_MACHINES[view.getUint32(4, true)] };
  }
  if (view.getUint32(0) === 0xcafebabe) return { os: "macos", arch: undefined };
  return view.getUint16(0) === 0x4d5a ? { os: "windows", arch: undefined } : undefined;
}

/**
 * Returns whether an addon works with only one major version of Node. Other addons call only Node
 * functions that start with `napi_`.
 */
export function isForOneNode(bytes: Uint8Array): boolean {
  return !new TextDecoder("latin1").decode(bytes).includes("napi_");
}

/**
 * Returns whether a native addon runs where servers run. `arch` is `undefined` if the servers'
 * processor is not known.
 */
export function runsOnServers(system: System, arch: string | undefined): boolean {
  if (system.os !== "linux" || system.libc === "musl") return false;
  return arch === undefined || system.arch === undefined || system.arch === arch;
}

const OS_NAMES = { linux: "Linux", macos: "macOS", windows: "Windows" } as const;
const ARCH_NAMES: Readonly<Record<string, string>> = { x86_64: "x64", aarch64: "arm64" };

/** Returns a human-readable name for a system, such as `macOS (arm64)`. */
export function describeSystem({ os, arch, libc }: System): string {
  const parts = [
    arch === undefined ? undefined : ARCH_NAMES[arch] ?? arch,
    libc === "musl" ? "musl" : undefined,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? OS_NAMES[os] : `${OS_NAMES[os]} (${parts.join(", ")})`;
}

/** Returns the name of the main package to which a package with an addon for one system belongs. */
export function packageFamily(name: string): string {
  return name.replace(
    /[-_](?:darwin|win32|linux(?:musl)?|freebsd|android|sunos|openharmony)(?:[-_].*)?$/,
    "",
  );
}
