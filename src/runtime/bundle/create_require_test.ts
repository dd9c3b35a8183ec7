import assert from "node:assert/strict";
import { ownRequires } from "./create_require.ts";

const IMPORT = 'import { createRequire } from "node:module";\n';

interface Row {
  readonly text: string;
  readonly specifiers?: readonly string[];
  readonly computed?: boolean;
}

const ROWS: Readonly<Record<string, Row>> = {
  "literal names": {
    text: `${IMPORT}const require = createRequire(import.meta.url); require("a"); require('./b');`,
    specifiers: ["a", "./b"],
  },
  "only Node's own modules": {
    text: `${IMPORT}const r = createRequire(import.meta.url); r("fs"); r("node:os");`,
  },
  "minified names, through the default import": {
    text: 'import m from"module";var t=m.createRequire(import.meta.url),x=t("a");',
    specifiers: ["a"],
  },
  "CommonJS": {
    text: 'const { createRequire: c } = require("module"); const r = c(__filename); r("a");',
    specifiers: ["a"],
  },
  "an immediate call": { text: `${IMPORT}createRequire(import.meta.url)("a");`, specifiers: ["a"] },
  "computed names": {
    text: `${IMPORT}const r = createRequire(import.meta.url); r(process.argv[2]);`,
    computed: true,
  },
  "resolve()": {
    text: `${IMPORT}const r = createRequire(import.meta.url); r.resolve("a");`,
    computed: true,
  },
  "a require function for another path": {
    text: `${IMPORT}const r = createRequire(process.cwd() + "/x.js"); r("a");`,
    specifiers: ["a"],
    computed: true,
  },
  "a require function that is passed on": {
    text: `${IMPORT}export default createRequire(import.meta.url);`,
    computed: true,
  },
  "the shim of bundlers": {
    text: `${IMPORT}const require = createRequire(import.meta.url);
      var __require = ((x) => typeof require !== "undefined" ? require : x)(function (x) {
        if (typeof require !== "undefined") return require.apply(this, arguments);
        throw Error('Dynamic require of "' + x + '" is not supported');
      });
      export { __require }; __require("fs"); __require("a"); const o = { require: 1 };`,
    specifiers: ["a"],
  },
  "a shim from another module, for Node's own modules": {
    text: 'import { __require } from "./chunk.js"; __require("fs");',
  },
  "a shim from another module, for a package": {
    text: 'import { __require as r } from "./chunk.js"; r("a");',
    computed: true,
  },
  "a createRequire that is not Node's": {
    text: "const createRequire = 1; require(createRequire);",
  },
  "text that is not a module": { text: "createRequire( return" },
};

for (const [name, { text, specifiers = [], computed = false }] of Object.entries(ROWS)) {
  Deno.test(`ownRequires() reads ${name}`, () => {
    const found = ownRequires(text, "/x/a.js");
    assert.deepEqual([found.specifiers, found.computed], [specifiers, computed]);
    assert.equal(found.text === text, specifiers.length === 0);
  });
}
