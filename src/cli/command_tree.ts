/**
 * All commands of the tool. Nothing of a command is loaded before it is asked
 * for.
 *
 * @module
 */
import { GIT_CREDENTIAL, LOGIN, LOGOUT, WHOAMI, WORKSPACE } from "./account/mod.ts";
import { AUDIT } from "./audit/mod.ts";
import type { CommandEntry } from "./command/mod.ts";
import { CRON } from "./cron/mod.ts";
import { DB } from "./db/mod.ts";
import { COMPLETE, COMPLETION } from "./completion/mod.ts";
import { BUILD, DEPLOY, DEPLOYMENTS, PROMOTE, ROLLBACK, STOP } from "./deploy/mod.ts";
import { DEV } from "./dev/mod.ts";
import { DOCTOR } from "./doctor/mod.ts";
import { DOMAINS } from "./domains/mod.ts";
import { CACHE, FUNCTIONS, PURGE } from "./edge/mod.ts";
import { ENV } from "./env/mod.ts";
import { CONTEXT, ENVIRONMENTS } from "./environments/mod.ts";
import { EXPLAIN } from "./explain/mod.ts";
import { BUILDS, HOOKS } from "./hooks/mod.ts";
import { KEYS } from "./keys/mod.ts";
import { KV } from "./kv/mod.ts";
import { LOGS } from "./logs/mod.ts";
import { MCP } from "./mcp/mod.ts";
import { NODES } from "./nodes/mod.ts";
import { NOTIFICATIONS, TRIGGER } from "./notifications/mod.ts";
import { PREVIEW } from "./preview/mod.ts";
import { INIT, LINK, LIST, PROJECTS } from "./projects/mod.ts";
import { RULES } from "./rules/mod.ts";
import { SCHEMA } from "./schema/mod.ts";
import { BACKUP, MIGRATE_STORE, REKEY, RESTORE, SERVE } from "./serve/mod.ts";
import { ERRORS } from "./site_errors/mod.ts";
import { USAGE } from "./usage/mod.ts";
import { TRAFFIC } from "./traffic/mod.ts";
import { UPGRADE } from "./upgrade/mod.ts";
import { WEBHOOKS } from "./webhooks/mod.ts";

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
