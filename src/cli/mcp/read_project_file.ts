/** @module Reads a file that an agent names, if it belongs to the project. */
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolFailure } from "../../agents/tool.ts";
import { findProjectRoot } from "../../config/project_root.ts";

/** Limits which files an agent can name. */
export interface FileLimits {
  /** Folder in which the server was started. */
  readonly start: string;
  /** The user's home folder. A `svc.toml` in this folder does not make it a project. */
  readonly home: string | undefined;
  /** Files and folders that contain svc's keys. */
  readonly refused: readonly string[];
  readonly maxBytes: number;
}

/** Folder in a project that contains svc's local state. */
const OWN_FOLDER = ".svc";

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

const forbidden = (error: string, hint: string) =>
  new ToolFailure({ error, code: "forbidden", hint });

/** Resolves the links in a path. Returns `undefined` if nothing exists there. */
async function realPath(path: string): Promise<string | undefined> {
  try {
    return await Deno.realPath(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns the project whose files can be read: the project of the server's own folder or, if there
 * is none, of the folder that the agent names.
 */
async function findRoot(folder: string, { start, home }: FileLimits): Promise<string> {
  const options = home === undefined ? {} : { home };
  const root = await findProjectRoot(start, options) ?? await findProjectRoot(folder, options);
  if (root !== undefined) return await Deno.realPath(root);
  throw forbidden(
    `Can read only project files: there is no svc.toml in ${folder} or above it`,
    "Set the project's folder, or create a project there with create_project",
  );
}

async function readBounded(path: string, given: string, maxBytes: number): Promise<string> {
  using file = await Deno.open(path);
  const { isFile, size } = await file.stat();
  if (!isFile || size > maxBytes) {
    throw new ToolFailure({
      error: isFile
        ? `"${given}" has ${size} bytes, more than ${maxBytes}`
        : `"${given}" is not a file`,
      code: "usage",
    });
  }
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const count = await file.read(bytes.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, filled));
  } catch {
    throw new ToolFailure({ error: `"${given}" is not UTF-8 text`, code: "usage" });
  }
}

/**
 * Reads a text file in the project. Links are resolved before the path is checked.
 *
 * @throws {ToolFailure} `forbidden` if the file is elsewhere, or contains svc's keys
 */
export async function readProjectFile(
  given: string,
  named: string | undefined,
  limits: FileLimits,
): Promise<string> {
  const folder = resolve(limits.start, named ?? ".");
  const root = await findRoot(folder, limits);
  const path = await realPath(resolve(folder, given));
  const asGiven = resolve(folder, given);
  if (path === undefined && (isWithin(root, asGiven) || isWithin(folder, asGiven))) {
    throw new ToolFailure({
      error: `Cannot read "${given}": it does not exist`,
      code: "not_found",
    });
  }
  if (path === undefined || !isWithin(root, path)) {
    throw forbidden(
      `"${given}" is not a file in the project in ${root}`,
      "Ask the user to copy the value into a git-ignored file of the project, or to run `svc env set`",
    );
  }
  const own = await Promise.all([join(root, OWN_FOLDER), ...limits.refused].map(realPath));
  if (own.some((each) => each !== undefined && isWithin(each, path))) {
    throw forbidden(
      `"${given}" belongs to svc and may contain its key, so it cannot be used`,
      "Use another file that contains the value",
    );
  }
  return await readBounded(path, given, limits.maxBytes);
}
