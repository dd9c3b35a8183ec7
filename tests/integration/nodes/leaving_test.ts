/**
 * Stops a node during requests, as behind a load balancer. No request may be lost, each response
 * from the leaving node must be the last on its connection, and running work must be completed.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { createProject, deploy, type TestPlatform } from "../../helpers/platform.ts";
import { ClientConnection } from "../../helpers/held_requests.ts";

const HOST = "shop.localhost";
const TEXT = "<h1>here</h1>";
/**
 * More bytes than a socket can buffer, so that a response is in progress until the client reads it.
 */
const LONG = Buffer.alloc(7_500_000, "The quick brown fox jumps over the lazy dog. ");
const CLIENTS = 16;
const LOOK_MS = 100;
/** Maximum time for a response, so that a lost request fails the test. */
const RESPONSE_MS = 60_000;

interface Seen {
  readonly node: string;
  readonly wasLeaving: boolean;
  readonly connection: string | undefined;
}

async function isReady(port: number): Promise<boolean> {
  const answer = await fetch(`http://localhost:${port}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

/**
 * Selects nodes as a load balancer would: in turn, among the nodes that were ready at the last
 * check.
 */
class Balancer {
  readonly leaving = new Set<TestPlatform>();
  readonly #ready = new Set<TestPlatform>();
  readonly #looking: Promise<unknown>;
  #isOver = false;
  #turn = 0;

  constructor(nodes: readonly TestPlatform[]) {
    for (const node of nodes) this.#ready.add(node);
    this.#looking = Promise.all(nodes.map((node) => this.#look(node)));
  }

  next(): TestPlatform {
    const ready = [...this.#ready];
    return ready[this.#turn++ % ready.length]!;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#looking;
  }

  async #look(node: TestPlatform): Promise<void> {
    while (!this.#isOver) {
      if (!await isReady(node.port)) {
        this.leaving.add(node);
        this.#ready.delete(node);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

/**
 * Continuously sends requests to each node, over a connection that stays open for as long as the
 * node allows.
 */
async function visit(balancer: Balancer, seen: Seen[], isOver: () => boolean): Promise<void> {
  const agents = new Map<TestPlatform, Agent>();
  while (!isOver()) {
    const node = balancer.next();
    const agent = agents.get(node) ?? new Agent({ keepAlive: true, maxSockets: 1 });
    agents.set(node, agent);
    const wasLeaving = balancer.leaving.has(node);
    const asked = request({ port: node.port, path: "/", headers: { host: HOST }, agent });
    const { statusCode, headers, text } = await read(asked);
    assert.deepEqual([statusCode, text], [200, TEXT]);
    seen.push({ node: node.dataDir, wasLeaving, connection: headers.connection });
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  for (const agent of agents.values()) agent.destroy();
}

async function read(asked: ClientRequest) {
  const lost = setTimeout(() => asked.destroy(new Error("No response arrived")), RESPONSE_MS);
  const answered = once(asked, "response") as Promise<[IncomingMessage]>;
  asked.end();
  const [answer] = await answered;
  const text = (await answer.toArray()).join("");
  clearTimeout(lost);
  return { statusCode: answer.statusCode, headers: answer.headers, text };
}

/**
 * Returns the values of `Connection` in a leaving node's responses on new connections, which the
 * node still accepts.
 */
async function askLeaving({ port }: TestPlatform): Promise<readonly (string | undefined)[]> {
  const fields: (string | undefined)[] = [];
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    const agent = new Agent({ keepAlive: true });
    const asked = request({ port, path: "/", headers: { host: HOST }, agent });
    try {
      const { statusCode, headers, text } = await read(asked);
      assert.deepEqual([statusCode, text], [200, TEXT]);
      fields.push(headers.connection);
    } catch (error) {
      if (!/ECONNREFUSED/.test(String(error))) throw error;
    } finally {
      agent.destroy();
    }
  }));
  return fields;
}

for (const edges of [0, 2]) {
  Deno.test({
    name: `a node with ${edges} edges leaves without losing a request`,
    ignore: NO_POSTGRES !== undefined,
    async fn() {
      await using cluster = await Cluster.open();
      const a = await cluster.start("a", { nodeId: "a", edges });
      await createProject(a, "shop");
      await deploy(a, "shop", { files: { "index.html": TEXT, "long.txt": LONG } });
      // Node `a` was started first, so it may not know about this node when node `a` is stopped.
      const b = await cluster.start("b", { nodeId: "b", edges });
      for (const { api } of [a, b]) {
        const isConnected = ({ state }: { state: string }) => state === "connected";
        await until(async () =>
          (await api("GET", "/v1/edges")).json.items.filter(isConnected).length === edges
        );
      }
      for (const { get } of [a, b]) await until(async () => (await get(HOST, "/")).status === 200);
      const client = new ClientConnection(a.port);
      const held = await client.hold({
        host: HOST,
        path: "/long.txt",
        content: LONG,
        isEcho: false,
      });
      const balancer = new Balancer([a, b]);
      const seen: Seen[] = [];
      let isOver = false;
      const visitors = Promise.all(
        Array.from({ length: CLIENTS }, () => visit(balancer, seen, () => isOver)),
      );
      await until(() => seen.length > 10 * CLIENTS);

      const stopping = a.leave().then(() => cluster.stop(a));
      await until(() => balancer.leaving.has(a));
      const fields = await askLeaving(a);
      assert.deepEqual([...new Set(fields)], ["close"]);
      await until(() => isReady(a.port), (ready) => !ready);
      assert.equal(await held.finish(), "whole");
      client.close();
      await stopping;
      const { length } = seen;
      await until(() => seen.length > length + 2 * CLIENTS);
      isOver = true;
      await visitors;
      await balancer.close();
      const late = seen.filter(({ wasLeaving }) => wasLeaving);
      assert.ok(
        late.every(({ connection }) => connection === "close"),
        "each response closes its connection",
      );
      await assert.rejects(fetch(`http://localhost:${a.port}/readyz`));
    },
  });
}

Deno.test({
  name: "a single node does not wait for a load balancer when it stops",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const a = await cluster.start("a", { nodeId: "a" });
    await a.leave();
    assert.equal(await isReady(a.port), true, "the node has not started to leave");
  },
});
