/** The `domains` commands in both output modes, with a real DNS server on loopback. */
import assert from "node:assert/strict";
import { startDns } from "../../lib/_test_dns_server.ts";
import type { Bench } from "../_test_platform.ts";
import { type Step, testTranscript } from "../_test_transcript.ts";

const dns = await startDns();

/** Adds a domain's records to the DNS server, after `change` has modified them. */
async function publish(
  bench: Bench,
  hostname: string,
  change: (value: string) => string = (value) => value,
): Promise<void> {
  const { domains } = await bench.json(["domains", "list"]);
  const { id, projectId } = (domains as { id: string; projectId: string; hostname: string }[])
    .find((domain) => domain.hostname === hostname)!;
  const response = await fetch(
    `${bench.env.SVC_API_URL}/v1/projects/${projectId}/domains/${id}`,
    { headers: { authorization: `Bearer ${bench.env.SVC_TOKEN}` } },
  );
  const { records } = await response.json();
  assert.ok(records.length > 0);
  for (const { type, name, value } of records) {
    dns.names.set(name, type === "TXT" ? { TXT: [change(value)] } : { CNAME: [value] });
  }
}

const steps: readonly Step[] = [
  { name: "none", argv: ["domains", "list"], before: () => dns.names.clear() },
  { name: "no environment", argv: ["domains", "add", "www.shop.example"], code: 1 },
  {
    name: "an unknown environment",
    argv: ["domains", "add", "www.shop.example", "--environment", "x"],
    code: 1,
  },
  {
    name: "add",
    argv: ["domains", "add", "WWW.Shop.Example.", "--environment", "production"],
  },
  {
    name: "add to the context's environment",
    before: (bench) => bench.json(["context", "use", "preview"]),
    argv: ["domains", "add", "*.shop.example"],
  },
  {
    name: "add an international name",
    argv: ["domains", "add", "blog.bücher.example", "--environment", "production"],
  },
  ...["127.0.0.1", "http://a.example", "example", "a b", "a.svc.test", "a*.example.org"].map(
    (hostname) => ({
      name: `add ${hostname}`,
      argv: ["domains", "add", hostname, "--environment", "production"],
      code: 1,
    }),
  ),
  {
    name: "add again",
    argv: ["domains", "add", "www.shop.example", "--environment", "production"],
    code: 1,
  },
  { name: "list", argv: ["domains", "list"] },
  { name: "verify without records", argv: ["domains", "verify", "www.shop.example"], code: 1 },
  {
    name: "verify with a wrong proof",
    before: (bench) => publish(bench, "www.shop.example", () => "svc-verify=other"),
    argv: ["domains", "verify", "www.shop.example"],
    code: 1,
  },
  { name: "verify an unknown domain", argv: ["domains", "verify", "www.shop.exmple"], code: 1 },
  {
    name: "verify",
    before: (bench) => publish(bench, "www.shop.example"),
    argv: ["domains", "verify", "www.shop.example"],
  },
  {
    name: "verify with another spelling",
    before: (bench) => publish(bench, "blog.xn--bcher-kva.example"),
    argv: ["domains", "verify", "Blog.BÜCHER.example."],
  },
  { name: "list when verified", argv: ["domains", "list"] },
  { name: "remove without confirmation", argv: ["domains", "remove", "www.shop.example"], code: 1 },
  {
    name: "remove, and the person declines",
    argv: ["domains", "remove", "www.shop.example"],
    answers: [false],
    code: 1,
  },
  { name: "remove", argv: ["domains", "remove", "www.shop.example", "--force"] },
  { name: "remove again", argv: ["domains", "remove", "www.shop.example", "--force"], code: 1 },
];

testTranscript("domains", steps, {
  dnsServer: dns.server,
  baseDomain: "svc.test",
  publicAddresses: ["192.0.2.1", "2001:db8::1"],
});
Deno.test.afterAll(() => dns.close());
