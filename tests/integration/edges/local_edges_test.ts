/** Tests `svc serve --edges 2`, which starts edges that share the platform's port. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import WebSocket from "ws";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { edgeProcesses } from "../../helpers/local_edges.ts";
import { deployServer, FILES, MANIFEST, SOCKET_SITE } from "../../helpers/compute_site.ts";
import {
  type Answer,
  createProject,
  deploy,
  rawRequest,
  sha256,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

const HOST = "shop.localhost";
const EDGES = ["local-1", "local-2"];

const path = (value: string, type = "exact") => ({ path: { type, value } });
const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    {
      id: "deny",
      condition: path("/secret/", "prefix"),
      action: { type: "deny", statusCode: 403 },
    },
    {
      id: "abroad",
      condition: { ...path("/abroad"), geo: ["DE"] },
      action: { type: "deny", statusCode: 451 },
    },
    {
      id: "old",
      condition: path("/old/{rest...}", "glob"),
      action: { type: "redirect", target: "/new/{rest}", statusCode: 301 },
    },
    {
      id: "limit",
      condition: path("/limited"),
      action: { type: "rate_limit", limit: 3, windowSeconds: 600 },
    },
  ],
};

/** A server that responds after a while. */
const SLOW_SERVER = `
import { createServer } from "node:http";
createServer((_, response) => void setTimeout(() => response.end("slow"), 2000))
  .listen(process.env.PORT);`;

/** The database of countries by IP address that svc includes. */
const COUNTRIES = fileURLToPath(
  new URL(
    "../../../node_modules/@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb",
    import.meta.url,
  ),
);

const countOf = ({ logged }: TestPlatform, text: string): number =>
  logged.filter((line) => line.includes(text)).length;

const edgeOf = ({ headers }: Pick<Answer, "headers">) =>
  String(headers["x-svc-edge"] ?? "platform");

interface Listed {
  readonly name: string;
  readonly state: string;
  readonly since: string;
  readonly isDrained: boolean;
  readonly behind: number | null;
  readonly isLocal: boolean;
}

async function listed(platform: TestPlatform): Promise<readonly Listed[]> {
  return (await platform.api("GET", "/v1/edges")).json.items;
}

/** Sends requests until each process has served one. Returns the responses. */
async function fromEach(
  ask: () => Promise<Answer>,
  names: readonly string[] = ["platform", ...EDGES],
): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  await until(async () => {
    const answer = await ask();
    answers.set(edgeOf(answer), answer);
    return names.every((name) => answers.has(name));
  });
  return answers;
}

const withEdges = (
  run: (platform: TestPlatform) => Promise<void>,
  options: Parameters<typeof withPlatform>[1] = {},
): Promise<void> =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await until(async () => (await listed(platform)).filter(isConnected).length === EDGES.length);
    await run(platform);
  }, { edges: EDGES.length, ...options });

const isConnected = ({ state }: Listed) => state === "connected";

Deno.test("local edges respond like the platform, with pages, rules, locations and servers", () =>
  withEdges(async (platform) => {
    await deploy(platform, "shop", { manifest: MANIFEST, files: FILES, rules: RULES });
    const wanted: readonly (readonly [path: string, status: number, country?: string])[] = [
      ["/", 200],
      ["/secret/a", 403],
      ["/old/a", 301],
      ["/abroad", 451, "DE"],
      ["/abroad", 200, "FR"],
      ["/api/echo", 200],
      ["/missing.png", 200],
    ];
    for (const [path, status, country] of wanted) {
      const headers: Record<string, string> = country === undefined
        ? {}
        : { "cf-ipcountry": country };
      const answers = await fromEach(() => platform.get(HOST, path, headers));
      for (const [name, answer] of answers) assert.equal(answer.status, status, `${path} ${name}`);
    }
    const echoed = await fromEach(() =>
      platform.get(HOST, "/api/echo", { "x-forwarded-for": "203.0.113.9, 198.51.100.7" })
    );
    for (const [name, { text }] of echoed) {
      const { headers } = JSON.parse(text);
      assert.equal(headers["x-forwarded-for"], "198.51.100.7", name);
      assert.equal(headers["x-svc-edge-relay"], undefined);
    }
    // All processes count a client's requests together.
    const limited = [];
    for (let at = 0; at < 12; at++) limited.push((await platform.get(HOST, "/limited")).status);
    assert.equal(limited.filter((status) => status !== 429).length, 3, String(limited));
    assert.deepEqual(
      (await listed(platform)).map(({ name, isLocal, behind }) => ({ name, isLocal, behind })),
      EDGES.map((name) => ({ name, isLocal: true, behind: 0 })),
    );
    const { status } = await platform.api("POST", "/v1/edges", { json: { name: "local-9" } });
    assert.equal(status, 409);
  }, { trustProxy: ["127.0.0.1"] }));

