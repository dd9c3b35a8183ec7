/** @module Limits of a rule set. */

/** Maximum number of rules in a set (design: "What the spec leaves open"). */
export const MAX_RULES = 10_000;

/** Maximum size of a `svc.rules.toml`, in UTF-8 bytes. */
export const MAX_RULES_BYTES = 1 << 20;

/** Deepest nesting of tables and lists; the schema itself needs eight. */
export const MAX_DEPTH = 16;

/** Maximum number of problems in a report; a last line counts the others. */
export const MAX_DIAGNOSTICS = 1_000;
