/** A backup of a platform under load, restored elsewhere and compared. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  copySite,
  hostOf,
  type JsonObject,
  type Sandbox,
  withSandbox,
} from "../helpers/sandbox.ts";

/** Deploys again and again, each time another page, until it is told to stop. */
async function deployUntil(box: Sandbox, isDone: () => boolean): Promise<number> {
  let count = 0;
  while (!isDone() || count < 3) {
    count++;
    await Deno.writeTextFile(join(box.site, "beds.html"), `<h1>Beds, as of ${count}</h1>`);
    await box.json(["deploy", "--prod"]);
  }
  return count;
}

/** Every page of every live deployment that the platform lists; others are on their way. */
async function pagesOf(box: Sandbox): Promise<ReadonlyMap<string, string>> {
  const { deployments } = await box.json(["deployments", "--limit", "100"]) as {
    deployments: JsonObject[];
  };
  const pages = new Map<string, string>();
  for (const { id, urls, status } of deployments) {
    if (status !== "LIVE") continue;
    const host = hostOf((urls as { unique: string }).unique);
    for (const path of ["/", "/beds", "/robots.txt"]) {
      const { status, text } = await box.page(host, path);
      pages.set(`${id} ${path}`, `${status} ${text}`);
    }
  }
  return pages;
}

Deno.test("a backup of a platform under load is whole, and a platform starts on it", async () => {
  await withSandbox(async (box) => {
    await copySite("plain", box.site);
    await box.start();
    await box.json(["init", "--create"]);
    await box.json(["env", "set", "GREETING", "--value", "hello", "--plain", "--all"]);
    await box.json(["deploy", "--prod"]);
    const file = join(box.folder, "backup.tar");
    let done = false;
    const deploying = deployUntil(box, () => done);
    const made = await box.json(["backup", file, "--data-dir", box.dataDir]);
    done = true;
    await deploying;
    const original = await pagesOf(box);
    await box.platform!.stop();

    const elsewhere = join(box.folder, "elsewhere");
    const restored = await box.json(["restore", file, "--data-dir", elsewhere]);
    assert.deepEqual([restored.files, restored.bytes], [made.files, made.bytes]);
    Object.assign(box, { dataDir: elsewhere });
    await box.start();
    const pages = await pagesOf(box);
    assert.ok(pages.size >= 3);
    for (const [page, text] of pages) assert.equal(text, original.get(page), page);
    const variables = await box.json(["env", "list"]);
    assert.match(JSON.stringify(variables), /GREETING/);
    await Deno.writeTextFile(join(box.site, "beds.html"), "<h1>After the fire</h1>");
    await box.json(["deploy", "--prod"]);
    assert.match((await box.page("kestrel-hut.localhost", "/beds")).text, /After the fire/);
  });
});

Deno.test("a program refuses the data of a newer one, in serve and rekey", async () => {
  await withSandbox(async (box) => {
    await box.start();
    await box.platform!.stop();
    const mark = JSON.stringify({ format: 999, program: "9.0.0" });
    await Deno.writeTextFile(join(box.dataDir, "format.json"), mark);
    for (const args of [["serve", "--port", "0"], ["rekey"]]) {
      const { code, stdout } = await box.tool([...args, "--data-dir", box.dataDir, "--json"]);
      assert.equal(code, 1);
      const { error, code: reason } = JSON.parse(stdout);
      assert.equal(reason, "data_newer");
      assert.match(error, /svc 9\.0\.0 wrote it in format 999/);
    }
  });
});
