/** Tests queues on a platform with three nodes and one PostgreSQL server. */
import assert from "node:assert/strict";
import type { Queue } from "../../../src/contract/queues.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import { createProject, type TestPlatform } from "../../helpers/platform.ts";

/**
 * A server that stores each delivery under its own key. The server does not respond when a marked
 * message is first delivered, so another node has to deliver the message again.
 */
const SERVER = `
import { createServer } from "node:http";
const { SVC_KV_URL, SVC_KV_TOKEN, PORT, HOST } = process.env;
const store = (key, value) => fetch(SVC_KV_URL + "/v1/value?key=" + encodeURIComponent(key), {
  method: "PUT",
  headers: { authorization: "Bearer " + SVC_KV_TOKEN },
  body: value,
});
createServer(async (request, response) => {
  if (request.url !== "/jobs/count") return response.end("here");
  let text = "";
  for await (const chunk of request) text += chunk;
  // Reads the key first, because the test sets it as soon as the message is stored.
  const isHeld = text.startsWith("held") && request.headers["x-svc-attempt"] === "1" &&
    (await (await fetch(SVC_KV_URL + "/v1/value?key=go", {
      headers: { authorization: "Bearer " + SVC_KV_TOKEN },
    })).status) === 404;
  const stored = await store(text + "/" + crypto.randomUUID(), String(process.ppid));
  response.statusCode = stored.ok ? 200 : 500;
  if (!isHeld) response.end();
}).listen(Number(PORT), HOST);
`;

const manifest = {
  ...MANIFEST,
  layers: MANIFEST.layers.map((layer) =>
    layer.target === "COMPUTE" ? { ...layer, runtime: { timeoutMs: 60_000 } } : layer
  ),
  queues: [{ name: "count", path: "/jobs/count", concurrency: 4 }],
};

type Node = TestPlatform & { readonly pid: number };

/** Finds the node that started a process, directly or indirectly. */
function nodeOf(pid: number, nodes: readonly Node[]): Node | undefined {
  for (let at = pid; at > 1;) {
    const found = nodes.find((node) => node.pid === at);
    if (found !== undefined) return found;
    const status = Deno.readTextFileSync(`/proc/${at}/status`);
    at = Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? 0);
  }
  return undefined;
}

Deno.test({
  name: "three nodes deliver each message once, and others take over for a killed node",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const nodes: Node[] = [];
    for (const nodeId of ["a", "b", "c"]) {
      nodes.push(await cluster.start(nodeId, { nodeId }) as Node);
    }
    const [first] = nodes as [Node, ...Node[]];
    await createProject(first, "shop");
    await deployServer(first, "shop", { server: SERVER, manifest });
    const at = "/v1/projects/shop";
    const send = async (node: Node, body: string, key: string | null = null) => {
      const path = `${at}/queues/count/messages`;
      const { status, json } = await node.api("POST", path, { json: { body, key } });
      assert.equal(status, 201, JSON.stringify(json));
    };
    const delivered = async (node: Node, prefix: string): Promise<string[]> => {
      const { json } = await node.api("GET", `${at}/kv?limit=1000&prefix=${prefix}`);
      return json.items.map(({ key }: { key: string }) => key.split("/")[0]!);
    };
    const countOf = async (node: Node): Promise<Queue | undefined> =>
      (await node.api("GET", `${at}/queues`)).json.items[0];

    // Other nodes serve a deployment some milliseconds after the response.
    for (const node of nodes) await until(() => countOf(node), (queue) => queue !== undefined);

    // Sends messages through all nodes, some of them with a key. Each message must be delivered
    // once.
    const bodies = Array.from(
      { length: 30 },
      (_, number) => `job-${String(number).padStart(2, "0")}`,
    );
    await Promise.all(
      bodies.map((body, number) => send(nodes[number % 3]!, body, number % 2 === 0 ? "key" : null)),
    );
    await until(() => countOf(first), (queue) => queue?.done === 30 && queue.waiting === 0, 60_000);
    assert.deepEqual(await delivered(first, "job"), bodies);

    // Kills the node whose server has the message. Another node must deliver the message again.
    await send(first, "held");
    const [held] = await until(
      async () => (await first.api("GET", `${at}/kv?prefix=held`)).json.items as { key: string }[],
      (items) => items.length === 1,
      60_000,
    );
    const path = `${at}/kv/value?key=${encodeURIComponent(held!.key)}`;
    const killed = nodeOf(Number((await first.api("GET", path)).json.value), nodes)!;
    const others = nodes.filter((node) => node !== killed);
    const [other] = others as [Node, ...Node[]];
    await other.api("PUT", `${at}/kv/value`, { json: { key: "go", encoding: "text", value: "1" } });
    await send(other, "behind");
    Deno.kill(killed.pid, "SIGKILL");
    await assert.rejects(cluster.stop(killed), /exited with 137/);
    await until(
      () => countOf(other),
      (queue) => queue !== undefined && queue.done >= 31 && queue.waiting === 0,
      120_000,
    );
    assert.deepEqual(await delivered(other, "held"), ["held", "held"]);
    assert.ok(
      (await delivered(other, "behind")).length >= 1,
      "delivery is at least once because the killed node may have started it",
    );
  },
});
