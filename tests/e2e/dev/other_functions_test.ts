/**
 * Runs functions that were written for other platforms in `svc dev`. The functions must respond as
 * if they were deployed.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { type Served, startServing } from "../../helpers/dev_program.ts";
import { testNeeding } from "../../helpers/empty_root.ts";
import { checkRow, NETLIFY, page, VERCEL, writeProject } from "../../helpers/foreign_functions.ts";

const test = testNeeding("sh", "node");

/** The variable that a platform sets to describe the environment. */
const ENV = { SVC_ENVIRONMENT: "production" };

async function serving(folder: string, work: (dev: Served) => Promise<void>): Promise<void> {
  const dev = await startServing(["dev", "--port", "0"], { cwd: folder, env: ENV });
  try {
    await work(dev);
  } finally {
    assert.equal(await dev.end(), 0, dev.lines.join("\n"));
  }
}

const textOf = async ({ port }: Served, path: string) =>
  await (await fetch(`http://127.0.0.1:${port}${path}`)).text();

for (
  const [name, { files, rows, says = [] }] of Object.entries({ vercel: VERCEL, netlify: NETLIFY })
) {
  test(`dev serves a ${name} project like a deployment`, (t) =>
    inTestFolder(async (folder) => {
      await writeProject(folder, files);
      await serving(folder, async (dev) => {
        for (const words of says) await dev.said(words);
        const at = { port: dev.port, host: `${name}.localhost` };
        for (const row of rows) await t.step(row[0], () => checkRow(at, row));
      });
    }));
}

/** A dev server that reports which requests reach it. */
const SERVER = `import { createServer } from "node:http";
createServer(({ url }, response) => response.end("site " + url)).listen(process.env.PORT);
`;

test("dev serves functions next to a dev command, and applies saved changes", () =>
  inTestFolder(async (folder) => {
    const typed = (word: string) => `export default (req: any, res: any) => res.send(${word});`;
    await writeProject(folder, {
      "svc.toml": `[dev]\ncommand = "node server.mjs"\n`,
      "server.mjs": SERVER,
      "index.html": page("built"),
      "api/hello.ts": `import { word } from "../lib/word";\n${typed("word")}`,
      "lib/word.ts": 'export const word: string = "one";',
      "vercel.json": '{"rewrites":[{"source":"/old","destination":"/api/hello"}]}',
    });
    await serving(folder, async (dev) => {
      assert.equal(await textOf(dev, "/page"), "site /page");
      assert.equal(await textOf(dev, "/api/hello"), "one");
      assert.equal(await textOf(dev, "/old"), "one");
      await Deno.writeTextFile(join(folder, "lib/word.ts"), 'export const word: string = "two";');
      await until(() => textOf(dev, "/api/hello"), (text) => text === "two");
      await Deno.writeTextFile(join(folder, "api/hello.ts"), "export default (;");
      await dev.said(/Fix the server api\/hello\.ts: 1 problem/);
      assert.equal(await textOf(dev, "/api/hello"), "two");
      await Deno.writeTextFile(
        join(folder, "api/ends.js"),
        "export default () => process.exit(3);",
      );
      await Deno.writeTextFile(join(folder, "api/hello.ts"), typed('"three"'));
      await until(() => textOf(dev, "/api/hello"), (text) => text === "three");
      await textOf(dev, "/api/ends");
      await dev.said(/The functions server exited with code 3/);
      assert.equal(await textOf(dev, "/api/hello"), "three");
      await Deno.writeTextFile(join(folder, "api/other.py"), "print(1)");
      await dev.said(/api\/other\.py:1 is a function that is not JavaScript or TypeScript/);
    });
  }));
