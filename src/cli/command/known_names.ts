/** @module Checks flag values that name a resource on the platform. */
import { nearest } from "../../lib/suggest.ts";
import { CliError } from "../errors/cli_error.ts";

/** Maximum number of names to list in an error message. */
const MOST_NAMED = 10;

/**
 * Returns the names in the API's spelling, regardless of case.
 *
 * @throws {CliError} if a name is unknown. `what` describes the kind of name
 */
export function knownNames<Name extends string>(
  given: readonly string[],
  names: readonly Name[],
  what: string,
): Name[] {
  return given.map((text) => {
    const found = names.find((name) => name.toLowerCase() === text.toLowerCase());
    if (found !== undefined) return found;
    const near = nearest(text, names);
    const all = names.length > MOST_NAMED ? "" : `. Available: ${names.join(", ")}`;
    const meant = near === undefined ? all : `, did you mean ${near}?`;
    throw new CliError("usage", `Name an existing ${what}: there is no "${text}"${meant}`);
  });
}
