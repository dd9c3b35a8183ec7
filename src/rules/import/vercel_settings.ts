/** @module Finds equivalents of `vercel.json` settings that are not rules. Performs no I/O. */

const NOT_NEEDED = "svc does not need it";

const SETTINGS: Readonly<Record<string, string>> = {
  buildCommand: "Set it in svc.toml: [build] command",
  outputDirectory: "Set it in svc.toml: [build] output_dirs",
  installCommand:
    "svc installs from the lock file: add other commands to [build] command in svc.toml",
  devCommand: "Set it in svc.toml: [dev] command",
  framework: "svc detects the framework (docs/frameworks.md)",
  ignoreCommand: "A deploy hook builds the branch that it names (docs/deploy-hooks.md)",
  cleanUrls: "Use true or false",
  trailingSlash: "Use true or false",
  functions: "svc functions are in functions/, and their limits in svc.toml (docs/functions.md)",
  crons: "Set it in svc.toml: [[cron]] (docs/cron.md)",
  images: "Set it in svc.toml: [images] (docs/images.md)",
  env: "Set the variables on the platform: svc env set <name> --all",
  build: "Set the variables on the platform: svc env set <name> --all",
  git: "A deploy hook builds the branch that it names (docs/deploy-hooks.md)",
  github: "A deploy hook builds the branch that it names (docs/deploy-hooks.md)",
  regions: "svc runs on your own machine",
  functionFailoverRegions: "svc runs on your own machine",
  routes: "Write them as redirects, rewrites and headers in vercel.json, then import it again",
  public: NOT_NEEDED,
  version: NOT_NEEDED,
  name: "Set it in svc.toml: [project] name",
};

/** Explains why a field is not imported, and what to do instead. */
export function whereSvcHasIt(field: string, value: unknown): string {
  const reason = Object.hasOwn(SETTINGS, field) ? SETTINGS[field] : undefined;
  if (reason !== undefined) return reason;
  return Array.isArray(value) || !["redirects", "rewrites", "headers"].includes(field)
    ? `The field "${field}" has no equivalent in rules`
    : `The field "${field}" is not a list`;
}
