/**
 * Requirements of RFC 9111 (and RFC 5861, if named) for a response and a later request, row by row:
 * `section | name | first request | response | seconds | second request | outcome`.
 *
 * Fields are joined by ` & `. `cc` means `cache-control`, and `@-30` is the date 30 s before the
 * current time. Words with a colon set an option of the row: `:method`, `:path`, `:swr` and `:ttl`
 * (of the rule; 100 s by default), `:clients` (clients may revalidate), `:status`, and `:origin`
 * for the origin's second response.
 *
 * The outcome is the second client's response: `x-svc-cache`, then `validated` if the origin
 * responded with 304, and the status if it is not 200.
 */
import assert from "node:assert/strict";
import { formatHttpDate } from "./http_date.ts";
import { ok, START, TestCache } from "./_test_origin.ts";

const ROWS = `
3 | GET with explicit lifetime is stored | | cc: max-age=60 | 10 | | HIT
3 | the rule's lifetime applies to a response without one | | | 99 | | HIT
3 | a response is stale after the rule's lifetime | | | 100 | | MISS
3 | POST is not stored | :method POST | cc: max-age=60 | 0 | :method POST | BYPASS
3 | a response to POST is not used for GET | :method POST | cc: max-age=60 | 0 | | MISS
3 | no-store is not stored | | cc: no-store | 0 | | MISS
3 | no-store takes precedence over max-age | | cc: max-age=60, no-store | 0 | | MISS
3 | names of directives are not case-sensitive | | cc: No-Store | 0 | | MISS
3 | private is not stored | | cc: private, max-age=60 | 0 | | MISS
3 | a status that is not cacheable by default needs a lifetime | | :status 302 & location: /x | 0 | | MISS 302
3 | 302 with a lifetime is stored | | :status 302 & cc: max-age=60 & location: /x | 5 | | HIT 302
3 | 503 is not cacheable by default | | :status 503 | 0 | | MISS 503
3 | 404 is cacheable by default | | :status 404 | 59 | | HIT 404
3 | a rule stores an error for no longer than a minute | | :status 404 | 60 | | MISS 404
3 | an error with a lifetime is stored that long | | :status 404 & cc: max-age=90 | 80 | | HIT 404
3 | 301 is cacheable by default | | :status 301 & location: /x | 50 | | HIT 301
3 | 204 is cacheable by default | | :status 204 | 50 | | HIT 204
3 | 410 is cacheable by default | | :status 410 | 50 | | HIT 410
3 | an unknown status with a lifetime is stored | | :status 299 & cc: max-age=60 | 5 | | HIT 299
3.3 | 206 is never stored | | :status 206 & cc: max-age=60 & content-range: bytes 0-2/3 | 0 | | MISS 206
3.3 | a response to a range request is not stored | range: bytes=0-0 | cc: max-age=60 | 0 | | MISS
3.5 | a response to an authorized request is not stored | authorization: A | cc: max-age=60 | 0 | | MISS
3.5 | a public response to an authorized request is stored | authorization: A | cc: max-age=60, public | 5 | | HIT
3.5 | a response with s-maxage to an authorized request is stored | authorization: A | cc: s-maxage=60 | 5 | | HIT
3.5 | a response with must-revalidate to an authorized request is stored | authorization: A | cc: max-age=60, must-revalidate | 5 | | HIT
3.5 | the rule's lifetime does not share a response to an authorized request | authorization: A | | 0 | authorization: A | MISS
3.5 | an authorized request gets no stored response that is not marked as shared | | cc: max-age=60 | 5 | authorization: A | MISS
3.5 | an authorized request gets a stored public response | | cc: max-age=60, public | 5 | authorization: A | HIT
4 | the query is part of the key | :path /page?a=1 | cc: max-age=60 | 0 | :path /page?a=2 | MISS
4 | paths differ by case | :path /Page | cc: max-age=60 | 0 | :path /page | MISS
4 | HEAD is served from a stored response to GET | | cc: max-age=60 | 5 | :method HEAD | HIT
4 | a body with GET goes to the origin | | cc: max-age=60 | 5 | content-length: 5 | BYPASS
4 | a chunked body with GET goes to the origin | | cc: max-age=60 | 5 | transfer-encoding: chunked | BYPASS
4 | OPTIONS is not served from a stored response to GET | | cc: max-age=60 | 5 | :method OPTIONS | BYPASS
4.1 | the same value of a field in Vary matches | accept-language: de | cc: max-age=60 & vary: accept-language | 5 | accept-language: de | HIT
4.1 | a different value of a field in Vary does not match | accept-language: de | cc: max-age=60 & vary: accept-language | 5 | accept-language: en | MISS
4.1 | a value does not match a missing field | | cc: max-age=60 & vary: accept-language | 5 | accept-language: en | MISS
4.1 | a missing field does not match a value | accept-language: de | cc: max-age=60 & vary: accept-language | 5 | | MISS
4.1 | a missing field matches a missing field | | cc: max-age=60 & vary: accept-language | 5 | | HIT
4.1 | an empty value does not match a missing field | x-a:  | cc: max-age=60 & vary: x-a | 5 | | MISS
4.1 | names in Vary are not case-sensitive | accept-language: de | cc: max-age=60 & vary: Accept-Language | 5 | accept-language: en | MISS
4.1 | white space does not matter | accept-language: de, en | cc: max-age=60 & vary: accept-language | 5 | accept-language: de ,en | HIT
4.1 | the order of codings does not matter | accept-encoding: gzip, br | cc: max-age=60 & vary: accept-encoding | 5 | accept-encoding: br,GZIP | HIT
4.1 | the weight of a coding matters | accept-encoding: gzip | cc: max-age=60 & vary: accept-encoding | 5 | accept-encoding: gzip;q=0 | MISS
4.1 | all names in Vary count | x-a: 1 & x-b: 1 | cc: max-age=60 & vary: x-a, x-b | 5 | x-a: 1 & x-b: 2 | MISS
4.1 | fields outside Vary do not matter | x-a: 1 | cc: max-age=60 & vary: x-b | 5 | x-a: 2 | HIT
4.1 | Vary: * is not stored | | cc: max-age=60 & vary: * | 0 | | MISS
4.1 | Vary with * among names is not stored | | cc: max-age=60 & vary: x-a, * | 0 | | MISS
4.1 | Vary with an invalid field name is not stored | | cc: max-age=60 & vary: x-a, x b | 0 | | MISS
4.2 | a response is fresh until its lifetime ends | | cc: max-age=60 | 59 | | HIT
4.2 | a response is stale when its age equals its lifetime | | cc: max-age=60 | 60 | | MISS
4.2.1 | a longer s-maxage takes precedence over max-age | | cc: max-age=10, s-maxage=60 | 50 | | HIT
4.2.1 | a shorter s-maxage takes precedence over max-age | | cc: max-age=60, s-maxage=10 | 20 | | MISS
4.2.1 | max-age takes precedence over Expires | | cc: max-age=60 & expires: @10 | 50 | | HIT
4.2.1 | Expires sets the lifetime if there is no max-age | | expires: @60 | 59 | | HIT
4.2.1 | Expires is relative to the origin's Date | | date: @-30 & expires: @30 | 29 | | HIT
4.2.1 | a response with Expires in the past is stale | | expires: @-1 | 0 | | MISS
4.2.1 | the response's lifetime takes precedence over the rule's | | cc: max-age=10 | 20 | | MISS
4.2.1 | a lifetime that is not a number makes a response stale | | cc: max-age=soon | 0 | | MISS
4.2.1 | a negative lifetime makes a response stale | | cc: max-age=-1 | 0 | | MISS
4.2.1 | a fractional lifetime makes a response stale | | cc: max-age=1.5 | 0 | | MISS
4.2.1 | the first of several equal directives counts | | cc: max-age=60, max-age=5 | 50 | | HIT
4.2.2 | no heuristic extends the rule's lifetime | :ttl 1 | last-modified: @-86400 | 2 | | HIT validated
4.2.3 | a response with Age is fresh within its lifetime | | cc: max-age=60 & age: 50 | 5 | | HIT
4.2.3 | Age shortens the time until a response is stale | | cc: max-age=60 & age: 50 | 10 | | MISS
4.2.3 | an old Date counts as age | | cc: max-age=60 & date: @-50 | 10 | | MISS
4.2.3 | a Date ahead of the clock does not make a response younger | | cc: max-age=60 & date: @50 | 60 | | MISS
4.2.3 | an Age that is not a number is ignored | | cc: max-age=60 & age: old | 59 | | HIT
4.2.4 | max-stale accepts a stale response | | cc: max-age=10 | 20 | cc: max-stale | STALE
4.2.4 | must-revalidate overrides max-stale | | cc: max-age=10, must-revalidate & etag: "a" | 20 | cc: max-stale | HIT validated
4.2.4 | proxy-revalidate overrides max-stale | | cc: max-age=10, proxy-revalidate & etag: "a" | 20 | cc: max-stale | HIT validated
4.2.4 | s-maxage overrides max-stale | | cc: s-maxage=10 & etag: "a" | 20 | cc: max-stale | HIT validated
4.2.4 | a stale response is served for an hour if the origin is unreachable | | cc: max-age=10 | 20 | :origin down | STALE
4.2.4 | no stale response is served after an hour if the origin is unreachable | | cc: max-age=10 & etag: "a" | 3700 | :origin down | error
4.2.4 | s-maxage forbids a stale response if the origin is unreachable | | cc: s-maxage=10 & etag: "a" | 20 | :origin down | error
4.2.4 | proxy-revalidate forbids a stale response if the origin is unreachable | | cc: max-age=10, proxy-revalidate & etag: "a" | 20 | :origin down | error
4.2.4 | an origin that responds with 503 is not unreachable | | cc: max-age=10 & etag: "a" | 20 | :origin 503 | MISS 503
4.3.1 | a stale response is validated by its entity tag | | cc: max-age=10 & etag: "a" | 20 | | HIT validated
4.3.1 | a stale response is validated by its Last-Modified | | cc: max-age=10 & last-modified: @-99 | 20 | | HIT validated
4.3.2 | If-None-Match is compared with the stored response | | cc: max-age=60 & etag: "a" | 5 | if-none-match: "a" | HIT 304
4.3.2 | a weak tag matches the same strong tag | | cc: max-age=60 & etag: W/"a" | 5 | if-none-match: "a" | HIT 304
4.3.2 | one matching tag in a list is enough | | cc: max-age=60 & etag: "a" | 5 | if-none-match: "b", W/"a" | HIT 304
4.3.2 | a different tag gets the whole response | | cc: max-age=60 & etag: "a" | 5 | if-none-match: "b" | HIT
4.3.2 | * matches any stored response | | cc: max-age=60 | 5 | if-none-match: * | HIT 304
4.3.2 | If-Modified-Since is compared with the stored response | | cc: max-age=60 & last-modified: @-99 | 5 | if-modified-since: @-99 | HIT 304
4.3.2 | If-Modified-Since gets a response that was modified later | | cc: max-age=60 & last-modified: @-99 | 5 | if-modified-since: @-100 | HIT
4.3.2 | Date replaces a missing Last-Modified | | cc: max-age=60 & date: @0 | 5 | if-modified-since: @0 | HIT 304
4.3.2 | If-None-Match takes precedence over If-Modified-Since | | cc: max-age=60 & etag: "a" & last-modified: @-99 | 5 | if-none-match: "b" & if-modified-since: @0 | HIT
4.3.2 | an invalid date in If-Modified-Since is ignored | | cc: max-age=60 & last-modified: @-99 | 5 | if-modified-since: now | HIT
4.3.2 | If-Match is left to the origin | | cc: max-age=60 & etag: "a" | 5 | if-match: "a" | BYPASS
4.3.2 | If-Unmodified-Since is left to the origin | | cc: max-age=60 | 5 | if-unmodified-since: @0 | BYPASS
4.3.3 | a new response replaces the stale response | | cc: max-age=10 & etag: "a" | 20 | :origin new | MISS
4.3.3 | an error response of the origin is passed on | | cc: max-age=10 & etag: "a" | 20 | :origin 503 | MISS 503
5.1 | an excessive Age makes a response stale | | cc: max-age=60 & age: 99999999999 | 0 | | MISS
5.2 | a quoted number is accepted | | cc: max-age="60" | 50 | | HIT
5.2 | a comma inside quotes does not end a directive | | cc: x="a, no-store", max-age=60 | 5 | | HIT
5.2 | unknown directives are ignored | | cc: x-own=1, max-age=60 | 5 | | HIT
5.2.1.1 | max-age of a client is ignored | | cc: max-age=60 | 30 | cc: max-age=0 | HIT
5.2.1.1 | max-age of a client applies if the operator allows it | :clients | cc: max-age=60 & etag: "a" | 30 | cc: max-age=29 | HIT validated
5.2.1.1 | a response within a client's max-age is served if the operator allows it | :clients | cc: max-age=60 | 30 | cc: max-age=30 | HIT
5.2.1.2 | max-stale with a limit accepts a response within the limit | | cc: max-age=10 | 20 | cc: max-stale=10 | STALE
5.2.1.2 | max-stale with a limit refuses a response beyond the limit | | cc: max-age=10 | 21 | cc: max-stale=10 | MISS
5.2.1.3 | min-fresh is ignored | | cc: max-age=60 | 50 | cc: min-fresh=30 | HIT
5.2.1.3 | min-fresh applies if the operator allows it | :clients | cc: max-age=60 | 50 | cc: min-fresh=30 | MISS
5.2.1.4 | no-cache of a client is ignored | | cc: max-age=60 | 5 | cc: no-cache | HIT
5.2.1.4 | no-cache of a client applies if the operator allows it | :clients | cc: max-age=60 & etag: "a" | 5 | cc: no-cache | HIT validated
5.2.1.5 | a response to a request with no-store is not stored | cc: no-store | cc: max-age=60 | 0 | | MISS
5.2.1.5 | a request with no-store gets a stored response | | cc: max-age=60 | 5 | cc: no-store | HIT
5.2.1.7 | only-if-cached gets a 504 if no response is stored | :path /other | cc: max-age=60 | 0 | cc: only-if-cached | MISS 504
5.2.1.7 | only-if-cached gets a fresh response | | cc: max-age=60 | 5 | cc: only-if-cached | HIT
5.2.1.7 | only-if-cached gets a 504 instead of a stale response | | cc: max-age=10 | 20 | cc: only-if-cached | MISS 504
5.2.2.2 | a fresh response with must-revalidate is served | | cc: max-age=60, must-revalidate | 5 | | HIT
5.2.2.2 | must-revalidate forbids a stale response if the origin is unreachable | :swr 50 | cc: max-age=10, must-revalidate & etag: "a" | 20 | :origin down | error
5.2.2.3 | must-understand with a known status overrides no-store | | cc: must-understand, no-store, max-age=60 | 5 | | HIT
5.2.2.3 | must-understand with an unknown status is not stored | | :status 299 & cc: must-understand, max-age=60 | 0 | | MISS 299
5.2.2.4 | a response with no-cache is validated each time | | cc: no-cache & etag: "a" | 0 | | HIT validated
5.2.2.4 | no-cache overrides the rule's stale-while-revalidate | :swr 50 | cc: no-cache, max-age=10 & etag: "a" | 5 | | HIT validated
5.2.2.4 | no-cache for some fields withholds those fields | | cc: no-cache="x-secret", max-age=60 & x-secret: 1 | 5 | | HIT
5.2.2.7 | private for some fields withholds those fields | | cc: private="x-secret", max-age=60 & x-secret: 1 | 5 | | HIT
5.2.2.7 | private without field names overrides private with field names | | cc: private="x-secret", private, max-age=60 | 0 | | MISS
5.2.2.9 | public without a lifetime gets the rule's lifetime | | cc: public | 50 | | HIT
5.2.2.9 | public without a lifetime does not make a 302 cacheable | | :status 302 & cc: public & location: /x | 0 | | MISS 302
5.3 | Expires: 0 is in the past | | expires: 0 | 0 | | MISS
5.3 | the obsolete RFC 850 date format is accepted | | expires: Monday, 16-Nov-26 12:01:00 GMT | 50 | | HIT
5.3 | the asctime() date format is accepted | | expires: Mon Nov 16 12:01:00 2026 | 50 | | HIT
5.4 | Pragma of a client is ignored | | cc: max-age=60 | 5 | pragma: no-cache | HIT
5.4 | Pragma of a client applies if the operator allows it | :clients | cc: max-age=60 | 5 | pragma: no-cache | MISS
5.4 | Pragma of a response is ignored | | pragma: no-cache & cc: max-age=60 | 5 | | HIT
7.3 | a response with Set-Cookie is not stored | | cc: max-age=60 & set-cookie: a=1 | 0 | | MISS
7.3 | a public response with Set-Cookie is stored without the cookie | | cc: public, max-age=60 & set-cookie: a=1 | 5 | | HIT
7.3 | a response whose Set-Cookie is private is stored without the cookie | | cc: private="set-cookie", max-age=60 & set-cookie: a=1 | 5 | | HIT
RFC 5861 3 | the response's stale-while-revalidate applies | | cc: max-age=10, stale-while-revalidate=30 | 39 | | STALE
RFC 5861 3 | a response is not served after its stale-while-revalidate | | cc: max-age=10, stale-while-revalidate=30 | 40 | | MISS
RFC 5861 3 | the rule's stale-while-revalidate applies if the response has none | :swr 30 | cc: max-age=10 | 39 | | STALE
RFC 5861 3 | the response's stale-while-revalidate takes precedence over the rule's | :swr 30 | cc: max-age=10, stale-while-revalidate=5 | 20 | | MISS
RFC 5861 3 | must-revalidate overrides stale-while-revalidate | :swr 30 | cc: max-age=10, must-revalidate, stale-while-revalidate=30 & etag: "a" | 20 | | HIT validated
RFC 5861 3 | s-maxage overrides the rule's stale-while-revalidate | :swr 30 | cc: s-maxage=10 & etag: "a" | 20 | | HIT validated
RFC 5861 3 | s-maxage does not override the response's stale-while-revalidate | | cc: s-maxage=10, stale-while-revalidate=30 | 20 | | STALE
RFC 5861 4 | stale-if-error applies if the origin responds with 503 | | cc: max-age=10, stale-if-error=60 & etag: "a" | 20 | :origin 503 | STALE
RFC 5861 4 | stale-if-error applies if the origin is unreachable | | cc: max-age=10, stale-if-error=60 | 20 | :origin down | STALE
RFC 5861 4 | a response is not served after its stale-if-error | | cc: max-age=10, stale-if-error=5 & etag: "a" | 20 | :origin 503 | MISS 503
RFC 5861 4 | stale-if-error does not apply to a 404 | | cc: max-age=10, stale-if-error=60 & etag: "a" | 20 | :origin 404 | MISS 404
RFC 5861 4 | stale-if-error of a client applies | | cc: max-age=10 & etag: "a" | 20 | :origin 500 & cc: stale-if-error=60 | STALE
RFC 5861 4 | must-revalidate overrides stale-if-error | | cc: max-age=10, must-revalidate, stale-if-error=60 & etag: "a" | 20 | :origin 500 | MISS 500
`;

/** Parses a cell, which contains fields, and words that set options of the row. */
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

Deno.test("the table has at least 80 complete rows", () => {
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
