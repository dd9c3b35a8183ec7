/**
 * Migrations that stay applied when production serves an earlier deployment again. Pure.
 *
 * @module
 */
import { formatCount } from "../lib/format.ts";
import type { Deployment } from "./deployments.ts";

/** Maximum number of production deployments to check. */
export const NEWER_SCHEMA_LIMIT = 100;

/**
 * Finds deployments after `to` whose migrations changed the schema. `items` must be sorted newest
 * first.
 */
export function newerMigrations(
  items: readonly Pick<Deployment, "id" | "isProduction" | "migration">[],
  to: string | undefined,
): string[] {
  // A target that is not in the list is older than every deployment in the list.
  const at = items.findIndex(({ id, isProduction }) => to === undefined ? isProduction : id === to);
  const later = at === -1 ? items : items.slice(0, to === undefined ? at + 1 : at);
  return later.filter(({ migration }) => migration === "changed").map(({ id }) => id);
}

/** Warns that the schema will keep the changes of newer deployments. */
export const newerSchemaText = (count: number): string =>
  `The database keeps its newer schema: ${
    formatCount(count, "later deployment")
  } migrated it. A rollback does not undo this`;
