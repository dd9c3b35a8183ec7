/**
 * Compares a deployment's responses with those of the same project under its own `start` script:
 * the status, headers and body of each linked page.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { type IncomingHttpHeaders, request as requestByHttp } from "node:http";

/** Maximum time for one response, in milliseconds. */
const PATIENCE_MS = 30_000;

/** Maximum number of pages and files that are compared per project. */
const MAX_PAGES = 60;

/**
 * Time in milliseconds. A body counts as a stream if it takes longer than this after its first
 * bytes.
 */
const STREAM_MS = 600;

/**
 * Headers that describe the connection, the machine or the cached copy rather than the response.
 */
const OF_TRANSPORT = new Set([
  ...["accept-ranges", "age", "cache-status", "connection", "content-encoding", "content-length"],
  ...["date", "etag", "keep-alive", "last-modified", "server", "transfer-encoding", "vary"],
  // The edge sends this header with every file.
  "x-content-type-options",
]);

export interface Asking {
  readonly path: string;
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

const FORM = {
  "content-type": "application/x-www-form-urlencoded",
  origin: "http://{host}",
};

/** Paths that browsers and scanners request from every site. */
export const USUAL_REQUESTS: readonly Asking[] = [
  { path: "/" },
  { path: "/?a=b" },
  { path: "/", method: "HEAD" },
  { path: "/", method: "OPTIONS" },
  { path: "/", method: "POST", headers: FORM, body: "a=b" },
  { path: "/no/such/page" },
  { path: "/no-such.png" },
];

/** A server's port, and the hostname in requests to it. */
export interface Side {
  readonly port: number;
  readonly host: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Time between the first bytes and the end of the body. */
  readonly streamedMs: number;
}

/** Sends one request without following redirects. */
export function askSide({ port, host }: Side, wanted: Asking): Promise<Answer> {
  const { path, method = "GET", body } = wanted;
  const authority = `${host}:${port}`;
  const headers: Record<string, string> = { accept: "text/html,*/*;q=0.8", ...wanted.headers };
  for (const name of ["origin", "referer"]) {
    if (headers[name] !== undefined) headers[name] = headers[name].replace("{host}", authority);
  }
  headers.host = authority;
  if (body !== undefined) headers["content-length"] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const call = { host: "127.0.0.1", port, path, method, headers, timeout: PATIENCE_MS };
    const sent = requestByHttp(call, (answer) => {
      const chunks: Uint8Array[] = [];
      let firstAt: number | undefined;
      answer.on("data", (chunk: Uint8Array) => {
        firstAt ??= performance.now();
        chunks.push(chunk);
      });
      answer.on("error", reject);
      answer.on("end", () => {
        const now = performance.now();
        const text = new TextDecoder().decode(Buffer.concat(chunks));
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, headers, text, streamedMs: now - (firstAt ?? now) });
      });
    });
    sent.on("timeout", () => sent.destroy(new Error(`${path}: no response for 30 seconds`)));
    sent.on("error", reject);
    sent.end(body);
  });
}

/**
 * Replaces the parts of a string that differ between responses: times, random values and the host.
 */
export function steady(text: string, { host, port }: Side): string {
  return text
    .replaceAll(`${host}:${port}`, "{host}")
    .replaceAll(encodeURIComponent(`${host}:${port}`), "{host}")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "{time}")
    .replaceAll(/\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, "{time}")
    .replaceAll(/\w{3} \w{3} \d\d \d{4} [\d:]{8} GMT[+-]\d{4}/g, "{time}")
    .replaceAll(/\b\d{1,2}:\d\d(:\d\d)?(\.\d+)?( ?[AP]M)?\b/g, "{time}")
    .replaceAll(/\b1[789]\d{8}(\d{3})?\b/g, "{time}")
    .replaceAll(/\b\d+(\.\d+)?\s?ms\b/g, "{time}")
    .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, "{id}")
    .replaceAll(/\b(?=[\w-]*\d)[\w-]{20,}\b/g, "{id}");
}

/**
 * Values of `cache-control` that are not compared. A server can omit `public,max-age=0` for files,
 * and the edge consumes `s-maxage` for rendered pages.
 */
const REVALIDATED =
  /^(?:public,max-age=0(?:,must-revalidate)?|s-maxage=\d+(?:,stale-while-revalidate(?:=\d+)?)?)$/;

/**
 * Returns a header's value without the parts that may differ between two servers that serve the
 * same files.
 */
