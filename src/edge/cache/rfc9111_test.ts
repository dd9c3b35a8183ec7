/**
 * Requirements of RFC 9111 (and RFC 5861, if named) for a response and a later request, row by row:
 * `section | name | first request | response | seconds | second request | outcome`.
 *
 * Fields are joined by ` & `; `cc` is `cache-control`; `@-30` is the date 30 s before the clock.
 * Words with a colon set an option of the row: `:method`, `:path`, `:swr` and `:ttl` (of the rule;
 * 100 s by default), `:clients` (clients may revalidate), `:status`, and `:origin` for the origin's
 * second response.
 *
 * The outcome is the second client's response: `x-svc-cache`, then `validated` if the origin
 * responded with 304, and the status if it is not 200.
 */
import assert from "node:assert/strict";
import { formatHttpDate } from "./http_date.ts";
import { ok, START, TestCache } from "./_test_origin.ts";

const ROWS = `
3 | GET with explicit lifetime is stored | | cc: max-age=60 | 10 | | HIT
3 | the rule's time for an answer without one | | | 99 | | HIT
3 | the rule's time ends | | | 100 | | MISS
3 | POST is not stored | :method POST | cc: max-age=60 | 0 | :method POST | BYPASS
3 | POST does not respond a GET | :method POST | cc: max-age=60 | 0 | | MISS
3 | no-store is not stored | | cc: no-store | 0 | | MISS
3 | no-store wins over max-age | | cc: max-age=60, no-store | 0 | | MISS
3 | directive names ignore case | | cc: No-Store | 0 | | MISS
3 | private is not stored | | cc: private, max-age=60 | 0 | | MISS
3 | a status that is not cacheable by default needs a lifetime | | :status 302 & location: /x | 0 | | MISS 302
3 | 302 with a lifetime is stored | | :status 302 & cc: max-age=60 & location: /x | 5 | | HIT 302
3 | 503 is not cacheable by default | | :status 503 | 0 | | MISS 503
3 | 404 is cacheable by default | | :status 404 | 59 | | HIT 404
3 | an error is kept no longer than a minute by the rule | | :status 404 | 60 | | MISS 404
3 | an error with its own lifetime is kept for it | | :status 404 & cc: max-age=90 | 80 | | HIT 404
3 | 301 is cacheable by default | | :status 301 & location: /x | 50 | | HIT 301
3 | 204 is cacheable by default | | :status 204 | 50 | | HIT 204
3 | 410 is cacheable by default | | :status 410 | 50 | | HIT 410
3 | an unknown status with a lifetime is stored | | :status 299 & cc: max-age=60 | 5 | | HIT 299
3.3 | 206 is never stored | | :status 206 & cc: max-age=60 & content-range: bytes 0-2/3 | 0 | | MISS 206
3.3 | nor what answers a range | range: bytes=0-0 | cc: max-age=60 | 0 | | MISS
3.5 | authorized answers are not stored | authorization: A | cc: max-age=60 | 0 | | MISS
3.5 | authorized and public | authorization: A | cc: max-age=60, public | 5 | | HIT
3.5 | authorized and s-maxage | authorization: A | cc: s-maxage=60 | 5 | | HIT
3.5 | authorized and must-revalidate | authorization: A | cc: max-age=60, must-revalidate | 5 | | HIT
3.5 | the rule's time does not share authorized answers | authorization: A | | 0 | authorization: A | MISS
3.5 | an authorized request is not given what is not marked shared | | cc: max-age=60 | 5 | authorization: A | MISS
3.5 | an authorized request is given what is public | | cc: max-age=60, public | 5 | authorization: A | HIT
4 | the query is part of the key | :path /page?a=1 | cc: max-age=60 | 0 | :path /page?a=2 | MISS
4 | paths differ by case | :path /Page | cc: max-age=60 | 0 | :path /page | MISS
4 | HEAD is answered from GET | | cc: max-age=60 | 5 | :method HEAD | HIT
4 | a body with GET goes to the origin | | cc: max-age=60 | 5 | content-length: 5 | BYPASS
4 | a chunked body with GET goes to the origin | | cc: max-age=60 | 5 | transfer-encoding: chunked | BYPASS
4 | OPTIONS is not answered from GET | | cc: max-age=60 | 5 | :method OPTIONS | BYPASS
4.1 | the same value of a field in Vary | accept-language: de | cc: max-age=60 & vary: accept-language | 5 | accept-language: de | HIT
4.1 | another value | accept-language: de | cc: max-age=60 & vary: accept-language | 5 | accept-language: en | MISS
4.1 | a value where there was none | | cc: max-age=60 & vary: accept-language | 5 | accept-language: en | MISS
4.1 | none where there was one | accept-language: de | cc: max-age=60 & vary: accept-language | 5 | | MISS
4.1 | none both times | | cc: max-age=60 & vary: accept-language | 5 | | HIT
4.1 | an empty value is not none | x-a:  | cc: max-age=60 & vary: x-a | 5 | | MISS
4.1 | names in Vary ignore case | accept-language: de | cc: max-age=60 & vary: Accept-Language | 5 | accept-language: en | MISS
4.1 | white space does not matter | accept-language: de, en | cc: max-age=60 & vary: accept-language | 5 | accept-language: de ,en | HIT
4.1 | the order of codings does not matter | accept-encoding: gzip, br | cc: max-age=60 & vary: accept-encoding | 5 | accept-encoding: br,GZIP | HIT
4.1 | the weight of a coding matters | accept-encoding: gzip | cc: max-age=60 & vary: accept-encoding | 5 | accept-encoding: gzip;q=0 | MISS
4.1 | all names in Vary count | x-a: 1 & x-b: 1 | cc: max-age=60 & vary: x-a, x-b | 5 | x-a: 1 & x-b: 2 | MISS
4.1 | fields outside Vary do not matter | x-a: 1 | cc: max-age=60 & vary: x-b | 5 | x-a: 2 | HIT
4.1 | Vary: * is not stored | | cc: max-age=60 & vary: * | 0 | | MISS
4.1 | Vary with * among names is not stored | | cc: max-age=60 & vary: x-a, * | 0 | | MISS
4.1 | Vary with what can name no field is not stored | | cc: max-age=60 & vary: x-a, x b | 0 | | MISS
4.2 | fresh until its lifetime ends | | cc: max-age=60 | 59 | | HIT
4.2 | stale when age equals lifetime | | cc: max-age=60 | 60 | | MISS
4.2.1 | s-maxage wins over max-age | | cc: max-age=10, s-maxage=60 | 50 | | HIT
4.2.1 | s-maxage wins though shorter | | cc: max-age=60, s-maxage=10 | 20 | | MISS
4.2.1 | max-age wins over Expires | | cc: max-age=60 & expires: @10 | 50 | | HIT
4.2.1 | Expires alone | | expires: @60 | 59 | | HIT
4.2.1 | Expires against the origin's own Date | | date: @-30 & expires: @30 | 29 | | HIT
4.2.1 | Expires in the past | | expires: @-1 | 0 | | MISS
4.2.1 | the answer's lifetime wins over the rule's | | cc: max-age=10 | 20 | | MISS
4.2.1 | a lifetime that is no number is stale | | cc: max-age=soon | 0 | | MISS
4.2.1 | a negative lifetime is stale | | cc: max-age=-1 | 0 | | MISS
4.2.1 | a fraction is no lifetime | | cc: max-age=1.5 | 0 | | MISS
4.2.1 | of a repeated directive the first counts | | cc: max-age=60, max-age=5 | 50 | | HIT
4.2.2 | no heuristics beyond the rule | :ttl 1 | last-modified: @-86400 | 2 | | HIT validated
4.2.3 | Age is counted | | cc: max-age=60 & age: 50 | 5 | | HIT
4.2.3 | Age brings the end nearer | | cc: max-age=60 & age: 50 | 10 | | MISS
4.2.3 | an old Date counts as age | | cc: max-age=60 & date: @-50 | 10 | | MISS
4.2.3 | a Date ahead of the clock does not make it younger | | cc: max-age=60 & date: @50 | 60 | | MISS
4.2.3 | an Age that is no number is ignored | | cc: max-age=60 & age: old | 59 | | HIT
4.2.4 | max-stale takes what is stale | | cc: max-age=10 | 20 | cc: max-stale | STALE
4.2.4 | must-revalidate forbids it | | cc: max-age=10, must-revalidate & etag: "a" | 20 | cc: max-stale | HIT validated
4.2.4 | proxy-revalidate forbids it | | cc: max-age=10, proxy-revalidate & etag: "a" | 20 | cc: max-stale | HIT validated
4.2.4 | s-maxage forbids it | | cc: s-maxage=10 & etag: "a" | 20 | cc: max-stale | HIT validated
4.2.4 | an origin out of reach is an excuse for an hour | | cc: max-age=10 | 20 | :origin down | STALE
4.2.4 | but not for longer | | cc: max-age=10 & etag: "a" | 3700 | :origin down | error
4.2.4 | nor where s-maxage forbids it | | cc: s-maxage=10 & etag: "a" | 20 | :origin down | error
4.2.4 | nor where proxy-revalidate does | | cc: max-age=10, proxy-revalidate & etag: "a" | 20 | :origin down | error
4.2.4 | an origin that answers 503 is in reach | | cc: max-age=10 & etag: "a" | 20 | :origin 503 | MISS 503
4.3.1 | a stale answer is validated by its entity tag | | cc: max-age=10 & etag: "a" | 20 | | HIT validated
4.3.1 | or by its Last-Modified | | cc: max-age=10 & last-modified: @-99 | 20 | | HIT validated
4.3.2 | If-None-Match is answered from the store | | cc: max-age=60 & etag: "a" | 5 | if-none-match: "a" | HIT 304
4.3.2 | weak tags compare equal | | cc: max-age=60 & etag: W/"a" | 5 | if-none-match: "a" | HIT 304
4.3.2 | one tag of a list is enough | | cc: max-age=60 & etag: "a" | 5 | if-none-match: "b", W/"a" | HIT 304
4.3.2 | another tag gets the whole answer | | cc: max-age=60 & etag: "a" | 5 | if-none-match: "b" | HIT
4.3.2 | * matches whatever is stored | | cc: max-age=60 | 5 | if-none-match: * | HIT 304
4.3.2 | If-Modified-Since is answered from the store | | cc: max-age=60 & last-modified: @-99 | 5 | if-modified-since: @-99 | HIT 304
4.3.2 | modified since then | | cc: max-age=60 & last-modified: @-99 | 5 | if-modified-since: @-100 | HIT
4.3.2 | Date stands in for Last-Modified | | cc: max-age=60 & date: @0 | 5 | if-modified-since: @0 | HIT 304
4.3.2 | If-None-Match wins over If-Modified-Since | | cc: max-age=60 & etag: "a" & last-modified: @-99 | 5 | if-none-match: "b" & if-modified-since: @0 | HIT
4.3.2 | a date that is none is ignored | | cc: max-age=60 & last-modified: @-99 | 5 | if-modified-since: now | HIT
4.3.2 | If-Match is for the origin | | cc: max-age=60 & etag: "a" | 5 | if-match: "a" | BYPASS
4.3.2 | If-Unmodified-Since is for the origin | | cc: max-age=60 | 5 | if-unmodified-since: @0 | BYPASS
4.3.3 | a new answer takes the stale one's uri | | cc: max-age=10 & etag: "a" | 20 | :origin new | MISS
4.3.3 | a failure is handed on | | cc: max-age=10 & etag: "a" | 20 | :origin 503 | MISS 503
5.1 | an Age beyond all bounds is stale | | cc: max-age=60 & age: 99999999999 | 0 | | MISS
5.2 | quoted numbers are read | | cc: max-age="60" | 50 | | HIT
5.2 | a comma inside quotes does not end a directive | | cc: x="a, no-store", max-age=60 | 5 | | HIT
5.2 | unknown directives are ignored | | cc: x-own=1, max-age=60 | 5 | | HIT
5.2.1.1 | max-age of clients is advice, and not heeded | | cc: max-age=60 | 30 | cc: max-age=0 | HIT
5.2.1.1 | heeded where the operator wants it | :clients | cc: max-age=60 & etag: "a" | 30 | cc: max-age=29 | HIT validated
5.2.1.1 | and met | :clients | cc: max-age=60 | 30 | cc: max-age=30 | HIT
5.2.1.2 | max-stale within its seconds | | cc: max-age=10 | 20 | cc: max-stale=10 | STALE
5.2.1.2 | max-stale beyond them | | cc: max-age=10 | 21 | cc: max-stale=10 | MISS
5.2.1.3 | min-fresh is not heeded | | cc: max-age=60 | 50 | cc: min-fresh=30 | HIT
5.2.1.3 | min-fresh where the operator wants it | :clients | cc: max-age=60 | 50 | cc: min-fresh=30 | MISS
5.2.1.4 | no-cache of clients is not heeded | | cc: max-age=60 | 5 | cc: no-cache | HIT
5.2.1.4 | no-cache where the operator wants it | :clients | cc: max-age=60 & etag: "a" | 5 | cc: no-cache | HIT validated
5.2.1.5 | no-store of a request: its answer is not stored | cc: no-store | cc: max-age=60 | 0 | | MISS
5.2.1.5 | no-store may be answered from the store | | cc: max-age=60 | 5 | cc: no-store | HIT
5.2.1.7 | only-if-cached without an answer | :path /other | cc: max-age=60 | 0 | cc: only-if-cached | MISS 504
5.2.1.7 | only-if-cached with a fresh one | | cc: max-age=60 | 5 | cc: only-if-cached | HIT
5.2.1.7 | only-if-cached with a stale one | | cc: max-age=10 | 20 | cc: only-if-cached | MISS 504
5.2.2.2 | must-revalidate while fresh | | cc: max-age=60, must-revalidate | 5 | | HIT
5.2.2.2 | must-revalidate with an origin out of reach | :swr 50 | cc: max-age=10, must-revalidate & etag: "a" | 20 | :origin down | error
5.2.2.3 | must-understand with a known status outweighs no-store | | cc: must-understand, no-store, max-age=60 | 5 | | HIT
5.2.2.3 | must-understand with an unknown status | | :status 299 & cc: must-understand, max-age=60 | 0 | | MISS 299
5.2.2.4 | no-cache is asked for each time | | cc: no-cache & etag: "a" | 0 | | HIT validated
5.2.2.4 | no-cache forbids the rule's swr | :swr 50 | cc: no-cache, max-age=10 & etag: "a" | 5 | | HIT validated
5.2.2.4 | no-cache for some fields withholds those fields | | cc: no-cache="x-secret", max-age=60 & x-secret: 1 | 5 | | HIT
5.2.2.7 | private for some fields withholds those fields | | cc: private="x-secret", max-age=60 & x-secret: 1 | 5 | | HIT
5.2.2.7 | private for some fields and for all is for all | | cc: private="x-secret", private, max-age=60 | 0 | | MISS
5.2.2.9 | public alone: the rule's time | | cc: public | 50 | | HIT
5.2.2.9 | public makes no status cacheable without a lifetime here | | :status 302 & cc: public & location: /x | 0 | | MISS 302
5.3 | Expires: 0 is in the past | | expires: 0 | 0 | | MISS
5.3 | an obsolete date form is read | | expires: Monday, 16-Nov-26 12:01:00 GMT | 50 | | HIT
5.3 | and the C form | | expires: Mon Nov 16 12:01:00 2026 | 50 | | HIT
5.4 | Pragma is not heeded | | cc: max-age=60 | 5 | pragma: no-cache | HIT
5.4 | Pragma where the operator wants it | :clients | cc: max-age=60 | 5 | pragma: no-cache | MISS
5.4 | Pragma of an answer means nothing | | pragma: no-cache & cc: max-age=60 | 5 | | HIT
7.3 | Set-Cookie is not stored | | cc: max-age=60 & set-cookie: a=1 | 0 | | MISS
7.3 | Set-Cookie with public: stored, without the cookie | | cc: public, max-age=60 & set-cookie: a=1 | 5 | | HIT
7.3 | Set-Cookie that is private by name | | cc: private="set-cookie", max-age=60 & set-cookie: a=1 | 5 | | HIT
RFC 5861 3 | the answer's stale-while-revalidate | | cc: max-age=10, stale-while-revalidate=30 | 39 | | STALE
RFC 5861 3 | beyond it | | cc: max-age=10, stale-while-revalidate=30 | 40 | | MISS
RFC 5861 3 | the rule's where the answer has none | :swr 30 | cc: max-age=10 | 39 | | STALE
RFC 5861 3 | the answer's wins over the rule's | :swr 30 | cc: max-age=10, stale-while-revalidate=5 | 20 | | MISS
RFC 5861 3 | must-revalidate wins | :swr 30 | cc: max-age=10, must-revalidate, stale-while-revalidate=30 & etag: "a" | 20 | | HIT validated
RFC 5861 3 | the rule's does not count beside s-maxage | :swr 30 | cc: s-maxage=10 & etag: "a" | 20 | | HIT validated
RFC 5861 3 | the answer's own counts beside s-maxage | | cc: s-maxage=10, stale-while-revalidate=30 | 20 | | STALE
RFC 5861 4 | stale-if-error when the origin fails | | cc: max-age=10, stale-if-error=60 & etag: "a" | 20 | :origin 503 | STALE
RFC 5861 4 | and when it is out of reach | | cc: max-age=10, stale-if-error=60 | 20 | :origin down | STALE
RFC 5861 4 | beyond it | | cc: max-age=10, stale-if-error=5 & etag: "a" | 20 | :origin 503 | MISS 503
RFC 5861 4 | not for errors of the client | | cc: max-age=10, stale-if-error=60 & etag: "a" | 20 | :origin 404 | MISS 404
RFC 5861 4 | the client's stale-if-error | | cc: max-age=10 & etag: "a" | 20 | :origin 500 & cc: stale-if-error=60 | STALE
RFC 5861 4 | must-revalidate wins over it | | cc: max-age=10, must-revalidate, stale-if-error=60 & etag: "a" | 20 | :origin 500 | MISS 500
`;

