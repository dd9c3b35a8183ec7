/** @module Runs statements on a server as the platform's own role. */
import { runSql } from "../query/run_sql.ts";
import { EngineError } from "../types.ts";
import { connectServer } from "./connect_server.ts";
import { ServerSession } from "./server_session.ts";
import type { ServerSource } from "./server_source.ts";

/** Rows from the last statement that returned any. */
export type Rows = readonly (readonly (string | null)[])[];

export class Admin {
  readonly #source: ServerSource;

  constructor(source: ServerSource) {
    this.#source = source;
  }

  /**
   * Runs statements, each string in its own transaction.
   *
   * @param database the database in which they run; by default, the database of the login
   * @param settings session options, such as `-c work_mem=4MB`
   * @throws {EngineError}
   */
  async run(
    texts: readonly string[],
    { database, settings }: { readonly database?: string; readonly settings?: string } = {},
  ): Promise<Rows> {
    const { address, login } = await this.#source.reach();
    let rows: (readonly (string | null)[])[] = [];
    // CREATE DATABASE must be the only statement in its query.
    for (const text of texts) {
      const connected = await connectServer(
        address,
        { ...login, database: database ?? login.database },
        new Map([["application_name", "svc"], ["options", settings ?? ""]]),
      );
      for await (const event of runSql(new ServerSession(connected), text)) {
        if (event.type === "columns") rows = [];
        if (event.type === "rows") rows.push(...event.rows);
        if (event.type === "error") throw new EngineError(event.message, event.sqlState);
      }
    }
    return rows;
  }
}
