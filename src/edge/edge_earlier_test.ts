import assert from "node:assert/strict";
import type { PastDeployment } from "../feed/mod.ts";
import { computeOf } from "./_test_compute.ts";
import { type Files, testEdge, testSite } from "./_test_site.ts";
import { SiteAccess } from "./access/site_access.ts";
import { SiteDirectory } from "./directory/site_directory.ts";
import { atHost } from "./site/site.ts";
import type { Manifest } from "../manifest/mod.ts";
import type { Rule } from "../rules/mod.ts";

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const SERVER: Manifest = {
  version: 1,
  layers: [
    { name: "files", target: "STATIC", directory: "files" },
    { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
  ],
  routes: [
    { pattern: ".*", layer: "files", priority: 1 },
    { pattern: ".*", layer: "server" },
  ],
};

const filesOf = (id: string): Files => ({
  "server/main.mjs": "code",
  [`files/assets/index-A1b2c3${id}.js`]: `index ${id}`,
  "files/_next/static/same.js": `same ${id}`,
});

interface Given {
  readonly manifest?: Partial<Manifest>;
  /** Rules of all deployments that are not listed in `rulesOf`. */
  readonly rules?: readonly Rule[];
  readonly rulesOf?: Readonly<Record<string, readonly Rule[]>>;
}

/** Returns a production host with its own clock. The host's deployments are in memory. */
function production(given: Given = {}) {
  const clock = { now: NOW };
  const gone = new Set<string>();
  const reads: string[] = [];
  const troubles: string[] = [];
  const access = new SiteAccess("project-1", {
    version: "1",
    protection: "off",
    workspaceId: "w1",
    passwordId: null,
    bypassHash: null,
    shares: [],
    allowCidrs: [],
    exemptPaths: [],
    exemptOptions: false,
    maintenance: null,
  });
  const made = (id: string) => {
    const manifest = { ...SERVER, pageIds: [`page-${id}`], ...given.manifest };
    return {
      manifest,
      ...testSite(filesOf(id), {
        deploymentId: id,
        manifest,
        rules: given.rulesOf?.[id] ?? given.rules ?? [],
        compute: computeOf({
          server: ({ url }) =>
            new Response(url.includes("A1b2c3") ? null : `server ${id}`, {
              headers: { "content-type": "text/html" },
            }),
        }),
      }),
    };
  };
  const sites = new SiteDirectory({
    now: () => clock.now,
    load: ({ deploymentId: id }) => Promise.resolve(gone.has(id) ? undefined : made(id).site),
    asShown: (site, { production: isProduction }) =>
      Promise.resolve(atHost(site, { isProduction, access })),
    dispose: () => {},
    readPast: (_, id) => {
      reads.push(id);
      if (id === "broken") return Promise.reject(new Error("no such blob"));
      if (gone.has(id)) return Promise.resolve(undefined);
      const { manifest, site } = made(id);
      const files = Object.keys(filesOf(id)).map((path) => ({ path, sha256: "0", size: 1 }));
      return Promise.resolve({ manifest, files, blobs: site.blobs });
    },
    onTrouble: (message) => troubles.push(message),
  });
  const edge = testEdge(made("none").site, {
    now: () => clock.now,
    resolveHost: (host) => sites.resolve(host),
  });
  let version = 0;
  const point = (deploymentId: string, past: readonly PastDeployment[]) =>
    sites.point("site.test", {
      projectId: "project-1",
      deploymentId,
      production: true,
      version: String(++version),
      past,
    });
  const head = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await edge.fetch(path, { method: "HEAD", headers });
    return [
      answer.status,
      answer.headers.get("x-svc-asset-from"),
      answer.headers.get("x-svc-deployment"),
    ];
  };
  const text = async (path: string, headers: Record<string, string> = {}) =>
    await (await edge.fetch(path, { headers })).text();
  return { clock, gone, reads, troubles, sites, edge, access, point, head, text };
}

