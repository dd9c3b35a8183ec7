import assert from "node:assert/strict";
import { partOfFace, withDirectImports } from "./_direct_imports.ts";

const FILES: Readonly<Record<string, string>> = {
  "/src/deploy/mod.ts":
    'export { DEPLOY } from "./group.ts";\nexport {\n  createHost as buildHost,\n  type Facts,\n} from "./host.ts";\n',
  "/src/deploy/group.ts": "export const DEPLOY = 1;\n",
  "/src/deploy/host.ts": 'export { createHost } from "../host/create_host.ts";\n',
  "/src/host/create_host.ts": "export const createHost = () => {};\n",
  "/src/contract/mod.ts": 'export { endpoints } from "./endpoints.ts";\n',
  "/src/contract/endpoints.ts":
    'import * as identity from "./identity.ts";\n\nexport const endpoints = {\n  getIdentity: identity.getIdentity,\n} as const;\n',
};

const withText = (text: string) =>
  withDirectImports("/src/cli/x.ts", (file) => file === "/src/cli/x.ts" ? text : FILES[file]!);

const ROWS: readonly (readonly [name: string, text: string, made: string])[] = [
  [
    "follows a name through faces, also a renamed one",
    'import { type Facts, DEPLOY, buildHost as host } from "../deploy/mod.ts";\nDEPLOY;',
    'import { DEPLOY } from "/src/deploy/group.ts"; import { createHost as host } from "/src/host/create_host.ts";\nDEPLOY;',
  ],
  [
    "imports one endpoint in place of the table",
    'import { endpoints } from "../contract/mod.ts";\ncall(endpoints.getIdentity, other.endpoints.getIdentity);',
    'import { getIdentity as endpoints_getIdentity } from "/src/contract/identity.ts"; import { endpoints } from "/src/contract/endpoints.ts";\ncall(endpoints_getIdentity, other.endpoints.getIdentity);',
  ],
  [
    "leaves a member that the table does not have",
    'import { endpoints } from "../contract/mod.ts";\nendpoints.missing;',
    'import { endpoints } from "/src/contract/endpoints.ts";\nendpoints.missing;',
  ],
  [
    "leaves imports of types and of packages",
    'import type { Facts } from "../deploy/mod.ts";\nimport { build } from "esbuild";\n',
    'import type { Facts } from "../deploy/mod.ts";\nimport { build } from "esbuild";\n',
  ],
  [
    "takes Zod as a namespace, of which what is unused is dropped",
    'import { z } from "zod";\n',
    'import * as z from "zod";\n',
  ],
  [
    "loads parts of a face in a dynamic import",
    'const { DEPLOY: d } = await import("../deploy/mod.ts");\n(await import("../deploy/mod.ts")).buildHost();',
    'const { DEPLOY: d } = await import("part-of-face:/src/deploy/mod.ts?DEPLOY");\n(await import("part-of-face:/src/deploy/mod.ts?buildHost")).buildHost();',
  ],
];

for (const [name, text, made] of ROWS) {
  Deno.test(`withDirectImports() ${name}`, () => assert.equal(withText(text), made));
}

Deno.test("partOfFace() passes on names from where they are declared", () => {
  assert.equal(
    partOfFace("/src/deploy/mod.ts?DEPLOY,buildHost", (file) => FILES[file]!),
    'export { DEPLOY } from "/src/deploy/group.ts";\n' +
      'export { createHost as buildHost } from "/src/host/create_host.ts";',
  );
});
