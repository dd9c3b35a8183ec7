/**
 * A POST request reaches the platform twice, first on one node and then on another. Deno's `fetch`
 * resends such a request if a reused connection is closed
 * (https://github.com/denoland/deno/pull/32566), as happens when a node is killed.
 */
import assert from "node:assert/strict";
import { createClient } from "../../../src/client/client.ts";
import { UnreachableError } from "../../../src/client/errors.ts";
import { endpoints } from "../../../src/contract/endpoints.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";

/**
 * Opens a load balancer that sends connections to the first port until a POST request has been
 * handled there. The load balancer closes that connection instead of forwarding the response, and
 * sends later connections to the second port.
 */
function openBalancer(ports: readonly [first: number, second: number]) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let port = ports[0];
  let posts = 0;
  const serve = async (client: Deno.TcpConn): Promise<void> => {
    using server = await Deno.connect({ hostname: "127.0.0.1", port });
    using _ = client;
    let isCut = false;
    const asks = (async () => {
      const buffer = new Uint8Array(65_536);
      for (let count = await client.read(buffer); count !== null;) {
        const bytes = buffer.subarray(0, count);
        if (new TextDecoder().decode(bytes).startsWith("POST ")) {
          isCut = posts++ === 0;
          if (isCut) port = ports[1];
        }
        await server.write(bytes);
        count = await client.read(buffer);
      }
    })();
    const buffer = new Uint8Array(65_536);
    for (let count = await server.read(buffer); count !== null;) {
      if (isCut) break;
      await client.write(buffer.subarray(0, count));
      count = await server.read(buffer);
    }
    client.close();
    await asks.catch(() => {});
  };
  const serving = (async () => {
    for await (const client of listener) void serve(client).catch(() => {});
  })();
  return {
    url: `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`,
    get posts() {
      return posts;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}

const keyed = (key: string) => ({ headers: { "idempotency-key": key }, json: { name: "twice" } });

Deno.test({
  name: "a request with an Idempotency-Key that reaches two nodes is executed once",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const [a, b] = [await cluster.start("a"), await cluster.start("b")];
    const first = await a.api("POST", "/v1/projects", keyed("k"));
    const again = await b.api("POST", "/v1/projects", keyed("k"));
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.equal(again.json.id, first.json.id);
    assert.equal(again.headers.get("idempotency-replayed"), "true");
    // One of two concurrent requests is executed, and the other one gets the same response or must
    // wait.
    for (let round = 0; round < 10; round++) {
      const both = await Promise.all([a, b].map((node) =>
        node.api("POST", "/v1/api-keys", {
          headers: { "idempotency-key": `round-${round}` },
          json: { name: `key-${round}` },
        })
      ));
      const made = both.filter(({ status }) => status === 201);
      assert.ok(made.length > 0);
      assert.equal(new Set(made.map(({ json }) => json.key)).size, 1);
      for (const { status } of both) assert.ok(status === 201 || status === 409, `${status}`);
      const { json } = await a.api("GET", "/v1/api-keys");
      const named = json.items.filter(({ name }: { name: string }) => name === `key-${round}`);
      assert.equal(named.length, 1);
    }
  },
});

Deno.test({
  name: "the CLI creates only one key if the connection closes before its POST gets a response",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const [a, b] = [await cluster.start("a"), await cluster.start("b")];
    await using balancer = openBalancer([a.port, b.port]);
    let keys = 0;
    const client = createClient({
      baseUrl: balancer.url,
      token: a.token!,
      newIdempotencyKey: () => `tool-${keys++}`,
    });
    // `fetch` resends requests only on a connection that was used before.
    await client.call(endpoints.listProjects, {});
    const made = await client.call(endpoints.createApiKey, { body: { name: "once" } }).then(
      ({ id }) => id,
      (error) => {
        assert.ok(error instanceof UnreachableError, String(error));
        return undefined;
      },
    );
    const found = await until(
      async () =>
        (await b.api("GET", "/v1/api-keys")).json.items
          .filter(({ name }: { name: string }) => name === "once"),
      (items) => items.length > 0,
    );
    assert.equal(found.length, 1);
    // The second node returned the first node's response to the repeated request.
    if (balancer.posts > 1) assert.equal(made, found[0].id);
    assert.equal(keys, 1);
  },
});
