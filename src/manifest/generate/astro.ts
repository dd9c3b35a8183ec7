/** @module Astro: `client/` and `server/` where an adapter made a server, else plain files. */
import type { BuiltOutput, Found } from "./types.ts";

const ENTRY = "server/entry.mjs";
const CLIENT = "client/";

export function findAstro({ paths }: BuiltOutput): Found {
  if (paths.includes(ENTRY)) {
    return {
      type: "server",
      launcher: "astro",
      directory: "server",
      entry: ENTRY,
      clients: ["client"],
      immutable: ["/_astro/"],
    };
  }
  // With an adapter and no page that needs it, Astro writes the pages to client/ alone.
  const inClient = paths.length > 0 && paths.every((path) => path.startsWith(CLIENT));
  return { type: "static", directory: inClient ? "client" : "." };
}
