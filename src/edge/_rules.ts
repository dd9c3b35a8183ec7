export { createFacts, type FactSources, type RequestFacts } from "../rules/facts.ts";
export { normalizePath, type PathRejection } from "../rules/path.ts";
export { IpBlockSet, parseCidr, parseIp } from "../rules/ip_address.ts";
export { type CompiledRules, compileRules } from "../rules/compile/compile_rules.ts";
export { evaluateRules } from "../rules/evaluate/evaluate_rules.ts";
export * from "../rules/evaluate/decision.ts";
export type { HeaderEdit } from "../rules/compile/compiled_rule.ts";
export type * from "../rules/types.ts";
