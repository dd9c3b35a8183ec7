/**
 * Tests every row of the rule set contract: accepted values, and rejected values with their path.
 */
import assert from "node:assert/strict";
import {
  createProject,
  fileList,
  STATIC_MANIFEST,
  type TestPlatform,
  upload,
  withPlatform,
} from "../../helpers/platform.ts";

const LOG = { type: "log" };
const SET = "EDGE_RULE_SET_V1";
const set = (...rules: unknown[]) => ({ schemaVersion: SET, rules });
const by = (condition: unknown, action: unknown = LOG) => set({ id: "a", condition, action });
const act = (action: unknown) => set({ id: "a", action });
const steps = (...given: unknown[]) => act({ type: "pipeline", steps: given });
const glob = (value: string) => ({ path: { type: "glob", value } });
const redirect = (target: string) => ({ type: "redirect", target });
const rewrite = (target: string, external?: boolean) => ({
  type: "rewrite",
  target,
  ...(external === undefined ? {} : { external }),
});
const headers = (value: string) => ({ type: "set_headers", headers: { "x-a": value } });
const ORIGIN = { handle: "origin" };
const GATE = { use: "f", mode: "request", failure: "closed" };

/** Rule sets that must be accepted, by what they demonstrate. */
const ACCEPTED: Readonly<Record<string, unknown>> = {
  "no rules": set(),
  "a source with the origin build": { ...set(), source: { origin: "build" } },
  "a source with the origin ui and a revision": {
    ...set(),
    source: { origin: "ui", revisionId: "r" },
  },
  "a one-character id, a name and enabled": set({
    id: "a",
    name: "n",
    enabled: false,
    action: LOG,
  }),
  "a condition without fields": by({}),
  "path exact": by({ path: { type: "exact", value: "/" } }),
  "path prefix": by({ path: { type: "prefix", value: "/a" } }),
  "path glob": by(glob("/a/*")),
  "every method, and its alias": by({
    methods: ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"],
    method: ["GET"],
  }),
  "host in Unicode": by({ host: "bücher.example" }),
  "host in punycode": by({ host: "xn--bcher-kva.example" }),
  "headers, query and cookies": by({
    headers: { "x-a": "" },
    query: { a: "" },
    cookies: { a: "" },
  }),
  "geo of two characters": by({ geo: ["DE", "--"] }),
  "asn at both limits": by({ asn: [1, 4294967295] }),
  ...Object.fromEntries(["desktop", "mobile", "tablet", "bot"].map((device) => [
    `device ${device}`,
    by({ device }),
  ])),
  "sourceIpCidrs": by({ sourceIpCidrs: ["10.0.0.0/8", "2001:db8::1"] }),
  "any and not": by({ any: [{ host: "a.example" }], not: { geo: ["DE"] } }),
  "allow": act({ type: "allow" }),
  "deny": act({ type: "deny" }),
  "deny at its limits": set(
    { id: "a", action: { type: "deny", statusCode: 400, mode: "shadow" } },
    { id: "b", action: { type: "deny", statusCode: 599, mode: "enforce" } },
  ),
  "redirect": act({ type: "redirect", target: "/", statusCode: 301, ifNoFile: true }),
  "redirect with a status that is not 3xx": act({
    ...redirect("/x"),
    statusCode: -9007199254740991,
  }),
  "redirect to a relative path": act(redirect("../b")),
  "redirect to http": act(redirect("http://bücher.example/")),
  "rewrite": act({ ...rewrite("/"), ifNoFile: false, external: false }),
  "rewrite to another host": act(rewrite("https://a.example/b", true)),
  "set_headers": act(headers("")),
  "remove_headers": act({ type: "remove_headers", headers: ["x-a"] }),
  "remove_headers without names": act({ type: "remove_headers", headers: [] }),
  "cache at its limits": set(
    { id: "a", action: { type: "cache", ttlSeconds: 1, swrSeconds: 0, vary: [] } },
    {
      id: "b",
      condition: { host: "a.example" },
      action: {
        type: "cache",
        ttlSeconds: 9007199254740991,
        swrSeconds: 9007199254740991,
        vary: ["geo", "asn", "device", "header", "cookie", "query"],
      },
    },
  ),
  "bypass_cache": act({ type: "bypass_cache" }),
  "pipeline": act({ type: "pipeline", steps: [ORIGIN], override: true, inheritGate: false }),
  "function step": steps(
    { use: "f", mode: "request", as: "a".repeat(64), failure: "closed", cachePosition: "before" },
    ORIGIN,
    { use: "f-2", mode: "response", failure: "open", cachePosition: "after" },
    { use: "f", mode: "observe" },
  ),
  "handle step with a function": steps({ handle: "f" }),
  ...Object.fromEntries(["ip", "ip_path", "ip_host", "host"].map((key) => [
    `rate_limit by ${key}`,
    act({ type: "rate_limit", limit: 1, windowSeconds: 10, key, mode: "shadow" }),
  ])),
  "rate_limit at its upper limits": act({ type: "rate_limit", limit: 100000, windowSeconds: 600 }),
  "captures and a splat": by(glob("/{a}/{b...}"), redirect("/{b}?a={a}")),
  "an escaped reference": by(glob("/{a}"), headers("{{b}} {a}")),
  "cache that varies by its condition": by(
    { geo: ["DE"], not: { device: "bot" }, any: [{ headers: { a: "b" } }] },
    { type: "cache", ttlSeconds: 1, vary: ["geo", "device", "header"] },
  ),
  "a narrower pipeline that repeats the gate": set(
    { id: "a", action: { type: "pipeline", steps: [GATE, ORIGIN] } },
    {
      id: "b",
      condition: { path: { type: "prefix", value: "/b/" } },
      action: { type: "pipeline", steps: [GATE, ORIGIN] },
    },
  ),
  "a narrower pipeline that does not inherit": set(
    { id: "a", action: { type: "pipeline", steps: [GATE, ORIGIN] } },
    {
      id: "b",
      condition: { path: { type: "prefix", value: "/b/" } },
      action: { type: "pipeline", steps: [ORIGIN], inheritGate: false },
    },
  ),
};

