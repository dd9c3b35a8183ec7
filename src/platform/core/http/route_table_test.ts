import assert from "node:assert/strict";
import { endpoints } from "../../../contract/endpoints.ts";
import { RouteTable } from "./route_table.ts";
import { Router } from "./router.ts";

const nobody = () => Promise.reject(new Error("No credentials are expected"));
const client = { address: "192.0.2.1", userAgent: "", cookie: null, country: () => null };
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Creates a router in which every endpoint in the contract responds with its own name. */
function namingRouter(bindMore?: () => Promise<void>): Router {
  const router = new Router({
    idempotency: { run: nobody },
    gatekeeper: { caller: nobody, recheck: nobody, person: nobody, self: nobody },
    requestId: () => "r1",
    onFault: (_, cause) => assert.fail(String(cause)),
    showFailure: () => assert.fail("No page is expected"),
  });
  const { params, query, body } = endpoints.getHealth;
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const open = { ...endpoint, params, query, body, access: "anyone" as const };
    router.open(open, () => new Response(name));
  }
  router.seal(bindMore);
  return router;
}

const paths = [...new Set(Object.values(endpoints).map(({ path }) => path))];
const patterns = paths.map((path) => ({
  path,
  fits: new RegExp(`^${path.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`),
  rank: path.replace(/\{\w+\}/g, "\uffff"),
}));

/**
 * Returns the most specific matching path: where it first differs from the other matching paths, it
 * has a fixed segment instead of a parameter.
 */
function mostSpecific(path: string): string {
  return patterns.filter(({ fits }) => fits.test(path))
    .reduce((best, next) => next.rank < best.rank ? next : best).path;
}

/**
 * Returns the words to try at a position in a path: an arbitrary word, and the fixed segments that
 * other paths have there.
 */
function wordsAt(index: number): string[] {
  const fixed = paths.map((path) => path.split("/")[index] ?? "{}");
  return ["any", ...new Set(fixed.filter((segment) => !segment.startsWith("{")))];
}

/** Concrete paths for the whole table, in which each parameter in turn takes every word. */
const samples = [
  ...new Set(paths.flatMap((path) => {
    const segments = path.split("/");
    const filled = (place: number, word: string) =>
      segments.map((each, index) => !each.startsWith("{") ? each : index === place ? word : "any")
        .join("/");
    return segments.flatMap((_, index) => wordsAt(index).map((word) => filled(index, word)));
  })),
];

Deno.test("a path resolves to its most specific endpoint, and Allow lists its methods", async () => {
  const router = namingRouter();
  for (const path of samples) {
    const wantedPath = mostSpecific(path);
    const own = Object.entries(endpoints).filter(([, endpoint]) => endpoint.path === wantedPath);
    const methods = own.map(([, { method }]) => method as string);
    const wanted = [...methods, "OPTIONS", ...(methods.includes("GET") ? ["HEAD"] : [])].sort();
    for (const method of [...METHODS, "OPTIONS"]) {
      const request = new Request(`http://platform.test${path}`, { method });
      const answer = await router.fetch(request, client);
      const name = own.find(([, endpoint]) => endpoint.method === method)?.[0];
      const seen = await answer.text();
      if (name !== undefined) {
        assert.equal(seen, name, `${method} ${path}`);
        continue;
      }
      assert.equal(answer.status, method === "OPTIONS" ? 204 : 405, `${method} ${path}`);
      assert.equal(answer.headers.get("allow"), wanted.join(", "), `${method} ${path}`);
    }
  }
});

Deno.test("HEAD gets the response to GET without a body", async () => {
  const router = namingRouter();
  const head = (path: string) =>
    router.fetch(new Request(`http://platform.test${path}`, { method: "HEAD" }), client);
  const known = await head("/v1/projects");
  assert.deepEqual([known.status, await known.text()], [200, ""]);
  const other = await head("/v1/sign-in");
  assert.deepEqual([other.status, other.headers.get("allow")], [405, "OPTIONS, POST"]);
});

Deno.test("Router loads more routes once, at the first request that no route matches", async () => {
  let loads = 0;
  const router = namingRouter(async () => {
    loads++;
    await Promise.resolve();
    router.page("GET", "/pages/:page", ({ params }) => new Response(params.page));
    router.page("POST", "/v1/projects/:project", () => new Response("a form"));
  });
  const ask = (method: string, path: string) =>
    router.fetch(new Request(`http://platform.test${path}`, { method }), client);
  assert.equal(await (await ask("GET", "/v1/projects")).text(), "listProjects");
  assert.equal(loads, 0);
  const answers = await Promise.all([ask("GET", "/pages/a"), ask("GET", "/pages/b")]);
  assert.deepEqual(await Promise.all(answers.map((answer) => answer.text())), ["a", "b"]);
  assert.equal((await ask("POST", "/pages/a")).headers.get("allow"), "GET, HEAD, OPTIONS");
  assert.equal((await ask("GET", "/nowhere")).status, 404);
  assert.equal(await (await ask("POST", "/v1/projects/p")).text(), "a form");
  assert.match((await ask("PUT", "/v1/projects/p")).headers.get("allow")!, /POST/);
  assert.equal(loads, 1);
});

Deno.test("RouteTable refuses paths that differ only in parameter names, and duplicates", () => {
  const table = new RouteTable<null>();
  table.add("GET", "/a/:one", null);
  assert.throws(
    () => table.add("POST", "/a/:two", null),
    /\/a\/:two and \/a\/:one are the same path/,
  );
  assert.throws(() => table.add("GET", "/a/:one", null), /GET \/a\/:one is bound twice/);
});

Deno.test("RouteTable refuses a path whose requests an earlier set of paths receives", () => {
  const table = new RouteTable<null>();
  table.add("GET", "/a/:one", null);
  table.add("GET", "/a/fixed", null);
  assert.deepEqual(table.takeSets().map(({ path }) => path), ["/a/fixed", "/a/:one"]);
  table.add("POST", "/a/:one", null);
  table.add("GET", "/b/:one", null);
  assert.deepEqual(table.takeSets().map(({ path }) => path), ["/b/:one"]);
  table.add("GET", "/a/late", null);
  assert.throws(() => table.takeSets(), /\/a\/late is hidden by \/a\/:one/);
});
