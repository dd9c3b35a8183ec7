/**
 * @module A server's requests to revalidate cached pages with `globalThis.svc.revalidate()`,
 * validated on both ends of the connection. This module has no dependencies, because it also runs
 * in the server's thread.
 */

/** Pages by path (with any query) and by tag. */
export interface Revalidation {
  readonly paths: readonly string[];
  readonly tags: readonly string[];
  /** True to serve the stale pages while they are refreshed; false to remove them. */
  readonly soft: boolean;
}

/**
 * Marks a deployment's pages as stale, or removes them. Resolves when requests no longer get the
 * old pages as fresh.
 */
export type Revalidate = (what: Revalidation) => Promise<void>;

/** Maximum number of paths per call, and maximum number of tags. */
export const MAX_REVALIDATED = 128;

const MAX_PATH_CHARACTERS = 2048;

const MAX_TAG_CHARACTERS = 256;

/** Maximum number of calls per server per second. Further calls are rejected. */
export const MAX_REVALIDATIONS_PER_SECOND = 100;

/** Maximum size of the frame's payload, in bytes. */
export const MAX_REVALIDATION_BYTES = 2 * MAX_REVALIDATED * 3 * MAX_PATH_CHARACTERS;

type Checked = Revalidation | { readonly problem: string };

function problemOfList(name: string, list: unknown, maxCharacters: number): string | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) return `"${name}" must be a list of strings`;
  if (list.length > MAX_REVALIDATED) {
    return `"${name}" has ${list.length} items; at most ${MAX_REVALIDATED} are allowed in one call`;
  }
  const isFit = (item: unknown) =>
    typeof item === "string" && item !== "" && item.length <= maxCharacters;
  const wrong = list.findIndex((item) => !isFit(item));
  if (wrong < 0) return undefined;
  return `"${name}[${wrong}]" must be a string of 1 to ${maxCharacters} characters`;
}

function problemOf({ paths, tags, soft, ...rest }: Record<string, unknown>): string | undefined {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) return `"${unknown}" is not known; use "paths", "tags" and "soft"`;
  if (soft !== undefined && typeof soft !== "boolean") return '"soft" must be true or false';
  const inLists = problemOfList("paths", paths, MAX_PATH_CHARACTERS) ??
    problemOfList("tags", tags, MAX_TAG_CHARACTERS);
  if (inLists !== undefined) return inLists;
  const wrong = (paths as string[] | undefined)?.find((path) => !/^\/[^?#]*$/.test(path));
  if (wrong === undefined) return undefined;
  return `The path "${wrong.slice(0, 80)}" must begin with / and have no query or fragment`;
}

/** Checks a server's request, and returns the problem if it is malformed. */
export function checkRevalidation(asked: unknown): Checked {
  if (typeof asked !== "object" || asked === null || Array.isArray(asked)) {
    return { problem: 'Pass an object with "paths" or "tags"' };
  }
  const problem = problemOf(asked as Record<string, unknown>);
  if (problem !== undefined) return { problem };
  const { paths = [], tags = [], soft = false } = asked as Partial<Revalidation>;
  if (paths.length + tags.length === 0) {
    return { problem: 'Pass at least one path or tag in "paths" or "tags"' };
  }
  return { paths: [...paths], tags: [...tags], soft };
}
