/** @module The pages of the CLI reference, with the commands on each. */

export interface CliPage {
  /** Name of the file in `docs`, without its extension. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** The commands on the page, by their first word after `svc`. */
  readonly commands: readonly string[];
}

export const CLI_PAGES: readonly CliPage[] = [
  {
    name: "cli-projects",
    title: "CLI: projects",
    about: "svc init, link, list, projects",
    commands: ["init", "link", "list", "projects"],
  },
  {
    name: "cli-develop",
    title: "CLI: develop",
    about: "svc dev, build, preview",
    commands: ["dev", "build", "preview"],
  },
  {
    name: "cli-deploy",
    title: "CLI: deploy",
    about:
      "svc deploy, deployments, previews, promote, releases, maintenance, stop, rollback, builds",
    commands: [
      "deploy",
      "deployments",
      "previews",
      "promote",
      "releases",
      "maintenance",
      "stop",
      "rollback",
      "builds",
    ],
  },
  {
    name: "cli-observe",
    title: "CLI: logs, traffic, errors and drains",
    about: "svc logs, traffic, errors, drains",
    commands: ["logs", "traffic", "errors", "drains"],
  },
  {
    name: "cli-rules",
    title: "CLI: rules, cache and functions",
    about: "svc rules, cache, functions",
    commands: ["rules", "cache", "functions"],
  },
  {
    name: "cli-env",
    title: "CLI: environments and variables",
    about: "svc env, environments, context",
    commands: ["env", "environments", "context"],
  },
  {
    name: "cli-domains",
    title: "CLI: domains",
    about: "svc domains",
    commands: ["domains"],
  },
  { name: "cli-db", title: "CLI: databases", about: "svc db", commands: ["db"] },
  { name: "cli-kv", title: "CLI: key-value store", about: "svc kv", commands: ["kv"] },
  { name: "cli-blobs", title: "CLI: blob store", about: "svc blobs", commands: ["blobs"] },
  {
    name: "cli-hooks",
    title: "CLI: deploy hooks, scheduled tasks, queues and forms",
    about: "svc hooks, cron, queues, forms",
    commands: ["hooks", "cron", "queues", "forms"],
  },
  {
    name: "cli-notifications",
    title: "CLI: notifications and webhooks",
    about: "svc notifications, webhooks, trigger",
    commands: ["notifications", "webhooks", "trigger"],
  },
  {
    name: "cli-account",
    title: "CLI: account, workspaces and keys",
    about: "svc login, logout, whoami, workspace, keys, audit, usage",
    commands: [
      "login",
      "logout",
      "whoami",
      "workspace",
      "keys",
      "audit",
      "usage",
      "git-credential",
    ],
  },
  {
    name: "cli-platform",
    title: "CLI: platform",
    about: "svc serve, doctor, backup, restore, nodes and others for operators",
    commands: [
      "serve",
      "doctor",
      "backup",
      "restore",
      "rekey",
      "migrate-store",
      "nodes",
      "edges",
      "edge",
      "upgrade",
    ],
  },
  {
    name: "cli-tools",
    title: "CLI: help and integrations",
    about: "svc explain, schema, mcp, completion",
    commands: ["explain", "schema", "mcp", "completion"],
  },
];
