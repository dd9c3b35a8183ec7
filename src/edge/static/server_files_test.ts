import assert from "node:assert/strict";
import type { ComputeLayer, StaticLayer } from "../../manifest/mod.ts";
import { serverFilesTest } from "./server_files.ts";

const files = (directory: string): StaticLayer => ({ name: "s", target: "STATIC", directory });
const server = (directory: string, entry: string): ComputeLayer => ({
  name: "c",
  target: "COMPUTE",
  directory,
  entry,
});

const OUTPUT = ["index.html", "server/entry.mjs", "server/public/a.js", "servers/b.js"];

const ROWS: readonly (readonly [
  name: string,
  shown: StaticLayer,
  servers: readonly ComputeLayer[],
  hidden: readonly string[],
])[] = [
  ["no server", files("."), [], []],
  [
    "a server's folder in the output",
    files("."),
    [server("server", "server/entry.mjs")],
    ["server/entry.mjs", "server/public/a.js"],
  ],
  [
    "public files inside the server's folder",
    files("server/public"),
    [server("server", "server/entry.mjs")],
    ["server/entry.mjs"],
  ],
  [
    "public files inside a server that is the whole output",
    files("server/public"),
    [server(".", "server/public/a.js")],
    ["server/public/a.js"],
  ],
  [
    "public files and a server in the same folder",
    files("."),
    [server(".", "server/entry.mjs")],
    OUTPUT,
  ],
  [
    "one server inside the public files, and another around them",
    files("server"),
    [server(".", "index.html"), server("server/public", "server/public/a.js")],
    ["index.html", "server/public/a.js"],
  ],
];

for (const [name, shown, servers, hidden] of ROWS) {
  Deno.test(`serverFilesTest() hides the server's files: ${name}`, () => {
    const isHidden = serverFilesTest([shown, ...servers], shown);
    assert.deepEqual(OUTPUT.filter((path) => isHidden?.(path) ?? false), hidden);
  });
}
