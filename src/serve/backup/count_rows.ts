/**
 * Counts the rows in restored databases. Embedded databases are started and queried. For databases
 * on a server, the rows in the SQL dump are counted.
 *
 * @module
 */
import { join } from "node:path";
import * as z from "zod";
import {
  type Branch,
  databaseProcessCommand,
  EmbeddedEngine,
  runStatement,
} from "../../database/mod.ts";
import { namesIn } from "../../lib/missing_files.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { readTextFile } from "../../lib/utf8.ts";
import { DUMPS_FOLDER } from "../../platform/databases/mod.ts";
import { BackupError, DATABASES } from "./backup_layout.ts";

export interface CountedDatabase {
  /** ID of the database's storage. */
  readonly id: string;
  readonly tables: number;
  readonly rows: number;
}

/** Maximum number of tables whose rows are counted in one statement. */
const MOST_TABLES = 200;
const MOST_CHARACTERS = 64 * 1024 * 1024;
const MEMORY_MB = 512;

const namesSchema = z.object({ database: z.string(), role: z.string().nullable() });

/**
 * Lists the tables, and whether all their rows can be counted. The rows of a table are not counted
 * if the owner has revoked its own privileges, or if policies apply: policies are project code,
 * which must not affect a backup.
 */
const TABLES = `SELECT format('%I.%I', n.nspname, c.relname),
  (has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
    AND NOT (c.relrowsecurity AND (c.relforcerowsecurity OR r.rolname <> current_user)))::int
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_roles r ON r.oid = c.relowner
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  ORDER BY 1`;

async function ask(engine: EmbeddedEngine, branch: Branch, sql: string) {
  const session = await engine.connect(
    branch,
    new Map([["user", branch.role], ["database", branch.database]]),
  );
  const result = await runStatement(session, sql, { params: [], maxCharacters: MOST_CHARACTERS });
  if ("rows" in result) return result.rows;
  throw new Error(result.message);
}

async function countEmbedded(
  engine: EmbeddedEngine,
  folder: string,
  id: string,
): Promise<CountedDatabase> {
  const { database, role } = namesSchema.parse(
    JSON.parse(await readTextFile(join(folder, id, "names.json"))),
  );
  // No client has connected to the database yet.
  if (role === null) return { id, tables: 0, rows: 0 };
  const branch = { id, database, role, limits: { memoryMb: MEMORY_MB, connections: 1 } };
  try {
    const tables = await ask(engine, branch, TABLES);
    const counted = tables.filter(([, isCounted]) => Number(isCounted) === 1)
      .map(([name]) => String(name));
    let rows = 0;
    for (let at = 0; at < counted.length; at += MOST_TABLES) {
      const some = counted.slice(at, at + MOST_TABLES);
      const counts = some.map((name) => `SELECT count(*) AS n FROM ${name}`).join(" UNION ALL ");
      const [[sum] = []] = await ask(engine, branch, `SELECT sum(n) FROM (${counts}) AS counts`);
      rows += Number(sum);
    }
    return { id, tables: tables.length, rows };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new BackupError(
      `Cannot use the backup: the restored database ${id} does not start: ${reason}`,
      "Keep older backups, and check the database with svc doctor --deep",
      { cause },
    );
  } finally {
    await engine.stop(branch);
  }
}

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await Deno.open(path);
  let begun = "";
  for await (const text of file.readable.pipeThrough(new TextDecoderStream())) {
    const lines = `${begun}${text}`.split("\n");
    begun = lines.pop()!;
    yield* lines;
  }
  if (begun !== "") yield begun;
}

/** Counts the lines in the output of `pg_dump` between `COPY … FROM stdin;` and `\.`. */
async function countDump(path: string, id: string): Promise<CountedDatabase> {
  let [tables, rows, isCopy] = [0, 0, false];
  for await (const line of linesOf(path)) {
    if (isCopy) {
      if (line === "\\.") isCopy = false;
      else rows++;
    } else if (/^COPY .* FROM stdin;$/.test(line)) isCopy = true;
    else if (/^CREATE (?:UNLOGGED )?TABLE /.test(line)) tables++;
  }
  return { id, tables, rows };
}

/**
 * @param dataDir data directory of the restored backup, which must not be in use by a running
 * platform
 */
export async function countRows(
  dataDir: string,
  env: Environment,
): Promise<readonly CountedDatabase[]> {
  const folder = join(dataDir, DATABASES);
  const engine = new EmbeddedEngine({ folder, command: databaseProcessCommand({ env }) });
  const counted: CountedDatabase[] = [];
  try {
    // Databases are counted one after the other, because each database needs the memory of a
    // process.
    for (const id of await namesIn(folder)) counted.push(await countEmbedded(engine, folder, id));
  } finally {
    await engine.close();
  }
  for (const name of await namesIn(join(dataDir, DUMPS_FOLDER))) {
    const id = name.replace(/\.sql$/, "");
    counted.push(await countDump(join(dataDir, DUMPS_FOLDER, name), id));
  }
  return counted;
}
