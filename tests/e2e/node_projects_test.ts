/** Checks the engine and environment in which Node and Deno projects with default settings run. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { NODE_MAJOR } from "../helpers/compute_server.ts";
import { hostOf, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

/** File contents by path. `-> target` creates a symbolic link. */
type Files = Readonly<Record<string, string>>;

const LINK = "-> ";

interface Project {
  readonly files: Files;
  readonly engine: "deno" | "node";
  /** The response to `/`. */
  readonly answers: string;
}

const packageJson = (more: object) =>
  JSON.stringify({ private: true, type: "module", engines: { node: NODE_MAJOR }, ...more });

const START = { scripts: { start: "node server.js" } };

/** Returns the source of a server that responds with a value. */
const answering = (imports: string, value: string) =>
  `import { createServer } from "node:http";\n${imports}\n` +
  `createServer((_, response) => response.end(JSON.stringify(${value}))).listen(process.env.PORT);\n`;

const PROJECTS: Readonly<Record<string, Project>> = {
  "timers": {
    files: {
      "package.json": packageJson(START),
      "server.js": answering(
        'import os from "node:os";\nsetInterval(() => {}, 60_000).unref();\n' +
          'const part = await import("./part.js");',
        "[part[Symbol.toStringTag], typeof process.geteuid(), os.totalmem() > 0]",
      ),
      "part.js": "export default 1;",
    },
    engine: "node",
    answers: '["Module","number",true]',
  },
  "typescript": {
    files: {
      "package.json": packageJson({ dependencies: { hono: "4" } }),
      "src/index.ts": 'import { Hono } from "hono";\nimport { page } from "./page";\n' +
        "const app = new Hono();\napp.get(page);\nexport default app;\n",
      "src/page.tsx": "/** @jsxImportSource view */\nenum Page { Home = 'home' }\n" +
        "export const page: string = <p>{Page.Home}</p>;\n",
      "tsconfig.json": '{"compilerOptions":{"jsx":"react-jsx"}}',
      ".gitignore": "node_modules\n",
      "node_modules/view/package.json": '{"name":"view","exports":{"./jsx-runtime":"./jsx.js"}}',
      "node_modules/view/jsx.js": "exports.jsx = (_, { children }) => children;",
      "node_modules/hono/package.json": '{"name":"hono","type":"module","main":"index.js"}',
      "node_modules/hono/index.js": "export class Hono { get(text) { this.text = text; }\n" +
        "  fetch = () => new Response(this.text + ' ' + typeof Deno); }\n",
    },
    engine: "node",
    answers: "home undefined",
  },
  "packages": {
    files: {
      "package.json": packageJson({
        ...START,
        dependencies: { fast: "1" },
        devDependencies: { dev: "1" },
      }),
      "package-lock.json": '{"lockfileVersion":3,"packages":{}}',
      ".gitignore": "node_modules\n",
      "server.js": answering('import fast from "fast";', "fast"),
      "node_modules/fast": "-> .store/fast/node_modules/fast",
      "node_modules/.store/fast/node_modules/fast/package.json":
        '{"name":"fast","main":"index.js","optionalDependencies":{"@fast/linux":"1"}}',
      "node_modules/.store/fast/node_modules/fast/index.js":
        "module.exports = require(`@fast/${process.platform}`);",
      "node_modules/.store/fast/node_modules/@fast/linux": "-> ../../../linux/node_modules/linux",
      "node_modules/.store/linux/node_modules/linux/package.json":
        '{"name":"@fast/linux","main":"a.js"}',
      "node_modules/.store/linux/node_modules/linux/a.js":
        "const { existsSync } = require('fs');\n" +
        "module.exports = { binary: 'found', dev: existsSync('/app/node_modules/dev') };",
      "node_modules/.store/linux/node_modules/linux/a.node": "",
      "node_modules/dev/package.json": '{"name":"dev"}',
    },
    engine: "node",
    answers: '{"binary":"found","dev":false}',
  },
  "deno": {
    files: {
      "package.json": packageJson({ scripts: { start: "deno run -A server.ts" } }),
      "server.ts": "Deno.serve(() => new Response(typeof Deno));",
    },
    engine: "deno",
    answers: "object",
  },
};

async function writeProject(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const absolute = join(folder, path);
    await Deno.mkdir(dirname(absolute), { recursive: true });
    if (text.startsWith(LINK)) await Deno.symlink(text.slice(LINK.length), absolute);
    else await Deno.writeTextFile(absolute, text);
  }
}

async function checkProject(box: Sandbox, name: string, project: Project): Promise<void> {
  box.site = join(box.folder, name);
  await writeProject(box.site, project.files);
  const { server } = await box.json(["init", "--create", "--name", name]);
  assert.equal((server as { readonly engine: string }).engine, project.engine);
  const { urls } = await box.json(["deploy", "--prod"]);
  const page = await box.page(hostOf((urls as Record<string, string>).production), "/");
  assert.equal(page.text, project.answers);
}

Deno.test("projects run on the engine that they require, with their packages", async (t) => {
  await withSandbox(async (box) => {
    await box.start();
    for (const [name, project] of Object.entries(PROJECTS)) {
      await t.step(name, () => checkProject(box, name, project));
    }
  });
});