/** Parses a cell: fields, and words that set options of the row. */
function parseCell(cell: string) {
  const headers: Record<string, string> = {};
  const words: Record<string, string> = {};
  for (const item of cell.split(" & ").map((part) => part.trim()).filter((part) => part !== "")) {
    const [, word, rest = ""] = /^:(\S+) ?(.*)$/.exec(item) ?? [];
    if (word !== undefined) words[word] = rest;
    else {
      const colon = item.indexOf(":");
      const value = item.slice(colon + 1).trim().replace(
        /^@(-?\d+)$/,
        (_, seconds) => formatHttpDate(START + Number(seconds) * 1000),
      );
      headers[item.slice(0, colon).replace(/^cc$/, "cache-control")] = value;
    }
  }
  return { headers, words };
}

async function outcomeOf(first: string, answer: string, seconds: number, second: string) {
  const [one, told, two] = [parseCell(first), parseCell(answer), parseCell(second)];
  const status = Number(told.words["status"] ?? 200);
  const fetched = ok(status === 204 ? null : "one", told.headers, status);
  const test = new TestCache(() => fetched, { clientsMayRevalidate: "clients" in one.words });
  const rule = {
    ttlSeconds: Number(one.words["ttl"] ?? 100),
    swrSeconds: Number(one.words["swr"] ?? 0),
  };
  const request = ({ words, headers }: typeof one) => ({
    method: words["method"] ?? "GET",
    url: words["path"] ?? "/page",
    headers,
  });
  await test.read(request(one), rule);
  test.now += seconds * 1000;
  let validated = false;
  test.respond = ({ headers }) => {
    const origin = two.words["origin"];
    if (origin === "down") throw new Error("Cannot connect");
    if (origin !== undefined && origin !== "new") return ok("failed", {}, Number(origin));
    validated = origin !== "new" &&
      ("if-none-match" in headers || "if-modified-since" in headers) && !("if-match" in headers);
    return validated ? ok(null, {}, 304) : ok("two", told.headers, status);
  };
  const seen = await test.read(request(two), rule).catch(() => undefined);
  if (seen === undefined) return { outcome: "error", headers: () => undefined };
  const parts = [seen.result];
  if (validated) parts.push("validated");
  if (seen.status !== 200) parts.push(String(seen.status));
  const hasBody = seen.status === 200 && two.words["method"] !== "HEAD";
  if (hasBody) assert.equal(seen.text, /HIT|STALE/.test(seen.result) ? "one" : "two");
  return { outcome: parts.join(" "), headers: seen.header };
}

const rows = ROWS.trim().split("\n").map((line) => line.split("|").map((cell) => cell.trim()));

Deno.test("the table has a row for each requirement", () => {
  assert.ok(rows.length >= 80);
  assert.ok(rows.every((row) => row.length === 7));
});

for (
  const [section = "", name = "", first = "", answer = "", seconds, second = "", expected] of rows
) {
  Deno.test(`RFC 9111 ${section}: ${name}`.replace("RFC 9111 RFC", "RFC"), async () => {
    const { outcome, headers } = await outcomeOf(first, answer, Number(seconds), second);
    assert.equal(outcome, expected);
    if (outcome.startsWith("HIT")) {
      assert.equal(headers("set-cookie"), undefined);
      assert.equal(headers("x-secret"), undefined);
      assert.match(headers("age") ?? "", /^\d+$/);
      assert.ok(headers("date"));
    }
  });
}
