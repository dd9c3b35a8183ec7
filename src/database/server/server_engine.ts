/** @module Branches as databases of a PostgreSQL server. */
import { createHmac, randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { KeyedLock } from "../../lib/keyed_lock.ts";
import { messageOf } from "../../lib/error_message.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import { formatVerifier, makeVerifier, SALT_BYTES } from "../scram/verifier.ts";
import {
  type BackendSession,
  type Branch,
  type CopyMethod,
  type DatabaseEngine,
  type DumpOptions,
  EngineError,
  type EngineStatus,
  GONE,
  type HistoryFacts,
  type StartupParameters,
} from "../types.ts";
import { Admin } from "./admin.ts";
import { connectServer, ServerRefusal } from "./connect_server.ts";
import { copyDatabase, copyFromServer } from "./copy_database.ts";
import { dumpDatabase } from "./dump_database.ts";
import { quoteLiteral, serverName, unfinishedName } from "./names.ts";
import type { ServerAddress } from "./server_address.ts";
import { ServerSession } from "./server_session.ts";
import type { ServerSource } from "./server_source.ts";

/**
 * Number of sessions that the platform itself opens with a role, in addition to the clients'
 * sessions.
 */
const OWN_SESSIONS = 5;
/** Fraction of a branch's memory that one sort or hash can use. */
const WORK_PART = 1 / 32;
const LEAST_WORK_MB = 4;

const WRONG_PASSWORD: ReadonlySet<string> = new Set(["28P01", "28000"]);
const NO_DATABASE = "3D000";
/** `dependent_objects_still_exist` as an SQLSTATE. */
const STILL_NEEDED = "2BP01";
/** Number of attempts to remove a branch, and the pause between them in milliseconds. */
const REMOVALS = 20;
const REMOVAL_PAUSE_MS = 500;
const NO_HISTORY = "This PostgreSQL server keeps no history";

interface ServerEngineOptions {
  readonly source: ServerSource;
  /** Constant secret bytes from which the passwords of the server's roles are derived. */
  readonly key: Uint8Array;
}

export class ServerEngine implements DatabaseEngine {
  readonly kind = "server";
  readonly #admin: Admin;
  readonly #locks = new KeyedLock();
  readonly #sessions = new Map<string, Set<ServerSession>>();
  /** Maximum number of clients for each branch's role, if known. */
  readonly #clients = new Map<string, number>();
  readonly #limiting = new SingleFlight<void>();

  readonly #options: ServerEngineOptions;

  constructor(options: ServerEngineOptions) {
    this.#options = options;
    this.#admin = new Admin(options.source);
  }

  async create(branch: Branch): Promise<void> {
    const name = serverName(branch);
    await this.#locks.run(branch.id, async () => {
      await this.#prepareRole(branch);
      if (!await this.#exists(name)) {
        await this.#admin.run([
          `CREATE DATABASE ${name} OWNER ${name} TEMPLATE template0 ENCODING 'UTF8'`,
        ]);
      }
      await this.#admin.run([`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`]);
    });
  }

  async copy(source: Branch, target: Branch): Promise<CopyMethod> {
    return await this.#locks.runAll([source.id, target.id], async () => {
      await this.#prepareRole(target);
      const names = { source: serverName(source), target: serverName(target) };
      if (await this.#exists(names.target)) return "copy";
      const through = { admin: this.#admin, server: this.#options.source };
      return await copyDatabase(through, { ...names, version: await this.#version() });
    });
  }

  async history(): Promise<HistoryFacts | undefined> {
    return await this.#options.source.history?.facts();
  }

  async restore(source: Branch, target: Branch, time: number): Promise<void> {
    const { source: server } = this.#options;
    if (server.history === undefined) throw new EngineError(NO_HISTORY, "0A000");
    const names = { source: serverName(source), target: serverName(target) };
    await this.#locks.run(target.id, async () => {
      await this.#prepareRole(target);
      if (await this.#exists(names.target)) return;
      await server.history!.at(time, async (from) => {
        const known = `SELECT 1 FROM pg_database WHERE datname = ${quoteLiteral(names.source)}`;
        if ((await new Admin(from).run([known])).length === 0) {
          throw new EngineError("The branch did not exist at that time", NO_DATABASE);
        }
        await copyFromServer({ admin: this.#admin, server, from }, names);
      });
    });
  }

  async remove(id: string): Promise<void> {
    const name = serverName({ id });
    await this.#locks.run(id, async () => {
      for (let tries = 1;; tries++) {
        await this.#endSessions({ id });
        this.#clients.delete(id);
        try {
          return void await this.#admin.run([
            `DROP DATABASE IF EXISTS ${unfinishedName(name)} WITH (FORCE)`,
            `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
            `DROP ROLE IF EXISTS ${name}`,
          ]);
        } catch (error) {
          const isNeeded = error instanceof EngineError && error.sqlState === STILL_NEEDED;
          if (!isNeeded || tries === REMOVALS) throw error;
          // PostgreSQL is still running a statement from a platform that was killed, such as CREATE
          // DATABASE.
          await delay(REMOVAL_PAUSE_MS);
        }
      }
    });
  }

  /**
   * Lists branches by their roles, because roles are created before databases and deleted after
   * them.
   */
  async list(): Promise<readonly string[]> {
    const rows = await this.#admin.run([
      `SELECT substr(rolname, 5) FROM pg_roles WHERE rolname ~ '^svc_[0-9a-f]{16}$' ` +
      `AND shobj_description(oid, 'pg_authid') = ${quoteLiteral(this.#mark)}`,
    ]);
    return rows.map(([id]) => id!);
  }

  holds(branch: Branch): Promise<boolean> {
    return this.#exists(serverName(branch));
  }

  async sizeOf(branch: Branch): Promise<number> {
    const [row] = await this.#admin.run([
      `SELECT pg_database_size(${quoteLiteral(serverName(branch))})`,
    ]);
    return Number(row?.[0] ?? 0);
  }

  async stop(branch: Branch): Promise<void> {
    await this.#endSessions(branch);
    const name = quoteLiteral(serverName(branch));
    await this.#admin.run([
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`,
    ]);
  }

  isRunning(branch: Branch): boolean {
    return (this.#sessions.get(branch.id)?.size ?? 0) > 0;
  }

  async connect(branch: Branch, startup: StartupParameters): Promise<BackendSession> {
    const { address } = await this.#options.source.reach();
    if (this.#clients.get(branch.id) !== branch.limits.connections) {
      await this.#limiting.run(branch.id, () => this.#limit(branch));
    }
    const server = await this.#signIn(address, branch, startup);
    const all = this.#sessions.get(branch.id) ?? new Set();
    this.#sessions.set(branch.id, all);
    const session = new ServerSession(server, () => {
      all.delete(session);
      if (all.size === 0) this.#sessions.delete(branch.id);
    });
    all.add(session);
    return session;
  }

  dump(branch: Branch, options: DumpOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
    return dumpDatabase(this.#options.source, {
      ...options,
      name: serverName(branch),
      version: () => this.#version(),
    });
  }

  async status(): Promise<EngineStatus> {
    try {
      return { version: await this.#version(), ready: true, problem: null };
    } catch (error) {
      return { version: null, ready: false, problem: messageOf(error) };
    }
  }

  async close(): Promise<void> {
    for (const all of [...this.#sessions.values()]) {
      await Promise.all([...all].map((session) => session.close()));
    }
    await this.#options.source.close();
  }

  async #endSessions({ id }: Pick<Branch, "id">): Promise<void> {
    await Promise.all([...this.#sessions.get(id) ?? []].map((session) => session.close()));
  }

  async #version(): Promise<string> {
    const [row] = await this.#admin.run(["SHOW server_version"]);
    return (row?.[0] ?? "").replace(/ .*/, "");
  }

  async #exists(database: string): Promise<boolean> {
    const name = quoteLiteral(database);
    return (await this.#admin.run([`SELECT 1 FROM pg_database WHERE datname = ${name}`])).length >
      0;
  }

  /**
   * Signs in as the branch's role. If the role's password was changed on the server, sets it again.
   */
  async #signIn(address: ServerAddress, branch: Branch, startup: StartupParameters) {
    const name = serverName(branch);
    const login = { user: name, database: name, password: this.#passwordOf(name) };
    try {
      return await connectServer(address, login, startup);
    } catch (error) {
      if (!(error instanceof ServerRefusal)) throw error;
      // The server's message contains the server's own name for the database.
      if (error.sqlState === NO_DATABASE) throw new EngineError(GONE, NO_DATABASE);
      if (!WRONG_PASSWORD.has(error.sqlState)) throw error;
      if (!await this.#exists(name)) throw new EngineError(GONE, NO_DATABASE);
      await this.#prepareRole(branch);
      return await connectServer(address, login, startup);
    }
  }

  #passwordOf(name: string): string {
    return createHmac("sha256", this.#options.key).update(`role ${name}`).digest("base64url");
  }

  /** Distinguishes this platform's roles from another platform's on the same server. */
  get #mark(): string {
    const mark = createHmac("sha256", this.#options.key).update("mark").digest("hex").slice(0, 16);
    return `svc ${mark}`;
  }

  /** Applies the branch's limits to its role, because any node may have changed them. */
  async #limit(branch: Branch): Promise<void> {
    const { id, limits: { connections } } = branch;
    const [row] = await this.#admin.run([
      `SELECT rolconnlimit FROM pg_roles WHERE rolname = ${quoteLiteral(serverName(branch))}`,
    ]);
    if (row === undefined) return;
    if (Number(row[0]) !== connections + OWN_SESSIONS) await this.#prepareRole(branch);
    this.#clients.set(id, connections);
  }

  /** Creates the role, or sets its password and limits again. */
  async #prepareRole(branch: Branch): Promise<void> {
    const name = serverName(branch);
    const salt = new Uint8Array(randomBytes(SALT_BYTES));
    const verifier = formatVerifier(makeVerifier(this.#passwordOf(name), salt));
    const known = await this.#admin.run([
      `SELECT 1 FROM pg_roles WHERE rolname = ${quoteLiteral(name)}`,
    ]);
    const { connections, memoryMb } = branch.limits;
    const workMb = Math.max(LEAST_WORK_MB, Math.floor(memoryMb * WORK_PART));
    await this.#admin.run([
      ...(known.length > 0
        ? []
        : [`CREATE ROLE ${name}; COMMENT ON ROLE ${name} IS ${quoteLiteral(this.#mark)}`]),
      `ALTER ROLE ${name} LOGIN CONNECTION LIMIT ${connections + OWN_SESSIONS} ` +
      `PASSWORD ${quoteLiteral(verifier)}`,
      `GRANT ${name} TO CURRENT_USER`,
      `ALTER ROLE ${name} SET work_mem = '${workMb}MB'`,
    ]);
    this.#clients.set(branch.id, connections);
  }
}