/** Rule sets that must be rejected, each with the path of a problem. */
const REFUSED: Readonly<Record<string, readonly [value: unknown, path: string]>> = {
  "no schemaVersion": [{ rules: [] }, "schemaVersion"],
  "an unknown schemaVersion": [{ schemaVersion: "EDGE_RULE_SET_V2", rules: [] }, "schemaVersion"],
  "no rules": [{ schemaVersion: SET }, "rules"],
  "an unknown property of the set": [{ ...set(), version: 1 }, "version"],
  "source without origin": [{ ...set(), source: {} }, "source.origin"],
  "an unknown origin": [{ ...set(), source: { origin: "api" } }, "source.origin"],
  "an empty revision": [
    { ...set(), source: { origin: "ui", revisionId: "" } },
    "source.revisionId",
  ],
  "an unknown property of the source": [
    { ...set(), source: { origin: "ui", by: "a" } },
    "source.by",
  ],
  "no id": [set({ action: LOG }), "rules[0].id"],
  "an empty id": [set({ id: "", action: LOG }), "rules[0].id"],
  "a duplicate id": [set({ id: "a", action: LOG }, { id: "a", action: LOG }), "rules[1].id"],
  "an empty name": [set({ id: "a", name: "", action: LOG }), "rules[0].name"],
  "enabled that is not a boolean": [set({ id: "a", enabled: 1, action: LOG }), "rules[0].enabled"],
  "no action": [set({ id: "a" }), "rules[0].action"],
  "an unknown property of a rule": [set({ id: "a", action: LOG, x: 1 }), "rules[0].x"],
  "an unknown action": [act({ type: "teleport" }), "rules[0].action.type"],
  "an unknown property of an action": [act({ type: "log", x: 1 }), "rules[0].action.x"],
  "an unknown property of a condition": [by({ x: 1 }), "rules[0].condition.x"],
  "path without type": [by({ path: { value: "/" } }), "rules[0].condition.path.type"],
  "path with an unknown type": [
    by({ path: { type: "regex", value: "/" } }),
    "rules[0].condition.path.type",
  ],
  "an empty path": [by({ path: { type: "exact", value: "" } }), "rules[0].condition.path.value"],
  "an unknown property of a path": [
    by({ path: { type: "exact", value: "/", x: 1 } }),
    "rules[0].condition.path.x",
  ],
  "an unsupported method": [by({ methods: ["TRACE"] }), "rules[0].condition.methods[0]"],
  "a lowercase method": [by({ method: ["get"] }), "rules[0].condition.method[0]"],
  "an empty host": [by({ host: "" }), "rules[0].condition.host"],
  ...Object.fromEntries(
    [
      "https://a.example",
      "a.example:80",
      "a.example/b",
      "u@a.example",
      "*.a.example",
      "-a.com",
      "a-.com",
      "[::1]",
      "a..b",
    ].map((host) => [`host ${host}`, [by({ host }), "rules[0].condition.host"] as const]),
  ),
  "an empty header name": [by({ headers: { "": "a" } }), "rules[0].condition.headers"],
  "a header value that is not a string": [
    by({ headers: { a: 1 } }),
    "rules[0].condition.headers.a",
  ],
  "an empty parameter name": [by({ query: { "": "a" } }), "rules[0].condition.query"],
  "an empty cookie name": [by({ cookies: { "": "a" } }), "rules[0].condition.cookies"],
  "geo of one character": [by({ geo: ["D"] }), "rules[0].condition.geo[0]"],
  "geo of three characters": [by({ geo: ["DEU"] }), "rules[0].condition.geo[0]"],
  "asn 0": [by({ asn: [0] }), "rules[0].condition.asn[0]"],
  "asn above its limit": [by({ asn: [4294967296] }), "rules[0].condition.asn[0]"],
  "asn that is not an integer": [by({ asn: [1.5] }), "rules[0].condition.asn[0]"],
  "an unknown device": [by({ device: "tv" }), "rules[0].condition.device"],
  "an empty network": [by({ sourceIpCidrs: [""] }), "rules[0].condition.sourceIpCidrs[0]"],
  "an empty any": [by({ any: [] }), "rules[0].condition.any"],
  "any in any": [by({ any: [{ any: [{}] }] }), "rules[0].condition.any[0].any"],
  "not in any": [by({ any: [{ not: {} }] }), "rules[0].condition.any[0].not"],
  "any in not": [by({ not: { any: [{}] } }), "rules[0].condition.not.any"],
  "not in not": [by({ not: { not: {} } }), "rules[0].condition.not.not"],
  "deny below its limit": [act({ type: "deny", statusCode: 399 }), "rules[0].action.statusCode"],
  "deny above its limit": [act({ type: "deny", statusCode: 600 }), "rules[0].action.statusCode"],
  "an unknown mode": [act({ type: "deny", mode: "off" }), "rules[0].action.mode"],
  "redirect without target": [act({ type: "redirect" }), "rules[0].action.target"],
  "an empty target": [act(redirect("")), "rules[0].action.target"],
  "a status that is not an integer": [
    act({ ...redirect("/"), statusCode: 301.5 }),
    "rules[0].action.statusCode",
  ],
  "a status above its limit": [
    act({ ...redirect("/"), statusCode: 9007199254740992 }),
    "rules[0].action.statusCode",
  ],
  "redirect to another scheme": [act(redirect("ftp://a.example/")), "rules[0].action.target"],
  "redirect without a scheme": [act(redirect("//a.example/")), "rules[0].action.target"],
  "internal rewrite to a URL": [act(rewrite("https://a.example/")), "rules[0].action.target"],
  "external rewrite to a path": [act(rewrite("/a", true)), "rules[0].action.target"],
  "external rewrite to http": [act(rewrite("http://a.example/", true)), "rules[0].action.target"],
  "set_headers without headers": [act({ type: "set_headers" }), "rules[0].action.headers"],
  "set_headers with an empty name": [
    act({ type: "set_headers", headers: { "": "a" } }),
    "rules[0].action.headers",
  ],
  "remove_headers with an empty name": [
    act({ type: "remove_headers", headers: [""] }),
    "rules[0].action.headers[0]",
  ],
  "cache without a lifetime": [act({ type: "cache" }), "rules[0].action.ttlSeconds"],
  "cache for no time": [act({ type: "cache", ttlSeconds: 0 }), "rules[0].action.ttlSeconds"],
  "cache for too long": [
    act({ type: "cache", ttlSeconds: 9007199254740992 }),
    "rules[0].action.ttlSeconds",
  ],
  "a negative swrSeconds": [
    act({ type: "cache", ttlSeconds: 1, swrSeconds: -1 }),
    "rules[0].action.swrSeconds",
  ],
  "vary by an unknown dimension": [
    act({ type: "cache", ttlSeconds: 1, vary: ["ip"] }),
    "rules[0].action.vary[0]",
  ],
  "cache that does not vary by its condition": [
    by({ geo: ["DE"] }, { type: "cache", ttlSeconds: 1 }),
    "rules[0].action.vary",
  ],
  "cache that cannot vary by its condition": [
    by({ sourceIpCidrs: ["10.0.0.0/8"] }, { type: "cache", ttlSeconds: 1 }),
    "rules[0].condition.sourceIpCidrs",
  ],
  "pipeline without steps": [act({ type: "pipeline" }), "rules[0].action.steps"],
  "pipeline with an empty list of steps": [steps(), "rules[0].action.steps"],
  "pipeline without a handle": [steps(GATE), "rules[0].action.steps"],
  "pipeline with two handles": [steps(ORIGIN, { handle: "f" }), "rules[0].action.steps[1]"],
  "response step before the handle": [
    steps({ use: "f", mode: "response" }, ORIGIN),
    "rules[0].action.steps[0]",
  ],
  "observe step before the handle": [
    steps({ use: "f", mode: "observe" }, ORIGIN),
    "rules[0].action.steps[0]",
  ],
  "step without a mode": [steps({ use: "f" }, ORIGIN), "rules[0].action.steps[0].mode"],
  "step with an unknown mode": [
    steps({ use: "f", mode: "both" }, ORIGIN),
    "rules[0].action.steps[0].mode",
  ],
  ...Object.fromEntries(
    ["", "F", "-f", "f-", "f_g", "f".repeat(65)].map((use) => [
      `step of the function "${use.slice(0, 5)}" (${use.length})`,
      [steps({ use, mode: "request" }, ORIGIN), "rules[0].action.steps[0].use"] as const,
    ]),
  ),
  "step with an empty as": [
    steps({ use: "f", mode: "request", as: "" }, ORIGIN),
    "rules[0].action.steps[0].as",
  ],
  "step with a long as": [
    steps({ use: "f", mode: "request", as: "a".repeat(65) }, ORIGIN),
    "rules[0].action.steps[0].as",
  ],
  "an unknown failure": [
    steps({ use: "f", mode: "request", failure: "shut" }, ORIGIN),
    "rules[0].action.steps[0].failure",
  ],
  "an unknown cachePosition": [
    steps({ use: "f", mode: "request", cachePosition: "beside" }, ORIGIN),
    "rules[0].action.steps[0].cachePosition",
  ],
  "an empty handle": [steps({ handle: "" }), "rules[0].action.steps[0].handle"],
  "a long handle": [steps({ handle: "h".repeat(65) }), "rules[0].action.steps[0].handle"],
  "a function that does not exist": [
    set(
      ...["a", "b", "c"].map((id) => ({ id, action: LOG })),
      { id: "d", action: { type: "pipeline", steps: [ORIGIN, { use: "g", mode: "observe" }] } },
    ),
    "rules[3].action.steps[1].use",
  ],
  "a handle that does not exist": [steps({ handle: "g" }), "rules[0].action.steps[0].handle"],
  "a narrower pipeline without the gate": [
    set(
      { id: "a", action: { type: "pipeline", steps: [GATE, ORIGIN] } },
      {
        id: "b",
        condition: { path: { type: "prefix", value: "/b/" } },
        action: { type: "pipeline", steps: [ORIGIN] },
      },
    ),
    "rules[1].action",
  ],
  "rate_limit of zero": [
    act({ type: "rate_limit", limit: 0, windowSeconds: 10 }),
    "rules[0].action.limit",
  ],
  "rate_limit above its limit": [
    act({ type: "rate_limit", limit: 100001, windowSeconds: 10 }),
    "rules[0].action.limit",
  ],
  "a short window": [
    act({ type: "rate_limit", limit: 1, windowSeconds: 9 }),
    "rules[0].action.windowSeconds",
  ],
  "a long window": [
    act({ type: "rate_limit", limit: 1, windowSeconds: 601 }),
    "rules[0].action.windowSeconds",
  ],
  "an unknown key": [
    act({ type: "rate_limit", limit: 1, windowSeconds: 10, key: "path" }),
    "rules[0].action.key",
  ],
  "two splats": [by(glob("/{a...}/{b...}")), "rules[0].condition.path.value"],
  "a capture twice": [by(glob("/{a}/{a}")), "rules[0].condition.path.value"],
  "a capture in any": [by({ any: [glob("/{a}")] }), "rules[0].condition.any[0].path.value"],
  "a capture in not": [by({ not: glob("/{a}") }), "rules[0].condition.not.path.value"],
  "a reference to an unknown capture in a redirect": [
    by(glob("/{a}"), redirect("/{b}")),
    "rules[0].action.target",
  ],
  "a reference to an unknown capture in a rewrite": [
    by(glob("/{a}"), rewrite("/{b}")),
    "rules[0].action.target",
  ],
  "a reference to an unknown capture in a header": [
    by(glob("/{a}"), headers("{b}")),
    "rules[0].action.headers.x-a",
  ],
};

