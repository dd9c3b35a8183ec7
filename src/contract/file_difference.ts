/**
 * Represents a list of files as the difference from another list, with a digest that confirms the
 * result. @module
 */
import { createHash } from "node:crypto";
import { atOnce, inSteps, type Steps } from "../lib/next_turn.ts";
import { sortInSteps } from "../lib/sort_in_steps.ts";
import type { DeploymentFile } from "./deployment_files.ts";

/** The changes that turn one list of files into another. */
interface FileDifference {
  /** Files that are missing from the other list, or whose content differs there. */
  readonly files: readonly DeploymentFile[];
  /** Paths that are only in the other list. */
  readonly removed: readonly string[];
}

const byPath = (left: DeploymentFile, right: DeploymentFile): boolean => left.path < right.path;

/** Computes the digest of a list in steps, regardless of its order (see `deploymentBase`). */
export function* digestFilesInSteps(files: readonly DeploymentFile[]): Steps<string> {
  const hash = createHash("sha256");
  let lines = "";
  const sorted = yield* sortInSteps(files, byPath);
  yield* inSteps(sorted, ({ path, sha256, size }, index) => {
    lines += `${sha256} ${size} ${path}\n`;
    if (index % 500 !== 499) return;
    hash.update(lines);
    lines = "";
  });
  return hash.update(lines).digest("hex");
}

/** Computes the digest of a list, regardless of its order (see `deploymentBase`). */
export function digestFiles(files: readonly DeploymentFile[]): string {
  return atOnce(digestFilesInSteps(files));
}

/** Computes the difference from `base` to `files`. Each path must occur only once in each list. */
export function differenceOf(
  base: readonly DeploymentFile[],
  files: readonly DeploymentFile[],
): FileDifference {
  const left = new Map(base.map((file) => [file.path, file]));
  const changed = files.filter((file) => {
    const before = left.get(file.path);
    left.delete(file.path);
    return before?.sha256 !== file.sha256 || before.size !== file.size;
  });
  return { files: changed, removed: [...left.keys()] };
}

/**
 * Applies a difference to `base`. Returns the remaining files, followed by the files from the
 * difference.
 */
export function* applyDifference(
  base: readonly DeploymentFile[],
  { files, removed }: FileDifference,
): Steps<DeploymentFile[]> {
  const gone = new Set(removed);
  yield* inSteps(files, ({ path }) => gone.add(path));
  const result: DeploymentFile[] = [];
  yield* inSteps(base, (file) => {
    if (!gone.has(file.path)) result.push(file);
  });
  yield* inSteps(files, (file) => result.push(file));
  return result;
}
