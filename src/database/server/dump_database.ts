/** @module Dumps a database as SQL with `pg_dump`. */
import { PortableDump } from "../portable_dump.ts";
import { type DumpOptions, EngineError } from "../types.ts";
import { startClientProgram } from "./client_program.ts";
import type { ServerSource } from "./server_source.ts";

export interface DumpDatabaseOptions extends DumpOptions {
  readonly name: string;
  /** Returns the version of the server. */
  readonly version: () => Promise<string>;
}

/** Maximum number of rows in one INSERT. */
const ROWS = 200;

export function dumpDatabase(
  source: ServerSource,
  options: DumpDatabaseOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { readable, writable } = new TransformStream<
    Uint8Array<ArrayBuffer>,
    Uint8Array<ArrayBuffer>
  >();
  void write(source, options, writable).catch((error) => writable.abort(error).catch(() => {}));
  return readable;
}

async function write(
  source: ServerSource,
  { name, schemaOnly, version }: DumpDatabaseOptions,
  writable: WritableStream<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const dump = await startClientProgram(source, {
    program: "pg_dump",
    database: name,
    args: [
      "--no-owner",
      "--no-privileges",
      "--inserts",
      `--rows-per-insert=${ROWS}`,
      ...(schemaOnly ? ["--schema-only"] : []),
    ],
  });
  await dump.child.stdin.close();
  try {
    await dump.child.stdout.pipeThrough(new PortableDump())
      .pipeTo(writable, { preventClose: true });
  } catch (error) {
    dump.child.kill("SIGKILL");
    throw error;
  } finally {
    await dump.child.status;
  }
  const reason = await dump.failure();
  if (reason !== undefined) {
    throw new EngineError(`PostgreSQL ${await version()} could not be dumped: ${reason}`, "58000");
  }
  await writable.close();
}
