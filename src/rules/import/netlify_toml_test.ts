/**
 * Tests imports of `netlify.toml` with the test cases of Netlify's own parsers (netlify/build:
 * redirect-parser and headers-parser, netlify_config): their effects on requests, and the messages
 * about everything that cannot be imported.
 */
import assert from "node:assert/strict";
import { headersAt, leads } from "./_test_requests.ts";
import { UnreadableImportError } from "./import_result.ts";
import { importNetlifyToml } from "./netlify_toml.ts";
import type { DescribedRequest } from "../request/facts.ts";

type Row = readonly [toml: string, request: DescribedRequest | string, leads: string];

const redirect = (fields: string) => `[[redirects]]\n${fields}\n`;
const OLD = 'from = "/old-path"\nto = "/new-path"\n';

const REDIRECTS: readonly Row[] = [
  [redirect(OLD), "/old-path", "301 /new-path"],
  [redirect(OLD), "/old-path/", "301 /new-path"],
  [redirect('origin = "/old-path"\ndestination = "/new-path"'), "/old-path", "301 /new-path"],
  [redirect(`${OLD}status = "200"`), "/old-path", "/new-path"],
  [redirect('from = "/old-path/*"\nstatus = 200'), "/old-path/a/b", "/old-path/a/b"],
  [redirect('from = "/news/*"\nto = "/blog/:splat"\nstatus = 302'), "/news/a", "302 /blog/a"],
  [
    redirect(`${OLD}conditions = {Country = ["US"]}`),
    { url: "/old-path", country: "US" },
    "301 /new-path",
  ],
  [redirect(`${OLD}conditions = {country = "US"}`), { url: "/old-path", country: "DE" }, "-"],
  [redirect(`${OLD}query = {page = "news"}`), "/old-path?page=news", "301 /new-path?page=news"],
  [redirect(`${OLD}params = {page = "news"}`), "/old-path", "-"],
  [
    redirect('from = "/api/*"\nto = "https://api.b.example/:splat"\nstatus = 200\nforce = true'),
    "/api/x",
    "https://api.b.example/x",
  ],
  ['redirects = [{from = "/a", to = "/b", status = 308}]\n', "/a", "308 /b"],
];

Deno.test("importNetlifyToml() keeps the meaning of Netlify's redirects", async (t) => {
  for (const [toml, request, wanted] of REDIRECTS) {
    await t.step(`${JSON.stringify(toml)} at ${JSON.stringify(request)}`, () => {
      const result = importNetlifyToml(toml);
      assert.deepEqual([result.read, result.imported, result.unsupported], [1, 1, []]);
      assert.equal(leads(result, request), wanted);
    });
  }
});

Deno.test("importNetlifyToml() prefers a file to a redirect without force", () => {
  assert.equal(leads(importNetlifyToml(redirect(OLD)), "/old-path", true), "-");
  const forced = importNetlifyToml(redirect(`${OLD}force = true`));
  assert.equal(leads(forced, "/old-path", true), "301 /new-path");
});

const REFUSED: readonly (readonly [fields: string, reason: RegExp])[] = [
  [`${OLD}query = {path = ":path"}`, /cannot capture the value of a query parameter: "path=:path"/],
  [`${OLD}conditions = {Language = ["en"]}`, /conditions on Language/],
  [`${OLD}conditions = {Role = ["admin"]}`, /conditions on Role/],
  [`${OLD}signed = "API_SIGNATURE_TOKEN"`, /cannot sign the request/],
  [`${OLD}headers = {X-From = "Netlify"}`, /headers on the request to the target/],
  [`${OLD}[redirects.rate_limit]\nwindow_limit = 40`, /write a rule with rate_limit/],
  [`${OLD}status = 404`, /cannot set the 404 page/],
  [`${OLD}status = ""`, /not a three-digit number/],
  [`${OLD}status = 9000`, /not a three-digit number/],
  [`${OLD}headers = "a"`, /"headers"/],
  [`${OLD}toString = 1`, /"toString"/],
  ['from = "old-path"\nto = "new-path"', /does not begin with "\/"/],
  ['from = "/a"', /needs "to"/],
  ['to = "/a"', /needs "from"/],
  ['from = "/old-path/*"\nstatus = 300', /needs "to"/],
  ['from = "/.netlify/x"\nto = "/y"', /reserves \/\.netlify/],
  ['from = "http://www.example.com/a"\nto = "/b"', /http only/],
];

