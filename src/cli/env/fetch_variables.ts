/**
 * The values that an environment sees, for a program that runs with them.
 *
 * @module
 */
import type { Client } from "../../client/client.ts";
import { exportVariables } from "../../contract/variables.ts";
import { CliError } from "../errors/cli_error.ts";
import { isVariableName } from "./variable_name.ts";

/**
 * Asks the platform for the variables of an environment, secrets included, and
 * checks what it sends: a name with `=` would become another variable.
 */
export async function fetchVariables(
  client: Client,
  of: { readonly project: string; readonly environment: string },
): Promise<Readonly<Record<string, string>>> {
  const { variables } = await client.call(exportVariables, {
    params: { project: of.project },
    body: { environment: of.environment },
    idempotent: true,
  });
  for (const [name, value] of Object.entries(variables)) {
    if (isVariableName(name) && !value.includes("\0")) continue;
    throw new CliError("contract", "Cannot use the variables: the platform sent an invalid one");
  }
  return variables;
}
