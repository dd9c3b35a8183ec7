/** Notices for a database's owner, as full sentences. Pure. @module */
import type { DatabaseOverride } from "../../contract/databases.ts";
import { SCOPE_ALL } from "../../contract/variables.ts";
import type { EngineKind } from "../../database/mod.ts";
import { type DatabaseRecord, injectsInto } from "./records.ts";

const EMBEDDED =
  "One PostgreSQL backend serves all connections of a branch. Statements run one after another, and a transaction blocks the others";

interface OverrideFacts {
  /** The project's databases that are not deleted, oldest first. */
  readonly others: readonly DatabaseRecord[];
  /** The project's own variables. */
  readonly variables: readonly { readonly key: string; readonly scope: string }[];
}

/**
 * Returns the environments that get the variables of both databases; `null` for all environments,
 * empty for none.
 */
function sharedEnvironments(one: DatabaseRecord, other: DatabaseRecord): readonly string[] | null {
  if (one.environments === null) return other.environments;
  return one.environments.filter((environment) => injectsInto(other, environment));
}

function describeOlder(
  database: DatabaseRecord,
  others: readonly DatabaseRecord[],
): DatabaseOverride[] {
  const older = others.slice(0, others.findIndex(({ id }) => id === database.id));
  for (const other of older) {
    if (!other.autoInject || other.envVar !== database.envVar) continue;
    const environments = sharedEnvironments(database, other);
    if (environments?.length === 0) continue;
    const where = environments === null ? "" : ` in ${environments.join(", ")}`;
    return [{
      by: "database",
      name: other.name,
      environments: environments && [...environments],
      note: `Deployments get ${database.envVar}${where} from the older database ` +
        `"${other.name}": choose another name with svc db config --env-var`,
    }];
  }
  return [];
}

function describeVariable(
  database: DatabaseRecord,
  variables: OverrideFacts["variables"],
): DatabaseOverride[] {
  const { envVar } = database;
  const scopes = variables
    .filter(({ key, scope }) =>
      key === envVar && (scope === SCOPE_ALL || injectsInto(database, scope))
    ).map(({ scope }) => scope);
  if (scopes.length === 0) return [];
  const where = scopes.map((scope) => scope === SCOPE_ALL ? "all environments" : scope)
    .join(", ");
  return [{
    by: "variable",
    name: envVar,
    environments: scopes.includes(SCOPE_ALL) ? database.environments : scopes,
    note:
      `The project has its own variable ${envVar} in ${where}. Deployments there get that value instead of this database's connection string`,
  }];
}

/** Describes variables that replace a database's connection string. */
export function describeOverrides(
  database: DatabaseRecord,
  { others, variables }: OverrideFacts,
): DatabaseOverride[] {
  if (!database.autoInject || database.deletedAt !== null) return [];
  return [...describeOlder(database, others), ...describeVariable(database, variables)];
}

export function describeEngine(
  { name }: Pick<DatabaseRecord, "name">,
  { engine, hasServer }: {
    /** The engine of the database's `main` branch. */
    readonly engine: EngineKind;
    readonly hasServer: boolean;
  },
): string[] {
  if (engine !== "embedded") return [];
  const advice = hasServer
    ? `For more load, use svc db move ${name} --to server`
    : "For more load, the platform needs a PostgreSQL server: svc serve --postgres";
  return [`${EMBEDDED}. ${advice}`];
}