Deno.test("importNetlifyToml() lists the line of each redirect without an equivalent", () => {
  for (const [fields, reason] of REFUSED) {
    const { imported, unsupported } = importNetlifyToml(`# mine\n${redirect(fields)}`);
    assert.equal(imported, 0, fields);
    assert.equal(unsupported.length, 1, fields);
    assert.ok([2, 3].includes(unsupported[0]!.line), fields);
    assert.match(unsupported[0]!.reason, reason);
  }
  const { unsupported } = importNetlifyToml('redirects = ["/a /b"]\n');
  assert.deepEqual(unsupported, [
    { line: 1, text: 'redirects = ["/a /b"]', reason: "It is not a table" },
  ]);
});

const HEADERS: readonly (readonly [values: string, headers: Record<string, string>])[] = [
  ['test = "one"', { test: "one" }],
  ['" test " = " one "', { test: "one" }],
  ["test = '''\n  one,\n  two\n  '''", { test: "one, two" }],
  ['test = ["one", "two"]', { test: "one, two" }],
  ["", {}],
];

Deno.test("importNetlifyToml() sets the headers that Netlify sets", () => {
  for (const [values, headers] of HEADERS) {
    const result = importNetlifyToml(`[[headers]]\nfor = " /path "\n[headers.values]\n${values}\n`);
    assert.deepEqual(result.unsupported, []);
    assert.deepEqual(headersAt(result, "/path"), headers);
    assert.deepEqual(headersAt(result, "/other"), {});
  }
});

Deno.test("importNetlifyToml() keeps the other headers of a path if one has no equivalent", () => {
  const result = importNetlifyToml(`[[headers]]
for = "/*"
[headers.values]
Basic-Auth = "user:password"
Set-Cookie = ["a=1", "b=2"]
X-Frame-Options = "DENY"
X-Empty = ""
`);
  assert.deepEqual(headersAt(result, "/"), { "x-frame-options": "DENY", "set-cookie": "a=1" });
  assert.deepEqual(result.unsupported.map(({ line, reason }) => [line, reason.slice(0, 25)]), [
    [4, "Basic-Auth is not a respo"],
    [5, "A rule sets one Set-Cooki"],
    [7, "The header has no value"],
  ]);
  assert.equal(result.read, 5);
  const elsewhere = importNetlifyToml('[[headers]]\nfor = "path"\n[headers.values]\na = "b"\n');
  assert.deepEqual(elsewhere.unsupported.map(({ line }) => line), [2]);
});

Deno.test("importNetlifyToml() says where svc has the equivalent of every other setting", () => {
  const { unsupported, imported } = importNetlifyToml(`[build]
  base = "web"
  command = "npm run build"
  publish = "dist"
  [build.environment]
    NODE_VERSION = "24"

[context.production.environment]
  API = "https://api.example"
[context."feature/x"]
  command = "npm run x"

[[plugins]]
  package = "@netlify/plugin-lighthouse"
[dev]
  port = 8888
[nothing.known]
  to = ["us"]
`);
  assert.equal(imported, 0);
  assert.deepEqual(unsupported.map(({ line, reason }) => `${line} ${reason}`), [
    "2 svc does not support a base folder. Deploy the folder: svc deploy <dir>",
    '3 Set it in svc.toml: [build] command = "npm run build"',
    '4 Set it in svc.toml: [build] output_dirs = ["dist"]',
    "6 Set the variable on the platform: svc env set NODE_VERSION --all",
    '9 Set the variable on the platform: svc env set API --environment "production"',
    "11 All environments share these settings; only variables differ (svc env set)",
    "14 svc does not support build plugins. Run what you need in the build command",
    "16 Set it in svc.toml: [dev]",
    '18 The setting "nothing.known.to" has no equivalent',
  ]);
});

Deno.test("importNetlifyToml() refuses invalid TOML, with the line", () => {
  assert.throws(
    () => importNetlifyToml("[build]\ncommand = \n"),
    (error) => error instanceof UnreadableImportError && /^Line 2: /.test(error.message),
  );
});
