/**
 * Equivalents of `vercel.json` settings that are not rules. Pure.
 *
 * @module
 */

const NOT_NEEDED = "svc does not need it";

const SETTINGS: Readonly<Record<string, string>> = {
  buildCommand: "svc.toml has it: [build] command",
  outputDirectory: "svc.toml has it: [build] output_dirs",
  installCommand:
    "svc installs by the lockfile: put other commands into [build] command of svc.toml",
  devCommand: "svc.toml has it: [dev] command",
  framework: "svc detects the framework (docs/frameworks.md)",
  ignoreCommand: "A deploy hook decides for which branch it builds (docs/deploy-hooks.md)",
  cleanUrls:
    "Here /about answers from about.html, and /about.html stays as it is: write redirects " +
    "for the pages that must have one address",
  trailingSlash:
    "Here a path answers with and without a slash at its end: write redirects for the " +
    "pages that must have one address",
  functions: "Functions lie in functions/, and svc.toml has their limits (docs/functions.md)",
  crons: "svc.toml has it: [[cron]] (docs/cron.md)",
  images: "svc.toml has it: [images] (docs/images.md)",
  env: "Set the variables on the platform: svc env set <name> --all",
  build: "Set the variables on the platform: svc env set <name> --all",
  git: "A deploy hook decides for which branch it builds (docs/deploy-hooks.md)",
  github: "A deploy hook decides for which branch it builds (docs/deploy-hooks.md)",
  regions: "The platform runs where you started it",
  functionFailoverRegions: "The platform runs where you started it",
  routes: "Write them as redirects, rewrites and headers of vercel.json, and import it again",
  public: NOT_NEEDED,
  version: NOT_NEEDED,
  name: "svc.toml has it: [project] name",
};

/** Why a field is not imported, with what to do instead. */
export function whereSvcHasIt(field: string, value: unknown): string {
  const reason = Object.hasOwn(SETTINGS, field) ? SETTINGS[field] : undefined;
  if (reason !== undefined) return reason;
  return Array.isArray(value) || !["redirects", "rewrites", "headers"].includes(field)
    ? `The field "${field}" has no equivalent in rules`
    : `The field "${field}" is no list`;
}
