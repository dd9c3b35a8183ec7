/** Any node shows the combined logs, errors and traffic of all nodes. */
import assert from "node:assert/strict";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { createProject, type TestPlatform } from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";

const HOST = "shop.localhost";

interface Logged {
  readonly path: string;
  readonly time: string;
}

const ask = async (platform: TestPlatform, what: string) => {
  const { status, json } = await platform.api("GET", `/v1/projects/shop/${what}`);
  assert.equal(status, 200, JSON.stringify(json));
  return json;
};

const pathsOf = (entries: readonly Logged[]) => entries.map(({ path }) => path);

/** Reads all pages of a log, each through a different node in turn. */
async function readPages(nodes: readonly TestPlatform[], limit: number) {
  const pages: Logged[][] = [];
  for (let cursor: string | null = ""; cursor !== null && pages.length < 50;) {
    const node = nodes[pages.length % nodes.length]!;
    const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const found = await ask(node, `logs?limit=${limit}&search=%2Fpage${query}`);
    pages.unshift(found.items);
    cursor = found.nextCursor;
  }
  return pages.flat();
}

async function follow({ url }: TestPlatform, token: string) {
  const abort = new AbortController();
  const answer = await fetch(`${url}/v1/projects/shop/logs/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: abort.signal,
  });
  assert.equal(answer.status, 200);
  const heard = { text: "" };
  const ended = (async () => {
    for await (const part of answer.body!.pipeThrough(new TextDecoderStream())) heard.text += part;
  })().catch(() => {});
  return {
    heard,
    async close() {
      abort.abort();
      await ended;
    },
  };
}

Deno.test({
  name: "nodes' logs, errors and traffic are merged, and an unresponsive node is named",
  ignore: NO_POSTGRES !== undefined,
  async fn(t) {
    await using cluster = await Cluster.open();
    const a = await cluster.start("a", { nodeId: "a" });
    const b = await cluster.start("b", { nodeId: "b" });
    const token: string = (await a.api("POST", "/v1/api-keys", { json: { name: "k" } })).json.key;
    await createProject(a, "shop");
    await publish(a, "shop", {
      files: { "index.html": "home" },
      functions: { fail: `export default () => { throw new Error("No boat"); };` },
      rules: [rule("fail", { type: "pipeline", steps: [{ handle: "fail" }] }, "/fail/")],
    });
    for (const node of [a, b]) await until(async () => (await node.get(HOST, "/")).status === 200);

    await t.step(
      "entries are in chronological order, and pagination works through any node",
      async () => {
        const asked: string[] = [];
        for (let n = 0; n < 24; n++) {
          asked.push(`/page${n}`);
          await (n % 3 === 0 ? b : a).get(HOST, `/page${n}`);
        }
        const all = await ask(a, "logs?limit=100&search=%2Fpage");
        assert.deepEqual(pathsOf(all.items).sort(), [...asked].sort());
        assert.deepEqual(
          all.items.map(({ time }: Logged) => time),
          all.items.map(({ time }: Logged) => time).sort(),
        );
        assert.equal(all.missingNodes, undefined);
        assert.equal(all.nextCursor, null);
        const paged = await readPages([b, a], 5);
        assert.deepEqual(pathsOf(paged).sort(), pathsOf(all.items).sort());
        const bad = await a.api("GET", "/v1/projects/shop/logs?cursor=a:x");
        assert.equal(bad.status, 400);
      },
    );

    await t.step("following the log through one node shows entries from both nodes", async () => {
      const stream = await follow(a, token);
      await until(async () => {
        await b.get(HOST, "/from-b");
        await a.get(HOST, "/from-a");
        const { text } = stream.heard;
        return text.includes("/from-a") && text.includes("/from-b");
      });
      await stream.close();
    });

    await t.step(
      "both nodes' errors are added up, and each log line comes from its own node",
      async () => {
        for (const node of [a, b, b]) assert.ok((await node.get(HOST, "/fail/x")).status >= 500);
        const [error] = await until(
          async () => (await ask(a, "errors")).items,
          (items) => items[0]?.count === 3,
        );
        const shown = await ask(a, `errors/${error.id}`);
        assert.match(shown.title, /No boat/);
        assert.ok(
          shown.lines.some(({ path }: Logged) => path === "/fail/x"),
          "the request was handled by node b",
        );
      },
    );

    await t.step("traffic counted by another node is visible immediately", async () => {
      const requests = async () => (await ask(a, "traffic")).totals.requests;
      const before = await requests();
      for (let n = 0; n < 5; n++) await b.get(HOST, "/counted");
      assert.equal(await requests(), before + 5);
    });

    await t.step(
      "a node that does not respond is named, and so is a node that no longer exists",
      async () => {
        const c = await cluster.start("c", { nodeId: "c", nodeUrl: "http://127.0.0.1:9" });
        const listed = (await a.api("GET", "/v1/nodes")).json.items;
        assert.equal(listed.find(({ id }: { id: string }) => id === "c").url, "http://127.0.0.1:9");
        const { missingNodes } = await ask(a, "logs");
        assert.deepEqual(missingNodes.map(({ node }: { node: string }) => node), ["c"]);
        assert.match(missingNodes[0].reason, /^does not respond: /);
        assert.deepEqual((await ask(a, "traffic")).missingNodes, missingNodes);
        const stream = await follow(a, token);
        await until(() => Promise.resolve(stream.heard.text.includes("event: missing-node")));
        await stream.close();
        await cluster.stop(c);
        await cluster.stop(b);
        const gone = await ask(a, "logs?search=%2Fpage");
        assert.deepEqual(
          gone.missingNodes.map(({ node, reason }: { node: string; reason: string }) => [
            node,
            reason.slice(0, 7),
          ]),
          [["b", "is down"], ["c", "is down"]],
        );
        assert.equal(gone.items.length, 16, "only requests that node a handled remain");
        assert.equal(
          (await ask(a, "traffic")).missingNodes,
          undefined,
          "traffic is in the store, so no node is missing",
        );
      },
    );
  },
});
