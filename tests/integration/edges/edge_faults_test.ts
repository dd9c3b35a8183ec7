/** Tests the effects of failures between a front edge and its platform. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { deployCached } from "../../helpers/cached_site.ts";
import { addEdge, startEdge, type TestEdge } from "../../helpers/front_edge.ts";
import {
  createProject,
  deploy,
  start,
  startInProcess,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { fill, mountDisk } from "../../helpers/small_disk.ts";
import { openLine } from "../../helpers/slow_line.ts";

const HOST = "shop.localhost";

const isCurrent = (edge: TestEdge) =>
  until(async () => (await edge.get(HOST, "/")).headers["x-svc-edge"] === "far");
const isLost = (edge: TestEdge) =>
  until(async () => (await edge.get(HOST, "/")).headers["x-svc-edge"] === "far; lost");

async function version(platform: TestPlatform, text: string): Promise<void> {
  await deploy(platform, "shop", { files: { "index.html": text } });
}

Deno.test("an edge waits for a slow connection, but not for a broken one", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await version(platform, "one");
    await using line = openLine(platform.port, 80);
    const edge = await addEdge(platform, "far", { join: `http://127.0.0.1:${line.port}` });
    try {
      for (const text of ["two", "three", "four"]) {
        await version(platform, text);
        assert.equal((await edge.get(HOST, "/")).text, text);
      }
      line.cut();
      const began = performance.now();
      await version(platform, "five");
      assert.ok(performance.now() - began < 20_000);
      await isLost(edge);
      assert.equal((await edge.get(HOST, "/")).text, "four");
      // The connection is cut repeatedly while the edge tries to catch up.
      for (let at = 0; at < 5; at++) {
        line.mend();
        await new Promise((resolve) => setTimeout(resolve, 60 * at));
        line.cut();
      }
      line.mend();
      await until(async () => (await edge.get(HOST, "/")).text === "five");
      await isCurrent(edge);
      await version(platform, "six");
      assert.equal((await edge.get(HOST, "/")).text, "six");
    } finally {
      await edge.kill();
    }
  }));

Deno.test("without the platform, an edge refuses all requests after its time limit", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await version(platform, "one");
    await using line = openLine(platform.port);
    const join = `http://127.0.0.1:${line.port}`;
    const edge = await addEdge(platform, "far", { join, args: ["--refuse-after", "0"] });
    try {
      assert.equal((await edge.get(HOST, "/")).text, "one");
      line.cut();
      const refused = await until(() => edge.get(HOST, "/"), ({ status }) => status === 503);
      assert.equal(refused.headers["x-svc-edge"], "far; lost");
      line.mend();
      await isCurrent(edge);
      assert.equal((await edge.get(HOST, "/")).text, "one");
    } finally {
      await edge.kill();
    }
  }));

Deno.test("a stolen key stops working when it is removed, and its name can be reused", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployCached(platform, "shop");
    const thief = await addEdge(platform, "far");
    const other = await addEdge(platform, "near");
    let edge: TestEdge | undefined;
    try {
      assert.equal((await thief.get(HOST, "/plain/a")).status, 200);
      assert.equal((await thief.get(HOST, "/")).text, "home v1");
      assert.equal((await platform.api("DELETE", "/v1/edges/far")).status, 204);
      edge = await addEdge(platform, "far");
      await isLost(thief);
      assert.equal((await thief.get(HOST, "/plain/a")).status, 503);
      assert.equal((await edge.get(HOST, "/plain/a")).status, 200);
      await assert.rejects(
        startEdge({ name: "far", key: thief.key, join: `http://127.0.0.1:${platform.port}` }),
        /does not accept the key/,
      );
      await deployCached(platform, "shop", { version: "v2" });
      assert.equal((await edge.get(HOST, "/")).text, "home v2");
      assert.equal((await other.get(HOST, "/")).text, "home v2");
      assert.equal((await thief.get(HOST, "/")).text, "home v1");
    } finally {
      for (const each of [thief, other, edge]) await each?.kill();
    }
  }));

Deno.test("an edge cannot report changes for another edge", () =>
  withPlatform(async (platform) => {
    const keyOf = async (name: string) =>
      (await platform.api("POST", "/v1/edges", { json: { name } })).json.key;
    const base = `http://127.0.0.1:${platform.port}/_svc/edges/1`;
    const [far, near] = [await keyOf("far"), await keyOf("near")];
    const feed = await fetch(`${base}/feed`, { headers: { authorization: `Bearer ${far}` } });
    const reader = feed.body!.pipeThrough(new TextDecoderStream()).getReader();
    const { session } = JSON.parse((await reader.read()).value!.split("\n")[0]!);
    const applied = async (key: string, body: unknown) => {
      const response = await fetch(`${base}/applied`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      await response.body?.cancel();
      return response.status;
    };
    assert.equal(await applied(near, { session, place: 1 }), 404);
    assert.equal(await applied(far, { session, place: -1 }), 400);
    assert.equal(await applied(far, { session, place: 1 }), 204);
    await reader.cancel();
  }));

Deno.test("an incorrect clock at the edge has no effect", () =>
  inTestFolder(async (dataDir) => {
    // The edge's clock is an hour behind or ahead. No flag sets a clock, so the edge runs in this
    // process.
    for (const ahead of [-3_600_000, 3_600_000]) {
      const folder = join(dataDir, String(ahead));
      const platform = await startInProcess(folder, { now: () => Date.now() + ahead });
      let edge: TestEdge | undefined;
      try {
        await createProject(platform, "shop");
        await deployCached(platform, "shop");
        await using line = openLine(platform.port);
        edge = await addEdge(platform, "far", { join: `http://127.0.0.1:${line.port}` });
        assert.equal((await edge.get(HOST, "/plain/a")).status, 200);
        for (let at = 0; at < 3; at++) await edge.get(HOST, "/pages/a");
        const asked = line.asked("/pages/a");
        const { headers } = await edge.get(HOST, "/pages/a");
        // In this test, the site's server uses the edge's clock, so the server's pages seem an hour
        // old to a platform whose clock is ahead.
        if (ahead > 0) continue;
        assert.equal(line.asked("/pages/a"), asked);
        assert.ok(Number(headers.age) < 60, String(headers.age));
      } finally {
        await edge?.kill();
        await platform.shutdown();
      }
    }
  }));

Deno.test("with a full disk, an edge gets files from the platform until there is space again", () =>
  withPlatform((platform) =>
    inTestFolder(async (folder) => {
      const disk = await mountDisk(join(folder, "disk"), 2);
      if (disk === undefined) return;
      await using _ = disk;
      await createProject(platform, "shop");
      const files = { "index.html": "home", "a.txt": "a".repeat(100_000) };
      await deploy(platform, "shop", { files });
      const edge = await addEdge(platform, "far", { cacheDir: join(folder, "disk", "files") });
      try {
        const filler = join(folder, "disk", "filler");
        await fill(filler);
        for (let at = 0; at < 3; at++) {
          const { status, text } = await edge.get(HOST, "/a.txt");
          assert.equal(status, 200);
          assert.equal(text, files["a.txt"]);
        }
        await deploy(platform, "shop", { files: { ...files, "index.html": "two" } });
        assert.equal((await edge.get(HOST, "/")).text, "two");
        await Deno.remove(filler);
        assert.equal((await edge.get(HOST, "/a.txt")).text, files["a.txt"]);
        const kept = [...Deno.readDirSync(join(folder, "disk", "files"))].map(({ name }) => name);
        assert.ok(kept.length > 1, kept.join());
      } finally {
        await edge.kill();
      }
    })
  ));

Deno.test("edges adopt the state of a platform that was restored from a backup", () =>
  inTestFolder(async (folder) => {
    const [dataDir, backup] = [join(folder, "data"), join(folder, "backup")];
    let platform = await start(dataDir);
    let edge: TestEdge | undefined;
    try {
      await createProject(platform, "shop");
      await deployCached(platform, "shop", { version: "v1" });
      edge = await addEdge(platform, "far");
      for (let at = 0; at < 3; at++) await edge.get(HOST, "/pages/a");
      const { port } = platform;
      await platform.shutdown();
      await new Deno.Command("cp", { args: ["-a", dataDir, backup] }).output();
      platform = await start(dataDir, { port });
      for (const at of [2, 3]) await deployCached(platform, "shop", { version: `v${at}` });
      await until(async () => (await edge!.get(HOST, "/")).text === "home v3");
      for (let at = 0; at < 3; at++) await edge.get(HOST, "/pages/a");
      await platform.shutdown();
      await Deno.remove(dataDir, { recursive: true });
      await Deno.rename(backup, dataDir);
      platform = await start(dataDir, { port });
      await until(async () => (await edge!.get(HOST, "/")).text === "home v1");
      await isCurrent(edge);
      assert.match((await edge.get(HOST, "/pages/a")).text, /^v1 /);
      await deployCached(platform, "shop", { version: "v4" });
      assert.equal((await edge.get(HOST, "/")).text, "home v4");
      assert.match((await edge.get(HOST, "/pages/a")).text, /^v4 /);
    } finally {
      await edge?.kill();
      await platform.shutdown();
    }
  }));
