/**
 * Migrations that production keeps when it shows an earlier deployment again. Pure.
 *
 * @module
 */
import { formatCount } from "../lib/format.ts";
import type { Deployment } from "./deployments.ts";

/** How many deployments of production to look at. */
export const NEWER_SCHEMA_LIMIT = 100;

/**
 * Ids of deployments whose migration changed the schema after the deployment `to`, or with and
 * after the one that is live. `items` are the deployments of production, newest first.
 */
export function newerMigrations(
  items: readonly Pick<Deployment, "id" | "isProduction" | "migration">[],
  to: string | undefined,
): string[] {
  // A target that is not listed is older than all of them.
  const at = items.findIndex(({ id, isProduction }) => to === undefined ? isProduction : id === to);
  const later = at === -1 ? items : items.slice(0, to === undefined ? at + 1 : at);
  return later.filter(({ migration }) => migration === "changed").map(({ id }) => id);
}

/** Says that the schema stays. */
export const newerSchemaText = (count: number): string =>
  `The database keeps its newer schema: ${
    formatCount(count, "later deployment")
  } migrated it. A rollback does not undo that`;
