import assert from "node:assert/strict";
import { Publisher } from "../../feed/mod.ts";
import { systemRandom } from "../../lib/clock.ts";
import { Addresses } from "../core/addresses.ts";
import { Failure } from "../core/http/failure.ts";
import type { ProjectRecord } from "../projects/project.ts";
import { ProjectStore } from "../projects/project_store.ts";
import { type DnsFixture, startDns } from "../../lib/_test_dns_server.ts";
import { DnsClient, parseDnsServer } from "./dns_client.ts";
import { DomainService, MAX_DOMAINS } from "./domain_service.ts";
import { DomainStore } from "./domain_store.ts";
import { testProject } from "../projects/_test_project.ts";
import { DenoStore, type RecordKey, type RecordStore } from "../../store/mod.ts";

const ZONE = "shop.example";
const PROOF = `_svc-challenge.${ZONE}`;

function project(name: string, workspaceId: string): ProjectRecord {
  return testProject({ id: crypto.randomUUID(), workspaceId, workspaceSlug: workspaceId, name });
}

interface World {
  readonly dns: DnsFixture;
  readonly domains: DomainStore;
  readonly service: DomainService;
  readonly kv: RecordStore;
  /** A project in the workspace `ours`, and one in `theirs`. */
  readonly ours: ProjectRecord;
  readonly theirs: ProjectRecord;
  restart(): Promise<DomainService>;
}

/** Runs a test with two workspaces, a real store and a real DNS server. */
async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  const dns = await startDns();
  const projects = new ProjectStore(kv);
  const domains = new DomainStore(kv);
  const make = () =>
    new DomainService({
      domains,
      projects,
      feed: new Publisher({ patienceMs: 1000 }),
      addresses: new Addresses({ protocol: "http:", domain: "localhost", port: "" }),
      dns: new DnsClient({ servers: [parseDnsServer(dns.server)], timeoutMs: 2000 }),
      settings: {
        target: { hostname: "cname.localhost", addresses: ["192.0.2.1"] },
        reserved: ["localhost"],
        acme: false,
      },
      now: () => 1000,
      random: systemRandom,
      orders: { wake: () => {}, retry: () => {}, servedChanged: () => Promise.resolve() },
    });
  const [ours, theirs] = [project("ours", "w-ours"), project("theirs", "w-theirs")];
  await projects.create(ours);
  await projects.create(theirs);
  const restart = async () => {
    const service = make();
    await service.recover();
    return service;
  };
  try {
    await run({ kv, dns, domains, service: make(), ours, theirs, restart });
  } finally {
    await dns.close();
    kv.close();
  }
}

const add = (world: World, owner: ProjectRecord, hostname: string) =>
  world.service.add(owner, { hostname, environment: "production" });

const valueOf = (added: Awaited<ReturnType<typeof add>>) => added.records[0]!.value;

/** Adds a name and proves its zone. */
async function prove(world: World, owner: ProjectRecord, hostname: string) {
  const added = await add(world, owner, hostname);
  world.dns.names.set(PROOF, { TXT: [valueOf(added)] });
  await world.service.verify(added.domain);
  return added;
}

const shows = (service: DomainService, hostname: string) => service.hosts.find(hostname)?.projectId;

const conflict = (pattern: RegExp) => (error: unknown) =>
  error instanceof Failure && error.code === "conflict" && pattern.test(error.message);

Deno.test("an unproven name serves nothing, and blocks no other workspace", () =>
  withWorld(async (world) => {
    await add(world, world.theirs, "www.shop.example");
    assert.equal(shows(world.service, "www.shop.example"), undefined);
    await prove(world, world.ours, "www.shop.example");
    assert.equal(shows(world.service, "www.shop.example"), world.ours.id);
  }));

Deno.test("one proof verifies all of a zone's names in its workspace, and later names immediately", () =>
  withWorld(async (world) => {
    await add(world, world.ours, "blog.shop.example");
    await prove(world, world.ours, "shop.example");
    assert.equal(shows(world.service, "blog.shop.example"), world.ours.id);
    await add(world, world.ours, "*.shop.example");
    assert.equal(shows(world.service, "x.shop.example"), world.ours.id);
    assert.equal(world.service.hosts.redirectOf("www.shop.example"), "shop.example");
  }));

/** Returns the keys that change during an operation, as reported to other nodes. */
async function changesOf(kv: RecordStore, run: () => Promise<unknown>): Promise<RecordKey[]> {
  const versions = async () => {
    const entries = await Array.fromAsync(kv.list({ prefix: [] }));
    return new Map(entries.map(({ key, versionstamp }) => [JSON.stringify(key), versionstamp]));
  };
  const before = await versions();
  await run();
  const after = await versions();
  return [...after].filter(([key, version]) => before.get(key) !== version)
    .map(([key]) => JSON.parse(key));
}

Deno.test("another node learns that a redirect has become a binding", () =>
  withWorld(async (world) => {
    await prove(world, world.ours, "shop.example");
    const other = await world.restart();
    assert.equal(other.hosts.redirectOf("www.shop.example"), "shop.example");
    await other.follow(await changesOf(world.kv, () => add(world, world.ours, "www.shop.example")));
    assert.equal(other.hosts.redirectOf("www.shop.example"), undefined);
  }));

Deno.test("a proven zone and all names under it are closed to other workspaces", () =>
  withWorld(async (world) => {
    await prove(world, world.ours, "shop.example");
    for (
      const hostname of ["shop.example", "evil.shop.example", "*.shop.example", "SHOP.example."]
    ) {
      await assert.rejects(
        add(world, world.theirs, hostname),
        (error) =>
          conflict(/belongs to another workspace/)(error) &&
          !/ours/.test((error as Error).message.replace("yours", "")),
      );
    }
    assert.equal(shows(world.service, "evil.shop.example"), undefined);
  }));

