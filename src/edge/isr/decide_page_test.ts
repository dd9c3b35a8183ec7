import assert from "node:assert/strict";
import type { Header } from "../messages/header_list.ts";
import { clientCacheControl, decidePage } from "./decide_page.ts";

const ROWS: readonly (readonly [status: number, headers: Header[], expected: string])[] = [
  [200, [], "store"],
  [301, [["location", "/x"]], "store"],
  [308, [["location", "/x"]], "store"],
  [404, [], "store"],
  [410, [], "store"],
  [401, [], "private"],
  [403, [], "private"],
  [206, [["content-range", "bytes 0-1/5"]], "private"],
  [500, [], "failed"],
  [503, [], "failed"],
  [200, [["set-cookie", "a=1"]], "private"],
  [200, [["cache-control", "private"]], "private"],
  [200, [["cache-control", "public, no-store"]], "private"],
  [200, [["cache-control", "no-cache"]], "private"],
  [200, [["cache-control", "s-maxage=1, stale-while-revalidate"]], "store"],
  [200, [["vary", "Cookie"]], "private"],
  [200, [["vary", "*"]], "private"],
  [200, [["vary", "Origin"]], "private"],
  [200, [["vary", "Accept-Encoding"], ["vary", "Accept"]], "store"],
  [200, [["content-encoding", "gzip"]], "private"],
  [200, [["content-type", "text/event-stream"]], "private"],
];

for (const [status, headers, expected] of ROWS) {
  Deno.test(`decidePage() returns "${expected}" for ${status} ${JSON.stringify(headers)}`, () => {
    assert.equal(decidePage({ status, headers }, { stores404: true }).type, expected);
  });
}

Deno.test("decidePage() does not store a 404 that falls through to the next route", () => {
  assert.equal(decidePage({ status: 404, headers: [] }, { stores404: false }).type, "missing");
});

const ASK = "public, max-age=0, must-revalidate";

const CONTROLS: readonly (readonly [said: string | undefined, told: string])[] = [
  [undefined, ASK],
  ["s-maxage=60, stale-while-revalidate", ASK],
  ["public", ASK],
  ["public, max-age=30, s-maxage=60", "public, max-age=30"],
];

for (const [said, told] of CONTROLS) {
  Deno.test(`clientCacheControl() returns "${told}" for ${said ?? "no field"}`, () => {
    const headers: Header[] = said === undefined ? [] : [["cache-control", said]];
    assert.deepEqual(clientCacheControl(headers), ["cache-control", told]);
  });
}
