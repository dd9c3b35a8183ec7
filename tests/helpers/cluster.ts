/**
 * Nodes for tests that share a store, files and keys.
 *
 * @module
 */
import { dirname, join } from "node:path";
import { TestPg, TestProxy } from "../../src/platform/core/store/_test_pg.ts";
import type { PlatformOptions } from "../../src/serve/mod.ts";
import type { ProgramOptions } from "./platform_process.ts";
import { start, startInProcess, type TestPlatform } from "./platform.ts";

/** A PostgreSQL server, and the folders of the nodes that share the server, files and keys. */
export class Cluster implements AsyncDisposable {
  readonly #running = new Set<TestPlatform>();

  readonly #kv: string;
  readonly #password: string;
  readonly #socket: string;
  readonly #database: string;

  private constructor(
    readonly pg: TestPg,
    readonly folder: string,
    kv: string,
    password: string,
    socket: string,
    database: string,
  ) {
    this.#kv = kv;
    this.#password = password;
    this.#socket = socket;
    this.#database = database;
  }

  static async open(): Promise<Cluster> {
    const pg = await TestPg.start();
    const { socket, user, database, password } = await pg.newAddress();
    const folder = await Deno.makeTempDir({ prefix: "svc-nodes-" });
    const kv = `postgres://${user}@/${database}?host=${dirname(socket!)}`;
    return new Cluster(pg, folder, kv, password!, socket!, database);
  }

  /**
   * Starts a node. A second start with the same `name` uses the same data directory, so the node
   * keeps the name stored there.
   */
  async start(name: string, more: Partial<ProgramOptions> = {}): Promise<TestPlatform> {
    return this.#add(await start(join(this.folder, name), this.#shared(more)));
  }

  /** Like {@link start}, but in the test's own process: see {@link startInProcess}. */
  async startInProcess(name: string, more: Partial<PlatformOptions>): Promise<TestPlatform> {
    return this.#add(await startInProcess(join(this.folder, name), this.#shared(more)));
  }

  #shared<T extends Partial<PlatformOptions> | Partial<ProgramOptions>>(more: T) {
    return {
      kv: this.#kv,
      keysFile: join(this.folder, "keys.json"),
      ...more,
      blobs: join(this.folder, "blobs"),
      env: { ...Deno.env.toObject(), SVC_KV_PASSWORD: this.#password },
    };
  }

  #add(platform: TestPlatform): TestPlatform {
    this.#running.add(platform);
    return platform;
  }

  /**
   * Opens a proxy to the store whose connections can be cut. Returns the proxy and the store's
   * address through it.
   */
  openWay(): { readonly proxy: TestProxy; readonly kv: string } {
    const proxy = new TestProxy(this.#socket);
    return { proxy, kv: this.#kv.replace(/@.*/, `@127.0.0.1:${proxy.port}/${this.#database}`) };
  }

  /** Counts the records whose key starts with a word. */
  async countRecords(first: string): Promise<number> {
    const [found] = await this.pg.runSql(
      // In Deno KV's encoding, a string in a key starts with the byte 2 and ends with the byte 0.
      `SELECT count(*) FROM svc.records WHERE position('\\x02${
        new TextEncoder().encode(first).toHex()
      }00'::bytea in key) = 1`,
      this.#database,
    );
    return Number(found!.count);
  }

  /** Deletes the nodes' purges and changes, as happens in the store after 15 minutes. */
  async forget(): Promise<void> {
    await this.pg.runSql(
      `DELETE FROM svc.records WHERE position('\\x02${
        new TextEncoder().encode("purges").toHex()
      }00'::bytea in key) = 1;
      UPDATE svc.clock SET forgotten = version; DELETE FROM svc.changes`,
      this.#database,
    );
  }

  async stop(platform: TestPlatform): Promise<void> {
    this.#running.delete(platform);
    await platform.shutdown();
  }

  async [Symbol.asyncDispose]() {
    for (const platform of this.#running) await platform.shutdown();
    await this.pg[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}
