/**
 * Over a slow line that loses packets, no edge may serve content that an acknowledged change has
 * replaced, and each edge must fetch a file only once. `EDGE_REQUESTS` sets the number of requests,
 * for example to 10000.
 */
// deno-lint-ignore-file no-console -- people run its long form to see the numbers
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { LAYERS } from "../../helpers/compute_site.ts";
import { addEdge, type TestEdge } from "../../helpers/front_edge.ts";
import { createProject, deploy, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { openLine } from "../../helpers/slow_line.ts";

const REQUESTS = Number(Deno.env.get("EDGE_REQUESTS") ?? 100);
const IS_LONG = REQUESTS > 1000;
const EDGES = IS_LONG ? ["far", "near", "east"] : ["far", "near"];
/** Delays between changes, and between requests to an edge, in milliseconds. */
const CHANGE_MS = IS_LONG ? 5000 : 0;
const REQUEST_MS = IS_LONG ? 15 : 1;

const HOST = "shop.localhost";

/** Returns the source of a server that adds the version and the rendering time to each page. */
const server = (version: string) => `
import { createServer } from "node:http";
createServer((request, response) => response.end("${version} " + Date.now()))
  .listen(Number(process.env.PORT), process.env.HOST);
`;

const MANIFEST = {
  version: 1,
  layers: LAYERS,
  routes: [
    { pattern: "^/kept", layer: "app", priority: 20 },
    { pattern: "^/.*$", layer: "files", priority: 10 },
  ],
};

const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [{
    id: "keep",
    condition: { path: { type: "prefix", value: "/kept" } },
    action: { type: "cache", ttlSeconds: 600, swrSeconds: 0 },
  }],
};

/** The writes that the platform has acknowledged. */
class Changes {
  /** The versions, in order. The deployment of the last one may still be in progress. */
  readonly versions = ["v0"];
  acknowledged = 0;
  purgedAt = 0;
  #deployed = 0;
  count = 0;

  constructor(readonly platform: TestPlatform) {}

  async deploy(): Promise<void> {
    const version = `v${++this.#deployed}`;
    await this.#change(version, () =>
      deploy(this.platform, "shop", {
        manifest: MANIFEST,
        rules: RULES,
        files: { "index.html": `${version} 0`, "server/entry.mjs": server(version) },
      }));
  }

  async rollback(): Promise<void> {
    const before = this.versions.at(-2)!;
    await this.#change(before, () => this.#send("rollback", {}));
  }

  async purge(): Promise<void> {
    const began = Date.now();
    await this.#send("purge", { type: "all" });
    this.purgedAt = began;
    this.count++;
  }

  async #send(what: string, json: unknown): Promise<void> {
    const { status } = await this.platform.api("POST", `/v1/projects/shop/${what}`, { json });
    assert.equal(status, 200, what);
  }

  async #change(version: string, work: () => Promise<unknown>): Promise<void> {
    this.versions.push(version);
    await work();
    this.acknowledged = this.versions.length - 1;
    this.count++;
  }
}

/** Returns the time at which each edge started to follow the platform. A lost edge starts again. */
async function followedSince(platform: TestPlatform): Promise<ReadonlyMap<string, string>> {
  const { items } = (await platform.api("GET", "/v1/edges")).json;
  return new Map(
    items.map(({ name, state, since }: Record<string, string>) => [name, `${state} ${since}`]),
  );
}

/** Requests a page from an edge. Returns problems with the response. */
async function wrongOf(edge: TestEdge, path: string, changes: Changes) {
  const { acknowledged, purgedAt } = changes;
  const { status, text, headers } = await edge.get(HOST, path);
  // A lost edge reports that it is lost, and may then serve its cached content.
  if (headers["x-svc-edge"] !== edge.name) return undefined;
  if (status !== 200) return `${path} ${status} ${text}`;
  const [version = "", madeAt] = text.split(" ");
  const allowed = changes.versions.slice(acknowledged);
  if (!allowed.includes(version)) return `${path} ${version}, not ${allowed}`;
  const isOld = path.startsWith("/kept") && Number(madeAt) < purgedAt;
  return isOld ? `${path} of ${madeAt}, purged at ${purgedAt}` : undefined;
}

Deno.test("no edge serves content that has been replaced, and each fetches a file once", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const changes = new Changes(platform);
    await changes.deploy();
    await changes.deploy();
    const lines = EDGES.map(() => openLine(platform.port, 80));
    for (const line of lines) line.lost = 0.01;
    const edges: TestEdge[] = [];
    try {
      for (const [at, name] of EDGES.entries()) {
        const join = `http://127.0.0.1:${lines[at]!.port}`;
        edges.push(await addEdge(platform, name, { join }));
      }
      let sent = 0;
      let isOver = false;
      const wrong: { readonly edge: string; readonly change: number; readonly what: string }[] = [];
      const visitors = edges.map(async (edge) => {
        for (let at = 0; !isOver; at++) {
          const { count } = changes;
          const path = ["/", "/kept/a", `/kept/${at % 50}`][at % 3]!;
          const what = await wrongOf(edge, path, changes).catch(String);
          if (what !== undefined) wrong.push({ edge: edge.name, change: count, what });
          sent++;
          await delay(REQUEST_MS);
        }
      });
      /**
       * For each change, the edges for which the platform stopped waiting. These edges may apply
       * the change later.
       */
      const excused = new Set<string>();
      let before = await followedSince(platform);
      const works = [() => changes.purge(), () => changes.deploy(), () => changes.rollback()];
      for (let at = 0; at < works.length || sent < REQUESTS; at++) {
        await works[at % works.length]!();
        const after = await followedSince(platform);
        for (const [name, since] of after) {
          const isSame = since === before.get(name) && since.startsWith("connected");
          if (!isSame) excused.add(`${name} ${changes.count}`);
        }
        before = after;
        await delay(CHANGE_MS);
      }
      isOver = true;
      await Promise.all(visitors);
      assert.deepEqual(wrong.filter((each) => !excused.has(`${each.edge} ${each.change}`)), []);
      const fetches = lines.map(({ targets }) =>
        targets.filter((each) => each.includes("/blobs/")).map((each) => each.split("/").at(-1))
      );
      for (const each of fetches) assert.equal(new Set(each).size, each.length, each.join("\n"));
      if (IS_LONG) {
        console.log(
          `${sent} requests, ${changes.count} changes, gave up waiting ${excused.size} times,`,
        );
        console.log(`files fetched: ${fetches.map((each) => each.length)}`);
        assert.ok(
          excused.size < changes.count,
          "the platform waited for the edges in most changes",
        );
      }
    } finally {
      for (const edge of edges) await edge.kill();
      for (const line of lines) await line[Symbol.asyncDispose]();
    }
  }));
