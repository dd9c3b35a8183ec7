/** @module SvelteKit: `index.js` beside `client/` and `prerendered/` from adapter-node, else plain files. */
import type { DetectedProject } from "../detect/types.ts";
import type { BuiltOutput, Found } from "./types.ts";

const ENTRY = "index.js";

export function findSvelteKit({ paths }: BuiltOutput, { advice }: DetectedProject): Found {
  const made = paths.includes(ENTRY) && paths.some((path) => path.startsWith("server/"));
  if (made) {
    return {
      type: "server",
      launcher: "sveltekit",
      directory: ".",
      entry: ENTRY,
      clients: ["client", "prerendered"],
      immutable: ["/_app/immutable/"],
    };
  }
  if (advice !== undefined) return { type: "unusable", ...advice };
  return { type: "static", directory: "." };
}
