/** Type-checks, bundles and runs the examples in docs/functions.md. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { createKvFetch, openLocalKv } from "../../../src/kv/mod.ts";
import { bundleFunctions, functionTypes } from "../../../src/runtime/mod.ts";
import { bodyText, deployFunctions, invocation } from "../../helpers/function_host.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const DOCS = new URL("../../../docs/functions.md", import.meta.url);

async function writeExamples(folder: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (
    const [, file, code] of (await Deno.readTextFile(DOCS)).matchAll(/```ts (\S+)\n(.*?)```/gs)
  ) {
    const path = join(folder, file!);
    await Deno.mkdir(join(folder, "functions"), { recursive: true });
    await Deno.writeTextFile(path, code!);
    files.push(path);
  }
  await Deno.writeTextFile(join(folder, "functions", "svc.d.ts"), functionTypes);
  return files;
}

Deno.test("the examples in docs/functions.md type-check and give the stated results", async () => {
  return await inTestFolder(async (folder) => {
    const files = await writeExamples(folder);
    assert.equal(files.length, 7);
    await Deno.writeTextFile(
      join(folder, "deno.json"),
      JSON.stringify({ compilerOptions: { types: ["./functions/svc.d.ts"] } }),
    );
    const checked = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", ...files],
      cwd: folder,
      env: { NO_COLOR: "1" },
    }).output();
    assert.equal(new TextDecoder().decode(checked.stderr), "");
    const bundled = await bundleFunctions(folder, { cacheDir: folder });
    assert.ok(bundled.ok, JSON.stringify(bundled));
    assert.deepEqual(bundled.functions.map(({ name }) => name), [
      "audit",
      "boats",
      "gate",
      "hello",
      "mark",
      "mobile",
      "visits",
    ]);
    using store = await openLocalKv(join(folder, "data"));
    await using deployment = await deployFunctions({
      functions: bundled.functions.map(({ name, source }) => ({
        name,
        source: new TextDecoder().decode(source),
      })),
      kv: createKvFetch({ ...store, onTrouble: (message) => assert.fail(message) }),
    });
    const { host, log } = deployment;
    const context = {
      requestId: "r",
      ip: "203.0.113.9",
      country: "NO",
      device: "mobile",
      deployment: { id: "d" },
    };
    const call = (name: string, mode: "handle" | "request" | "response" | "observe") =>
      host.invoke(invocation("/page", {
        function: name,
        mode,
        context,
        response: { status: 200, headers: [["x-a", "1"]], body: new Response("page").body },
      }));
    const hello = await call("hello", "handle");
    assert.deepEqual(JSON.parse(await bodyText(hello)), { path: "/page", country: "NO" });
    const gate = await call("gate", "request");
    assert.ok(gate.type === "response" && gate.response.status === 401);
    const mobile = await call("mobile", "request");
    assert.ok(mobile.type === "request");
    assert.equal(mobile.request.url, "https://site.example/m/page");
    const mark = await call("mark", "response");
    assert.ok(mark.type === "response");
    assert.deepEqual(mark.response.headers, [["x-a", "1"], ["x-served-for", "NO"]]);
    assert.equal(await bodyText(mark), "page");
    const counts = await Promise.all([1, 2, 3].map(async () => {
      const { count } = JSON.parse(await bodyText(await call("visits", "handle")));
      return count;
    }));
    assert.deepEqual(counts.toSorted(), [1, 2, 3]);
    assert.deepEqual(await call("audit", "observe"), { type: "next" });
    assert.equal(log.at(-1)?.message, "GET https://site.example/page 200");
  });
});
