/**
 * The documents that the program carries, in the order in which they are listed.
 *
 * @module
 */

export interface Entry {
  /** Name of the file in `docs`, without its ending. */
  readonly name: string;
  /** What it tells, in one line. */
  readonly about: string;
}

export interface Section {
  readonly title: string;
  readonly entries: readonly Entry[];
}

const section = (title: string, entries: Readonly<Record<string, string>>): Section => ({
  title,
  entries: Object.entries(entries).map(([name, about]) => ({ name, about })),
});

/** Title of the section that a short context can do without, as llms.txt has it. */
export const OPTIONAL = "Optional";

/** The documents by section. */
export const CONTENTS: readonly Section[] = [
  section("A project", {
    "frameworks": "What svc deploy finds out by itself, framework by framework",
    "languages": "Servers in Go, Rust, Python, Ruby, PHP, Java and others",
    "svc-toml": "Every key of svc.toml",
    "dev": "svc dev and svc preview: a project behind the edge, on your machine",
    "environments": "Environments, variables, context and addresses",
    "accounts": "Sign-in, workspaces, roles, API keys and programs that were let in",
    "agents": "What agents use: JSON answers, codes of errors, MCP",
  }),
  section("Deploys", {
    "builds": "Builds from git: commands, package managers, versions of Node, caches, limits",
    "push": "git push to the platform",
    "deploy-hooks": "Deploy hooks, and the webhooks of git hosts",
    ci: "CI without a secret: GitHub Actions and GitLab CI as trusted publishers",
    "manifest": "The build output manifest: layers, routes, servers",
    "domains": "Custom domains and TLS certificates",
    "retention": "When old deployments and previews are removed",
  }),
  section("The edge", {
    "rules": "svc.rules.toml: block, redirect, rewrite, cache, run functions, set headers",
    "rules-tests": "svc rules test: a table of requests and what is expected of them",
    "caching": "What the edge stores, for how long, and how it is purged",
    "isr": "Pages that are generated again after a time (ISR)",
    "functions": "Functions at the edge: what they get, answer and may use",
    "compute": "Servers: start, limits, networks, what they are told",
    "images": "Images converted and scaled on request",
  }),
  section("Data and time", {
    "kv": "The key-value store of an environment",
    "databases": "PostgreSQL databases, with a branch for each preview",
    "cron": "Scheduled tasks",
  }),
  section("What happens", {
    "notifications": "Inbox, mail, messenger and push: what is sent to whom",
    "webhooks": "Events sent to other services, signed",
    "site-errors": "Exceptions and failed requests of a site, by kind",
    "traffic": "Counts of requests, pages and visitors",
  }),
  section("Reference", {
    "cli": "Every command and flag of the tool",
    "api": "What all endpoints of the HTTP API have in common",
    "errors": "Every code of an error: what it means and how to mend it",
    "glossary": "The terms, each of which names one thing",
  }),
  section(OPTIONAL, {
    "scaling": "Running the platform on more than one machine",
    "releases": "How the program is released, signed and upgraded",
    "performance": "What was measured, and how to measure it again",
    "architecture": "How the program is made: the life of a deploy, a request, a build",
    "platform": "A map of the platform's source code",
  }),
];

/** JSON schemas of the files that a project has, by their names in `docs/schema`. */
export const SCHEMAS: Readonly<Record<string, string>> = {
  "manifest.schema.json": "JSON schema of .svc/manifest.json",
  "rules.schema.json": "JSON schema of svc.rules.toml",
  "svc.schema.json": "JSON schema of svc.toml",
};

/** Paths of all files below `docs` that the program carries. */
export const FILES: readonly string[] = [
  ...CONTENTS.flatMap(({ entries }) => entries.map(({ name }) => `${name}.md`)),
  ...Object.keys(SCHEMAS).map((name) => `schema/${name}`),
];
