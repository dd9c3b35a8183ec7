/**
 * @module Adds up the sizes of a server's packages, and throws an error if they exceed the limits.
 * Pure.
 */
import { formatBytes, formatCount } from "../../lib/format.ts";
import { BuildError } from "../build_error.ts";

/** Maximum number of a server's package files. */
const MAX_PACKAGE_FILES = 50_000;

/** Maximum total size of a server's packages, in bytes (512 MiB). */
const MAX_PACKAGE_BYTES = 512 * 1024 * 1024;

/** Number of packages to name in an error. */
const NAMED = 5;

interface Share {
  files: number;
  bytes: number;
}

export interface PackageTally {
  /**
   * Counts a file by its path in the deployment.
   *
   * @throws {BuildError} if there are too many files. The error lists the largest packages
   */
  add(path: string, bytes: number): void;
  total(): { readonly count: number; readonly files: number; readonly bytes: number };
}

/** Returns the package that a path is in: the part after the last `node_modules`. */
export function packageOfPath(path: string): string | undefined {
  const rest = path.split("/");
  const at = rest.lastIndexOf("node_modules");
  const [first, second] = rest.slice(at + 1);
  if (at === -1 || first === undefined || second === undefined) return undefined;
  return first.startsWith("@") ? `${first}/${second}` : first;
}

export function createPackageTally(
  limits: { readonly files: number; readonly bytes: number } = {
    files: MAX_PACKAGE_FILES,
    bytes: MAX_PACKAGE_BYTES,
  },
): PackageTally {
  const shares = new Map<string, Share>();
  const sum: Share = { files: 0, bytes: 0 };
  const largest = (by: keyof Share, show: (value: number) => string): string =>
    [...shares].sort(([, left], [, right]) => right[by] - left[by]).slice(0, NAMED)
      .map(([name, share]) => `${name} (${show(share[by])})`).join(", ");
  return {
    add(path, bytes) {
      const name = packageOfPath(path) ?? path;
      const share = shares.get(name) ?? { files: 0, bytes: 0 };
      shares.set(name, share);
      for (const part of [share, sum]) {
        part.files++;
        part.bytes += bytes;
      }
      if (sum.bytes > limits.bytes) {
        throw tooMuch(`${formatBytes(limits.bytes)} of packages`, largest("bytes", formatBytes));
      }
      if (sum.files > limits.files) {
        throw tooMuch(
          `${limits.files} files of packages`,
          largest("files", (count) => formatCount(count, "file")),
        );
      }
    },
    total: () => ({ count: shares.size, ...sum }),
  };
}

function tooMuch(limit: string, largest: string): BuildError {
  return new BuildError(
    "server_invalid",
    `Deploy a server with at most ${limit}. The largest packages are ${largest}`,
    {
      hint:
        "Move packages that the server does not need to devDependencies, and commit a lock file: " +
        "without one, all installed packages are deployed",
    },
  );
}
