/** @module Fetches the variables of an environment for a program that runs with them. */
import type { Client } from "../../client/client.ts";
import { isForbidden } from "../../client/errors.ts";
import { exportVariables, type VariableReference } from "../../contract/variables.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { isVariableName } from "./variable_name.ts";

/** Placeholder for `${{self.url}}` until the program's URL is known. */
const SELF = "https://self.svc.invalid";

/** Replaces the placeholder for `${{self.url}}` with a URL. */
export function fillSelf(
  variables: Readonly<Record<string, string>>,
  url: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value.replaceAll(SELF, url)]),
  );
}

const describeReference = ({ variable, reference, value }: VariableReference): string => {
  const target = value === null
    ? "the connection string"
    : value === SELF
    ? "this program's own URL"
    : value;
  return `${variable}: \${{${reference}}} is ${target}`;
};

/**
 * Fetches the variables of an environment, including secrets. Validates their names, because a name
 * with `=` would set a different variable. Logs how references resolve.
 */
export async function fetchVariables(
  ctx: Context,
  client: Client,
  of: {
    readonly project: string;
    readonly environment: string;
    /** The git branch whose previews are used to resolve references. */
    readonly branch: string | undefined;
    /** Whether the program has a URL, which `fillSelf()` fills in later. */
    readonly hasUrl?: boolean;
  },
): Promise<Readonly<Record<string, string>>> {
  const { environment, branch } = of;
  const self = of.hasUrl === true ? SELF : undefined;
  const { variables, references } = await client.call(exportVariables, {
    params: { project: of.project },
    body: { environment, branch, self },
    idempotent: true,
  });
  for (const [name, value] of Object.entries(variables)) {
    if (isVariableName(name) && !value.includes("\0")) continue;
    throw new CliError("contract", "Cannot use the variables: the platform sent an invalid one");
  }
  for (const each of references) ctx.ui.log("env", "info", describeReference(each));
  return variables;
}

/**
 * Fetches the variables for a build. A key that can only deploy cannot read them. In that case,
 * warns and returns none.
 */
export async function fetchIfReadable(
  ctx: Context,
  client: Client,
  of: Parameters<typeof fetchVariables>[2],
): Promise<Readonly<Record<string, string>>> {
  try {
    return await fetchVariables(ctx, client, of);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const advice = "To build with them, push with git or use a key with all permissions";
    ctx.ui.log("env", "warn", `Building without variables: the key cannot read them. ${advice}`);
    return {};
  }
}
