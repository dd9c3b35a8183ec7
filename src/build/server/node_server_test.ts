import assert from "node:assert/strict";
import { join } from "node:path";
import type { ComputeLayer, FoundServer } from "../../manifest/mod.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { type TestFiles, type TestProject, withTestProject, writeFiles } from "../_test_project.ts";
import { BuildError } from "../build_error.ts";
import { surveyPlacements } from "../list_files.ts";
import { nodeServer } from "./node_server.ts";
import type { PreparedServer } from "./types.ts";

interface ServerProject {
  readonly alsoImports?: readonly string[];
  /** The project's folder among the test's files. */
  readonly project?: string;
  readonly workspace?: string;
  readonly hasLockFile?: boolean;
  readonly output?: string;
  /**
   * Number of extra files that are not deployed. They make small installations so large that the
   * server's imports are traced.
   */
  readonly ignored?: number;
  readonly entry?: string;
  readonly directory?: string;
}

async function prepare(made: TestProject, wanted: ServerProject = {}): Promise<PreparedServer> {
  const { project = ".", output = ".", entry = "index.js", directory = "." } = wanted;
  const projectRoot = join(made.project, project);
  const survey = await surveyPlacements(projectRoot, [{ from: output, to: directory }]);
  const path = directory === "." ? entry : `${directory}/${entry}`;
  const layer: ComputeLayer = { name: "server", target: "COMPUTE", directory, entry: path };
  const found: FoundServer = {
    type: "server",
    launch: {},
    directory,
    entry: path,
    clients: [],
    alsoImports: wanted.alsoImports ?? [],
  };
  return await nodeServer(made.host, layer, {
    facts: {
      projectRoot,
      workspaceRoot: join(made.project, wanted.workspace ?? "."),
      hasLockFile: wanted.hasLockFile ?? true,
      listing: { ...survey, ignored: wanted.ignored ?? 1 },
      manifest: { version: 1, layers: [layer], routes: [] },
      found,
      settings: { nodeVersion: "24" },
    },
    reason: "requested by a test",
  });
}

