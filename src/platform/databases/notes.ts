/**
 * What the owner of a database should know, in sentences. Pure.
 *
 * @module
 */
import { SCOPE_ALL } from "../../contract/mod.ts";
import type { EngineKind } from "../../database/mod.ts";
import { type DatabaseRecord, injectsInto } from "./records.ts";

const EMBEDDED =
  "One PostgreSQL backend serves all connections of a branch: statements run one after another, " +
  "and a transaction makes the others wait";

export function describeNotes(
  database: DatabaseRecord,
  { engine, hasServer, others, variables }: {
    /** Where its branch `main` is. */
    readonly engine: EngineKind;
    readonly hasServer: boolean;
    /** Databases of the project that are not deleted, oldest first. */
    readonly others: readonly DatabaseRecord[];
    /** Variables that the project has by itself. */
    readonly variables: readonly { readonly key: string; readonly scope: string }[];
  },
): string[] {
  const { autoInject, envVar, id, name, deletedAt } = database;
  const notes: string[] = [];
  if (engine === "embedded") {
    const advice = hasServer
      ? `For more load: svc db move ${name} --to server`
      : "For more load, the platform needs a PostgreSQL server: svc serve --postgres";
    notes.push(`${EMBEDDED}. ${advice}`);
  }
  if (!autoInject || deletedAt !== null) return notes;
  const earlier = others.find((other) => other.autoInject && other.envVar === envVar);
  if (earlier !== undefined && earlier.id !== id) {
    notes.push(
      `Deployments get ${envVar} from the older database "${earlier.name}": choose another name ` +
        "with svc db config --env-var",
    );
  }
  const scopes = variables
    .filter(({ key, scope }) =>
      key === envVar && (scope === SCOPE_ALL || injectsInto(database, scope))
    ).map(({ scope }) => scope === SCOPE_ALL ? "all environments" : scope);
  if (scopes.length > 0) {
    notes.push(
      `The project sets the variable ${envVar} itself in ${scopes.join(", ")}: deployments there ` +
        "get that value, not this database's address",
    );
  }
  return notes;
}
