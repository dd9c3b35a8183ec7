import { systemRandom } from "../lib/clock.ts";
import assert from "node:assert/strict";
import { noOthers, testEdge, testSite } from "./_test_site.ts";

const CSS = "body { color: red }\n".repeat(10);

const { site } = testSite({
  "index.html": "home",
  "about.html": "about",
  "docs/index.html": "docs",
  "404.html": "not here",
  "style.css": CSS,
  "app.js": "plain script",
  "app.js.br": "brotli bytes",
  "app.js.gz": "gzip bytes",
  "empty.txt": "",
  "noext": "octets",
  "a b/ü&%2F#?.txt": "odd name",
  "[slug].html": "brackets",
  ".svc/manifest.json": "secret",
});
const etagOf = async (path: string, init?: RequestInit) =>
  (await testEdge(site).fetch(path, init)).headers.get("etag")!;
const HOME = await etagOf("/");
const CSS_TAG = await etagOf("/style.css");
const PLAIN_SCRIPT = await etagOf("/app.js");
const BROTLI_SCRIPT = await etagOf("/app.js", { headers: { "accept-encoding": "br" } });

interface Scenario {
  readonly name: string;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly status: number;
  /**
   * Values that the response's header fields must have. `null` means that the field must be
   * missing.
   */
  readonly has?: Record<string, string | null>;
  readonly body?: string;
}