/** Lays out a server as the platform would, and runs its entry with Node. */
async function run(
  made: TestProject,
  server: PreparedServer,
  wanted: ServerProject,
): Promise<string> {
  const { project = ".", output = ".", directory = "." } = wanted;
  const folder = join(made.project, "deployed");
  const files: Record<string, string> = {};
  const listing = await surveyPlacements(join(made.project, project), [
    { from: output, to: directory },
  ]);
  for (const { path, absolutePath } of listing.files) {
    files[path] = await Deno.readTextFile(absolutePath);
  }
  for (const { path, content } of server.contents) {
    files[path] = typeof content === "string"
      ? await Deno.readTextFile(content)
      : new TextDecoder().decode(content);
  }
  for (const [path, target] of Object.entries(server.links)) files[path] = `-> ${target}`;
  await writeFiles(folder, files);
  const { stdout, stderr } = await runProgram("node", {
    args: [join(folder, server.layer.entry)],
    stderr: "piped",
  });
  await Deno.remove(folder, { recursive: true });
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

const module = (name: string, text: string, more: object = {}): TestFiles => ({
  [`${name}/package.json`]: JSON.stringify({
    name: name.split("node_modules/").at(-1),
    main: "index.js",
    ...more,
  }),
  [`${name}/index.js`]: text,
});

interface Row {
  readonly files: TestFiles;
  readonly wanted?: ServerProject;
  readonly prints: string;
  /** Paths, or prefixes of paths, that are deployed in addition to the listed files. */
  readonly has: readonly string[];
  readonly links?: readonly string[];
  readonly lacks?: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  "packages that are required by computed names and opened as files": {
    files: {
      "package.json": '{"dependencies":{"a":"1"},"devDependencies":{"typescript":"5","dev":"1"}}',
      "index.js": "console.log(require('a')('two'))",
      ...module(
        "node_modules/a",
        "const { readFileSync } = require('fs'); try { require('typescript') } catch {}\n" +
          "module.exports = (name) => require('./lib/' + name) + " +
          "readFileSync(require('path').join(__dirname, 'data.txt'), 'utf8');",
      ),
      "node_modules/a/lib/two.js": "module.exports = 2;",
      "node_modules/a/data.txt": " of a",
      "node_modules/a/index.d.ts": "",
      ...module("node_modules/typescript", "module.exports = 1;"),
      ...module("node_modules/dev", "module.exports = 1;"),
      "node_modules/.cache/x.js": "",
    },
    prints: "2 of a\n",
    has: ["node_modules/a/index.js", "node_modules/a/lib/two.js", "node_modules/a/data.txt"],
    lacks: ["node_modules/typescript", "node_modules/dev", "node_modules/.cache"],
  },
  "a package.json that makes the output ES modules": {
    files: {
      "package.json":
        '{"name":"site","type":"module","imports":{"#x":"./chunks/x.js"},"scripts":{"secret":"1"}}',
      "build/index.js": "import a from 'a'; import x from '#x'; console.log(a, x);",
      "build/chunks/x.js": "export default 'x';",
      ...module("node_modules/a", "export default 'a';", { type: "module" }),
    },
    wanted: { output: "build", directory: "server" },
    prints: "a x\n",
    has: ["server/package.json", "server/node_modules/a/index.js"],
  },
  "the packages of a pnpm workspace": {
    files: {
      "apps/web/package.json": '{"dependencies":{"a":"1","@acme/ui":"workspace:*"}}',
      "apps/web/index.js": "console.log(require('a'), require('@acme/ui'))",
      "apps/web/node_modules/a": "-> ../../../node_modules/.pnpm/a@1/node_modules/a",
      "apps/web/node_modules/@acme/ui": "-> ../../../../packages/ui",
      "packages/ui/package.json": '{"name":"@acme/ui"}',
      "packages/ui/index.js": "module.exports = 'ui ' + require('b');",
      "packages/ui/node_modules/b": "-> ../../../node_modules/.pnpm/b@1/node_modules/b",
      "node_modules/.pnpm/a@1/node_modules/b": "-> ../../b@1/node_modules/b",
      ...module("node_modules/.pnpm/a@1/node_modules/a", "module.exports = 'a ' + require('b');"),
      ...module("node_modules/.pnpm/b@1/node_modules/b", "module.exports = 'b';"),
    },
    wanted: { project: "apps/web" },
    prints: "a b ui b\n",
    has: ["node_modules/.pnpm/a@1/node_modules/a/index.js", "svc_packages/packages/ui/index.js"],
  },
  "modules that require each other through amdefine": {
    files: {
      "index.js": "console.log(require('old').text)",
      "node_modules/amdefine/package.json": '{"name":"amdefine","main":"amdefine.js"}',
      "node_modules/amdefine/amdefine.js":
        "module.exports = (m, r) => (f) => { m.exports = {}; f(r, m.exports); };",
      "node_modules/old/package.json": '{"name":"old","main":"lib/a.js"}',
      "node_modules/old/lib/a.js": "if (typeof define !== 'function') { var define = " +
        "require('amdefine')(module, require); }\n" +
        "define(function (load, exports) { exports.text = load('./b'); });",
      "node_modules/old/lib/b.js": "module.exports = 'hidden';",
    },
    prints: "hidden\n",
    has: ["node_modules/old/lib/b.js"],
  },
  "a package with a computed name, but no package without code": {
    files: {
      "package.json": '{"dependencies":{"views":"1","styles":"1"}}',
      "index.js": "console.log(require(['vi', 'ews'].join('')))",
      ...module("node_modules/views", "module.exports = 'views ' + require('x');", {
        dependencies: { x: "1" },
      }),
      ...module("node_modules/x", "module.exports = 'x';"),
      "node_modules/styles/package.json": '{"name":"styles"}',
    },
    wanted: { alsoImports: ["views", "styles"] },
    prints: "views x\n",
    has: ["node_modules/views/index.js", "node_modules/x/index.js"],
  },
  "a platform package with a computed name, and its dependencies": {
    files: {
      "package.json": '{"devDependencies":{"fast":"1","dev":"1"}}',
      "index.js": "console.log(require('./lib'))",
      "lib.js": "module.exports = require('fast');",
      ...module(
        "node_modules/fast",
        "module.exports = require(`@fast/${process.platform}-x`).name;",
        { optionalDependencies: { "@fast/linux-x": "1", "@fast/darwin-x": "1" } },
      ),
      ...module("node_modules/@fast/linux-x", "exports.name = 'binary ' + require('deep');", {
        dependencies: { deep: "1" },
      }),
      ...module("node_modules/deep", "module.exports = 'deep';"),
      ...module("node_modules/dev", ""),
      "node_modules/fast/cli.js": "",
      "node_modules/.bin/fast": "-> ../fast/cli.js",
      "node_modules/.bin/dev": "-> ../dev/index.js",
    },
    prints: "binary deep\n",
    has: ["node_modules/@fast/linux-x/index.js", "node_modules/deep/index.js"],
    links: ["node_modules/.bin/fast"],
    lacks: ["node_modules/dev", ".bin/dev"],
  },
  "all installed packages if there is no lock file": {
    files: {
      "package.json": '{"devDependencies":{"dev":"1"}}',
      "index.js": "console.log(require(['d', 'ev'].join('')))",
      ...module("node_modules/dev", "module.exports = 'dev ' + require('nested');"),
      ...module("node_modules/dev/node_modules/nested", "module.exports = 'nested';"),
    },
    wanted: { hasLockFile: false },
    prints: "dev nested\n",
    has: ["node_modules/dev/node_modules/nested/index.js"],
  },
  "packages of a linked node_modules": {
    files: {
      "app/package.json": '{"dependencies":{"a":"1"}}',
      "app/index.js": "console.log(require(['a'].join('')))",
      "app/node_modules": "-> ../shared/node_modules",
      ...module("shared/node_modules/a", "module.exports = require('b');", {
        dependencies: { b: "1" },
      }),
      ...module("shared/node_modules/b", "module.exports = 'shared b';"),
    },
    wanted: { project: "app", workspace: "app" },
    prints: "shared b\n",
    has: ["node_modules/a/index.js", "node_modules/b/index.js"],
  },
  "a package linked from outside the project": {
    files: {
      "app/package.json": '{"dependencies":{"ui":"link:../ui"}}',
      "app/index.js": "console.log(require(['ui'].join('')))",
      "app/node_modules/ui": "-> ../../ui",
      "ui/package.json": '{"name":"ui","dependencies":{"b":"1"}}',
      "ui/index.js": "module.exports = 'ui ' + require('b');",
      "ui/.env": "TOKEN=1",
      ...module("ui/node_modules/b", "module.exports = 'b';"),
    },
    wanted: { project: "app", workspace: "app" },
    prints: "ui b\n",
    has: ["svc_packages/up/ui/index.js", "svc_packages/up/ui/node_modules/b/index.js"],
    links: ["node_modules/ui"],
    lacks: [".env"],
  },
  "pnpm packages with computed names": {
    files: {
      "package.json": '{"dependencies":{"a":"1"}}',
      "index.js": "console.log(require(['a'].join('')))",
      "node_modules/a": "-> .pnpm/a@1/node_modules/a",
      ...module("node_modules/.pnpm/a@1/node_modules/a", "module.exports = require(['b'][0]);", {
        dependencies: { b: "1", h: "1" },
      }),
      "node_modules/.pnpm/a@1/node_modules/b": "-> ../../b@1/node_modules/b",
      "node_modules/.pnpm/a@1/node_modules/h": "-> ../../h@1/node_modules/h",
      ...module("node_modules/.pnpm/b@1/node_modules/b", "module.exports = require(['h'][0]);"),
      "node_modules/.pnpm/node_modules/h": "-> ../h@1/node_modules/h",
      ...module("node_modules/.pnpm/h@1/node_modules/h", "module.exports = 'hoisted';"),
      ...module("node_modules/.pnpm/dev@1/node_modules/dev", ""),
    },
    prints: "hoisted\n",
    has: ["node_modules/.pnpm/b@1/node_modules/b/index.js"],
    links: ["node_modules/a", "node_modules/.pnpm/a@1/node_modules/b"],
    lacks: ["dev@1"],
  },
  "two versions of a package in an npm workspace": {
    files: {
      "app/package.json": '{"dependencies":{"x":"2","y":"1"}}',
      "app/index.js": "console.log(require('x'), require('y'))",
      ...module("app/node_modules/x", "module.exports = 'x2';"),
      ...module("node_modules/y", "module.exports = 'y ' + require('x');"),
      ...module("node_modules/x", "module.exports = 'x1';"),
    },
    wanted: { project: "app" },
    prints: "x2 y x1\n",
    has: ["node_modules/x/index.js", "svc_packages/node_modules/x/index.js"],
  },
};

for (const [name, row] of Object.entries(ROWS)) {
  const { files, wanted = {}, prints, has, links = [], lacks = [] } = row;
  Deno.test(`nodeServer() includes ${name}`, async () => {
    await withTestProject(files, async (made) => {
      const server = await prepare(made, wanted);
      assert.equal(await run(made, server, wanted), prints);
      const paths = server.contents.map(({ path }) => path);
      for (const path of has) assert.ok(paths.includes(path), `${path} in ${paths.join(" ")}`);
      for (const link of links) assert.ok(link in server.links, JSON.stringify(server.links));
      for (const part of lacks) {
        assert.ok(
          ![...paths, ...Object.keys(server.links)].some((path) => path.includes(part)),
          part,
        );
      }
      assert.equal(server.layer.runtime?.nodeVersion, "24");
      assert.match(
        made.said.join("\n"),
        /Server .+ runs on Node 24: requested by a test; \d package/,
      );
    });
  });
}

const FEW: TestFiles = {
  "package.json": '{"dependencies":{"a":"1"},"devDependencies":{"dev":"1"}}',
  "index.js": "console.log(require(['a'].join('')), require('undeclared'))",
  ...module("node_modules/a", "module.exports = require('.prisma/client');"),
  ...module("node_modules/.prisma/client", "module.exports = 'generated';"),
  ...module("node_modules/undeclared", "module.exports = 'undeclared';"),
  ...module("node_modules/dev", ""),
  "node_modules/.bin/a": "-> ../a/index.js",
  "node_modules/.cache/x": "",
};

Deno.test("nodeServer() deploys a small number of packages exactly as installed", async () => {
  await withTestProject(FEW, async (made) => {
    const wanted = { ignored: 0 };
    const server = await prepare(made, wanted);
    assert.equal(await run(made, server, wanted), "generated undeclared\n");
    const paths = server.contents.map(({ path }) => path);
    assert.ok(paths.includes("node_modules/dev/index.js"), paths.join(" "));
    assert.ok(!paths.some((path) => path.includes(".cache")), paths.join(" "));
    assert.deepEqual(server.links, { "node_modules/.bin/a": "../a/index.js" });
  });
});

const SELECTED: Readonly<Record<string, readonly [TestFiles, ServerProject]>> = {
  "a native addon": [{ "node_modules/dev/addon.node": "" }, {}],
  "a link to another folder": [{ "node_modules/b": "-> ../lib", "lib/index.js": "" }, {}],
  "a link to nothing": [{ "node_modules/b": "-> nothing" }, {}],
  "a link to omitted files": [{ "node_modules/b": "-> .cache/x" }, {}],
  "a link to itself": [{ "node_modules/b": "-> b" }, {}],
  "variables": [{ "node_modules/dev/.env.local": "KEY=1" }, {}],
  "a token": [{ "node_modules/.npmrc": "//host/:_authToken=1" }, {}],
  "a repository": [{ "node_modules/dev/.git/config": "" }, {}],
  "a private key": [{ "node_modules/dev/key.pem": "-----BEGIN PRIVATE KEY-----\n" }, {}],
  "a package that is not installed": [
    { "package.json": '{"dependencies":{"a":"1","missing":"1"}}' },
    {},
  ],
  "a name that cannot be deployed": [{ "node_modules/dev/a\\b": "" }, {}],
  "omitted files of the project": [{}, { ignored: 1 }],
  "a folder with functions, which is omitted": [{ "functions/x.js": "" }, {}],
  "a workspace": [{}, { workspace: ".." }],
  "much data": [{ "node_modules/dev/data.txt": " ".repeat(8 * 1024 * 1024) }, {}],
};

for (const [name, [more, wanted]] of Object.entries(SELECTED)) {
  Deno.test(`nodeServer() selects from a small number of packages with ${name}`, async () => {
    await withTestProject({ ...FEW, ...more }, async (made) => {
      const { contents } = await prepare(made, { ignored: 0, ...wanted });
      const paths = contents.map(({ path }) => path);
      assert.ok(paths.includes("node_modules/a/index.js"), paths.join(" "));
      assert.ok(!paths.includes("node_modules/dev/index.js"), paths.join(" "));
    });
  });
}

Deno.test("nodeServer() does not read a named pipe among the packages", async () => {
  await withTestProject(FEW, async (made) => {
    await runProgram("mkfifo", { args: [join(made.project, "node_modules/dev/pipe")] });
    const { contents } = await prepare(made, { ignored: 0 });
    assert.ok(!contents.some(({ path }) => path.endsWith("/pipe")));
  });
});

Deno.test("nodeServer() includes only the fields of the project's package.json that Node reads", async () => {
  const { files, wanted } = Object.values(ROWS)[1]!;
  await withTestProject(files, async (made) => {
    const { contents } = await prepare(made, wanted);
    const own = contents.find(({ path }) => path === "server/package.json")?.content;
    assert.ok(own instanceof Uint8Array);
    assert.deepEqual(JSON.parse(new TextDecoder().decode(own)), {
      name: "site",
      type: "module",
      imports: { "#x": "./chunks/x.js" },
    });
  });
});

const REFUSED: Readonly<Record<string, readonly [TestFiles, ServerProject, RegExp]>> = {
  "a server that imports files outside the output": [
    { "package.json": "{}", "out/index.js": "require('../lib/a.js')", "lib/a.js": "" },
    { output: "out" },
    /^Deploy all imports of the server index\.js: lib\/a\.js is not in the output$/,
  ],
  "packages that Yarn stores in archives": [
    { "package.json": "{}", "index.js": "", ".pnp.cjs": "" },
    {},
    /^Install the packages into node_modules: Yarn stores them in archives/,
  ],
};

for (const [name, [files, wanted, message]] of Object.entries(REFUSED)) {
  Deno.test(`nodeServer() refuses ${name}`, async () => {
    await withTestProject(files, async (made) => {
      await assert.rejects(
        prepare(made, wanted),
        (error) => error instanceof BuildError && message.test(error.message),
      );
    });
  });
}

Deno.test("nodeServer() reports broken imports, and files that the server can open", async () => {
  const files = {
    "package.json": "{}",
    "out/index.js": "require('absent'); require('fs').readFileSync(process.cwd() + '/data.json')",
    "data.json": "{}",
  };
  await withTestProject(files, async (made) => {
    await prepare(made, { output: "out" });
    assert.match(made.said.join("\n"), /Cannot resolve 1 import of the server index\.js: "absent"/);
    assert.match(
      made.said.join("\n"),
      /The server index\.js can open data\.json, but not all of it/,
    );
  });
});

Deno.test("nodeServer() follows imports of TypeScript that Node runs directly", async () => {
  const files = {
    "package.json": '{"type":"module"}',
    "index.ts": "import a from 'a';\nconst said: string = a;\nconsole.log(said);",
    ...module("node_modules/a", "export default 'a';", { type: "module" }),
  };
  await withTestProject(files, async (made) => {
    const { contents } = await prepare(made, { entry: "index.ts" });
    assert.ok(contents.some(({ path }) => path === "node_modules/a/index.js"));
  });
});
