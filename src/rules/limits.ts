/** @module Limits for a rule set. */

/** Maximum number of rules in a set. */
export const MAX_RULES = 10_000;

/** Maximum size of a `svc.rules.toml`, in UTF-8 bytes. */
export const MAX_RULES_BYTES = 1 << 20;

/** Maximum nesting depth of tables and lists; the schema itself needs eight levels. */
export const MAX_DEPTH = 16;

/** Maximum number of problems in a report; the last line counts the remaining problems. */
export const MAX_DIAGNOSTICS = 1_000;
