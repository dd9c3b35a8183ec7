/** Converts a purge to the format that the edge uses. @module */
import type { PurgeScope } from "../../edge/mod.ts";
import { normalizePath } from "../../rules/mod.ts";
import type { Revalidation } from "../../runtime/mod.ts";

/** Returns a path as it appears in requests, or `undefined` if no request can have this path. */
export function purgedPath(path: string): string | undefined {
  const normalized = normalizePath(path);
  return typeof normalized === "string" ? normalized : undefined;
}

/** @throws {Error} if a path is not a valid request path. */
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
