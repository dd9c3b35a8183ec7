/** @module Explains why an install command failed, based on the package manager's output. Pure. */
import type { FoundManager } from "../../manifest/mod.ts";

const LOCK_FILES: Readonly<Record<string, string>> = {
  npm: "package-lock.json",
  pnpm: "pnpm-lock.yaml",
  yarn: "yarn.lock",
  bun: "bun.lock",
  deno: "deno.lock",
};

interface Fault {
  readonly seen: RegExp;
  readonly says: (manager: string, lockFile: string) => string;
}

/** Known faults. The first match applies. */
const FAULTS: readonly Fault[] = [
  {
    seen:
      /ERR_PNPM_(?:BAD_PM_VERSION|UNSUPPORTED_ENGINE|LOCKFILE_BREAKING_CHANGE|BROKEN_LOCKFILE)|Your pnpm version is incompatible|This project is configured to use (?:v\S+ of )?(?:pnpm|yarn|npm)/,
    says: (manager) =>
      `The project requires a different version of ${manager}. Set "packageManager" in ` +
      `package.json to that version, such as "${manager}@9.15.0". svc then uses it`,
  },
  {
    seen:
      /ERR_PNPM_NO_LOCKFILE|can only install with an existing (?:package-lock|npm-shrinkwrap)|lockfile is missing|lockfile not found/i,
    says: (manager, lockFile) =>
      `The lock file is missing. Run "${manager} install" and commit ${lockFile}`,
  },
  {
    seen:
      /ERR_PNPM_OUTDATED_LOCKFILE|are in sync|lockfile needs to be updated|lockfile would have been modified|YN0028|lockfile had changes, but lockfile is frozen/i,
    says: (manager, lockFile) =>
      `${lockFile} does not match package.json. Run "${manager} install" and commit ${lockFile}`,
  },
];

/** Returns advice in full sentences, or `undefined` if the output shows no known cause. */
export function installFault(
  output: string,
  manager: Pick<FoundManager, "name" | "lockFile"> | undefined,
): string | undefined {
  const name = manager?.name ?? "npm";
  const lockFile = manager?.lockFile ?? LOCK_FILES[name]!;
  return FAULTS.find(({ seen }) => seen.test(output))?.says(name, lockFile);
}

/** Warns about a project without a lock file that pins its packages. */
export function missingLockFile(
  manager: Pick<FoundManager, "name" | "lockFile"> | undefined,
): string | undefined {
  if (manager === undefined || manager.lockFile !== undefined) return undefined;
  const { name } = manager;
  return `No lock file pins the package versions, so the next install can change them. ` +
    `Run "${name} install" and commit ${LOCK_FILES[name]!}`;
}
