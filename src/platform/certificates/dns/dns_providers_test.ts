/** Each service's API, simulated according to its documentation: paths, bodies, and responses. */
import assert from "node:assert/strict";
import { cloudflare } from "./cloudflare.ts";
import { desec } from "./desec.ts";
import { digitalocean } from "./digitalocean.ts";
import type { DnsProvider } from "./dns_provider.ts";
import { hetzner } from "./hetzner.ts";
import { openDnsProvider } from "./open_provider.ts";
import { parseTsigKey } from "./rfc2136.ts";
import { route53 } from "./route53.ts";

const ZONE = "example.com";
const TOKEN = "token-that-nobody-sees";
const BASE = "https://dns.test/v1";

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: Headers;
}

type Reply = readonly [status: number, body: unknown];
type Service = (call: Call, values: Map<string, string>) => Reply;

/** The simulated services, each of which has the zone and assigns IDs to its records. */
const SERVICES: readonly {
  readonly name: string;
  readonly open: (options: { base: string; send: typeof send }) => DnsProvider;
  readonly isSignedIn: (headers: Headers) => boolean;
  readonly answer: Service;
}[] = [
  {
    name: "Cloudflare",
    open: (options) => cloudflare(TOKEN, options),
    isSignedIn: (headers) => headers.get("authorization") === `Bearer ${TOKEN}`,
    answer({ method, path, query, body }, values) {
      if (path === "/zones") {
        const result = query.get("name") === ZONE ? [{ id: "z1", name: ZONE }] : [];
        return [200, { success: true, result }];
      }
      if (method === "POST") {
        const { name, content, type } = JSON.parse(body);
        assert.equal(type, "TXT");
        values.set(crypto.randomUUID(), `${name} ${content.slice(1, -1)}`);
        return [200, { success: true, result: {} }];
      }
      if (method === "DELETE") {
        assert.ok(values.delete(path.split("/").at(-1)!));
        return [200, { success: true }];
      }
      const found = [...values].filter(([, text]) => text.startsWith(`${query.get("name")} `));
      const result = found.map(([id, text]) => ({ id, content: `"${text.split(" ")[1]}"` }));
      return [200, { success: true, result }];
    },
  },
  {
    name: "DigitalOcean",
    open: (options) => digitalocean(TOKEN, options),
    isSignedIn: (headers) => headers.get("authorization") === `Bearer ${TOKEN}`,
    answer({ method, path, query, body }, values) {
      if (!path.startsWith(`/domains/${ZONE}`)) return [404, { id: "not_found" }];
      if (path === `/domains/${ZONE}`) return [200, { domain: { name: ZONE } }];
      if (method === "POST") {
        const { name, data } = JSON.parse(body);
        values.set(String(values.size + 1), `${name}.${ZONE} ${data}`);
        return [201, { domain_record: { id: values.size } }];
      }
      if (method === "DELETE") {
        assert.ok(values.delete(path.split("/").at(-1)!));
        return [204, undefined];
      }
      const found = [...values].filter(([, text]) => text.startsWith(`${query.get("name")} `));
      return [200, {
        domain_records: found.map(([id, text]) => ({ id: Number(id), data: text.split(" ")[1] })),
      }];
    },
  },
  {
    name: "Hetzner",
    open: (options) => hetzner(TOKEN, options),
    isSignedIn: (headers) => headers.get("authorization") === `Bearer ${TOKEN}`,
    answer({ path, body }, values) {
      if (path === `/zones/${ZONE}`) return [200, { zone: { id: 1, name: ZONE } }];
      const [, label, action] =
        /^\/zones\/example\.com\/rrsets\/([^/]+)\/TXT\/actions\/(\w+)$/.exec(path) ?? [];
      if (label === undefined) return [404, { error: { code: "not_found" } }];
      const [{ value }] = JSON.parse(body).records;
      const text = `${label}.${ZONE} ${value.slice(1, -1)}`;
      if (action === "add_records") values.set(text, text);
      else values.delete(text);
      return [201, { action: { id: 1, status: "running" } }];
    },
  },
  {
    name: "deSEC",
    open: (options) => desec(TOKEN, options),
    isSignedIn: (headers) => headers.get("authorization") === `Token ${TOKEN}`,
    answer({ method, path, query, body }, values) {
      if (path === "/domains/") {
        return [200, query.get("owns_qname")?.endsWith(ZONE) ? [{ name: ZONE }] : []];
      }
      if (method === "PATCH") {
        const [{ subname, records, type }] = JSON.parse(body);
        assert.equal(type, "TXT");
        for (const [id, text] of values) {
          if (text.startsWith(`${subname}.${ZONE} `)) values.delete(id);
        }
        for (const record of records) {
          const text = `${subname}.${ZONE} ${record.slice(1, -1)}`;
          values.set(text, text);
        }
        return [200, []];
      }
      const subname = path.split("/")[4];
      const found = [...values.values()].filter((text) => text.startsWith(`${subname}.${ZONE} `));
      if (found.length === 0) return [404, { detail: "Not found." }];
      return [200, { records: found.map((text) => `"${text.split(" ")[1]}"`) }];
    },
  },
  {
    name: "Route 53",
    open: (options) => route53({ accessKeyId: "AKID", secretAccessKey: TOKEN }, options),
    isSignedIn: (headers) =>
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/us-east-1\/route53\//.test(
        headers.get("authorization") ?? "",
      ),
    answer({ method, path, query, body }, values) {
      if (path === "/hostedzonesbyname") {
        // The service lists all zones that sort after the given name, even those of other domains.
        const zones = ["zz.example.", ...query.get("dnsname") === `${ZONE}.` ? [`${ZONE}.`] : []]
          .map((name) => `<HostedZone><Id>/hostedzone/Z1</Id><Name>${name}</Name></HostedZone>`);
        return [200, xml("ListHostedZonesByName", `<HostedZones>${zones.join("")}</HostedZones>`)];
      }
      assert.equal(path, "/hostedzone/Z1/rrset");
      if (method === "POST") {
        const name = /<Name>(.*?)\.<\/Name>/.exec(body)![1]!;
        for (const [id, text] of values) if (text.startsWith(`${name} `)) values.delete(id);
        if (/<Action>DELETE<\/Action>/.test(body)) return [200, xml("Change", "")];
        for (const [, value] of body.matchAll(/<Value>(?:"|&quot;)(.*?)(?:"|&quot;)<\/Value>/g)) {
          values.set(`${name} ${value}`, `${name} ${value}`);
        }
        return [200, xml("Change", "")];
      }
      const name = query.get("name")!.slice(0, -1);
      const found = [...values.values()].filter((text) => text.startsWith(`${name} `))
        .map((text) => `<ResourceRecord><Value>"${text.split(" ")[1]}"</Value></ResourceRecord>`);
      const set = found.length === 0
        ? ""
        : `<ResourceRecordSet><Name>${name}.</Name><Type>TXT</Type><TTL>60</TTL>` +
          `<ResourceRecords>${found.join("")}</ResourceRecords></ResourceRecordSet>`;
      return [
        200,
        xml("ListResourceRecordSets", `<ResourceRecordSets>${set}</ResourceRecordSets>`),
      ];
    },
  },
];

