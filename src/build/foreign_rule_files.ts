/** @module The files in which other hosts keep rules. */

export const FOREIGN_RULE_FILES = [
  "_redirects",
  "_headers",
  "vercel.json",
  "netlify.toml",
  "wrangler.toml",
  "wrangler.json",
  "wrangler.jsonc",
] as const;

export type ForeignRuleFile = typeof FOREIGN_RULE_FILES[number];
