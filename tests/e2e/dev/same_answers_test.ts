/**
 * Sends a table of requests, to which `svc dev`, `svc preview` and `svc serve` must respond
 * identically.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { request } from "node:http";
import { startServing } from "../../helpers/dev_program.ts";
import { copySite, withSandbox } from "../../helpers/sandbox.ts";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const PATHS = [
  "/",
  "/index.html",
  "/index",
  "/beds",
  "/beds.html",
  "/beds/",
  "/keeper",
  "/robots.txt",
  "/walks",
  "/walks/",
  "/walks/two-lakes",
  "/walks/two-lakes.html",
  "/touren/two-lakes",
  "/touren/a/b",
  "/touren/",
  "/notes/winter.txt",
  "/notes/",
  "/notes",
  "/notes/none",
  "/assets/hut.css",
  "/assets/",
  "/assets/none.css",
  "/assets/daylight.js",
  "/assets/ridge.svg",
  "/.well-known/security.txt",
  "/svc.toml",
  "/svc.rules.toml",
  "/.svc/data",
  "/no/such/page",
  "//beds",
  "/./beds",
  "/%62eds",
  "/beds%2F",
  "/beds?full=1",
  "/?a=b&a=c",
  "/%",
  "/%zz",
  "/a%00b",
  "/ü",
];

const ETAG = { "if-none-match": "*" };
const RANGES = ["bytes=0-9", "bytes=-5", "bytes=9-3", "bytes=999999-", "bytes=0-1,4-5"];

const TABLE: readonly Asked[] = [
  ...PATHS.map((path) => ({ method: "GET", path })),
  ...PATHS.slice(0, 20).map((path) => ({ method: "HEAD", path })),
  ...["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"].flatMap((method) =>
    ["/beds", "/no/such/page", "/touren/two-lakes"].map((path) => ({ method, path }))
  ),
  ...RANGES.map((range) => ({ method: "GET", path: "/beds", headers: { range } })),
  ...["gzip", "br", "gzip, br;q=0.1", "identity;q=0", "*"].map((encoding) => ({
    method: "GET",
    path: "/assets/hut.css",
    headers: { "accept-encoding": encoding },
  })),
  ...["/beds", "/no/such/page", "/notes/winter.txt"].map((path) => ({
    method: "GET",
    path,
    headers: ETAG,
  })),
  {
    method: "GET",
    path: "/beds",
    headers: { "if-modified-since": "Sun, 22 Nov 2026 00:00:00 GMT" },
  },
  { method: "GET", path: "/beds", headers: { "if-match": '"other"' } },
  { method: "GET", path: "/beds", headers: { accept: "application/json" } },
  { method: "GET", path: "/no/such/page", headers: { accept: "application/json" } },
  { method: "GET", path: "/beds", headers: { "user-agent": "Googlebot/2.1", cookie: "a=b" } },
  {
    method: "GET",
    path: "/",
    headers: { "x-forwarded-for": "203.0.113.7", "x-svc-country": "DE" },
  },
  { method: "POST", path: "/beds", headers: { "content-type": "text/plain" }, body: "boat" },
  { method: "GET", path: `/${"a".repeat(9000)}` },
];

/** Headers and values that always differ. */
const OWN = new Set(["date", "x-svc-request-id", "x-svc-deployment"]);

function ask({ port, host }: { readonly port: number; readonly host: string }, asked: Asked) {
  const { method, path, headers = {} } = asked;
  return new Promise<string>((resolve, reject) => {
    const call = request({
      host: "127.0.0.1",
      port,
      method,
      path: path.replace("ü", "%C3%BC"),
      agent: false,
      headers: { ...headers, host: `${host}:${port}` },
    }, async (answer) => {
      const id = String(answer.headers["x-svc-request-id"]);
      const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Uint8Array>))
        .toString("latin1");
      const length = Number(answer.headers["content-length"]);
      const isPage = answer.headers.etag === undefined && answer.statusCode! >= 400;
      const namesId = body.includes(id) || (method === "HEAD" && isPage);
      const fields = Object.entries({
        ...answer.headers,
        // If a page contains the request ID, the page's length depends on the ID's length.
        "content-length": namesId ? length - id.length : length,
      }).filter(([name]) => !OWN.has(name)).sort();
      const told = JSON.stringify([answer.statusCode, fields, body]);
      resolve(told.replaceAll(id, "<id>").replaceAll(`${host}:${port}`, "<host>"));
    });
    call.on("error", reject);
    call.end(asked.body);
  });
}

Deno.test("dev, preview and serve respond identically to a table of requests", () =>
  withSandbox(async (box) => {
    await copySite("plain", box.site);
    const { port } = await box.start();
    await box.json(["init", "--create"]);
    await box.json(["deploy", "--prod"]);
    const host = "kestrel-hut.localhost";
    const preview = await startServing(["preview", "--port", "0"], { cwd: box.site });
    const dev = await startServing(["dev", "--port", "0"], { cwd: box.site });
    try {
      assert.ok(TABLE.length >= 100, `${TABLE.length}`);
      for (const asked of TABLE) {
        const [served, previewed, developed] = await Promise.all(
          [port, preview.port, dev.port].map((each) => ask({ port: each, host }, asked)),
        );
        const name = `${asked.method} ${asked.path.slice(0, 40)} ${JSON.stringify(asked.headers)}`;
        assert.equal(previewed, served, `preview: ${name}`);
        assert.equal(developed, served, `dev: ${name}`);
      }
    } finally {
      await Promise.all([preview.end(), dev.end()]);
    }
  }));
