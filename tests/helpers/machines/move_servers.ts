/**
 * The servers to which a platform is moved: PostgreSQL and object storage. Both can fail on demand.
 *
 * @module
 */
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { openFaultyStorage } from "../../../src/platform/core/s3/_test_storage.ts";
import { TestPg } from "../../../src/platform/core/store/_test_pg.ts";
import { freePorts } from "./ports.ts";
import { Storage } from "./storage.ts";

/** The target of the move in one round: a database and a separate prefix. */
export interface MoveTarget {
  readonly kv: string;
  readonly database: string;
  readonly blobs: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Object storage that a test can make unreachable for a while. */
interface FailingStorage extends AsyncDisposable {
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
  /** Aborts all requests and does not respond for a while. */
  fail(ms: number): Promise<void>;
}

/** Starts storage in a separate process that can be killed. */
async function startGateway(folder: string): Promise<FailingStorage> {
  const storage = await Storage.start(folder, freePorts(1)[0]!);
  return {
    place: storage.place(),
    env: storage.env,
    async fail(ms) {
      await storage.kill();
      await delay(ms);
      await storage.start();
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

/** Starts storage in this process, behind a proxy that cuts connections. */
async function startProxied(): Promise<FailingStorage> {
  const storage = await openFaultyStorage();
  const { AWS_ACCESS_KEY_ID: id = "", AWS_SECRET_ACCESS_KEY: secret = "" } = storage.env;
  return {
    place: storage.place,
    env: { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret },
    async fail(ms) {
      storage.fault = () => "cut";
      await delay(ms);
      storage.fault = () => "pass";
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

export class MoveServers implements AsyncDisposable {
  #count = 0;

  readonly #parts: AsyncDisposableStack;

  private constructor(
    parts: AsyncDisposableStack,
    readonly pg: TestPg,
    readonly storage: FailingStorage,
  ) {
    this.#parts = parts;
  }

  /** @param isWhole whether the storage runs as a separate program */
  static async start(folder: string, isWhole: boolean): Promise<MoveServers> {
    await using starting = new AsyncDisposableStack();
    const storage = starting.use(await (isWhole ? startGateway(folder) : startProxied()));
    const pg = starting.use(await TestPg.start());
    return new MoveServers(starting.move(), pg, storage);
  }

  /** Creates an empty database, and an empty prefix in the bucket. */
  async newTarget(): Promise<MoveTarget> {
    const { socket, user, database, password } = await this.pg.newAddress();
    const blobs = this.storage.place.replace("?", `/${this.#count++}?`);
    const kv = `postgres://${user}@/${database}?host=${dirname(socket!)}`;
    return { kv, database, blobs, env: { ...this.storage.env, SVC_KV_PASSWORD: password! } };
  }

  async [Symbol.asyncDispose]() {
    await this.#parts[Symbol.asyncDispose]();
  }
}
