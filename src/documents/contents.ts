/** @module The documents that the program contains, in display order. */

import { CLI_PAGES } from "./cli_pages.ts";

export interface Entry {
  /** Name of the file in `docs`, without its extension. */
  readonly name: string;
  /** A one-line description. */
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

/** The section that is omitted from llms-full.txt. */
export const INTERNALS = "Internals";

/** The documents by section. */
export const CONTENTS: readonly Section[] = [
  section("Get started", {
    "quick-start": "From nothing to a live site with a rule, a preview and a rollback",
    "nextjs": "Deploy a Next.js app with variables, a database and cached pages",
    "frameworks": "What svc detects and deploys, framework by framework",
    "languages": "Servers in Go, Rust, Python, Ruby, PHP, Java and others",
    "dev": "Develop and preview a project behind the edge on your machine",
    "move-from-vercel": "Convert vercel.json, move variables and switch the domain",
    "move-from-netlify": "Convert _redirects, _headers and netlify.toml",
  }),
  section("Deploy", {
    "push": "Deploy with git push",
    "deploy-hooks": "Deploy with a secret URL or a webhook of your git host",
    "builds": "Build from git: commands, package managers, caches and limits",
    "ci": "Deploy from GitHub Actions and GitLab CI without a stored secret",
    "environments": "Environments, variables, secrets and contexts",
    "previews": "Control access to previews, and share them",
    "rolling-releases": "Check a release, and serve it to some of your visitors first",
    "open-tabs": "Keep open pages working after a deploy or rollback",
    "retention": "When old deployments and previews are deleted",
  }),
  section("Edge", {
    "custom-domain": "Serve a project from your own domain",
    "domains": "DNS records, ownership, wildcards and certificates in detail",
    "rules": "Deny, redirect, rewrite, cache, run functions and set headers",
    "rules-tests": "Test rules with a table of requests and expected outcomes",
    "caching": "What the edge caches, for how long, and how to purge it",
    "functions": "Run your code at the edge, around requests",
    "compute": "Servers: start, sandbox, limits and network",
    "isr": "Cache rendered pages and refresh them in the background",
    "images": "Resize and convert images on request",
  }),
  section("Data", {
    "databases": "PostgreSQL with a branch for each preview",
    "kv": "A key-value store for each environment",
    "blobs": "Store files, with S3 clients and signed URLs",
    "cron": "Run scheduled requests",
    "forms": "Receive form submissions from a static site",
    "queues": "Deliver messages to your server, with retries and dead letters",
  }),
  section("Observe", {
    "traffic": "Requests, page views, visitors and response times",
    "site-errors": "Exceptions and failed requests, grouped by kind",
    "drains": "Send logs, errors and metrics to OpenTelemetry endpoints",
    "notifications": "Inbox, email, messenger and push",
    "webhooks": "Send signed events to other services",
  }),
  section("Operate", {
    "self-hosting": "Run svc on a VPS with your own domain",
    "accounts": "Sign-in, workspaces, roles, API keys and sessions",
    "scaling": "Run the platform on several machines",
    "edges": "Serve requests near your visitors",
    "releases": "Releases, signatures and upgrades",
    "performance": "Benchmarks, goals and how to measure",
  }),
  section("Reference", {
    "cli": "Global flags, output, exit codes and all commands",
    "svc-toml": "Every key in svc.toml",
    "manifest": "The build output manifest: layers, routes and servers",
    "api": "Authentication, errors, lists and limits of the HTTP API",
    "errors": "Every error code, its meaning and its fix",
    "agents": "JSON output, error codes and the Model Context Protocol",
  }),
  section(
    "CLI commands",
    Object.fromEntries(CLI_PAGES.map(({ name, about }) => [name, about])),
  ),
  section(INTERNALS, {
    "architecture": "How deploys, requests and builds work",
    "platform": "A map of the platform's source code",
    "glossary": "Terms that svc uses in its own way",
  }),
];

/** JSON schemas of a project's files, by name in `docs/schema`. */
export const SCHEMAS: Readonly<Record<string, string>> = {
  "manifest.schema.json": "JSON schema of .svc/manifest.json",
  "rules.schema.json": "JSON schema of svc.rules.toml",
  "svc.schema.json": "JSON schema of svc.toml",
};

/** Paths below `docs` of all files that the program contains. */
export const FILES: readonly string[] = [
  ...CONTENTS.flatMap(({ entries }) => entries.map(({ name }) => `${name}.md`)),
  ...Object.keys(SCHEMAS).map((name) => `schema/${name}`),
];
