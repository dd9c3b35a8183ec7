/** Stored variables, their values in an environment, and the effects of a change. Pure. @module */
import * as z from "zod";
import {
  MAX_ENVIRONMENT_BYTES,
  MAX_VARIABLES,
  SCOPE_ALL,
  type Variable,
  VARIABLE_CATEGORIES,
  type VariableCategory,
} from "../../contract/variables.ts";
import { sealedSecret } from "../core/secrets/mod.ts";

export const variableRecord = z.object({
  key: z.string(),
  /** `all`, or the name of an environment. */
  scope: z.string(),
  category: z.enum(VARIABLE_CATEGORIES),
  /** The value of a plain variable. */
  value: z.string().optional(),
  /** The value of a secret. */
  sealed: sealedSecret.optional(),
  /** Length of the value in UTF-8 bytes. */
  bytes: z.number(),
  updatedAt: z.number(),
});
export type VariableRecord = z.infer<typeof variableRecord>;

/**
 * Returns the position in the store to which a secret is bound. The secret cannot be decrypted at
 * any other position.
 */
export function variablePlace(projectId: string, variable: { key: string; scope: string }): string {
  return `variable/${projectId}/${variable.scope}/${variable.key}`;
}

/**
 * Returns an environment's variables. The environment's own variables override those for all
 * environments.
 */
export function visibleIn(
  variables: readonly VariableRecord[],
  environment: string,
): VariableRecord[] {
  const visible = new Map<string, VariableRecord>();
  for (const variable of variables) {
    const narrower = variable.scope === environment;
    if (narrower || (variable.scope === SCOPE_ALL && !visible.has(variable.key))) {
      visible.set(variable.key, variable);
    }
  }
  return [...visible.values()];
}

/** The effect of setting a variable, or the reason why it cannot be set. */
type SetPlan =
  | { readonly type: "set"; readonly remove: readonly VariableRecord[] }
  | { readonly type: "refuse"; readonly message: string };

interface WantedVariable {
  readonly key: string;
  readonly scope: string;
  readonly category: VariableCategory;
  readonly bytes: number;
  readonly replaceScope: boolean;
  readonly changeCategory: boolean;
}

const listScopes = (variables: readonly VariableRecord[]): string =>
  variables.map((variable) => variable.scope).join(", ");

/**
 * Decides on a change. Setting a value for all environments requires `replaceScope` if environments
 * have their own values. Changing the category requires `changeCategory`.
 */
export function planSet(variables: readonly VariableRecord[], wanted: WantedVariable): SetPlan {
  const others = variables.filter((each) => each.key === wanted.key && each.scope !== wanted.scope);
  const same = variables.find((each) => each.key === wanted.key && each.scope === wanted.scope);
  const remaining = wanted.replaceScope ? [] : others;
  const conflicting = [...(same === undefined ? [] : [same]), ...others]
    .find((each) => each.category !== wanted.category);
  if (conflicting !== undefined && !wanted.changeCategory) {
    return {
      type: "refuse",
      message: `Variable ${wanted.key} is ${conflicting.category} in ${conflicting.scope}: ` +
        `pass --change-category to make it ${wanted.category}`,
    };
  }
  if (remaining.some((each) => each.category !== wanted.category)) {
    return {
      type: "refuse",
      message: `Variable ${wanted.key} is also set in ${listScopes(remaining)} with the other ` +
        `category: pass --replace-scope to remove it there, or set it there first`,
    };
  }
  if (wanted.scope === SCOPE_ALL && remaining.length > 0) {
    return {
      type: "refuse",
      message: `Variable ${wanted.key} has its own value in ${listScopes(remaining)}, which a ` +
        `value for all environments would not change: pass --replace-scope to remove it there`,
    };
  }
  return checkLimits(variables, wanted) ?? {
    type: "set",
    remove: wanted.replaceScope ? others : [],
  };
}

function checkLimits(
  variables: readonly VariableRecord[],
  wanted: WantedVariable,
): SetPlan | undefined {
  const kept = variables.filter((each) => each.key !== wanted.key);
  if (kept.length + 1 > MAX_VARIABLES) {
    return {
      type: "refuse",
      message: `A project can have at most ${MAX_VARIABLES} variables: delete one first`,
    };
  }
  const added = wanted.key.length + wanted.bytes;
  for (const environment of new Set([wanted.scope, ...kept.map((each) => each.scope)])) {
    const size = visibleIn(kept, environment)
      .reduce((sum, each) => sum + each.key.length + each.bytes, added);
    if (size > MAX_ENVIRONMENT_BYTES) {
      return {
        type: "refuse",
        message: `The variables of one environment can total at most ${MAX_ENVIRONMENT_BYTES} ` +
          `bytes. With ${wanted.key}, they would total ${size}`,
      };
    }
  }
  return undefined;
}

export function variableToWire(variable: VariableRecord): Variable {
  return {
    key: variable.key,
    category: variable.category,
    scope: variable.scope,
    value: variable.category === "plain" ? variable.value ?? "" : null,
    updatedAt: new Date(variable.updatedAt).toISOString(),
  };
}
