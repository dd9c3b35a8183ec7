/**
 * Functions must be able to reach their platform's hosts, but nothing else on the platform's
 * machine.
 */
import assert from "node:assert/strict";
import { createProject, deploy, withPlatform } from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";

const ASK = `export default async (request) => {
  const url = decodeURIComponent(new URL(request.url).search.slice(1));
  const answer = await fetch(url).catch((error) => new Response("failed: " + error.message));
  return new Response(answer.status + " " + await answer.text());
};`;

Deno.test("a function can reach other sites on its platform, but nothing else on the machine", () =>
  withPlatform(async (platform) => {
    await using local = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response("local"),
    );
    await createProject(platform, "other");
    const other = await deploy(platform, "other", { files: { "index.html": "other" } });
    await createProject(platform, "shop");
    await publish(platform, "shop", {
      files: { "index.html": "shop" },
      functions: { ask: ASK },
      rules: [rule("ask", { type: "pipeline", steps: [{ handle: "ask" }] }, "/ask")],
    });
    const { port } = platform;
    const table = [
      [`http://other.localhost:${port}/`, /^200 other$/],
      [`http://OTHER.localhost:${port}/`, /^200 other$/],
      [other.urls.unique, /^200 other$/],
      [`http://shop.localhost:${port}/`, /^200 shop$/],
      [`http://nobody.localhost:${port}/`, /^404 /],
      [`http://localhost:${port}/v1/projects`, /^200 failed: .*not public/],
      [`http://127.0.0.1:${port}/metrics`, /^200 failed: .*not public/],
      [`http://other.localhost:${local.addr.port}/`, /^200 failed: .*not public/],
    ] as const;
    for (const [url, expected] of table) {
      const { text } = await platform.get("shop.localhost", `/ask?${encodeURIComponent(url)}`);
      assert.match(text, expected, url);
    }
  }, { allowPrivateUpstreams: false }));