Deno.test("local edges relay WebSockets and uploads", () =>
  withEdges(async (platform) => {
    await createProject(platform, "talk");
    await deployServer(platform, "shop", {});
    await deployServer(platform, "talk", SOCKET_SITE);
    const upload = "x".repeat(300_000);
    const uploads = await fromEach(() =>
      rawRequest(platform.port, { method: "POST", host: HOST, path: "/api/hash", body: upload })
    );
    for (const { text } of uploads.values()) assert.equal(text, sha256(upload));
    for (let at = 0; at < 12; at++) {
      const socket = new WebSocket(`ws://127.0.0.1:${platform.port}/chat`, ["echo"], {
        headers: { host: "talk.localhost" },
      });
      await new Promise((resolve, reject) => {
        socket.once("open", resolve);
        socket.once("error", reject);
      });
      const echo = new Promise((resolve) =>
        socket.once("message", (data) => resolve(String(data)))
      );
      socket.send("hello ✓");
      assert.equal(await echo, "hello ✓");
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.send("bye");
      assert.equal(await closed, 4001);
    }
  }));

Deno.test("no process serves earlier content after a deployment or rollback has returned", () =>
  withEdges(async (platform) => {
    const texts = async () => {
      const answers = await fromEach(() => platform.get(HOST, "/"));
      return new Set([...answers.values()].map(({ text }) => text));
    };
    for (let version = 1; version <= 6; version++) {
      await deploy(platform, "shop", { files: { "index.html": `version ${version}` } });
      assert.deepEqual(await texts(), new Set([`version ${version}`]));
    }
    const back = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal(back.status, 200, JSON.stringify(back.json));
    assert.deepEqual(await texts(), new Set(["version 5"]));
  }));

Deno.test("the log and traffic show every request with the edge that handled it", () =>
  withEdges(async (platform) => {
    await deploy(platform, "shop", { files: { "index.html": "home" }, rules: RULES });
    const sent: Record<string, number> = {};
    for (let at = 0; at < 150; at++) {
      const answer = await platform.get(HOST, at % 3 === 0 ? "/secret/a" : "/", {
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
      });
      const name = edgeOf(answer);
      sent[name] = (sent[name] ?? 0) + 1;
    }
    assert.deepEqual(Object.keys(sent).sort(), [...EDGES, "platform"]);
    const items = await until(
      async () => (await platform.api("GET", "/v1/projects/shop/logs?limit=1000")).json.items,
      (items) => items.length >= 150,
    );
    const logged: Record<string, number> = {};
    for (const { edge = "platform" } of items) logged[edge] = (logged[edge] ?? 0) + 1;
    assert.deepEqual(logged, sent);
    const denied = items.filter(({ status }: { status: number }) => status === 403);
    assert.equal(denied.length, 50);
    for (const { rules } of denied) assert.equal(rules[0].ruleId, "deny");
    const counters = (await platform.api("GET", "/v1/projects/shop/rules/counters")).json.items;
    assert.deepEqual(counters[0], { ruleId: "deny", matches: 50 });
    const traffic = (await platform.api("GET", "/v1/projects/shop/traffic?range=day")).json;
    assert.equal(traffic.totals.requests, 150, JSON.stringify(traffic.totals));
    const metrics = await (await fetch(`http://127.0.0.1:${platform.port}/metrics`)).text();
    for (const name of EDGES) {
      assert.ok(metrics.includes(`svc_edge_connected{edge="${name}"} 1`));
      const count = /code="2xx"\} (\d+)/.exec(
        metrics.split("\n").find((line) =>
          line.startsWith(`svc_edge_requests_total{edge="${name}",code="2xx"}`)
        )!,
      )![1];
      assert.ok(Number(count) > 0, metrics);
    }
  }));

Deno.test("a file that one process finds damaged is not served by any other process", () =>
  withEdges(async (platform) => {
    const large = "x".repeat(5_000_000);
    await deploy(platform, "shop", { files: { "index.html": "home", "large.txt": large } });
    const get = () => rawRequest(platform.port, { host: HOST, path: "/large.txt" });
    await fromEach(get);
    const hash = sha256(large);
    const blobs = join(platform.dataDir, "blobs");
    const paths = [...Deno.readDirSync(blobs)].map(({ name }) =>
      join(blobs, name, hash.slice(0, 2), hash)
    );
    const path = await Promise.any(paths.map((path) => Deno.realPath(path)));
    await Deno.writeTextFile(path, `${large.slice(1)}y`);
    await assert.rejects(get());
    for (let at = 0; at < 30; at++) assert.equal((await get()).status, 500);
  }));

