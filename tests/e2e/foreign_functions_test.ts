/** Tests functions that were written for other platforms, and apps that a module exports. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  checkRow,
  type Files,
  NETLIFY,
  type Project,
  VERCEL,
  writeProject,
} from "../helpers/foreign_functions.ts";
import { withSandbox } from "../helpers/sandbox.ts";

/** A project with a build and functions. Its pages must remain static. */
const BUILT: Project = {
  files: {
    "package.json": '{"name":"b","private":true,"scripts":{"build":"node build.mjs"}}',
    "build.mjs": `import { mkdirSync, writeFileSync } from "node:fs";
    mkdirSync("dist", { recursive: true });
    writeFileSync("dist/index.html", "<h1>built</h1>");
    writeFileSync("dist/404.html", "<h1>none</h1>");`,
    ".gitignore": "dist\n",
    "api/time.cjs":
      "module.exports = (req, res) => { res.send('from ' + __filename.split('/').pop()); };",
  },
  rows: [
    ["GET /", /^200 .*<h1>built/],
    ["GET /none", /^404 .*<h1>none/],
    ["GET /api/time", /^200 .*from time\.cjs/],
  ],
};

/** Exported apps, with minimal stand-ins for their packages. */
const APPS: Readonly<Record<string, Files>> = {
  express: {
    "index.js":
      'import express from "express";\nconst app = express();\napp.get("/", (request, response) => response.end("from express"));\nexport default app;\n',
    "node_modules/express/index.js": `module.exports = () => {
      const routes = {};
      return Object.assign((request, response, next) => routes[request.url](request, response), {
        get: (path, answer) => void (routes[path] = answer),
        use() {},
      });
    };`,
  },
  koa: {
    "src/app.js": 'import Koa from "koa";\nconst app = new Koa();\nexport default app;\n',
    "node_modules/koa/index.js":
      'module.exports = class { use() {} callback() { return (request, response) => response.end("from koa"); } };',
  },
  fastify: {
    "server.mjs": 'import fastify from "fastify";\nconst app = fastify();\nexport default app;\n',
    "node_modules/fastify/index.js": `module.exports = () => ({
      isReady: false,
      async ready() { this.isReady = true; },
      routing(request, response) { response.end("from fastify " + this.isReady); },
    });`,
  },
  h3: {
    "index.mjs": 'import { createApp } from "h3";\nconst app = createApp();\nexport default app;\n',
    "node_modules/h3/index.js":
      `exports.createApp = () => ({ stack: [], handler: () => "from h3" });
    exports.toNodeListener = (app) => (request, response) => response.end(app.handler());`,
  },
};

const exportedApp = (name: string): Project => ({
  files: {
    "package.json": JSON.stringify({
      name: "c",
      private: true,
      type: "module",
      dependencies: { [name]: "1.0.0" },
    }),
    "public/robots.txt": "User-agent: *",
    [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "1.0.0" }),
    ...APPS[name],
  },
  rows: [
    ["GET /", new RegExp(`^200 .*from ${name}`)],
    ["GET /robots.txt", /^200 .*User-agent/],
  ],
});

const PROJECTS: Readonly<Record<string, Project>> = {
  vercel: VERCEL,
  netlify: NETLIFY,
  built: BUILT,
  ...Object.fromEntries(Object.keys(APPS).map((name) => [name, exportedApp(name)])),
};

Deno.test("functions for other platforms and exported apps are served", async (t) => {
  await withSandbox(async (box) => {
    const { url } = await box.start();
    const port = Number(new URL(url).port);
    for (const [name, { files, rows, says = [] }] of Object.entries(PROJECTS)) {
      await writeProject(join(box.site, name), files);
      await box.json(["projects", "create", "--name", name]);
      const deployed = await box.tool(["deploy", name, "--project-id", name, "--prod"]);
      await t.step(`${name} is deployed`, () => {
        assert.equal(deployed.code, 0, deployed.stderr);
        for (const words of says) assert.match(deployed.stderr, words);
      });
      for (const row of rows) {
        await t.step(
          `${name}: ${row[0]}`,
          () => checkRow({ port, host: `${name}.localhost` }, row),
        );
      }
    }
  });
});
