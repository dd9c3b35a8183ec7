/**
 * Values of flags that name something the platform knows.
 *
 * @module
 */
import { nearest } from "../../lib/suggest.ts";
import { CliError } from "../errors/cli_error.ts";

/** Maximum number of names that a refusal lists. */
const MOST_NAMED = 10;

/**
 * The names as the API spells them, whatever their letters' case.
 *
 * @throws {CliError} for one that does not exist; `what` is what they name
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
