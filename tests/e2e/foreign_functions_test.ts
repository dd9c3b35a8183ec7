/** Functions that are written for other platforms, and apps that a module exports, served here. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { NODE_MAJOR } from "../helpers/compute_server.ts";
import { withSandbox } from "../helpers/sandbox.ts";
import { rawRequest } from "../helpers/platform.ts";

type Files = Readonly<Record<string, string>>;

/** A request and what of its answer is checked: status, and words of fields and body. */
type Row = readonly [request: string, expected: RegExp, headers?: Record<string, string>];

interface Project {
  readonly files: Files;
  readonly rows: readonly Row[];
  /** What the deploy says. */
  readonly says?: readonly RegExp[];
}

const page = (name: string) => `<h1>${name}</h1>`;
const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

const VERCEL: Project = {
  files: {
    "index.html": page("vercel"),
    "style.css": "h1{}",
    "package.json": '{"name":"a","private":true,"type":"module"}',
    "vercel.json": JSON.stringify({
      functions: { "api/**/*.js": { maxDuration: 20, memory: 512 } },
      rewrites: [{ source: "/old/:id", destination: "/api/users/:id" }],
      crons: [{ path: "/api/hello", schedule: "0 0 * * *" }],
    }),
    "lib/names.ts": 'export const nameOf = (id: string): string => "user " + id;',
    "api/hello.js": `export default function handler(request, response) {
      response.setHeader("x-kind", "node");
      response.status(201).json({ query: request.query, cookies: request.cookies, path: request.url });
    }`,
    "api/body.js": `export default async (req, res) => {
      let raw = "";
      for await (const chunk of req) raw += chunk;
      res.send(JSON.stringify(req.body) + "|" + raw.length);
    };`,
    "api/moved.js": 'export default (req, res) => res.redirect("/index.html");',
    "api/web.js": `export function GET(request) {
      return new Response("web " + new URL(request.url).host, { headers: { "x-kind": "web" } });
    }
    export async function POST(request) {
      return Response.json({ got: await request.text() }, { status: 202 });
    }`,
    "api/fetch.ts": `export default {
      fetch(request: Request): Response { return new Response("fetch " + request.method); },
    };`,
    "api/users/[id].ts": `import type { IncomingMessage } from "node:http";
    import { nameOf } from "../../lib/names";
    export default (req: IncomingMessage & { query: { id: string } }, res: any) => res.send(nameOf(req.query.id));`,
    "api/users/me.js": 'export default (req, res) => res.send("me");',
    "api/files/[...path].js": "export default (req, res) => res.json(req.query.path);",
    "api/docs/[[...slug]].js": "export default (req, res) => res.json(req.query);",
    "api/fails.js": 'export default (req, res) => { throw new Error("on purpose"); };',
    "api/_shared.js": 'export default (req, res) => res.send("hidden");',
  },
  rows: [
    ["GET /", /^200 .*<h1>vercel/],
    ["GET /style.css", /^200 .*h1\{\}/],
    ["GET /api/hello?a=1&a=2&b=x", /^201 .*"a":\["1","2"\],"b":"x"\},"cookies":\{"c":"d e"\}/, {
      cookie: "c=d%20e",
    }],
    ['POST /api/body {"n":1}', /^200 .*\{"n":1\}\|7/, JSON_TYPE],
    ["POST /api/body a=1&b=2", /^200 .*\{"a":"1","b":"2"\}\|7/, FORM_TYPE],
    ["POST /api/body {no", /^400 .*Invalid JSON/, JSON_TYPE],
    ["GET /api/moved", /^307 /],
    ["GET /api/web", /^200 .*web vercel\.localhost/],
    ["POST /api/web hi", /^202 .*\{"got":"hi"\}/],
    ["DELETE /api/web", /^405 /],
    ["GET /api/fetch", /^200 .*fetch GET/],
    ["GET /api/users/7", /^200 .*user 7/],
    ["GET /api/users/me", /^200 .*me$/],
    ["GET /old/9", /^200 .*user 9/],
    ["GET /api/files/a/b%20c", /^200 .*\["a","b c"\]/],
    ["GET /api/docs", /^200 .*\{\}/],
    ["GET /api/docs/x", /^200 .*\{"slug":\["x"\]\}/],
    ["GET /api/fails", /^500 .*The function failed$/],
    ["GET /api/_shared", /^404 /],
    ["GET /api/hello.js", /^404 /],
    ["GET /lib/names.ts", /^404 /],
    ["GET /package.json", /^404 /],
    ["GET /none", /^404 /],
  ],
  says: [/vercel\.json:1 sets crons: write them as \[\[cron\]\]/],
};