const ago = (id: string, ms: number): PastDeployment => ({ id, until: NOW - ms });

Deno.test("assets of the newest earlier deployment are served until they expire", async () => {
  const { head, point, clock } = production();
  await point("d3", [ago("d2", DAY), ago("d1", 6 * DAY)]);
  assert.deepEqual(await head("/assets/index-A1b2c3d1.js"), [200, "d1", "d3"]);
  assert.deepEqual(await head("/assets/index-A1b2c3d2.js"), [200, "d2", "d3"]);
  assert.deepEqual(await head("/assets/index-A1b2c3d3.js"), [200, null, "d3"]);
  assert.deepEqual(await head("/_next/static/same.js"), [200, null, "d3"]);
  clock.now = NOW + DAY;
  const [, from] = await head("/assets/index-A1b2c3d1.js");
  assert.equal(from, null, "after 7 days");
  assert.deepEqual(await head("/assets/index-A1b2c3d2.js"), [200, "d2", "d3"]);
});

Deno.test("known deployments are not read again, and a rollback finds newer ones", async () => {
  const { head, point, reads, sites } = production();
  await point("d3", [ago("d2", 2 * DAY), ago("d1", 3 * DAY)]);
  await head("/assets/index-A1b2c3d1.js");
  assert.deepEqual(reads.splice(0), ["d2", "d1"]);
  await point("d4", [ago("d3", 0), ago("d2", 2 * DAY), ago("d1", 3 * DAY)]);
  assert.deepEqual(await head("/assets/index-A1b2c3d1.js"), [200, "d1", "d4"]);
  assert.deepEqual(reads.splice(0), ["d3"]);
  await point("d2", [ago("d4", 0), ago("d3", 0), ago("d1", 3 * DAY)]);
  assert.deepEqual(await head("/assets/index-A1b2c3d4.js"), [200, "d4", "d2"]);
  assert.deepEqual(await head("/assets/index-A1b2c3d2.js"), [200, null, "d2"]);
  await sites.removeDeployment("d4");
  assert.deepEqual((await head("/assets/index-A1b2c3d4.js")).slice(1), [null, "d2"]);
  assert.deepEqual(await head("/assets/index-A1b2c3d1.js"), [200, "d1", "d2"]);
});

Deno.test("unreadable files of one deployment do not affect the others", async () => {
  const { head, point, gone, troubles } = production();
  gone.add("d1");
  await point("d3", [ago("broken", 0), ago("d1", DAY), ago("d2", DAY)]);
  assert.deepEqual(await head("/assets/index-A1b2c3d2.js"), [200, "d2", "d3"]);
  assert.equal((await head("/assets/index-A1b2c3d1.js"))[1], null);
  assert.match(troubles.join(), /^Cannot read the assets of deployment broken: /);
});

Deno.test("requests from pages of a replaced deployment reach it for an hour", async () => {
  const { text, point, clock, sites } = production();
  await point("d3", [ago("d2", 10 * MINUTE), ago("d1", 90 * MINUTE)]);
  const ask = (id: string) => text("/api", { "x-deployment-id": id });
  assert.equal(await ask("d2"), "server d2");
  assert.equal(await ask("page-d2"), "server d2");
  for (const query of ["_b=page-d2", "a=b&_b=page-d2", "page-d2"]) {
    assert.equal(await text(`/page/_payload.json?${query}`), "server d2", query);
  }
  const byScript = { "sec-fetch-mode": "cors", cookie: "svc_deployment=d2" };
  assert.equal(
    await text("/page/_payload.json?_b=1767225600000", byScript),
    "server d2",
    "a timestamp instead of a deployment",
  );
  assert.equal(await ask("d1"), "server d3", "replaced 90 minutes ago");
  assert.equal(await ask("page-d1"), "server d3");
  assert.deepEqual([sites.isPinned("d2"), sites.isPinned("d1")], [true, false]);
  assert.deepEqual(sites.takeEndedPins(), []);
  clock.now = NOW + 50 * MINUTE;
  assert.equal(await ask("d2"), "server d3");
  assert.deepEqual(sites.takeEndedPins(), ["d2"]);
  assert.deepEqual(sites.takeEndedPins(), []);
});

