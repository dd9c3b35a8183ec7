/** @module Warns about submodules and Git LFS files that are missing from a checkout. */
import { join } from "node:path";
import { isLfsPointer, shortList } from "../../build/mod.ts";
import type { Context } from "../session/context.ts";
import { git } from "../projects/git_facts.ts";

/** Maximum number of Git LFS files to check. */
const MAX_LOOKED_AT = 1000;

const listed = (output: string | undefined): string[] =>
  (output ?? "").split("\0").filter((line) => line !== "");

const isEmptyFolder = (path: string): boolean => {
  try {
    return [...Deno.readDirSync(path)].length === 0;
  } catch (error) {
    return error instanceof Deno.errors.NotFound;
  }
};

const isPointer = (absolutePath: string): boolean => {
  try {
    const { size, isFile } = Deno.lstatSync(absolutePath);
    return isFile && isLfsPointer({ absolutePath, size });
  } catch {
    return false;
  }
};

/** Paths of files that are not in the checkout, although git tracks them. */
interface MissingParts {
  /** Submodules whose folders are empty. */
  readonly submodules: readonly string[];
  /** Git LFS pointers that git has not replaced with files. */
  readonly pointers: readonly string[];
}

export async function findMissingParts(directory: string): Promise<MissingParts> {
  const [links, large] = await Promise.all([
    git(directory, ["ls-files", "-z", "--stage"]),
    git(directory, ["ls-files", "-z", "--", ":(attr:filter=lfs)"]),
  ]);
  const submodules = listed(links)
    .flatMap((line) => /^160000 \w+ \d\t([^]+)$/.exec(line)?.[1] ?? [])
    .filter((path) => isEmptyFolder(join(directory, path)));
  const pointers = listed(large).slice(0, MAX_LOOKED_AT)
    .filter((path) => isPointer(join(directory, path)));
  return { submodules, pointers };
}

export function warnOfMissingParts(ctx: Context, { submodules, pointers }: MissingParts): void {
  if (submodules.length > 0) {
    ctx.ui.log(
      "build",
      "warn",
      `Submodules are empty: ${shortList(submodules)}. Fetch them with ` +
        "`git submodule update --init --recursive`",
    );
  }
  if (pointers.length > 0) {
    ctx.ui.log(
      "build",
      "warn",
      `Files are Git LFS pointers: ${shortList(pointers)}. Fetch them with \`git lfs pull\``,
    );
  }
}
