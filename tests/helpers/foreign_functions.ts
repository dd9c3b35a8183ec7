/**
 * Projects with functions written for other platforms, and their expected responses.
 *
 * @module
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { NODE_MAJOR } from "./compute_server.ts";
import { rawRequest } from "./platform.ts";

export type Files = Readonly<Record<string, string>>;

/** A request, and the status, words and headers that its response must have. */
export type Row = readonly [request: string, expected: RegExp, headers?: Record<string, string>];

export interface Project {
  readonly files: Files;
  readonly rows: readonly Row[];
  /** Message that the deployment reports. */
  readonly says?: readonly RegExp[];
}

export const page = (name: string) => `<h1>${name}</h1>`;
const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

export const VERCEL: Project = {
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
  says: [/vercel\.json:1 sets crons: move them to \[\[cron\]\]/],
};

export const NETLIFY: Project = {
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
    /netlify\/edge-functions\/geo\.ts:1 is a Netlify edge function/,
  ],
};

/** Writes a project's files, adapted to this machine's version of Node. */
export async function writeProject(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries({ ...files, ".nvmrc": NODE_MAJOR })) {
    const absolute = join(folder, path);
    await Deno.mkdir(dirname(absolute), { recursive: true });
    await Deno.writeTextFile(absolute, text);
  }
}

/** Sends the request in one table row and checks the response. */
export async function checkRow(
  { port, host }: { readonly port: number; readonly host: string },
  [request, expected, headers = {}]: Row,
): Promise<void> {
  const [method = "", path = "", ...body] = request.split(" ");
  const { status, headers: fields, text } = await rawRequest(port, {
    method,
    host,
    path,
    headers,
    ...(body.length === 0 ? {} : { body: body.join(" ") }),
  });
  assert.match(
    `${status} ${fields["set-cookie"] ?? ""} ${text.replaceAll("\n", " ").trim()}`,
    expected,
  );
}