Deno.test("a killed edge is replaced, and loses only its own connections", () =>
  withEdges(async (platform) => {
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    for (let round = 0; round < 3; round++) {
      const before = edgeProcesses(platform);
      assert.deepEqual([...before.keys()].sort(), EDGES);
      let failed = 0;
      const killed = before.get("local-1")!;
      Deno.kill(killed, "SIGKILL");
      const after = await until(
        async () => {
          await platform.get(HOST, "/").catch(() => failed++);
          return edgeProcesses(platform);
        },
        (found) => found.size === 2 && found.get("local-1") !== killed,
      );
      assert.equal(after.get("local-2"), before.get("local-2"));
      // A connection that the edge has just accepted may be lost.
      assert.ok(failed <= 1, `${failed} requests failed`);
      await fromEach(() => platform.get(HOST, "/"));
    }
    await until(
      () => platform.logged.filter((line) => line.includes("local-1 exited (SIGKILL)")).length,
      (count) => count === 3,
    );
  }));

Deno.test("a platform serves everything itself while its edges cannot start", () =>
  inTestFolder(async (folder) => {
    const geoip = join(folder, "countries.mmdb");
    await Deno.copyFile(COUNTRIES, geoip);
    await withEdges(async (platform) => {
      await deploy(platform, "shop", { files: { "index.html": "home" } });
      await fromEach(() => platform.get(HOST, "/"));
      await Deno.rename(geoip, `${geoip}.away`);
      for (const pid of edgeProcesses(platform).values()) Deno.kill(pid, "SIGKILL");
      await until(() => EDGES.every((name) => countOf(platform, `Front edge ${name} exited`) >= 3));
      for (let at = 0; at < 30; at++) {
        const answer = await platform.get(HOST, "/");
        assert.deepEqual([edgeOf(answer), answer.text], ["platform", "home"]);
      }
      await Deno.rename(`${geoip}.away`, geoip);
      await fromEach(() => platform.get(HOST, "/"));
    }, { geoip });
  }));

Deno.test("signals to all processes stop the platform first and lose no request", () =>
  inTestFolder(async (folder) => {
    const platform = await start(join(folder, "data"), { edges: EDGES.length });
    try {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { server: SLOW_SERVER });
      const get = (path: string) => rawRequest(platform.port, { host: HOST, path });
      await fromEach(() => get("/"));
      const slow = Array.from({ length: 12 }, () => get("/api/slow"));
      await delay(500);
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        for (const pid of edgeProcesses(platform).values()) Deno.kill(pid, signal);
      }
      await platform.shutdown();
      for (const { status, text } of await Promise.all(slow)) {
        assert.deepEqual([status, text], [200, "slow"]);
      }
      assert.ok(!platform.logged.some((line) => /Front edge .* exited/.test(line)));
    } finally {
      await platform.shutdown();
    }
  }));

Deno.test("a drained edge gets no new connections and loses no existing ones", () =>
  withEdges(async (platform) => {
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    await fromEach(() => platform.get(HOST, "/"));
    const drain = (isDrained: boolean) =>
      platform.api("PATCH", "/v1/edges/local-1", { json: { isDrained } });
    const asking = (async () => {
      for (let at = 0; at < 200; at++) {
        assert.equal((await platform.get(HOST, "/")).status, 200);
        await delay(2);
      }
    })();
    const { status, json } = await drain(true);
    assert.deepEqual([status, json.isDrained], [200, true]);
    await asking;
    await until(() => edgeProcesses(platform).size === 1);
    const answers = await fromEach(() => platform.get(HOST, "/"), ["platform", "local-2"]);
    for (let at = 0; at < 30; at++) answers.set("", await platform.get(HOST, "/"));
    assert.ok(!answers.has("local-1"));
    await drain(false);
    await fromEach(() => platform.get(HOST, "/"));
    // The edge is undrained while it is still finishing its requests.
    const first = edgeProcesses(platform).get("local-1");
    await drain(true);
    await drain(false);
    await until(
      () => edgeProcesses(platform).get("local-1"),
      (pid) => pid !== undefined && pid !== first,
    );
    await fromEach(() => platform.get(HOST, "/"));
    assert.deepEqual(platform.logged.filter((line) => line.includes("Replacing it")), []);
  }));

Deno.test("a platform that replaces another with edges starts its own edges", () =>
  inTestFolder(async (folder) => {
    const dataDir = join(folder, "data");
    const first = await start(dataDir, { edges: EDGES.length });
    let second: TestPlatform | undefined;
    try {
      await createProject(first, "shop");
      await deploy(first, "shop", { files: { "index.html": "home" } });
      await fromEach(() => first.get(HOST, "/"));
      const isOver = new AbortController();
      const asking = (async () => {
        for (let sent = 0;; sent++) {
          assert.equal((await first.get(HOST, "/")).text, "home");
          if (isOver.signal.aborted) return sent;
        }
      })();
      second = await start(dataDir, { edges: EDGES.length, port: first.port, replace: true });
      const { port } = second;
      assert.equal(port, first.port);
      await first.finished;
      await fromEach(() => rawRequest(port, { host: HOST, path: "/" }));
      isOver.abort();
      assert.ok(await asking > 0);
      assert.equal(edgeProcesses(first).size, 0);
      assert.equal(edgeProcesses(second).size, EDGES.length);
    } finally {
      await second?.shutdown();
      await first.shutdown();
    }
  }));