const scenarios: readonly Scenario[] = [
  {
    name: "a page",
    path: "/",
    status: 200,
    body: "home",
    has: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "public, max-age=0, must-revalidate",
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
      "x-svc-deployment": "deployment-1",
      "x-svc-request-id": "r1",
      "last-modified": null,
      "vary": null,
    },
  },
  { name: "a page without its extension", path: "/about", status: 200, body: "about" },
  { name: "a folder", path: "/docs", status: 308, has: { location: "/docs/" }, body: "" },
  { name: "a folder with a slash", path: "/docs/", status: 200, body: "docs" },
  {
    name: "a query is not part of the path",
    path: "/about?x=/style.css",
    status: 200,
    body: "about",
  },
  { name: "a fragment is not part of the path", path: "/about#x", status: 200, body: "about" },
  { name: "an empty file", path: "/empty.txt", status: 200, body: "" },
  {
    name: "an unknown type",
    path: "/noext",
    status: 200,
    has: { "content-type": "application/octet-stream" },
  },
  {
    name: "a name full of reserved characters",
    path: `/${["a b", "ü&%2F#?.txt"].map(encodeURIComponent).join("/")}`,
    status: 200,
    body: "odd name",
  },
  { name: "encoded brackets", path: "/%5Bslug%5D", status: 200, body: "brackets" },
  { name: "brackets without encoding", path: "/[slug]", status: 200, body: "brackets" },
  { name: "the build's internal folder is private", path: "/.svc/manifest.json", status: 404 },
  {
    name: "the layer's own 404 page",
    path: "/nowhere",
    status: 404,
    body: "not here",
    has: { "content-type": "text/html; charset=utf-8", "x-svc-deployment": "deployment-1" },
  },
  {
    name: "a 404 ignores conditions",
    path: "/nowhere",
    headers: { "if-none-match": "*" },
    status: 404,
  },
  { name: "a 404 ignores ranges", path: "/nowhere", headers: { range: "bytes=0-1" }, status: 404 },
  {
    name: "HEAD",
    path: "/style.css",
    method: "HEAD",
    status: 200,
    body: "",
    has: { "content-length": "200", etag: CSS_TAG },
  },
  {
    name: "HEAD of a missing file",
    path: "/nowhere",
    method: "HEAD",
    status: 404,
    body: "",
    has: { "content-length": "8" },
  },
  { name: "POST to a file", path: "/", method: "POST", status: 405, has: { allow: "GET, HEAD" } },
  { name: "OPTIONS of a file", path: "/", method: "OPTIONS", status: 405 },
  { name: "DELETE of a missing file", path: "/nowhere", method: "DELETE", status: 404 },
  { name: "a broken escape", path: "/%zz", status: 400 },
  { name: "an encoded NUL", path: "/index.html%00.txt", status: 400 },
  { name: "broken UTF-8", path: "/%ff%fe", status: 404 },
  {
    name: "If-None-Match with the current tag",
    path: "/",
    headers: { "if-none-match": `"x", W/${HOME}` },
    status: 304,
    body: "",
    has: {
      etag: HOME,
      "cache-control": "public, max-age=0, must-revalidate",
      "content-type": null,
      "content-length": null,
      "x-svc-request-id": "r1",
    },
  },
  {
    name: "If-None-Match, HEAD",
    path: "/",
    method: "HEAD",
    headers: { "if-none-match": HOME },
    status: 304,
  },
  {
    name: "If-None-Match with another tag",
    path: "/",
    headers: { "if-none-match": '"x"' },
    status: 200,
  },
  {
    name: "If-Modified-Since is ignored, because there is no Last-Modified",
    path: "/",
    headers: { "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT" },
    status: 200,
  },
  { name: "If-Match that matches", path: "/", headers: { "if-match": HOME }, status: 200 },
  { name: "If-Match that does not match", path: "/", headers: { "if-match": '"x"' }, status: 412 },
  {
    name: "one range",
    path: "/style.css",
    headers: { range: "bytes=5-9" },
    status: 206,
    body: CSS.slice(5, 10),
    has: { "content-range": "bytes 5-9/200", "content-length": "5", etag: CSS_TAG },
  },
  {
    name: "a suffix range",
    path: "/style.css",
    headers: { range: "bytes=-3" },
    status: 206,
    body: CSS.slice(-3),
  },
  {
    name: "a range beyond the end",
    path: "/style.css",
    headers: { range: "bytes=200-" },
    status: 416,
    has: { "content-range": "bytes */200" },
  },
  {
    name: "an invalid range",
    path: "/style.css",
    headers: { range: "x" },
    status: 200,
    body: CSS,
  },
  {
    name: "HEAD ignores ranges",
    path: "/style.css",
    method: "HEAD",
    headers: { range: "bytes=0-1" },
    status: 200,
  },
  {
    name: "If-Range with the current tag",
    path: "/style.css",
    headers: { range: "bytes=0-1", "if-range": CSS_TAG },
    status: 206,
  },
  {
    name: "If-Range with another tag",
    path: "/style.css",
    headers: { range: "bytes=0-1", "if-range": '"x"' },
    status: 200,
    body: CSS,
  },
  {
    name: "If-Range with a weak tag",
    path: "/style.css",
    headers: { range: "bytes=0-1", "if-range": `W/${CSS_TAG}` },
    status: 200,
  },
  {
    name: "If-Range with a date",
    path: "/style.css",
    headers: { range: "bytes=0-1", "if-range": "Fri, 01 Jan 2100 00:00:00 GMT" },
    status: 200,
  },
  {
    name: "Brotli if it is accepted",
    path: "/app.js",
    headers: { "accept-encoding": "gzip, br" },
    status: 200,
    body: "brotli bytes",
    has: {
      "content-encoding": "br",
      "content-type": "text/javascript; charset=utf-8",
      vary: "accept-encoding",
    },
  },
  {
    name: "gzip if it is preferred",
    path: "/app.js",
    headers: { "accept-encoding": "gzip, br;q=0.1" },
    status: 200,
    body: "gzip bytes",
    has: { "content-encoding": "gzip" },
  },
  {
    name: "plain if nothing else is accepted, still with Vary",
    path: "/app.js",
    status: 200,
    body: "plain script",
    has: { "content-encoding": null, vary: "accept-encoding", etag: PLAIN_SCRIPT },
  },
  {
    name: "the tag of one form does not match another",
    path: "/app.js",
    headers: { "accept-encoding": "br", "if-none-match": PLAIN_SCRIPT },
    status: 200,
  },
  {
    name: "304 for the form that would be sent",
    path: "/app.js",
    headers: { "accept-encoding": "br", "if-none-match": BROTLI_SCRIPT },
    status: 304,
    has: { vary: "accept-encoding", "content-encoding": null },
  },
  {
    name: "a range of the compressed form",
    path: "/app.js",
    headers: { "accept-encoding": "br", range: "bytes=0-5" },
    status: 206,
    body: "brotli",
    has: { "content-encoding": "br" },
  },
  {
    name: "a compressed form under its own name",
    path: "/app.js.gz",
    status: 200,
    body: "gzip bytes",
  },
];

