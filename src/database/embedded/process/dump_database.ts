/**
 * @module Dumps a database with pg_dump compiled to WebAssembly, on the backend of this process.
 */
import { SharedBackend } from "../multiplex/backend.ts";
import { MAX_MESSAGE_BYTES } from "../multiplex/client.ts";
import { MessageReader } from "../multiplex/messages.ts";
import { loadPgDump, type PgDump } from "./engine_files.ts";
import type { Postgres } from "./postgres.ts";

export interface DumpDatabaseOptions {
  readonly database: string;
  readonly schemaOnly: boolean;
}

type Pg = Parameters<PgDump>[0]["pg"];

interface RawOptions {
  readonly onRawData: (bytes: Uint8Array) => void;
}

/** Provides the part of PGlite's interface that pg_dump uses, on top of this process's backend. */
function asPglite(postgres: Postgres): Pg {
  const backend = new SharedBackend(postgres);
  const messages = new MessageReader(MAX_MESSAGE_BYTES);
  const run = (bytes: Uint8Array, { onRawData }: RawOptions): void => {
    if (bytes[0] === 0 && messages.size === 0) {
      return postgres.greet(bytes.slice(), (said) => onRawData(said.bytes));
    }
    messages.push(bytes.slice());
    for (let next = messages.take(); next !== undefined; next = messages.take()) {
      if (next.type === "X") continue;
      postgres.run(next.bytes, (said) => onRawData(said.bytes), () => new Uint8Array(0));
    }
  };
  const pg = {
    query: () => Promise.resolve({ rows: [{ search_path: SEARCH_PATH }] }),
    exec: (sql: string) => Promise.resolve(void backend.ask(sql)),
    execProtocolRawStream: run,
  };
  return pg as unknown as Pg;
}

/** The search path that pg_dump leaves behind. It is reset for the next client. */
const SEARCH_PATH = "public";

/**
 * Returns SQL that recreates the database. The whole dump is in memory.
 *
 * @throws {Error} with pg_dump's message
 */
export async function dumpDatabase(
  postgres: Postgres,
  { database, schemaOnly }: DumpDatabaseOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const pgDump = await loadPgDump();
  const args = [
    "--no-owner",
    "--no-privileges",
    ...(schemaOnly ? ["--schema-only"] : []),
    database,
  ];
  try {
    const file = await pgDump({ pg: asPglite(postgres), args });
    return new Uint8Array(await file.arrayBuffer());
  } finally {
    // pg_dump relies on the end of the connection to end its read-only transaction, but this
    // connection stays open.
    new SharedBackend(postgres).ask("ROLLBACK");
  }
}
