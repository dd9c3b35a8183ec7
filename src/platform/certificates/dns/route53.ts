/**
 * TXT records at Amazon Route 53 (API of 2013-04-01). The key needs `route53:ListHostedZonesByName`,
 * `route53:ListResourceRecordSets` and `route53:ChangeResourceRecordSets`.
 *
 * @module
 */
import { AwsClient } from "aws4fetch";
import { XMLBuilder, XMLParser } from "fast-xml-parser";
import * as z from "zod";
import { DnsApi, type DnsApiOptions } from "./dns_api.ts";
import {
  CHALLENGE_TTL,
  type DnsProvider,
  editingProvider,
  NoZoneError,
  possibleZones,
} from "./dns_provider.ts";

const BASE = "https://route53.amazonaws.com/2013-04-01";

const parser = new XMLParser({
  parseTagValue: false,
  isArray: (name) => ["HostedZone", "ResourceRecordSet", "ResourceRecord"].includes(name),
});
const builder = new XMLBuilder({});

/** An empty list in XML is parsed as an empty string. */
const list = <Item extends z.ZodType>(name: string, item: Item) =>
  z.union([
    z.literal("").transform(() => []),
    z.object({ [name]: z.array(item) }).transform(
      (value) => Object.values(value)[0] as z.output<Item>[],
    ),
  ]);

const zones = z.object({
  ListHostedZonesByNameResponse: z.object({
    HostedZones: list(
      "HostedZone",
      z.object({
        Id: z.string().regex(/^\/hostedzone\/[A-Z0-9]{1,32}$/),
        Name: z.string(),
        Config: z.object({ PrivateZone: z.string() }).optional(),
      }),
    ),
  }),
});
const recordSets = z.object({
  ListResourceRecordSetsResponse: z.object({
    ResourceRecordSets: list(
      "ResourceRecordSet",
      z.object({
        Name: z.string(),
        Type: z.string(),
        ResourceRecords: list("ResourceRecord", z.object({ Value: z.string() })).optional(),
      }),
    ),
  }),
});

interface Route53Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export function route53(
  key: Route53Key,
  { base = BASE, send = fetch }: Partial<Pick<DnsApiOptions, "base" | "send">> = {},
): DnsProvider {
  const signer = new AwsClient({ ...key, service: "route53", region: "us-east-1", retries: 0 });
  const api = new DnsApi({
    provider: "Route 53",
    base,
    contentType: "application/xml",
    send: async (request) => await send(await signer.sign(request)),
  });
  const zoneOf = async (name: string): Promise<string> => {
    for (const zone of possibleZones(name)) {
      const text = await api.text("GET", `/hostedzonesbyname?dnsname=${zone}.&maxitems=5`);
      const { HostedZones } = zones.parse(parser.parse(text)).ListHostedZonesByNameResponse;
      const found = HostedZones.find((each) =>
        each.Name === `${zone}.` && each.Config?.PrivateZone !== "true"
      );
      if (found !== undefined) return `${found.Id}/rrset`;
    }
    throw new NoZoneError("Route 53", name);
  };
  const valuesOf = async (path: string, name: string): Promise<string[]> => {
    const text = await api.text("GET", `${path}?name=${name}.&type=TXT&maxitems=1`);
    const { ResourceRecordSets } =
      recordSets.parse(parser.parse(text)).ListResourceRecordSetsResponse;
    const found = ResourceRecordSets.find((each) =>
      each.Name === `${name}.` && each.Type === "TXT"
    );
    return found?.ResourceRecords?.map(({ Value }) => Value) ?? [];
  };
  const change = async (
    name: string,
    edit: (values: readonly string[]) => string[],
  ): Promise<void> => {
    const path = await zoneOf(name);
    const before = await valuesOf(path, name);
    const after = edit(before);
    if (after.length === 0 && before.length === 0) return;
    const values = after.length === 0 ? before : after;
    const ResourceRecordSet = {
      Name: `${name}.`,
      Type: "TXT",
      TTL: CHALLENGE_TTL,
      ResourceRecords: { ResourceRecord: values.map((Value) => ({ Value })) },
    };
    const Change = { Action: after.length === 0 ? "DELETE" : "UPSERT", ResourceRecordSet };
    const body = builder.build({
      ChangeResourceRecordSetsRequest: { ChangeBatch: { Changes: { Change } } },
    }).replace(
      "<ChangeResourceRecordSetsRequest>",
      '<ChangeResourceRecordSetsRequest xmlns="https://route53.amazonaws.com/doc/2013-04-01/">',
    );
    await api.text("POST", path, body);
  };
  return editingProvider(change);
}
