/** @module Checks the names of variables before anything is read or sent. */
import { variableName } from "../../contract/variables.ts";
import { CliError } from "../errors/cli_error.ts";

/** Returns true for a name that a variable can have. */
export function isVariableName(name: string): boolean {
  return variableName.safeParse(name).success;
}

/**
 * Returns a valid name. Otherwise throws a usage error without the text after `=`, because that
 * text is a value and may be a secret.
 */
export function checkVariableName(name: string): string {
  if (isVariableName(name)) return name;
  const end = name.indexOf("=");
  const wanted =
    "Names of variables must be 1 to 128 letters, digits and _, not beginning with a digit";
  if (end !== -1) {
    throw new CliError("usage", `${wanted}, and without "="`, {
      hint: "Pass the value with --value, --stdin or --from-file",
    });
  }
  const shown = name.length > 128 ? `a name with ${name.length} characters` : JSON.stringify(name);
  throw new CliError("usage", `${wanted}, not ${shown}`);
}
