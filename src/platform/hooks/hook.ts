/** A deploy hook: its record, its token, and what a trigger deploys. Pure. @module */
import { createHmac } from "node:crypto";
import * as z from "zod";
import { type DeployHook, HOOK_SCOPES, type HookScope } from "../../contract/hooks.ts";
import { ENVIRONMENT_PREVIEW, ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { Random } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { matchesWildcard } from "../../lib/wildcard.ts";

export const hookRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  projectId: z.string(),
  name: z.string(),
  /** A branch, or a pattern with `*`. */
  branch: z.string(),
  restrictBranch: z.boolean(),
  scope: z.enum(HOOK_SCOPES),
  /** The token itself is not stored. */
  tokenHash: z.string(),
  /**
   * The salt with which the hook's secret is derived from the token; `null` if calls need no
   * signature.
   */
  secretSalt: z.string().nullable().default(null),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type HookRecord = z.infer<typeof hookRecord>;

/** How many times a hook has been used, and when it was last used. */
export interface HookUse {
  readonly count: number;
  readonly last: number | null;
}

/** Length of a token, in bytes: 256 bits of entropy, 64 hexadecimal digits. */
const TOKEN_BYTES = 32;

export function mintHookToken(random: Random): string {
  return random(TOKEN_BYTES).toHex();
}

/**
 * Returns the hash that is used to find a hook. Because a token has 256 random bits, timing reveals
 * nothing, and a slow hash would add no security.
 */
export function hashHookToken(token: string): string {
  return sha256Hex(`svc deploy hook\n${token}`);
}

/** Creates a new salt for a hook's secret. */
export function mintSecretSalt(random: Random): string {
  return random(TOKEN_BYTES).toHex();
}

/**
 * Derives a hook's secret from the token, which is not stored, and the salt, which callers never
 * see.
 */
export function hookSecret(
  { secretSalt }: Pick<HookRecord, "secretSalt">,
  token: string,
): string | undefined {
  if (secretSalt === null) return undefined;
  return createHmac("sha256", secretSalt).update(`svc hook secret\n${token}`).digest("hex");
}

/** Returns whether a hook's branch is a pattern for several branches. */
export function isPattern(branch: string): boolean {
  return branch.includes("*");
}

type TriggerDecision =
  | { readonly type: "deploy"; readonly environment: string }
  | { readonly type: "refuse"; readonly message: string; readonly hint: string };

/** Decides where a trigger deploys: to production or to a preview. */
export function decideTrigger(
  hook: Pick<HookRecord, "scope" | "branch" | "restrictBranch">,
  branches: { readonly wanted: string; readonly production: string },
): TriggerDecision {
  const { wanted, production } = branches;
  const isProduction = wanted === production;
  if (hook.scope === "Production" && !isProduction) {
    return {
      type: "refuse",
      message: `Hook is scoped to PRODUCTION, but branch '${wanted}' is not production branch`,
      hint: `Trigger it for branch '${production}', or use a hook of scope All or Preview.`,
    };
  }
  if (hook.restrictBranch && !matchesWildcard(hook.branch, wanted)) {
    return {
      type: "refuse",
      message: `Hook is restricted to branch '${hook.branch}', which '${wanted}' does not match`,
      hint: "Trigger it for a matching branch, or use a hook without that restriction.",
    };
  }
  return { type: "deploy", environment: environmentOf(hook.scope, isProduction) };
}

function environmentOf(scope: HookScope, isProductionBranch: boolean): string {
  switch (scope) {
    case "Production":
      return ENVIRONMENT_PRODUCTION;
    case "Preview":
      return ENVIRONMENT_PREVIEW;
    case "All":
      return isProductionBranch ? ENVIRONMENT_PRODUCTION : ENVIRONMENT_PREVIEW;
  }
}

export function hookToWire(
  hook: HookRecord,
  facts: { readonly project: string; readonly use: HookUse },
): DeployHook {
  const { workspaceId: _, tokenHash: __, secretSalt, ...shown } = hook;
  const time = (moment: number) => new Date(moment).toISOString();
  return {
    ...shown,
    signed: secretSalt !== null,
    project: facts.project,
    triggeredCount: facts.use.count,
    lastTriggeredAt: facts.use.last === null ? null : time(facts.use.last),
    createdAt: time(hook.createdAt),
    updatedAt: time(hook.updatedAt),
  };
}
