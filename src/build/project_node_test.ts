import assert from "node:assert/strict";
import { preferredNode, readProjectNode } from "./project_node.ts";

type Files = Readonly<Record<string, string>>;

const read = (files: Files, installsIn = "") =>
  readProjectNode({
    readText: (path) => Promise.resolve(files[path]),
    exists: (path) => Promise.resolve(files[path] !== undefined),
  }, { installsIn });

const engines = (node: string) => JSON.stringify({ engines: { node } });

const RANGES: readonly (readonly [string, string])[] = [
  [">=18", "26"],
  ["^20.19.0 || >=22.12.0", "26"],
  ["22.x", "22"],
  ["^20.19.0", "20"],
  ["20.11.0", "20.11.0"],
  [">=18 <20.5", "18"],
  ["~22.3", "~22.3"],
  ["*", "26"],
];

for (const [range, wanted] of RANGES) {
  Deno.test(`preferredNode() returns ${wanted} for ${range}`, () => {
    assert.equal(preferredNode(range), wanted);
  });
}

const ROWS: readonly (readonly [string, Files, string, string])[] = [
  ["a version in .nvmrc", { ".nvmrc": "v20.11.0\n" }, "20.11.0", ".nvmrc"],
  ["a name in .nvmrc", { ".nvmrc": "# ours\nlts/iron\n" }, "20", ".nvmrc"],
  ["the newest LTS", { ".nvmrc": "lts/*" }, "26", ".nvmrc"],
  [".node-version first", { ".node-version": "22", ".nvmrc": "20" }, "22", ".node-version"],
  [
    "volta before engines",
    { "package.json": '{"volta":{"node":"22.3.0"},"engines":{"node":">=18"}}' },
    "22.3.0",
    "volta.node in package.json",
  ],
  ["engines", { "package.json": engines(">=20 <21") }, "20", "engines.node in package.json"],
];

for (const [name, files, range, from] of ROWS) {
  Deno.test(`readProjectNode() reads ${name}`, async () => {
    const result = await read(files);
    assert.equal(result.type, "asked");
    if (result.type === "asked") {
      assert.deepEqual([result.node.range, result.node.from], [range, from]);
    }
  });
}

Deno.test("readProjectNode() uses the workspace's version if the project sets none", async () => {
  const files = { "package.json": "{}", "../../package.json": engines("22") };
  const result = await read(files, "../../");
  assert.ok(result.type === "asked" && result.node.from === "engines.node in ../../package.json");
  assert.deepEqual(await read(files), { type: "none" });
});

Deno.test("readProjectNode() reports everything that is not a version", async () => {
  assert.deepEqual(await read({ ".nvmrc": "$(reboot)" }), {
    type: "unreadable",
    from: ".nvmrc",
    text: "$(reboot)",
  });
});