Deno.test("a squatter who adds a name first cannot prove ownership, and loses the name to the owner", () =>
  withWorld(async (world) => {
    const squat = await add(world, world.theirs, "*.shop.example");
    await prove(world, world.ours, "shop.example");
    const { checks } = await world.service.verify(squat.domain);
    assert.equal(checks[0]?.ok, false);
    assert.equal(shows(world.service, "x.shop.example"), undefined);
    assert.equal(shows(world.service, "shop.example"), world.ours.id);
  }));

Deno.test("if two workspaces have a proof, the first to verify keeps the zone", () =>
  withWorld(async (world) => {
    const second = await add(world, world.theirs, "shop.example");
    const first = await prove(world, world.ours, "shop.example");
    world.dns.names.set(PROOF, { TXT: [valueOf(first), valueOf(second)] });
    const { notes } = await world.service.verify(second.domain);
    assert.match(notes.join(), /Another workspace owns this domain/);
    assert.equal(shows(world.service, "shop.example"), world.ours.id);
  }));

Deno.test("a zone changes owner once the old proof is gone and the new one exists", () =>
  withWorld(async (world) => {
    const first = await prove(world, world.ours, "www.shop.example");
    world.dns.names.set(PROOF, "SERVFAIL");
    await assert.rejects(add(world, world.theirs, "shop.example"), conflict(/another workspace/));
    world.dns.names.delete(PROOF);
    const second = await add(world, world.theirs, "shop.example");
    assert.equal(shows(world.service, "www.shop.example"), world.ours.id);
    world.dns.names.set(PROOF, { TXT: [valueOf(second)] });
    await world.service.verify(second.domain);
    assert.equal(shows(world.service, "shop.example"), world.theirs.id);
    assert.equal(world.service.hosts.redirectOf("www.shop.example"), "shop.example");
    await world.service.verify(first.domain);
    assert.equal(shows(world.service, "shop.example"), world.theirs.id);
  }));

Deno.test("a lost proof is reported, but takes nothing offline", () =>
  withWorld(async (world) => {
    const { domain } = await prove(world, world.ours, "shop.example");
    for (const entry of [undefined, "SERVFAIL", "SILENT"] as const) {
      if (entry === undefined) world.dns.names.delete(PROOF);
      else world.dns.names.set(PROOF, entry);
      const { checks, notes } = await world.service.verify(domain);
      assert.equal(checks[0]?.ok, false);
      assert.match(notes.join(), /still verified, but its ownership record was not found/);
      assert.equal(shows(world.service, "shop.example"), world.ours.id);
    }
  }));

Deno.test("removing a zone's last name frees the zone; a new claim needs a new proof", () =>
  withWorld(async (world) => {
    const added = await prove(world, world.ours, "shop.example");
    await world.service.remove(added.domain);
    assert.equal(shows(world.service, "shop.example"), undefined);
    assert.equal(world.service.hosts.redirectOf("www.shop.example"), undefined);
    assert.equal(await world.domains.owner(ZONE), undefined);
    const again = await add(world, world.theirs, "shop.example");
    assert.notEqual(valueOf(again), valueOf(added));
    await world.service.verify(again.domain);
    assert.equal(shows(world.service, "shop.example"), undefined);
  }));

Deno.test("a name can be bound once in a workspace; a redirect gives way to a binding", () =>
  withWorld(async (world) => {
    const { companion } = await prove(world, world.ours, "shop.example");
    assert.equal(companion?.hostname, "www.shop.example");
    await assert.rejects(add(world, world.ours, "shop.example"), conflict(/"ours" \(production\)/));
    const own = await add(world, world.ours, "www.shop.example");
    assert.equal(own.domain.id, companion?.id);
    assert.equal(world.service.hosts.redirectOf("www.shop.example"), undefined);
    assert.equal(shows(world.service, "www.shop.example"), world.ours.id);
  }));

Deno.test("served names survive a restart", () =>
  withWorld(async (world) => {
    await prove(world, world.ours, "shop.example");
    await add(world, world.theirs, "other.example");
    const service = await world.restart();
    assert.equal(shows(service, "shop.example"), world.ours.id);
    assert.equal(service.hosts.redirectOf("www.shop.example"), "shop.example");
    assert.equal(shows(service, "other.example"), undefined);
  }));

Deno.test("domains bound at the same time are all stored, without duplicates", () =>
  withWorld(async (world) => {
    const names = Array.from({ length: 8 }, (_, index) => `n${index % 4}.shop.example`);
    const outcomes = await Promise.allSettled(names.map((name) => add(world, world.ours, name)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 4);
    const bound = await world.domains.ofZone(ZONE, world.ours.workspaceId);
    assert.deepEqual(new Set(bound.map(({ hostname }) => hostname)), new Set(names));
  }));

Deno.test("a project has at most 200 domains", () =>
  withWorld(async (world) => {
    for (let index = 0; index < MAX_DOMAINS; index++) {
      await add(world, world.ours, `n${index}.z${index % 50}.example`);
    }
    await assert.rejects(add(world, world.ours, "more.example"), conflict(/200 domains/));
  }));

Deno.test("removing a project's domains frees its zones", () =>
  withWorld(async (world) => {
    await prove(world, world.ours, "shop.example");
    await world.domains.removeProject(world.ours.id);
    await world.service.forgetProject(world.ours.id);
    assert.equal(shows(world.service, "shop.example"), undefined);
    assert.equal(await world.domains.owner(ZONE), undefined);
    await add(world, world.theirs, "shop.example");
  }));
