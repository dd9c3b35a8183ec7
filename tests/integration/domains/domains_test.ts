import assert from "node:assert/strict";
import { connect } from "node:net";
import type { ProgramOptions } from "../../helpers/platform_process.ts";
import { type DnsFixture, startDns } from "../../../src/lib/_test_dns_server.ts";
import {
  createProject,
  deploy,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

const PROOF = "_svc-challenge.shop.example";

async function withDomains(
  run: (platform: TestPlatform, dns: DnsFixture) => Promise<void>,
  options: Partial<ProgramOptions> = {},
): Promise<void> {
  const dns = await startDns();
  try {
    await withPlatform((platform) => run(platform, dns), {
      dnsServer: dns.server,
      publicAddresses: ["192.0.2.1", "2001:db8::1"],
      ...options,
    });
  } finally {
    await dns.close();
  }
}

const PATH = "/v1/projects/shop/domains";

const add = (platform: TestPlatform, hostname: string, environment = "production", path = PATH) =>
  platform.api("POST", path, { json: { hostname, environment } });

const verify = (platform: TestPlatform, id: string) => platform.api("POST", `${PATH}/${id}/verify`);

/** Adds a domain and verifies its zone. */
async function bind(
  platform: TestPlatform,
  dns: DnsFixture,
  wanted: { hostname: string; environment?: string },
) {
  const { json } = await add(platform, wanted.hostname, wanted.environment);
  const [proof] = json.records;
  dns.names.set(proof.name, { TXT: [proof.value] });
  const verified = await verify(platform, json.domain.id);
  assert.equal(verified.json.domain.status, "verified", JSON.stringify(verified.json));
  return json.domain;
}

const page = (text: string) => ({ files: { "index.html": text } });

Deno.test("a domain is added, gets its records, and is verified, listed, shown and removed", () =>
  withDomains(async (platform, dns) => {
    const project = await createProject(platform, "shop");
    const added = await add(platform, "WWW.Shop.Example.");
    assert.equal(added.status, 201);
    const { domain, companion, records, notes } = added.json;
    assert.deepEqual(
      { ...domain, id: "", createdAt: "" },
      {
        id: "",
        hostname: "www.shop.example",
        zone: "shop.example",
        projectId: project.id,
        environment: "production",
        redirectTo: null,
        status: "pending",
        certificate: { status: "none", expiresAt: null, error: null },
        createdAt: "",
        verifiedAt: null,
        lastCheck: null,
      },
    );
    assert.deepEqual([companion.hostname, companion.redirectTo], ["shop.example", domain.hostname]);
    assert.match(records[0].value, /^svc-verify=[0-9a-f]{40}$/);
    assert.deepEqual(
      records.map(({ type, name, purpose }: Record<string, string>) =>
        [type, name, purpose].join(" ")
      ),
      [
        `TXT ${PROOF} proof`,
        "CNAME www.shop.example routing",
        "A shop.example routing",
        "AAAA shop.example routing",
      ],
    );
    assert.equal(records[1].value, "cname.localhost");
    assert.deepEqual(notes, ["shop.example redirects to www.shop.example"]);

    const early = await verify(platform, domain.id);
    assert.equal(early.status, 200);
    assert.equal(early.json.domain.status, "pending");
    assert.deepEqual(
      early.json.checks.map(({ failure }: { failure: string }) => failure),
      ["NXDOMAIN", "NXDOMAIN"],
    );

    dns.names.set(PROOF, { TXT: ["v=spf1 -all", records[0].value] });
    dns.names.set("www.shop.example", { CNAME: ["cname.localhost"] });
    const late = await verify(platform, domain.id);
    assert.equal(late.json.domain.status, "verified");
    assert.ok(
      late.json.checks.every(({ ok, hint }: { ok: boolean; hint: null }) => ok && hint === null),
    );
    assert.deepEqual(late.json.domain.lastCheck.checks, late.json.checks);

    const list = await platform.api("GET", `${PATH}?limit=1`);
    const next = await platform.api("GET", `${PATH}?limit=1&cursor=${list.json.nextCursor}`);
    assert.deepEqual(
      [...list.json.items, ...next.json.items].map(({ hostname }) => hostname).sort(),
      ["shop.example", "www.shop.example"],
    );
    const shown = await platform.api("GET", `${PATH}/${domain.id}`);
    assert.deepEqual(shown.json.domain, late.json.domain);
    assert.deepEqual(shown.json.records, records.slice(0, 2));
    assert.equal((await platform.api("DELETE", `${PATH}/${domain.id}`)).status, 204);
    assert.deepEqual((await platform.api("GET", PATH)).json.items, []);
    assert.equal((await platform.api("GET", `${PATH}/${domain.id}`)).status, 404);
  }));

Deno.test("a verified domain serves immediately and follows deployments and rollbacks", () =>
  withDomains(async (platform, dns) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", page("one"));
    const pending = await add(platform, "www.shop.example");
    assert.equal((await platform.get("www.shop.example", "/")).status, 404);
    dns.names.set(PROOF, { TXT: [pending.json.records[0].value] });
    await verify(platform, pending.json.domain.id);
    assert.equal((await platform.get("www.shop.example", "/")).text, "one");
    await deploy(platform, "shop", page("two"));
    assert.equal((await platform.get("www.shop.example", "/")).text, "two");
    await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal((await platform.get("www.shop.example", "/")).text, "one");
    const redirect = await platform.get("shop.example", "/a?b=c");
    assert.equal(redirect.status, 308);
    assert.equal(redirect.headers.location, "http://www.shop.example/a?b=c");
  }));

