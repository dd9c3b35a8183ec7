/**
 * The platforms that releases are built for.
 *
 * @module
 */

export interface Target {
  /** The compiler's name for the platform. */
  readonly target: string;
  /** npm's name for the platform. */
  readonly npm: { readonly os: string; readonly cpu: string };
  readonly isWindows: boolean;
}

const target = (name: string, os: string, cpu: string): Target => ({
  target: name,
  npm: { os, cpu },
  isWindows: os === "win32",
});

export const TARGETS: readonly Target[] = [
  target("x86_64-unknown-linux-gnu", "linux", "x64"),
  target("aarch64-unknown-linux-gnu", "linux", "arm64"),
  target("x86_64-apple-darwin", "darwin", "x64"),
  target("aarch64-apple-darwin", "darwin", "arm64"),
  target("x86_64-pc-windows-msvc", "win32", "x64"),
];

/** Returns the name of a target's compiled program: the value for `scripts/compile.ts --output`. */
export function programName({ target, isWindows }: Target): string {
  return `svc-${target}${isWindows ? ".exe" : ""}`;
}