for (const { name, path, method = "GET", headers = {}, status, has = {}, body } of scenarios) {
  Deno.test(`edge serves files: ${name}`, async () => {
    const edge = testEdge(site);
    const response = await edge.fetch(path, { method, headers });
    const text = await response.text();
    assert.equal(response.status, status);
    for (const [field, value] of Object.entries(has)) {
      assert.equal(response.headers.get(field), value, field);
    }
    if (body !== undefined) assert.equal(text, body);
    assert.deepEqual(edge.errors, []);
    const [record] = edge.records;
    assert.equal(record?.status, status);
    if (status !== 304 && method !== "HEAD") {
      assert.equal(record?.bytes, new TextEncoder().encode(text).byteLength);
    }
  });
}

Deno.test("edge serves multiple ranges as multipart/byteranges", async () => {
  const response = await testEdge(site).fetch("/style.css", {
    headers: { range: "bytes=0-3, 100-103" },
  });
  assert.equal(response.status, 206);
  const boundary = /^multipart\/byteranges; boundary=([0-9a-f]{64})$/
    .exec(response.headers.get("content-type")!)![1];
  const body = await response.text();
  assert.equal(response.headers.get("content-length"), String(body.length));
  const part = (range: string) =>
    `--${boundary}\r\ncontent-type: text/css; charset=utf-8\r\ncontent-range: bytes ${range}/200\r\n\r\n`;
  assert.equal(
    body,
    `${part("0-3")}body\r\n${part("100-103")}body\r\n--${boundary}--\r\n`,
  );
});

const LARGE = new Uint8Array(3 * 1024 * 1024).map((_, index) => (index * 7) % 256);
const SUM = "large.bin";

Deno.test("edge streams a large file, whole and in ranges", async () => {
  const { site, blobs } = testSite({ [SUM]: LARGE });
  const edge = testEdge(site);
  const whole = await edge.fetch(`/${SUM}`);
  assert.equal(whole.headers.get("content-length"), String(LARGE.length));
  assert.deepEqual(new Uint8Array(await whole.arrayBuffer()), LARGE);
  const part = await edge.fetch(`/${SUM}`, { headers: { range: "bytes=2000000-2000099" } });
  assert.equal(part.headers.get("content-length"), "100");
  assert.deepEqual(new Uint8Array(await part.arrayBuffer()), LARGE.slice(2_000_000, 2_000_100));
  const parts = await edge.fetch(`/${SUM}`, { headers: { range: "bytes=0-9,3000000-3000009" } });
  const length = Number(parts.headers.get("content-length"));
  assert.equal((await parts.arrayBuffer()).byteLength, length);
  // The streams are two whole files, two ranges, and the whole file that is read before its first
  // range.
  assert.equal(blobs.streams, 5);
});

Deno.test("edge responds with a 500 and the request's ID if a blob is missing or changed", async () => {
  for (const damage of ["missing", "changed"]) {
    const { site, blobs } = testSite({ "index.html": "home" });
    const [sha256] = blobs.content.keys();
    if (damage === "missing") blobs.content.clear();
    else blobs.content.set(sha256!, new TextEncoder().encode("evil"));
    const edge = testEdge(site);
    const response = await edge.fetch("/");
    assert.equal(response.status, 500);
    assert.equal(response.headers.get("x-svc-deployment"), "deployment-1");
    const text = await response.text();
    assert.match(text, /\(r1\)/);
    assert.doesNotMatch(text, new RegExp(`evil|${sha256}|blob`, "i"));
    assert.equal(edge.errors.length, 1);
    assert.equal(edge.records[0]?.status, 500);
  }
});

Deno.test("edge responds immediately if the file is in memory", async () => {
  const { createEdge } = await import("./edge.ts");
  const { site } = testSite({ "index.html": "home" });
  const handle = createEdge({
    resolveHost: () => site,
    record: () => {},
    now: () => 0,
    random: systemRandom,
    ...noOthers(),
    requestId: () => "r",
  });
  const request = () =>
    handle(new Request("http://site.test/"), { remoteAddress: "192.0.2.1", scheme: "http" });
  assert.ok(request() instanceof Promise);
  await request();
  const response = request();
  assert.ok(response instanceof Response);
  assert.equal(await response.text(), "home");
});

Deno.test("edge sends different error pages to programs and browsers", async () => {
  const { site } = testSite({ "index.html": "home" });
  const plain = await testEdge(site).fetch("/nowhere");
  assert.equal(plain.headers.get("content-type"), "text/plain; charset=utf-8");
  const page = await testEdge(site).fetch("/nowhere", { headers: { accept: "text/html,*/*" } });
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(await page.text(), /^<!doctype html>.*There is no page at this URL/s);
  assert.match(page.headers.get("content-security-policy")!, /default-src 'none'/);
});