const NETLIFY: Project = {
  files: {
    "public/index.html": page("netlify"),
    "netlify.toml":
      '[[redirects]]\nfrom = "/api/*"\nto = "/.netlify/functions/:splat"\nstatus = 200\n',
    "netlify/functions/hello.mjs": `export default async (request, context) => {
      context.cookies.set({ name: "seen", value: "yes" });
      return new Response("hello " + context.cookies.get("who") + " " + Netlify.env.get("SVC_ENVIRONMENT"));
    };`,
    "netlify/functions/item.mts": `export default async (request: Request, context: any) =>
      Response.json({ params: context.params, method: request.method });
    export const config = { path: ["/items/:id", "/things/*"], method: "GET" };`,
    "netlify/functions/old.js": `exports.handler = async (event) => ({
      statusCode: 203,
      headers: { "x-kind": "event" },
      body: event.httpMethod + " " + event.queryStringParameters.a + " " + event.body,
    });`,
    "netlify/functions/nightly.mjs": `export default async () => new Response("ran");
    export const config = { schedule: "@daily" };`,
    "netlify/edge-functions/geo.ts": "export default async () => new Response();",
  },
  rows: [
    ["GET /", /^200 .*<h1>netlify/],
    ["GET /.netlify/functions/hello", /^200 .*seen=yes.*hello Ada production/, {
      cookie: "who=Ada",
    }],
    ["GET /api/hello", /^200 .*hello undefined production/],
    ["GET /items/5", /^200 .*\{"params":\{"id":"5"\},"method":"GET"\}/],
    ["POST /items/5", /^405 /],
    ["GET /things/a/b", /^200 .*\{"0":"a\/b"\}/],
    ["POST /.netlify/functions/old?a=b text", /^203 .*POST b text/],
    ["GET /.netlify/functions/none", /^404 /],
    ["GET /netlify/functions/hello.mjs", /^404 /],
  ],
  says: [
    /netlify\/functions\/nightly\.mjs:2 has a schedule/,
    /netlify\/edge-functions\/geo\.ts:1 is an edge function/,
  ],
};

/** A build beside functions: its pages stay static. */
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

/** Apps that are exported, over packages as small as their way to answer. */
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

Deno.test("functions of other platforms and exported apps are served", async (t) => {
  await withSandbox(async (box) => {
    const { url } = await box.start();
    const port = Number(new URL(url).port);
    for (const [name, { files, rows, says = [] }] of Object.entries(PROJECTS)) {
      // The version that this machine has: others would be fetched.
      const all = { ...files, ".nvmrc": NODE_MAJOR };
      for (const [path, text] of Object.entries(all)) {
        const absolute = join(box.site, name, path);
        await Deno.mkdir(dirname(absolute), { recursive: true });
        await Deno.writeTextFile(absolute, text);
      }
      await box.json(["projects", "create", "--name", name]);
      const deployed = await box.tool(["deploy", name, "--project-id", name, "--prod"]);
      await t.step(`${name} is deployed`, () => {
        assert.equal(deployed.code, 0, deployed.stderr);
        for (const words of says) assert.match(deployed.stderr, words);
      });
      for (const [request, expected, headers = {}] of rows) {
        const [method = "", path = "", ...body] = request.split(" ");
        await t.step(`${name}: ${request}`, async () => {
          const { status, headers: fields, text } = await rawRequest(port, {
            method,
            host: `${name}.localhost`,
            path,
            headers,
            ...(body.length === 0 ? {} : { body: body.join(" ") }),
          });
          assert.match(
            `${status} ${fields["set-cookie"] ?? ""} ${text.replaceAll("\n", " ").trim()}`,
            expected,
          );
        });
      }
    }
  });
});
