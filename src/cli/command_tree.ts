/**
 * All commands of the tool. Nothing of a command is loaded before it is asked
 * for.
 *
 * @module
 */
import { GIT_CREDENTIAL, LOGIN, LOGOUT, WHOAMI, WORKSPACE } from "./account/group.ts";
import { AUDIT } from "./audit/group.ts";
import type { CommandEntry } from "./command/command_entry.ts";
import { CRON } from "./cron/group.ts";
import { DB } from "./db/group.ts";
import { COMPLETE, COMPLETION } from "./completion/group.ts";
import { BUILD, DEPLOY, DEPLOYMENTS, PROMOTE, ROLLBACK, STOP } from "./deploy/group.ts";
import { DEV } from "./dev/group.ts";
import { DOCTOR } from "./doctor/group.ts";
import { DOMAINS } from "./domains/group.ts";
import { CACHE, FUNCTIONS, PURGE } from "./edge/group.ts";
import { ENV } from "./env/group.ts";
import { CONTEXT, ENVIRONMENTS } from "./environments/group.ts";
import { EXPLAIN } from "./explain/group.ts";
import { BUILDS, HOOKS } from "./hooks/group.ts";
import { KEYS } from "./keys/group.ts";
import { KV } from "./kv/group.ts";
import { LOGS } from "./logs/group.ts";
import { MCP } from "./mcp/group.ts";
import { NODES } from "./nodes/group.ts";
import { NOTIFICATIONS, TRIGGER } from "./notifications/group.ts";
import { PREVIEW } from "./preview/group.ts";
import { INIT, LINK, LIST, PROJECTS } from "./projects/group.ts";
import { RULES } from "./rules/group.ts";
import { SCHEMA } from "./schema/group.ts";
import { BACKUP, MIGRATE_STORE, REKEY, RESTORE, SERVE } from "./serve/group.ts";
import { ERRORS } from "./site_errors/group.ts";
import { USAGE } from "./usage/group.ts";
import { TRAFFIC } from "./traffic/group.ts";
import { UPGRADE } from "./upgrade/group.ts";
import { WEBHOOKS } from "./webhooks/group.ts";

/** In the order of the reference; help lists them by section. */
export const COMMANDS: readonly CommandEntry[] = [
  SERVE,
  BACKUP,
  RESTORE,
  REKEY,
  MIGRATE_STORE,
  NODES,
  DOCTOR,
  INIT,
  LINK,
  DEV,
  BUILD,
  PREVIEW,
  DEPLOY,
  DEPLOYMENTS,
  PROMOTE,
  STOP,
  CACHE,
  PURGE,
  FUNCTIONS,
  HOOKS,
  BUILDS,
  CRON,
  ROLLBACK,
  LOGS,
  TRAFFIC,
  ERRORS,
  LIST,
  PROJECTS,
  RULES,
  ENV,
  ENVIRONMENTS,
  CONTEXT,
  KV,
  DOMAINS,
  DB,
  WORKSPACE,
  KEYS,
  AUDIT,
  USAGE,
  NOTIFICATIONS,
  WEBHOOKS,
  TRIGGER,
  LOGIN,
  LOGOUT,
  WHOAMI,
  EXPLAIN,
  SCHEMA,
  GIT_CREDENTIAL,
  MCP,
  UPGRADE,
  COMPLETION,
  COMPLETE,
];
