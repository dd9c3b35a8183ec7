/**
 * Files that this program itself writes to, as in `svc deploy > deploy.log`: they change until it
 * ends, and are no part of a deployment.
 *
 * @module
 */
import type { OutputFile } from "../manifest/mod.ts";

type Identity = Pick<Deno.FileInfo, "dev" | "ino">;

const identityOf = ({ dev, ino }: Identity): string => `${dev}:${ino}`;

/** The regular files that are standard output and standard error. */
function ownOutputs(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const descriptor of [1, 2]) {
    try {
      const info = Deno.statSync(`/dev/fd/${descriptor}`);
      if (info.isFile && info.ino !== null) found.add(identityOf(info));
    } catch { /* it is closed, or the system has no such folder */ }
  }
  return found;
}

/** Splits listed files into those to deploy and those that this program writes to. */
export function withoutOwnOutput(files: readonly OutputFile[]): {
  readonly files: readonly OutputFile[];
  readonly own: readonly string[];
} {
  const outputs = ownOutputs();
  if (outputs.size === 0) return { files, own: [] };
  const isOwn = ({ info }: OutputFile) => outputs.has(identityOf(info));
  return {
    files: files.filter((file) => !isOwn(file)),
    own: files.filter(isOwn).map(({ path }) => path),
  };
}
