import assert from "node:assert/strict";
import { DomainHosts } from "./domain_hosts.ts";

function binding(hostname: string, projectId: string, redirectTo: string | null = null) {
  const route = {
    projectId,
    environment: "production",
    host: `${projectId}.localhost`,
    redirectTo,
  };
  return { hostname, route };
}

Deno.test("DomainHosts.find() prefers an exact name, and a wildcard covers one label", () => {
  const hosts = new DomainHosts();
  hosts.replaceZone("shop.example", [
    binding("*.shop.example", "wild"),
    binding("www.shop.example", "www"),
    binding("*.eu.shop.example", "eu"),
  ]);
  const rows = [
    ["www.shop.example", "www"],
    ["blog.shop.example", "wild"],
    ["shop.example", undefined],
    ["a.eu.shop.example", "eu"],
    ["eu.shop.example", "wild"],
    ["a.b.shop.example", undefined],
    ["xshop.example", undefined],
    ["*.shop.example", "wild"],
    ["localhost", undefined],
    ["", undefined],
  ] as const;
  for (const [hostname, projectId] of rows) {
    assert.equal(hosts.find(hostname)?.projectId, projectId, hostname);
  }
});

Deno.test("DomainHosts.replaceZone() removes the zone's previous hosts", () => {
  const hosts = new DomainHosts();
  hosts.replaceZone("shop.example", [
    binding("*.shop.example", "p"),
    binding("www.shop.example", "p", "shop.example"),
  ]);
  assert.equal(hosts.redirectOf("www.shop.example"), "shop.example");
  assert.deepEqual(hosts.zonesOf("p"), ["shop.example"]);
  hosts.replaceZone("shop.example", []);
  assert.equal(hosts.find("www.shop.example"), undefined);
  assert.equal(hosts.find("x.shop.example"), undefined);
  assert.equal(hosts.redirectOf("www.shop.example"), undefined);
  assert.deepEqual([...hosts.names()], []);
  assert.deepEqual(hosts.zonesOf("p"), []);
});
