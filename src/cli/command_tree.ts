/** @module All commands of the CLI. A command's code is loaded only when it is used. */
import { GIT_CREDENTIAL, LOGIN, LOGOUT, WHOAMI, WORKSPACE } from "./account/group.ts";
import { BLOBS } from "./blobs/group.ts";
import type { CommandEntry } from "./command/command_entry.ts";
import { CRON } from "./cron/group.ts";
import { DRAINS } from "./drains/group.ts";
import { FORMS } from "./forms/group.ts";
import { QUEUES } from "./queues/group.ts";
import { DB } from "./db/group.ts";
import { BUILD, DEPLOY, DEPLOYMENTS, PROMOTE, ROLLBACK, STOP } from "./deploy/group.ts";
import { DOMAINS } from "./domains/group.ts";
import { CACHE, FUNCTIONS, PURGE } from "./edge/group.ts";
import { EDGES } from "./edges/group.ts";
import { ENV } from "./env/group.ts";
import { CONTEXT, ENVIRONMENTS } from "./environments/group.ts";
import { BUILDS, HOOKS } from "./hooks/group.ts";
import { KEYS } from "./keys/group.ts";
import { KV } from "./kv/group.ts";
import { NOTIFICATIONS, TRIGGER } from "./notifications/group.ts";
import { MAINTENANCE, PREVIEWS } from "./previews/group.ts";
import { RELEASES } from "./releases/group.ts";
import { INIT, LINK, LIST, PROJECTS } from "./projects/group.ts";
import { RULES } from "./rules/group.ts";
import { BACKUP, EDGE, MIGRATE_STORE, REKEY, RESTORE, SERVE } from "./serve/group.ts";
import { ERRORS } from "./site_errors/group.ts";
import { WEBHOOKS } from "./webhooks/group.ts";

/** The commands, sorted as in the reference. Help groups them by section. */
export const COMMANDS: readonly CommandEntry[] = [
  SERVE,
  BACKUP,
  RESTORE,
  REKEY,
  MIGRATE_STORE,
  {
    name: "nodes",
    section: "Platform",
    summary: "List the platform's nodes and their tasks",
    load: () => import("./nodes/nodes.ts"),
  },
  EDGES,
  EDGE,
  {
    name: "doctor",
    section: "Platform",
    summary: "Check this machine, its databases, the platform and your login",
    load: () => import("./doctor/doctor.ts"),
  },
  INIT,
  LINK,
  {
    name: "dev",
    section: "Projects and deployments",
    summary: "Develop the project behind a local edge",
    serves: true,
    load: () => import("./dev/dev.ts"),
  },
  BUILD,
  {
    name: "preview",
    section: "Projects and deployments",
    summary: "Serve the built output on this machine, as the platform does",
    serves: true,
    load: () => import("./preview/preview.ts"),
  },
  DEPLOY,
  DEPLOYMENTS,
  PREVIEWS,
  MAINTENANCE,
  PROMOTE,
  STOP,
  CACHE,
  PURGE,
  FUNCTIONS,
  HOOKS,
  BUILDS,
  CRON,
  QUEUES,
  FORMS,
  RELEASES,
  ROLLBACK,
  {
    name: "logs",
    section: "Projects and deployments",
    summary: "Show the logs of a project or deployment",
    load: () => import("./logs/logs.ts"),
  },
  {
    name: "traffic",
    section: "Projects and deployments",
    summary: "Show a project's requests, visitors, pages and response times",
    load: () => import("./traffic/traffic.ts"),
  },
  ERRORS,
  DRAINS,
  LIST,
  PROJECTS,
  RULES,
  ENV,
  ENVIRONMENTS,
  CONTEXT,
  KV,
  BLOBS,
  DOMAINS,
  DB,
  WORKSPACE,
  KEYS,
  {
    name: "audit",
    section: "Account",
    summary: "List changes in the workspace and who made them",
    load: () => import("./audit/audit.ts"),
  },
  {
    name: "usage",
    section: "Account",
    summary: "Show the usage and limits of a workspace or project",
    load: () => import("./usage/usage.ts"),
  },
  NOTIFICATIONS,
  WEBHOOKS,
  TRIGGER,
  LOGIN,
  LOGOUT,
  WHOAMI,
  {
    name: "explain",
    section: "Tool",
    summary: "Explain an error code and how to fix it",
    load: () => import("./explain/explain.ts"),
  },
  {
    name: "schema",
    section: "Tool",
    summary: "Show the JSON Schema of a command's output",
    load: () => import("./schema/schema.ts"),
  },
  GIT_CREDENTIAL,
  {
    name: "mcp",
    section: "Tool",
    summary: "Serve svc's tools to an agent (Model Context Protocol)",
    serves: true,
    load: () => import("./mcp/mcp.ts"),
  },
  {
    name: "upgrade",
    section: "Tool",
    summary: "Upgrade svc to a newer release",
    load: () => import("./upgrade/upgrade.ts"),
  },
  {
    name: "completion",
    section: "Tool",
    summary: "Print the script that completes svc in a shell",
    load: () => import("./completion/print_script.ts"),
  },
  {
    name: "complete",
    summary: "Print completions for a shell",
    hidden: true,
    load: () => import("./completion/answer_shell.ts"),
  },
];
