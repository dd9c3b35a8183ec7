/** @module Imports the rules in configuration files of other hosts. */
import {
  type ImportFlavor,
  importHeaders,
  importNetlifyToml,
  importRedirects,
  type ImportResult,
  importVercelJson,
  importWrangler,
} from "../rules/mod.ts";
import type { ForeignRuleFile } from "./foreign_rule_files.ts";

/** Members of a vercel.json that can be replaced by rules. */
const VERCEL_RULES = /"(?:redirects|rewrites|headers|routes|cleanUrls|trailingSlash)"\s*:/;
/** Tables of a netlify.toml that can be replaced by rules. */
const NETLIFY_RULES =
  /^\s*(?:\[\[\s*(?:redirects|headers)\s*\]\]|(?:redirects|headers|pretty_urls)\s*=)/m;
/** The setting in a wrangler file that has an equivalent in svc. */
const WRANGLER_SETTING = /html_handling/;
const NOTHING = importHeaders("");

const readWrangler = (text: string) => WRANGLER_SETTING.test(text) ? importWrangler(text) : NOTHING;

/** Functions that import a file's rules. */
const READERS: Readonly<
  Record<ForeignRuleFile, (text: string, flavor: ImportFlavor) => ImportResult>
> = {
  "_redirects": (text, flavor) => importRedirects(text, { flavor }),
  "_headers": (text, flavor) => importHeaders(text, { flavor }),
  // Other settings in the file, such as the framework, concern the build.
  "vercel.json": (text) => VERCEL_RULES.test(text) ? importVercelJson(text) : NOTHING,
  "netlify.toml": (text) => NETLIFY_RULES.test(text) ? importNetlifyToml(text) : NOTHING,
  "wrangler.toml": readWrangler,
  "wrangler.json": readWrangler,
  "wrangler.jsonc": readWrangler,
};

/**
 * Imports a file. Returns `undefined` if the file has nothing to import.
 *
 * @throws {UnreadableImportError} if the file cannot be read
 */
export function importForeignRules(
  name: ForeignRuleFile,
  text: string,
  flavor: ImportFlavor,
): ImportResult | undefined {
  const result = READERS[name](text, flavor);
  return result.read === 0 ? undefined : result;
}