async function put(platform: TestPlatform, json: unknown) {
  const { headers } = await platform.api("GET", "/v1/projects/shop/rules");
  return await platform.api("PUT", "/v1/projects/shop/rules", {
    json,
    headers: { "if-match": headers.get("etag")! },
  });
}

/** Deploys a page and the functions that the rules name. */
async function deployFunctions(platform: TestPlatform): Promise<void> {
  const files = { "index.html": "home", "f.js": "export default () => undefined;" };
  const function_ = fileList(files)[1]!;
  const { status, json } = await platform.api("POST", "/v1/projects/shop/deployments", {
    json: {
      environment: "production",
      manifest: STATIC_MANIFEST,
      files: fileList(files).slice(0, 1),
      functions: ["f", "f-2"].map((name) => ({ ...function_, path: undefined, name })),
    },
  });
  assert.equal(status, 201, JSON.stringify(json));
  await upload(platform, files);
  const activated = await platform.api("POST", `/v1/deployments/${json.deployment.id}/activate`);
  assert.equal(activated.status, 200, JSON.stringify(activated.json));
}

Deno.test("rule sets are accepted and refused as the contract specifies", async (t) => {
  await withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployFunctions(platform);
    for (const [name, value] of Object.entries(ACCEPTED)) {
      await t.step(`accepts ${name}`, async () => {
        const { status, json } = await put(platform, value);
        assert.equal(status, 200, JSON.stringify(json));
      });
    }
    for (const [name, [value, path]] of Object.entries(REFUSED)) {
      await t.step(`refuses ${name} at ${path}`, async () => {
        const { status, json } = await put(platform, value);
        assert.deepEqual([status, json.code], [400, "rules_invalid"], JSON.stringify(json));
        const paths = json.problems.map((one: { path: string }) => one.path);
        assert.ok(paths.some((one: string) => one.startsWith(path)), JSON.stringify(json));
      });
    }
  });
});
