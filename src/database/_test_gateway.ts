/** @module A gateway in front of one engine, for tests that connect as clients do. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { Gateway } from "./gateway/gateway.ts";
import { makeVerifier, SALT_BYTES } from "./scram/verifier.ts";
import type { Branch, DatabaseEngine } from "./types.ts";

const PASSWORD = "correct horse battery staple";

const hex = (): string => randomBytes(8).toString("hex");

export class TestGateway {
  readonly #branches = new Map<string, Branch>();
  readonly #gateway: Gateway;
  readonly port: number;
  #shared: Promise<Branch> | undefined;

  constructor(readonly engine: DatabaseEngine) {
    const verifier = makeVerifier(PASSWORD, new Uint8Array(randomBytes(SALT_BYTES)));
    this.#gateway = new Gateway({
      directory: {
        find: (role) => {
          const branch = this.#branches.get(role);
          return Promise.resolve(branch && { branch, engine, verifier });
        },
      },
      now: () => performance.now(),
      onTrouble: () => {},
    });
    this.port = this.#gateway.listen({ hostname: "127.0.0.1", port: 0 }).port;
  }

  /** Names a new branch, which clients can sign in to once the engine has created it. */
  name(database = "shop"): Branch {
    const id = hex();
    const limits = { memoryMb: 256, connections: 20 };
    const branch = { id, database, role: `${database}_${id.slice(0, 8)}`, limits };
    this.know(branch);
    return branch;
  }

  /** Lets clients sign in to an existing branch. */
  know(branch: Branch): void {
    this.#branches.set(branch.role, branch);
  }

  /** Creates a new branch. */
  async create(database?: string): Promise<Branch> {
    const branch = this.name(database);
    await this.engine.create(branch);
    return branch;
  }

  /** Returns a branch for tests that clean up after themselves. */
  shared(): Promise<Branch> {
    return this.#shared ??= this.create();
  }

  url({ role, database }: Branch): string {
    const password = encodeURIComponent(PASSWORD);
    return `postgres://${role}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** Returns a client that has signed in. */
  async connect(branch: Branch, options: pg.ClientConfig = {}): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url(branch), ...options });
    // Closing a session rejects its pending query.
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  async close(): Promise<void> {
    await this.#gateway.close();
    await this.engine.close();
  }
}
