/** @module Detects whether `_redirects` and `_headers` are in Netlify's or Cloudflare's format. */
import type { ProjectReader } from "../manifest/mod.ts";
import type { ImportFlavor } from "../rules/mod.ts";

const CLOUDFLARE = ["wrangler.toml", "wrangler.json", "wrangler.jsonc"] as const;
const NETLIFY = "netlify.toml";

async function hasAny(reader: ProjectReader, names: readonly string[]): Promise<boolean> {
  for (const name of names) if (await reader.readText(name) !== undefined) return true;
  return false;
}

/** Returns the host for which the nearest folder is configured, or Netlify if there is none. */
export async function detectFlavor(readers: readonly ProjectReader[]): Promise<ImportFlavor> {
  for (const reader of readers) {
    if (await hasAny(reader, [NETLIFY])) return "netlify";
    if (await hasAny(reader, CLOUDFLARE)) return "cloudflare";
  }
  return "netlify";
}
