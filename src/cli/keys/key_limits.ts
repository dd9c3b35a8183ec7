/** @module Reads the limits of an API key from flags. */
import type { Client } from "../../client/client.ts";
import { type Permission, PERMISSION_NAMES } from "../../contract/permissions.ts";
import { duration } from "../command/option_values.ts";
import { knownNames } from "../command/known_names.ts";
import { CliError } from "../errors/cli_error.ts";
import { findProject } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";

const DAY_SECONDS = 86_400;
const parseDuration = duration({ min: 60, max: 3650 * DAY_SECONDS });

/** Parses `never`, or a duration, which is returned in seconds. */
export const expiry = (text: string): number | "never" =>
  text === "never" ? "never" : parseDuration(text);

/** Returns when a key expires. `now` is in milliseconds. */
export function expiresAt(given: number | "never", now: number): string | null {
  return given === "never" ? null : new Date(now + given * 1000).toISOString();
}

/**
 * Finds permissions by name, without duplicates. @throws {CliError} if a permission does not exist
 */
export const permissionsOf = (given: readonly string[]): Permission[] => [
  ...new Set(knownNames(given, PERMISSION_NAMES, "permission")),
];

/** Finds the IDs of projects by name. @throws {CliError} if a project does not exist */
export async function projectIds(client: Client, given: readonly string[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const reference of given) {
    const project = await findProject(client, reference);
    if (project === undefined) {
      const problem = `there is no "${printable(reference)}" in this workspace`;
      throw new CliError("not_found", `Unknown project: ${problem}`, {
        next: ["svc projects list"],
      });
    }
    ids.add(project.id);
  }
  return [...ids];
}
