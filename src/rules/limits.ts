/**
 * The bounds within which a rule set is read.
 *
 * @module
 */

/** Maximum number of rules that one set may hold (design: "What the spec leaves open"). */
export const MAX_RULES = 10_000;

/** Largest `svc.rules.toml`, in UTF-8 bytes. */
export const MAX_RULES_BYTES = 1 << 20;

/** Deepest nesting of tables and lists; the schema itself needs eight. */
export const MAX_DEPTH = 16;

/** Maximum number of problems that one report lists; a last line counts the others. */
export const MAX_DIAGNOSTICS = 1_000;
