import assert from "node:assert/strict";
import { isServerFolder } from "./server_packages.ts";

const layer = (target: string, directory: string) => ({ name: directory, target, directory });

const ROWS: readonly (readonly [string, readonly unknown[], boolean])[] = [
  ["node_modules", [layer("STATIC", ".")], false],
  ["node_modules", [layer("STATIC", "."), layer("COMPUTE", "./")], true],
  ["server/node_modules", [layer("STATIC", "."), layer("COMPUTE", "server")], true],
  ["client/node_modules", [layer("COMPUTE", "."), layer("STATIC", "./client/")], false],
  ["servers/node_modules", [layer("COMPUTE", "server")], false],
  ["node_modules", ["no layer", layer("OTHER", ".")], false],
];

for (const [path, layers, expected] of ROWS) {
  Deno.test(`isServerFolder() returns ${expected} for ${path} in ${JSON.stringify(layers)}`, () => {
    assert.equal(isServerFolder(path, { layers }), expected);
  });
}