const xml = (name: string, inner: string): string =>
  `<?xml version="1.0"?><${name}Response>${inner}</${name}Response>`;

const send = (_request: Request): Promise<Response> => Promise.reject(new Error("unused"));

function play({ open, isSignedIn, answer }: typeof SERVICES[number]) {
  const values = new Map<string, string>();
  const provider = open({
    base: BASE,
    send: async (request) => {
      const url = new URL(request.url);
      const [status, body] = isSignedIn(request.headers)
        ? answer({
          method: request.method,
          path: url.pathname.slice("/v1".length),
          query: url.searchParams,
          body: await request.text(),
          headers: request.headers,
        }, values)
        : [403, "no"];
      const text = typeof body === "string" || body === undefined ? body : JSON.stringify(body);
      return new Response(text ?? null, { status });
    },
  });
  return { provider, shown: () => [...values.values()].sort() };
}

for (const service of SERVICES) {
  Deno.test(`${service.name}: values are added next to others, and removed individually`, async () => {
    const { provider, shown } = play(service);
    const [name, other] = [`_acme-challenge.${ZONE}`, `_acme-challenge.apps.${ZONE}`];
    await provider.addTxt(name, "one");
    await provider.addTxt(name, "two");
    await provider.addTxt(other, "three");
    assert.deepEqual(shown(), [`${other} three`, `${name} one`, `${name} two`]);
    await provider.removeTxt(name, "one");
    assert.deepEqual(shown(), [`${other} three`, `${name} two`]);
    await provider.removeTxt(name, "two");
    await provider.removeTxt(name, "two");
    assert.deepEqual(shown(), [`${other} three`]);
  });

  Deno.test(`${service.name}: a name without a zone is reported, and errors do not repeat the token`, async () => {
    const { provider } = play(service);
    await assert.rejects(provider.addTxt("_acme-challenge.other.org", "x"), {
      message: `No zone in the account at ${service.name} contains _acme-challenge.other.org`,
    });
    const refused = play({ ...service, isSignedIn: () => false }).provider;
    await assert.rejects(refused.addTxt(`_acme-challenge.${ZONE}`, "x"), (error: Error) => {
      assert.equal(error.message, `${service.name} responded with 403: no`);
      assert.ok(!String(error.stack).includes(TOKEN));
      return true;
    });
  });
}

Deno.test("parseTsigKey() reads the format of nsupdate", () => {
  const secret = new Uint8Array([1, 2, 3]);
  const cases = [
    ["svc:AQID", "hmac-sha256", "svc"],
    ["hmac-sha512:Svc-Key.:AQID", "hmac-sha512", "svc-key"],
    ["hmac-md5:svc:AQID", undefined, undefined],
    ["svc", undefined, undefined],
    ["svc:not base64", undefined, undefined],
  ] as const;
  for (const [text, algorithm, name] of cases) {
    const key = parseTsigKey(text);
    assert.deepEqual([key?.algorithm, key?.name], [algorithm, name], text);
    if (key !== undefined) assert.deepEqual(new Uint8Array(key.secret), secret);
  }
});

Deno.test("openDnsProvider() names the variable for a missing token", () => {
  const access = { token: undefined, server: undefined };
  assert.throws(() => openDnsProvider("desec", access), {
    message: "Set SVC_ACME_DNS_TOKEN together with --acme-dns desec",
  });
});
