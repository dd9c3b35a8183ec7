/**
 * The databases to measure: the two engines of one platform, and a plain PostgreSQL.
 *
 * @module
 */
import { join } from "node:path";
import { type Client, createClient } from "../../src/client/client.ts";
import { endpoints } from "../../src/contract/endpoints.ts";
import { MAIN_BRANCH } from "../../src/contract/databases.ts";
import type { BenchPlace } from "./_bench_place.ts";
import { newestVersion, type PlainPostgres, startPlainPostgres } from "./_plain_postgres.ts";
import { processTree } from "./_processor_time.ts";

export interface DatabaseSide {
  readonly name: string;
  /** Creates an empty database, and returns when it exists. */
  create(database: string): Promise<void>;
  /** Copies a database, and returns when the copy exists. */
  branch(database: string, branch: string): Promise<void>;
  removeBranch(database: string, branch: string): Promise<void>;
  url(database: string): Promise<string>;
  /** Puts a database into the state that it is in after a long time without clients. */
  letSleep(database: string): Promise<void>;
  /** Returns the processes that currently run databases. */
  processes(): readonly number[];
  close(): Promise<void>;
}

/** Maximum time to wait for a database or branch; long enough to copy a branch of one gigabyte. */
const READY_LIMIT_MS = 180_000;
const LOOK_MS = 5;

/** A platform's databases, created and used as the CLI would. */
abstract class PlatformSide implements DatabaseSide {
  abstract readonly name: string;
  protected abstract readonly engine: "embedded" | "server";
  readonly #client: Client;

  constructor(protected readonly place: BenchPlace) {
    this.#client = createClient({ baseUrl: place.platform.url, token: place.token });
  }

  abstract processes(): readonly number[];

  async prepare(): Promise<this> {
    await this.#client.call(endpoints.createProject, { body: { name: this.engine } });
    return this;
  }

  async create(database: string): Promise<void> {
    const params = { project: this.engine };
    const body = { name: database, engine: this.engine };
    await this.#client.call(endpoints.createDatabase, { params, body });
    await this.#untilActive(database, MAIN_BRANCH);
  }

  async branch(database: string, branch: string): Promise<void> {
    const params = this.#params(database);
    await this.#client.call(endpoints.createDatabaseBranch, { params, body: { name: branch } });
    await this.#untilActive(database, branch);
  }

  async removeBranch(database: string, branch: string): Promise<void> {
    const params = { ...this.#params(database), branch };
    await this.#client.call(endpoints.deleteDatabaseBranch, { params });
  }

  async url(database: string): Promise<string> {
    const params = this.#params(database);
    return (await this.#client.call(endpoints.getDatabaseConnection, { params })).url;
  }

  async letSleep(database: string): Promise<void> {
    const params = this.#params(database);
    await this.#client.call(endpoints.stopDatabase, { params });
    await this.#client.call(endpoints.startDatabase, { params });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #untilActive(database: string, name: string): Promise<void> {
    const params = this.#params(database);
    const deadline = Date.now() + READY_LIMIT_MS;
    for (;;) {
      const { items } = await this.#client.call(endpoints.listDatabaseBranches, { params });
      const branch = items.find((each) => each.name === name);
      if (branch?.state === "active") return;
      if (branch?.state !== "creating" || Date.now() > deadline) {
        const state = branch?.state ?? "gone";
        throw new Error(`${this.name}: "${name}" of "${database}" is ${state}: ${branch?.reason}`);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  #params(database: string) {
    return { project: this.engine, database };
  }
}

class EmbeddedSide extends PlatformSide {
  readonly name = "embedded";
  protected readonly engine = "embedded";
  /** Processes that the platform runs before it has any databases. */
  readonly #platform = new Set(processTree(this.place.platform.pid));

  processes(): readonly number[] {
    return processTree(this.place.platform.pid).filter((pid) => !this.#platform.has(pid));
  }
}

class LocalServerSide extends PlatformSide {
  readonly name = "--postgres local";
  protected readonly engine = "server";

  processes(): readonly number[] {
    const path = join(this.place.folder, "data", "postgres", "data", "postmaster.pid");
    return processTree(Number.parseInt(Deno.readTextFileSync(path)));
  }
}

class PlainSide implements DatabaseSide {
  readonly name = `plain PostgreSQL ${newestVersion()}`;
  #server: PlainPostgres | undefined;

  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates a database. The first call starts the server, as on a platform. */
  async create(database: string): Promise<void> {
    this.#server ??= await startPlainPostgres(this.#folder);
    await this.#server.run(`CREATE DATABASE ${database}`);
  }

  branch(database: string, branch: string): Promise<void> {
    return this.#server!.run(`CREATE DATABASE ${branch} TEMPLATE ${database}`);
  }

  removeBranch(_database: string, branch: string): Promise<void> {
    return this.#server!.run(`DROP DATABASE ${branch}`);
  }

  url(database: string): Promise<string> {
    return Promise.resolve(this.#server!.url(database));
  }

  /** Does nothing, because a running server does not sleep. */
  letSleep(): Promise<void> {
    return Promise.resolve();
  }

  processes(): readonly number[] {
    return processTree(this.#server!.pid);
  }

  async close(): Promise<void> {
    await this.#server?.stop();
  }
}

/**
 * Opens all the servers to compare. They have no databases yet. `plainFolder` is an empty folder
 * for the plain PostgreSQL.
 */
export async function openSides(
  place: BenchPlace,
  plainFolder: string,
): Promise<readonly DatabaseSide[]> {
  return [
    await new EmbeddedSide(place).prepare(),
    await new LocalServerSide(place).prepare(),
    new PlainSide(plainFolder),
  ];
}
