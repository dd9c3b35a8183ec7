import assert from "node:assert/strict";
import { join } from "node:path";
import { CACHE_PATH, writeCheckoutCache } from "../../config/checkout_cache.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { type Bench, withPlatform } from "../_test_platform.ts";

const COUNT = 250;

interface SentBody {
  readonly files: readonly { readonly path: string }[];
  readonly removed?: readonly string[];
  readonly base?: { readonly deployment: string };
}

/** Deploys, and returns the deployment and the bodies of all requests to create a deployment. */
async function deploy(bench: Bench, args: readonly string[] = ["--prod"]) {
  const bodies: SentBody[] = [];
  const listening: typeof fetch = (input, init) => {
    if (init?.method === "POST" && new URL(String(input)).pathname.endsWith("/deployments")) {
      bodies.push(JSON.parse(String(init.body)));
    }
    return fetch(input, init);
  };
  return { live: await bench.json(["deploy", ...args], { fetch: listening }), bodies };
}

async function withLargeSite(run: (bench: Bench) => Promise<void>): Promise<void> {
  await withPlatform(async (bench) => {
    for (let n = 0; n < COUNT; n++) await bench.write(`page-${n}.html`, `page ${n}`);
    await bench.json(["init", "--create"]);
    await run(bench);
  });
}

const page = async (bench: Bench, live: Record<string, unknown>, path: string) =>
  (await bench.page((live.urls as { readonly unique: string }).unique, path)).text;

Deno.test("svc deploy sends the difference from its last deployment, and all files go live", () =>
  withLargeSite(async (bench) => {
    const first = await deploy(bench);
    assert.deepEqual(first.bodies.map(({ files, base }) => [files.length, base]), [
      [COUNT + 1, undefined],
    ]);
    await bench.write("page-7.html", "new 7");
    await bench.write("more.html", "more");
    await Deno.remove(join(bench.site, "page-9.html"));
    const second = await deploy(bench);
    const [body] = second.bodies;
    assert.equal(second.bodies.length, 1);
    assert.equal(body?.base?.deployment, first.live.id);
    assert.deepEqual(body?.files.map(({ path }) => path).toSorted(), ["more.html", "page-7.html"]);
    assert.deepEqual(body?.removed, ["page-9.html"]);
    assert.deepEqual(second.live.uploaded, { files: 2, bytes: 9 });
    assert.deepEqual(second.live.reused, { files: COUNT - 1, bytes: await sizeOf(bench) - 9 });
    assert.equal(await page(bench, second.live, "/page-7"), "new 7");
    assert.equal(await page(bench, second.live, "/page-8"), "page 8");
    assert.equal(await page(bench, second.live, "/more"), "more");
    assert.equal((await bench.page(second.live.url, "/page-9")).status, 404);
    // A preview can also be sent as the difference from the production deployment.
    const third = await deploy(bench, []);
    assert.deepEqual(third.bodies.map(({ files, base }) => [files.length, base?.deployment]), [
      [0, second.live.id],
    ]);
    assert.equal(await page(bench, third.live, "/page-8"), "page 8");
  }));

Deno.test("svc deploy sends the whole list if the platform lacks the last deployment", () =>
  withLargeSite(async (bench) => {
    const first = await deploy(bench);
    const path = join(bench.site, CACHE_PATH, "deployed.json");
    const saved = JSON.parse((await Deno.readTextFile(path)).slice(65));
    const gone = "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e05";
    await writeCheckoutCache(bench.site, "deployed.json", { ...saved, deploymentId: gone });
    const second = await deploy(bench);
    assert.deepEqual(second.bodies.map(({ files, base }) => [files.length, base?.deployment]), [
      [0, gone],
      [COUNT + 1, undefined],
    ]);
    assert.equal(await page(bench, second.live, "/page-8"), "page 8");
    // A saved list that differs from the deployment's list does not change the result either.
    await bench.write("late.html", "late");
    await writeCheckoutCache(bench.site, "deployed.json", {
      ...saved,
      paths: [...saved.paths, "late.html"],
      hashes: [...saved.hashes, sha256Hex("late")],
      sizes: [...saved.sizes, 4],
    });
    const last = await deploy(bench);
    assert.deepEqual(last.bodies.map(({ files, base }) => [files.length, base?.deployment]), [
      [0, first.live.id],
      [COUNT + 2, undefined],
    ]);
    assert.equal(await page(bench, last.live, "/late"), "late");
    assert.equal(await page(bench, last.live, "/page-8"), "page 8");
  }));

Deno.test("svc deploy stores nothing for a small site, or for another project", () =>
  withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await deploy(bench);
    await assert.rejects(Deno.stat(join(bench.site, CACHE_PATH)), Deno.errors.NotFound);
    for (let n = 0; n < COUNT; n++) await bench.write(`page-${n}.html`, `page ${n}`);
    await deploy(bench);
    await bench.json(["projects", "create", "--name", "other"]);
    const other = await deploy(bench, ["--prod", "--project-id", "other"]);
    assert.deepEqual(other.bodies.map(({ files, base }) => [files.length, base]), [
      [COUNT + 1, undefined],
    ]);
  }));

async function sizeOf(bench: Bench): Promise<number> {
  let sum = 0;
  for await (const { name } of Deno.readDir(bench.site)) {
    if (name.endsWith(".html")) sum += (await Deno.stat(join(bench.site, name))).size;
  }
  return sum;
}