Deno.test("each environment has its own domains, and exact names take precedence over wildcards", () =>
  withDomains(async (platform, dns) => {
    await createProject(platform, "shop");
    const made = await platform.api("POST", "/v1/projects/shop/environments", {
      json: { name: "staging" },
    });
    await bind(platform, dns, { hostname: "*.shop.example" });
    await bind(platform, dns, { hostname: "next.shop.example", environment: "preview" });
    await bind(platform, dns, { hostname: "test.shop.example", environment: made.json.id });
    assert.equal((await platform.get("next.shop.example", "/")).status, 404);
    await deploy(platform, "shop", page("live"));
    await deploy(platform, "shop", { ...page("a branch"), prod: false, branch: "a" });
    await deploy(platform, "shop", { ...page("b branch"), prod: false, branch: "b" });
    assert.equal((await platform.get("any.shop.example", "/")).text, "live");
    assert.equal((await platform.get("next.shop.example", "/")).text, "b branch");
    assert.equal((await platform.get("test.shop.example", "/")).status, 404);
    assert.equal((await platform.get("a.b.shop.example", "/")).status, 404);
    const unknown = await add(platform, "x.shop.example", "nowhere");
    assert.match(unknown.json.error, /Available: production, preview, staging/);
  }));

Deno.test("domains survive a restart and are deleted with their project", async () => {
  const dns = await startDns();
  const dataDir = await Deno.makeTempDir({ prefix: "svc-test-" });
  try {
    const first = await start(dataDir, { dnsServer: dns.server });
    await createProject(first, "shop");
    await deploy(first, "shop", page("one"));
    await bind(first, dns, { hostname: "www.shop.example" });
    await add(first, "other.example");
    await first.shutdown();
    const second = await start(dataDir, { dnsServer: dns.server });
    assert.equal((await second.get("www.shop.example", "/")).text, "one");
    assert.equal((await second.get("shop.example", "/")).status, 308);
    assert.equal((await second.get("other.example", "/")).status, 404);
    assert.equal((await second.api("DELETE", "/v1/projects/shop")).status, 204);
    assert.equal((await second.get("www.shop.example", "/")).status, 404);
    assert.equal((await second.get("shop.example", "/")).status, 404);
    await createProject(second, "shop");
    await deploy(second, "shop", page("another project of that name"));
    assert.equal((await second.get("www.shop.example", "/")).status, 404);
    await second.shutdown();
  } finally {
    await dns.close();
    await Deno.remove(dataDir, { recursive: true });
  }
});

const hosts = [
  ["www.shop.example", 200],
  ["WWW.SHOP.EXAMPLE", 200],
  ["www.shop.example:8443", 200],
  ["www.shop.example.", 200],
  ["www.shop.example.:80", 200],
  ["www.shop.example..", 400],
  ["xn--bcher-kva.shop.example", 200],
  ["XN--BCHER-KVA.shop.example", 200],
  ["evil@www.shop.example", 400],
  ["www.shop.example@evil.example", 400],
  ["www.shop.example/..", 400],
  ["www.shop.example?", 400],
  ["www.shop.example#x", 400],
  ["www.shop.example\\evil", 400],
  ["www.shop.example evil", 400],
  ["www.shop.example,evil.example", 400],
  ["a.www.shop.example", 404],
  ["wwwxshop.example", 404],
  ["%77ww.shop.example", 400],
  ["_preview.shop.example", 404],
] as const;

/** Sends a request with exactly this `Host` header. Returns the status. */
function statusOf(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    socket.on("data", (chunk) => text += chunk.toString());
    socket.on("close", () => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1])));
    socket.on("error", reject);
  });
}