Deno.test("the gate of the live deployment also protects an earlier deployment", async () => {
  const { edge, point, access } = production({ manifest: { protection: "off" } });
  await point("d2", [ago("d1", 0)]);
  const ask = async (path: string) =>
    (await edge.fetch(path, { headers: { "x-deployment-id": "d1" } })).status;
  assert.deepEqual([await ask("/api"), await ask("/assets/index-A1b2c3d1.js")], [200, 200]);
  access.replace({ ...access.facts, version: "2", maintenance: { allowCidrs: [] } });
  assert.deepEqual([await ask("/api"), await ask("/assets/index-A1b2c3d1.js")], [401, 401]);
});

Deno.test("no earlier deployment serves paths that the live deployment denies", async () => {
  const deny: Rule = {
    id: "closed",
    condition: { path: { type: "prefix", value: "/api" } },
    action: { type: "deny" },
  };
  const { edge, point } = production({ rulesOf: { d2: [deny] } });
  await point("d2", [ago("d1", 0)]);
  for (const path of ["/api", "/%61pi", "//api", "/api?dpl=d1"]) {
    const { status, headers } = await edge.fetch(path, { headers: { "x-deployment-id": "d1" } });
    const { status: live } = await edge.fetch(path);
    assert.deepEqual([status, headers.get("x-svc-deployment")], [live, "d2"], path);
  }
  const open = await edge.fetch("/other", { headers: { "x-deployment-id": "d1" } });
  assert.equal(await open.text(), "server d1");
});

Deno.test("a page is stored without the deployment cookie that each browser gets", async () => {
  const rules: Rule[] = [{ id: "cache", action: { type: "cache", ttlSeconds: 600 } }];
  const { edge, point } = production({ rules });
  await point("d2", [ago("d1", 0)]);
  const open = async (fields: Record<string, string> = {}) => {
    const headers = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", ...fields };
    const page = await edge.fetch("/", { headers });
    assert.equal(await page.text(), "server d2");
    return [page.headers.get("x-svc-cache"), page.headers.get("set-cookie")];
  };
  const set = "svc_deployment=d2; Path=/; HttpOnly; SameSite=Lax";
  assert.deepEqual(await open(), ["MISS", set]);
  assert.deepEqual(await open(), ["HIT", set]);
  assert.deepEqual(await open({ cookie: "svc_deployment=d2" }), ["HIT", null]);
});

Deno.test("a cache rule never mixes deployments or stores assets of earlier ones", async () => {
  const rules: Rule[] = [{ id: "cache", action: { type: "cache", ttlSeconds: 600 } }];
  const { edge, text, point, clock } = production({ rules });
  await point("d2", [ago("d1", 0)]);
  for (let time = 0; time < 3; time++) {
    assert.equal(await text("/api"), "server d2");
    assert.equal(await text("/api", { "x-deployment-id": "d1" }), "server d1");
  }
  const hit = await edge.fetch("/api", { headers: { "x-deployment-id": "d1" } });
  assert.equal(hit.headers.get("x-svc-cache"), "HIT");
  assert.equal(hit.headers.get("x-svc-deployment"), "d1", "the header names one deployment");
  assert.equal(hit.headers.get("cache-control"), "private, no-cache");
  await hit.body?.cancel();
  const path = "/assets/index-A1b2c3d1.js";
  const kept = await edge.fetch(path, { method: "HEAD" });
  assert.equal(kept.headers.get("x-svc-asset-from"), "d1");
  clock.now = NOW + 7 * DAY;
  const over = await edge.fetch(path, { method: "HEAD" });
  assert.equal(over.headers.get("x-svc-asset-from"), null);
});
