/**
 * The edge rule set: parse, validate, normalize (and compile, evaluate, explain).
 * Pure: no I/O and no clock.
 *
 * ```ts
 * const { runtime, diagnostics } = loadRulesToml(await Deno.readTextFile("svc.rules.toml"));
 * ```
 *
 * @module
 */
export type * from "./types.ts";
export { DEVICES, METHODS, RATE_LIMIT_KEYS, SCHEMA_VERSION, VARY_DIMENSIONS } from "./types.ts";
export { MAX_RULES, MAX_RULES_BYTES } from "./limits.ts";
export {
  type LoadedRules,
  loadRulesToml,
  loadRulesValue,
  type ParsedRules,
  parseRulesToml,
  parseRulesValue,
} from "./parse_rules.ts";
export { normalizeRules } from "./normalize.ts";
export { ruleSetSchema, rulesJsonSchema } from "./schema.ts";
export { writeRulesToml } from "./write_rules.ts";
export type {
  ImportFlavor,
  ImportOptions,
  ImportResult,
  UnsupportedLine,
} from "./import/import_result.ts";
export { importHeaders } from "./import/headers.ts";
export { importRedirects } from "./import/redirects.ts";
export { importVercelJson } from "./import/vercel_json.ts";
