/**
 * Converts a purge to the form in which the edge compares it.
 *
 * @module
 */
import type { PurgeScope } from "../../edge/mod.ts";
import { normalizePath } from "../../rules/mod.ts";
import type { Revalidation } from "../../runtime/mod.ts";

/** A path as requests for it are compared; `undefined` if no request can have it. */
export function purgedPath(path: string): string | undefined {
  const normalized = normalizePath(path);
  return typeof normalized === "string" ? normalized : undefined;
}

/** @throws {Error} if a path cannot be the path of a request. */
export function scopesOf({ paths, tags }: Revalidation): readonly PurgeScope[] {
  return [
    ...paths.map((asked): PurgeScope => {
      const path = purgedPath(asked);
      if (path !== undefined) return { type: "path", path };
      throw new Error(`The path "${asked.slice(0, 80)}" cannot be the path of a request`);
    }),
    ...tags.map((tag): PurgeScope => ({ type: "tag", tag })),
  ];
}
