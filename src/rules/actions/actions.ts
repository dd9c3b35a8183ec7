/** @module Every kind of action, by its type. A new action needs one file, and one line here. */
import type { Phase } from "../decision.ts";
import type { ActionDefinition } from "./action_definition.ts";
import { allow } from "./allow.ts";
import { bypassCache } from "./bypass_cache.ts";
import { cache } from "./cache.ts";
import { deny } from "./deny.ts";
import { log } from "./log.ts";
import { pipeline } from "./pipeline.ts";
import { rateLimit } from "./rate_limit.ts";
import { redirect } from "./redirect.ts";
import { removeHeaders } from "./remove_headers.ts";
import { rewrite } from "./rewrite.ts";
import { setHeaders } from "./set_headers.ts";

const TABLE = {
  allow,
  log,
  deny,
  redirect,
  rewrite,
  set_headers: setHeaders,
  remove_headers: removeHeaders,
  cache,
  bypass_cache: bypassCache,
  pipeline,
  rate_limit: rateLimit,
} as const;

export type ActionType = keyof typeof TABLE;

/** The authored form of each action. */
type RawActions = {
  readonly [T in ActionType]: (typeof TABLE)[T] extends ActionDefinition<infer Raw, infer _> ? Raw
    : never;
};

/** The normal form of each action. */
type NormalActions = {
  readonly [T in ActionType]: (typeof TABLE)[T] extends ActionDefinition<infer _, infer Normal>
    ? Normal
    : never;
};

/** An action as written. */
export type Action = RawActions[ActionType];

/** An action with every default filled in. */
export type RuntimeAction = NormalActions[ActionType];

export const ACTIONS: {
  readonly [T in ActionType]: ActionDefinition<RawActions[T], NormalActions[T]>;
} = TABLE;

/** Every action type. */
export const ACTION_TYPES = Object.keys(TABLE) as readonly ActionType[];

/**
 * Returns the definition of an action. Pass only this action to the definition's methods, because
 * their parameter types do not enforce this.
 */
export function definitionOf(
  { type }: { readonly type: ActionType },
): ActionDefinition<Action, RuntimeAction> {
  return ACTIONS[type];
}

/** Returns the phase of rules with a given action. */
export function phaseOf(type: ActionType): Phase {
  return ACTIONS[type].phase;
}
