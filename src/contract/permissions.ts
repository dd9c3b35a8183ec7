/** Permissions of API keys. @module */
import * as z from "zod";
import { ENVIRONMENT_PRODUCTION } from "./environment_names.ts";

/** Permissions of API keys, with their descriptions. */
export const PERMISSIONS = {
  "read": "read projects, deployments, builds, logs, rules, and variables except secrets",
  "deploy-previews": "deploy to every environment except production, and push all other branches",
  "deploy-production": "deploy to production, promote, roll back, and push the production branch",
  "rules": "read and change edge rules",
  "variables": "set and delete variables, without seeing their values",
  "everything": "everything that the key's role allows",
} as const;
export type Permission = keyof typeof PERMISSIONS;

export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/** Returns the permission that is required to deploy to an environment. */
export function deployPermission(environment: string): Permission {
  return environment === ENVIRONMENT_PRODUCTION ? "deploy-production" : "deploy-previews";
}

/** Maximum number of projects to which a key can be limited. */
export const MAX_KEY_PROJECTS = 100;

export const permissions = z.array(z.enum(PERMISSION_NAMES)).min(1).max(PERMISSION_NAMES.length)
  .refine((given) => new Set(given).size === given.length, "Must name each permission once");
