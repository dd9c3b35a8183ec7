/**
 * Rules from the formats of other platforms.
 *
 * @module
 */
export { type AppendedRules, appendRules } from "./append_rules.ts";
export { importHeaders } from "./headers.ts";
export {
  type ImportFlavor,
  type ImportOptions,
  type ImportResult,
  UnreadableImportError,
  type UnsupportedLine,
} from "./import_result.ts";
export { type NetlifyBuild, readNetlifyBuild } from "./netlify_settings.ts";
export { importNetlifyToml } from "./netlify_toml.ts";
export { importRedirects } from "./redirects.ts";
export { importVercelJson } from "./vercel_json.ts";
