import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { basename } from "node:path";
import { PASSWORD, signUp } from "../../helpers/browser.ts";
import { processOf, type TestPlatform, TOKEN, withPlatform } from "../../helpers/platform.ts";
import { socketsOf } from "../../helpers/sockets.ts";

const THREADS = 3;
const CONNECTIONS = 12;
const ROUNDS = 25;
/** Wrong passwords from one address before it has to wait. */
const GUESSES = 5;

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

/** Connections that stay open, which the kernel spreads over the threads. */
class Callers implements Disposable {
  /** All that they have ever opened. */
  readonly sockets = new Set<Socket>();
  readonly #agents = Array.from(
    { length: CONNECTIONS },
    () => new Agent({ keepAlive: true, maxSockets: 1 }),
  );

  constructor(private readonly platform: TestPlatform) {}

  /** Asks the API over each connection; returns the statuses. */
  all(path: string, asked: Asked = {}): Promise<number[]> {
    return Promise.all(this.#agents.map((_, index) => this.one(index, path, asked)));
  }

  /** Asks the API over one of the connections. */
  one(index: number, path: string, { method = "GET", headers = {}, json }: Asked): Promise<number> {
    const { port } = this.platform;
    const body = json === undefined ? undefined : JSON.stringify(json);
    const type = body === undefined ? {} : { "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      httpRequest({
        ...{ hostname: "127.0.0.1", port, path, method, agent: this.#agents[index] },
        headers: { host: "localhost", ...type, ...headers },
      }, (response) => {
        this.sockets.add(response.socket);
        response.resume().on("end", () => resolve(response.statusCode!)).on("error", reject);
      }).on("error", reject).end(body);
    });
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents) agent.destroy();
  }
}

Deno.test({
  name: "requests to the API reach the platform through threads without a connection of their own",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withPlatform(async (platform) => {
      const pid = processOf(platform);
      using callers = new Callers(platform);
      const headers = { authorization: `Bearer ${TOKEN}` };
      const json = { name: "" };
      await callers.all("/v1/projects", { headers });
      await callers.all("/v1/projects", { method: "POST", headers, json });
      const before = socketsOf(pid);
      for (let round = 0; round < ROUNDS; round++) {
        const read = await callers.all("/v1/projects", { headers });
        const sent = await callers.all("/v1/projects", { method: "POST", headers, json });
        assert.deepEqual([...new Set([...read, ...sent])], [200, 400]);
      }
      const after = socketsOf(pid);
      assert.equal(callers.sockets.size, CONNECTIONS);
      assert.deepEqual([...after.open].filter((inode) => !before.open.has(inode)), []);
      assert.ok(after.ended <= before.ended, `${after.ended} connections ended`);
      assert.deepEqual([...after.ports], [platform.port], "expected one port to connect to");
      // The one that `serve --replace` asks.
      assert.deepEqual(after.paths.map((path) => basename(path)), ["control"]);
    }, { edgeThreads: THREADS }),
});

Deno.test("a client of a thread counts by its own address, whatever it says of itself", () =>
  withPlatform(async (platform) => {
    await signUp(platform, "ada");
    using callers = new Callers(platform);
    const json = { email: "ada@example.com", password: "wrong password" };
    const statuses: number[] = [];
    for (let count = 0; count <= GUESSES; count++) {
      const address = `203.0.113.${count}`;
      const headers = {
        ...{ "x-forwarded-for": address, "x-real-ip": address, forwarded: `for=${address}` },
        "x-svc-remote-address": address,
      };
      statuses.push(
        await callers.one(count, "/v1/sign-in", { method: "POST", headers, json }),
      );
    }
    assert.deepEqual(statuses, [...Array(GUESSES).fill(401), 429]);
    const right = { ...json, password: PASSWORD };
    assert.equal(await callers.one(0, "/v1/sign-in", { method: "POST", json: right }), 429);
  }, { edgeThreads: THREADS }));