Deno.test("only equivalent spellings of a custom host are recognized", () =>
  withDomains(async (platform, dns) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", page("one"));
    await bind(platform, dns, { hostname: "www.shop.example" });
    await bind(platform, dns, { hostname: "bücher.shop.example" });
    const statuses = [];
    for (const [host] of hosts) statuses.push([host, await statusOf(platform.port, host)]);
    assert.deepEqual(statuses, hosts.map((row) => [...row]));
  }));

Deno.test("names that no one is allowed to add are refused, and nothing is stored", () =>
  withDomains(async (platform) => {
    await createProject(platform, "shop");
    const names = [
      "localhost",
      "other.localhost",
      "*.localhost",
      "127.0.0.1",
      "[::1]",
      "co.uk",
      "*.com",
      "http://shop.example",
      "shop.example:80",
      "a b.example",
      "platform.example",
      "x.platform.example",
    ];
    for (const name of names) {
      const answer = await add(platform, name);
      assert.deepEqual([answer.status, answer.json.code], [400, "invalid_request"], name);
      assert.equal(answer.json.problems[0].path, "body.hostname");
    }
    const homograph = await add(platform, "аррӏе.com");
    assert.equal(homograph.json.domain.hostname, "xn--80ak6aa92e.com");
    const { json } = await platform.api("GET", PATH);
    assert.equal(json.items.length, 2);
  }, { publicUrl: "https://platform.example" }));

const wrongRecords = [
  ["a missing proof", undefined, "NXDOMAIN", /Create the TXT record/],
  ["a wrong proof", { TXT: ["svc-verify=0000"] }, null, /Set the expected value/],
  ["several unrelated texts", { TXT: ["one", "two"] }, null, /Add a record/],
  ["a name without TXT", { A: ["192.0.2.9"] }, "NODATA", /Create the TXT record/],
  ["SERVFAIL", "SERVFAIL", "SERVFAIL", /DNSSEC/],
  ["REFUSED", "REFUSED", "REFUSED", /REFUSED/],
] as const;

Deno.test("each incorrect DNS proof is reported with the records found and what to do", () =>
  withDomains(async (platform, dns) => {
    await createProject(platform, "shop");
    const { json: { domain } } = await add(platform, "www.shop.example");
    for (const [name, entry, failure, hint] of wrongRecords) {
      if (entry === undefined) dns.names.delete(PROOF);
      else dns.names.set(PROOF, entry);
      const { status, json } = await verify(platform, domain.id);
      assert.equal(status, 200, name);
      assert.equal(json.domain.status, "pending", name);
      const [proof] = json.checks;
      assert.deepEqual([proof.ok, proof.failure], [false, failure], name);
      assert.match(proof.hint, hint, name);
    }
  }));

const wrongRoutes = [
  [
    "a CNAME to another host",
    { CNAME: ["evil.example"] },
    /Set a CNAME .* currently points at evil.example/,
  ],
  ["another address", { A: ["198.51.100.7"] }, /currently points at 198.51.100.7$/],
  ["a stray address", { A: ["192.0.2.1", "198.51.100.7"] }, /Remove .* 198.51.100.7/],
  ["no record", {}, /currently has no address/],
  ["SERVFAIL", "SERVFAIL", /SERVFAIL/],
  ["the correct addresses", { A: ["192.0.2.1"], AAAA: ["2001:db8::1"] }, null],
] as const;

Deno.test("each incorrect DNS route is reported, but only the proof is required", () =>
  withDomains(async (platform, dns) => {
    await createProject(platform, "shop");
    const domain = await bind(platform, dns, { hostname: "www.shop.example" });
    dns.truncated.add(PROOF);
    for (const [name, entry, hint] of wrongRoutes) {
      dns.names.set("www.shop.example", entry);
      const { json } = await verify(platform, domain.id);
      assert.equal(json.domain.status, "verified", name);
      assert.deepEqual([json.checks[0].ok, json.checks[1].ok], [true, hint === null], name);
      if (hint !== null) assert.match(json.checks[1].hint, hint, name);
    }
  }));

Deno.test("other projects' domains cannot be found by ID", () =>
  withDomains(async (platform) => {
    await createProject(platform, "shop");
    await createProject(platform, "other");
    const { json: { domain } } = await add(platform, "www.shop.example");
    for (const [method, tail] of [["GET", ""], ["DELETE", ""], ["POST", "/verify"]] as const) {
      const path = `/v1/projects/other/domains/${domain.id}${tail}`;
      assert.equal((await platform.api(method, path)).status, 404, method);
      assert.equal((await platform.api(method, path, { token: null })).status, 401, method);
    }
    const taken = await add(
      platform,
      "www.shop.example",
      "production",
      "/v1/projects/other/domains",
    );
    assert.equal(taken.status, 409);
    assert.match(taken.json.error, /already used by project "shop" \(production\)/);
  }));