function valueOf(name: string, value: string): string | undefined {
  const plain = value.toLowerCase().replaceAll(/[\s"]/g, "");
  if (name === "content-type") {
    return plain.replace(/;charset=utf-8$/, "").replace(
      "application/javascript",
      "text/javascript",
    );
  }
  if (name === "cache-control" && REVALIDATED.test(plain)) return undefined;
  return plain;
}

const cookieNames = (value: string | string[] | undefined) =>
  [value ?? []].flat().map((each) => each.split("=", 1)[0]).sort().join(" ");

/** Returns the headers that describe the response itself, by name. */
function meaning(answer: Answer, side: Side): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(answer.headers)) {
    if (OF_TRANSPORT.has(name) || name.startsWith("x-svc-")) continue;
    const shown = name === "set-cookie" ? cookieNames(value) : steady(String(value), side);
    const plain = valueOf(name, shown);
    if (plain !== undefined) found.set(name, plain);
  }
  return found;
}

/**
 * Requests a page from one of the servers. The status is 0 if the response ends early, as a failing
 * stream does.
 */
const outcomeOf = (side: Side, asked: Asking): Promise<Answer> =>
  askSide(side, asked).catch(() => ({ status: 0, headers: {}, text: "", streamedMs: 0 }));

/** Returns the first difference between two strings, with the text around it. */
function parting(own: string, live: string): string {
  let at = 0;
  while (at < own.length && own[at] === live[at]) at++;
  const around = (text: string) => JSON.stringify(text.slice(Math.max(0, at - 60), at + 100));
  return `own ${around(own)}, live ${around(live)}`;
}

interface Pair {
  readonly own: Side;
  readonly live: Side;
  /**
   * Allowed differences, with reasons. Each is a header's name, or the header, `status` or `body`
   * of one path.
   */
  readonly mayDiffer: Readonly<Record<string, string>>;
}

/**
 * Compares the responses to one request. Returns the differences as sentences, and the page, whose
 * links are crawled next.
 */
async function compareOne(asked: Asking, { own, live, mayDiffer }: Pair) {
  const theirs = await outcomeOf(own, asked);
  const ours = await outcomeOf(live, asked);
  const name = `${asked.method ?? "GET"} ${asked.path}`;
  const differences: string[] = [];
  const counts = (what: string) =>
    mayDiffer[what] === undefined && mayDiffer[`${what} ${asked.path}`] === undefined;
  if (theirs.status !== ours.status && counts("status")) {
    differences.push(`${name}: status own ${theirs.status}, live ${ours.status}`);
  }
  const [wanted, found] = [meaning(theirs, own), meaning(ours, live)];
  for (const header of new Set([...wanted.keys(), ...found.keys()])) {
    const [one, other] = [wanted.get(header), found.get(header)];
    if (one === other || !counts(header)) continue;
    differences.push(`${name}: ${header} own ${one}, live ${other}`);
  }
  const [text, shown] = [steady(theirs.text, own), steady(ours.text, live)];
  const hasOther = text !== shown && counts("body");
  if (hasOther && steady((await outcomeOf(own, asked)).text, own) === text) {
    differences.push(`${name}: body ${parting(text, shown)}`);
  }
  if (theirs.streamedMs > STREAM_MS && ours.streamedMs < theirs.streamedMs / 3) {
    const [one, other] = [theirs.streamedMs, ours.streamedMs].map(Math.round);
    differences.push(`${name}: streamed for own ${one} ms, live ${other} ms`);
  }
  const isPage = String(theirs.headers["content-type"]).startsWith("text/html");
  return { differences, page: isPage ? theirs.text : "" };
}

/** Returns the paths on a page that belong to the same site. */
function linksOf(page: string, path: string): string[] {
  const base = new URL(path, "http://site.invalid");
  const found: string[] = [];
  for (const [, , link] of page.matchAll(/\s(href|src|action)="([^"#]+)/g)) {
    const url = URL.parse(link!.replaceAll("&amp;", "&"), base);
    if (url?.host === base.host) found.push(url.pathname + url.search);
  }
  return found;
}

/** Crawls both servers, starting with the given requests, and returns all differences. */
export async function compareSides(first: readonly Asking[], pair: Pair): Promise<string[]> {
  const known = new Set<string>();
  const differences: string[] = [];
  const waiting = [...first];
  for (let asked = waiting.shift(); asked !== undefined; asked = waiting.shift()) {
    const id = JSON.stringify(asked);
    if (known.has(id) || known.size >= MAX_PAGES) continue;
    known.add(id);
    const compared = await compareOne(asked, pair);
    differences.push(...compared.differences);
    waiting.push(...linksOf(compared.page, asked.path).map((path) => ({ path })));
  }
  return differences;
}
