import assert from "node:assert/strict";
import { framingProblem, hostProblem, placeholderHost } from "./request_problems.ts";

const places = [
  ["127.0.0.1", 8787, "http", "localhost:8787"],
  ["127.0.0.1", 80, "http", "localhost"],
  ["::1", 443, "https", "localhost"],
  ["192.0.2.1", 8787, "http", "192.0.2.1:8787"],
  ["2001:db8::1", 443, "http", "[2001:db8::1]:443"],
] as const;

for (const [hostname, port, scheme, wanted] of places) {
  Deno.test(`placeholderHost() returns ${wanted} for ${scheme}, ${hostname} and ${port}`, () => {
    assert.equal(placeholderHost({ hostname, port }, scheme), wanted);
  });
}

const rows: readonly (readonly [url: string, host: string | null, problem: RegExp | undefined])[] =
  [
    ["http://a.test/", "a.test", undefined],
    ["http://localhost:8787/", "localhost:8787", undefined],
    ["http://localhost:87871/", "localhost:87871", undefined],
    ["http://localhost:8787/", null, /no Host header/],
    ["http://localhost:8787/", "", /empty/],
    ["http:///", "", /empty/],
    ["http://a.test/", "a.test, b.test", /several hosts/],
    ["http://a.test/x,y", "a.test", undefined],
    ["https://a.test/", "a.test", undefined],
  ];

for (const [url, host, problem] of rows) {
  Deno.test(`hostProblem() checks ${url} with Host ${JSON.stringify(host)}`, () => {
    const facts = { url, placeholder: "localhost:8787", isHttp2: false, host };
    const found = hostProblem(facts);
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? "", problem);
  });
}

Deno.test("hostProblem() does not require a Host header for HTTP/2", () => {
  const url = "https://localhost:8787/";
  const facts = { url, placeholder: "localhost:8787", isHttp2: true, host: null };
  assert.equal(hostProblem(facts), undefined);
});

Deno.test("framingProblem() refuses a length together with a coding, but accepts each alone", () => {
  const [length, coding] = [{ "content-length": "5" }, { "transfer-encoding": "chunked" }];
  assert.match(framingProblem(new Headers({ ...length, ...coding }))!, /not both/);
  for (const headers of [length, coding, {}]) {
    assert.equal(framingProblem(new Headers(headers)), undefined);
  }
});

for (const coding of ["gzip, chunked", "chunked, chunked", "identity, chunked", "chunked, gzip"]) {
  Deno.test(`framingProblem() refuses a body in ${coding}`, () => {
    assert.match(
      framingProblem(new Headers({ "transfer-encoding": coding }))!,
      /only Transfer-Encoding: chunked/,
    );
  });
}

Deno.test("framingProblem() accepts the chunked coding in upper and lower case", () => {
  assert.equal(framingProblem(new Headers({ "transfer-encoding": "Chunked" })), undefined);
});
