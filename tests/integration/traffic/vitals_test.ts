import assert from "node:assert/strict";
import {
  createProject,
  deploy,
  rawRequest,
  start,
  STATIC_MANIFEST,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const FILES = { "index.html": "<p>home" };
const MANIFEST = { ...STATIC_MANIFEST, vitals: true };

async function publish(platform: TestPlatform, manifest: typeof STATIC_MANIFEST = MANIFEST) {
  await createProject(platform, "shop");
  await deploy(platform, "shop", { files: FILES, manifest });
}

/** Sends a beacon as the script does. `headers` can impersonate another sender. */
const beacon = (
  platform: TestPlatform,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) =>
  rawRequest(platform.port, {
    method: "POST",
    host: "shop.localhost",
    path: "/_svc/vitals",
    headers: { "user-agent": BROWSER, "sec-fetch-site": "same-origin", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const report = async (platform: TestPlatform) =>
  (await platform.api("GET", "/v1/projects/shop/traffic")).json;

Deno.test("web vitals are counted per page", () =>
  withPlatform(async (platform) => {
    await publish(platform);
    for (const lcp of [1000, 2000, 3000, 4000]) {
      const answer = await beacon(platform, { p: "/", lcp, cls: 0.1, ttfb: 20 });
      assert.equal(answer.status, 204);
      assert.equal(answer.headers["set-cookie"], undefined);
    }
    await beacon(platform, { p: "/about", inp: 90 });
    await beacon(platform, { p: "/bot", inp: 90 }, { "user-agent": "curl/8.14" });
    const { vitals, totals } = await report(platform);
    assert.equal(totals.requests, 0, "beacons do not count as visits");
    const { lcp, cls, ttfb, inp, fcp } = vitals.all;
    assert.deepEqual([lcp.count, cls.count, ttfb.count, inp.count, fcp], [4, 4, 4, 1, undefined]);
    assert.ok(Math.abs(lcp.p75 - 3000) <= 150, String(lcp.p75));
    assert.ok(Math.abs(cls.p75 - 0.1) <= 0.005, String(cls.p75));
    const paths = vitals.pages.map(({ path }: { readonly path: string }) => path);
    assert.deepEqual(paths, ["/", "/about"]);
  }));

Deno.test("the web vitals script is served as a cacheable file", () =>
  withPlatform(async (platform) => {
    await publish(platform);
    const { status, headers, text } = await platform.get("shop.localhost", "/_svc/vitals.js");
    assert.deepEqual([status, headers["content-type"], headers["cache-control"]], [
      200,
      "text/javascript; charset=utf-8",
      "public, max-age=86400",
    ]);
    assert.equal(headers["set-cookie"], undefined);
    assert.match(text, /sendBeacon\("\/_svc\/vitals"/);
  }));

Deno.test("a site without web vitals serves neither the script nor the endpoint", () =>
  withPlatform(async (platform) => {
    await publish(platform, STATIC_MANIFEST);
    const script = await platform.get("shop.localhost", "/_svc/vitals.js");
    assert.equal(script.status, 404);
    assert.equal((await beacon(platform, { p: "/", lcp: 1 })).status, 404);
    assert.equal((await report(platform)).vitals, undefined);
  }));

Deno.test("beacons that no page would send are refused and not counted", () =>
  withPlatform(async (platform) => {
    await publish(platform);
    const good = { p: "/", lcp: 1 };
    const refused = [
      await beacon(platform, "{"),
      await beacon(platform, { p: "/", lcp: -1 }),
      await beacon(platform, { p: "/", name: "ada" }),
      await beacon(platform, { p: `/${"a".repeat(2000)}` }),
      await beacon(platform, good, { "sec-fetch-site": "cross-site" }),
      await beacon(platform, good, { "sec-fetch-site": "same-site" }),
    ];
    assert.deepEqual(refused.map(({ status }) => status), [400, 400, 400, 413, 403, 403]);
    const read = await platform.get("shop.localhost", "/_svc/vitals", { "user-agent": BROWSER });
    assert.deepEqual([read.status, read.headers.allow], [405, "POST"]);
    assert.equal((await report(platform)).vitals, undefined);
  }));

Deno.test("one address can send 60 beacons per minute, and later ones get a Retry-After", () =>
  withPlatform(async (platform) => {
    await publish(platform);
    const answers = [];
    for (let sent = 0; sent < 62; sent++) {
      answers.push(await beacon(platform, { p: `/${sent}`, fcp: 1 }));
    }
    const late = answers.filter(({ status }) => status === 429);
    assert.equal(late.length, 2);
    assert.match(String(late[0]!.headers["retry-after"]), /^\d+$/);
    const { vitals } = await report(platform);
    assert.equal(vitals.all.fcp.count, 60);
    assert.equal(vitals.pages.length, 20);
  }));

Deno.test("web vitals survive a restart", async () => {
  await inTestFolder(async (dataDir) => {
    for (const count of [1, 2]) {
      const platform = await start(dataDir);
      if (count === 1) await publish(platform);
      await beacon(platform, { p: "/", lcp: 1000 });
      assert.equal((await report(platform)).vitals.all.lcp.count, count);
      await platform.shutdown();
    }
  });
});
