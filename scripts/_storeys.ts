/**
 * The inner rooms of large rooms as data: each list runs from top to bottom,
 * and a file imports only what stands below its own inner room.
 *
 * @module
 */

/**
 * For a folder its inner rooms, the top one first: folders or single files by
 * their path below it, and `.` for all its other files. Another inner room is
 * imported by its `mod.ts`.
 */
export const STOREYS: Readonly<Record<string, readonly string[]>> = {
  "src/edge": [
    ".",
    "dynamic",
    "site",
    "compute",
    "isr",
    "pipeline",
    "proxy",
    "cache",
    "site_rules",
    "static",
    "blobs",
    "rate_limit",
    "request",
    "geo",
    "response",
    "ranges",
    "messages",
  ],
  "src/cli": [
    // The command tree: parses a command line and runs it.
    ".",
    "host",
    // Groups of commands.
    "completion",
    "serve",
    "doctor",
    "account",
    "notifications",
    "webhooks",
    "hooks",
    "logs",
    "edge",
    "domains",
    "deploy",
    "rules",
    "env",
    "environments",
    "projects",
    // What all commands share.
    "command",
    "session",
    "prompts",
    "errors",
    "terminal",
    "exit_code.ts",
    "version.ts",
  ],
  "src/runtime": [
    ".",
    "compute",
    "compute/sandbox",
    "functions",
    "bundle",
    "outbound",
    "http1",
    "process",
    "process/frames",
  ],
  "src/rules": [
    "mod.ts",
    // What people do with a rule set.
    "rule_tests",
    "explain",
    "import",
    "document",
    // What is wrong with one, or doubtful.
    "warnings",
    "validate",
    "relations",
    // Running one.
    "evaluate",
    "compile",
    // What one is made of.
    "rule_set",
    "actions",
    "decision.ts",
    "pipeline_steps.ts",
    "conditions",
    "pattern",
    "request",
    "work.ts",
    "finding.ts",
    "schema_parts.ts",
    "vocabulary.ts",
    "limits.ts",
  ],
};
