/**
 * @module Decides which files of an upload to deploy. Pure.
 */
import { filePath } from "../../contract/deployment_files.ts";
import { MAX_SOURCE_FILES } from "../../contract/repositories.ts";
import { ENV_FILE } from "../../lib/env_files.ts";
import { Failure } from "../../platform/core/http/mod.ts";

/**
 * Matches files to skip: development tools' files, and environment files except `.env.example`. The
 * script in the browser uses the same expression, so it does not even read such files.
 */
export const LEFT_OUT = String
  .raw`(?:^|/)(?!\.env\.example(?:/|$))(?:node_modules|\.git|__MACOSX|\.DS_Store|Thumbs\.db|${ENV_FILE})(?:/|$)`;

/** Maximum number of enclosing folders that are removed from a site's paths. */
const MAX_AROUND = 8;

/** Returns the top-level folder that contains all files; `undefined` if there is none. */
export function commonFolder(files: readonly { readonly path: string }[]): string | undefined {
  const [first = ""] = files[0]?.path.split("/", 1) ?? [];
  const isCommon = files.every(({ path }) => path.startsWith(`${first}/`));
  return isCommon ? first : undefined;
}

/**
 * Selects the files to deploy, with paths relative to the top of the site.
 *
 * @throws {Failure} `invalid_request` if there are no files or a path is invalid;
 * `payload_too_large` if there are too many files
 */
export function siteFiles<T extends { readonly path: string }>(given: readonly T[]): T[] {
  const leftOut = new RegExp(LEFT_OUT);
  let files = given.filter(({ path }) => !leftOut.test(path));
  if (files.length === 0) throw new Failure("invalid_request", "The upload has no files");
  if (files.length > MAX_SOURCE_FILES) {
    throw new Failure(
      "payload_too_large",
      `Upload at most ${MAX_SOURCE_FILES} files. To upload more, use the CLI`,
    );
  }
  for (const { path } of files) {
    const [issue] = filePath.safeParse(path).error?.issues ?? [];
    if (issue === undefined) continue;
    throw new Failure(
      "invalid_request",
      `Cannot upload the file ${JSON.stringify(path.slice(0, 200))}: ${issue.message}`,
    );
  }
  for (let around = 0; around < MAX_AROUND; around++) {
    const folder = commonFolder(files);
    if (folder === undefined) break;
    files = files.map((file) => ({ ...file, path: file.path.slice(folder.length + 1) }));
  }
  return files;
}
