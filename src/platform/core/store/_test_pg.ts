/**
 * For tests: a PostgreSQL server that contains stores, and a connection to it that tests can
 * interrupt.
 *
 * @module
 */
import postgres from "postgres";
import {
  PASSWORD,
  startTestCluster,
  type TestCluster,
} from "../../../database/server/_test_server.ts";
import { openPgStore, type Patience, type PgStore, type StoreAddress } from "../../../store/mod.ts";

export { NO_POSTGRES } from "../../../database/server/_test_server.ts";

/** Short timeouts, for tests that would otherwise wait for a server. */
export const QUICK: Patience = { connectMs: 2_000, attemptMs: 5_000, failureMs: 300 };

export class TestPg implements AsyncDisposable {
  #count = 0;

  private constructor(readonly cluster: TestCluster) {}

  static async start(): Promise<TestPg> {
    return new TestPg(await startTestCluster());
  }

  /** Creates an empty database and returns its URL. */
  async newAddress(): Promise<StoreAddress> {
    const database = `store_${this.#count++}`;
    await this.runSql(`CREATE DATABASE ${database}`);
    const { socket, user } = this.cluster;
    return { hosts: [], socket, tls: undefined, user, database, password: PASSWORD };
  }

  async runSql(text: string, database = "postgres"): Promise<postgres.RowList<postgres.Row[]>> {
    const { socket: path, user } = this.cluster;
    const sql = postgres({ path, user, password: PASSWORD, database, max: 1, fetch_types: false });
    try {
      return await sql.unsafe(text);
    } finally {
      await sql.end();
    }
  }

  /** Opens a store in a new database. */
  async open(patience?: Patience): Promise<PgStore> {
    return await openPgStore(await this.newAddress(), patience);
  }

  async [Symbol.asyncDispose]() {
    await this.cluster[Symbol.asyncDispose]();
  }
}

/** A port on this machine that forwards to a server. */
export class TestProxy implements AsyncDisposable {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #connections = new Set<Deno.Conn>();
  readonly #done: Promise<void>;
  /** Called with the client's data before the server receives it. */
  onRequest: (bytes: Uint8Array) => void = () => {};
  /** Whether clients get the server's responses; otherwise, their connection is closed. */
  passesAnswers = true;

  readonly #socket: string;

  constructor(socket: string) {
    this.#socket = socket;
    this.#done = this.#accept();
  }

  get port(): number {
    return (this.#listener.addr as Deno.NetAddr).port;
  }

  /** Closes all connections. */
  cut(): void {
    for (const connection of this.#connections) close(connection);
    this.#connections.clear();
  }

  async #accept(): Promise<void> {
    for await (const client of this.#listener) {
      const server = await Deno.connect({ transport: "unix", path: this.#socket }).catch(() => {});
      if (server === undefined) {
        close(client);
        continue;
      }
      for (const connection of [client, server]) this.#connections.add(connection);
      void this.#pass(client, server, (bytes) => {
        this.onRequest(bytes);
        return true;
      });
      void this.#pass(server, client, () => this.passesAnswers);
    }
  }

  async #pass(
    from: Deno.Conn,
    to: Deno.Conn,
    passes: (bytes: Uint8Array) => boolean,
  ): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
        const bytes = buffer.subarray(0, count);
        if (!passes(bytes)) break;
        for (let at = 0; at < count;) at += await to.write(bytes.subarray(at));
      }
    } catch {
      /* closed by either side */
    }
    for (const connection of [from, to]) close(connection);
  }

  async [Symbol.asyncDispose]() {
    this.#listener.close();
    this.cut();
    await this.#done;
  }
}

function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    /* already closed */
  }
}
