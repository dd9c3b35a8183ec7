/**
 * Custom domains: hostnames that serve an environment of a project. One TXT record verifies every
 * hostname in a workspace below the same registrable domain, which is called the zone.
 *
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

const DOMAIN_STATUSES = ["pending", "verified"] as const;

const DNS_RECORD_TYPES = ["TXT", "CNAME", "A", "AAAA"] as const;
export type DnsRecordType = (typeof DNS_RECORD_TYPES)[number];

const CERTIFICATE_STATUSES = ["none", "pending", "issued", "failed"] as const;

/** A record to set at the domain's name server. */
const dnsRecord = z.object({
  type: z.enum(DNS_RECORD_TYPES).describe("Type of the record"),
  name: z.string().describe("Full name, without the trailing dot"),
  value: z.string().meta({
    description: "Value of the record",
    example: "svc.example.net",
  }),
  purpose: z.enum(["proof", "routing"]).describe(
    "Purpose of the record: prove ownership or route traffic",
  ),
}).meta({ id: "DnsRecord" });
export type DnsRecord = z.infer<typeof dnsRecord>;

/** The result of a DNS lookup for one record. */
export const dnsCheck = z.object({
  type: z.string().meta({ description: "Type of the record", example: "TXT" }),
  name: z.string().meta({ description: "Name of the record", example: "shop" }),
  purpose: z.enum(["proof", "routing"]).describe(
    "Whether the record proves ownership or routes traffic",
  ),
  ok: z.boolean().describe("Whether the record is correct"),
  expected: z.array(z.string()).meta({
    description: "Expected values",
    example: ["svc.example.net"],
  }),
  seen: z.array(z.string()).describe("Values found"),
  failure: z.string().nullable().describe(
    "Why the lookup failed, such as `NXDOMAIN`, `SERVFAIL` or `TIMEOUT`; null if it did not",
  ),
  hint: z.string().nullable().describe("What to do about it; null if the record is correct"),
}).meta({ id: "DnsCheck" });
export type DnsCheck = z.infer<typeof dnsCheck>;

export const domain = z.object({
  id: uuid.describe("ID of the domain"),
  hostname: z.string().describe("Hostname in punycode. `*.example.com` covers one label"),
  zone: z.string().describe("Registrable domain, which has the ownership record"),
  projectId: uuid.describe("ID of the project"),
  environment: z.string().meta({
    description: "Environment that the domain serves",
    example: "production",
  }),
  redirectTo: z.string().nullable().describe(
    "Hostname that it redirects to; null if it serves the project",
  ),
  status: z.enum(DOMAIN_STATUSES).describe("Status of the domain"),
  certificate: z.object({
    status: z.enum(CERTIFICATE_STATUSES).describe("Status of the certificate"),
    expiresAt: timestamp.nullable().describe("When the certificate expires; null if there is none"),
    error: z.string().nullable().meta({
      description: "Why no certificate was issued; null if one was",
      example: "The authority refused the order",
    }),
  }).describe("`pending` while a certificate is requested, `none` if the platform requests none"),
  createdAt: timestamp.describe("When the domain was created"),
  verifiedAt: timestamp.nullable().describe("When the domain was verified; null if it was not"),
  lastCheck: z.object({
    checkedAt: timestamp.describe("When the records were checked"),
    checks: z.array(dnsCheck).describe("Checked records"),
  }).nullable().describe(
    "Result of the last DNS check",
  ),
}).meta({ id: "Domain" });
export type Domain = z.infer<typeof domain>;

const addDomainBody = z.object({
  hostname: z.string().min(1).max(1000).meta({
    description: "A name such as `www.example.com`, `*.example.com` or `bücher.example`",
    example: "www.example.com",
  }),
  environment: environmentReference.meta({
    description: "Environment that the domain serves",
    example: "production",
  }),
}).strict();

const addDomainAnswer = z.object({
  domain: domain.describe("The domain"),
  companion: domain.nullable().describe(
    "The `www` name of an apex domain, or the apex of a `www` name, which redirects; null if there is none",
  ),
  records: z.array(dnsRecord).describe("Records to set for both"),
  notes: z.array(z.string()).describe("Human-readable remarks"),
});

const verifyDomainAnswer = z.object({
  domain: domain.describe("The domain"),
  checks: z.array(dnsCheck).describe(
    "Results of the DNS check",
  ),
  notes: z.array(z.string()).describe("Human-readable remarks"),
});
export type VerifiedDomain = z.infer<typeof verifyDomainAnswer>;

const domainParams = projectParams.extend({
  domain: uuid.describe("ID of the domain"),
});

export const listDomains = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/domains",
  summary: "List a project's custom domains, newest first",
  tag: "Domains",
  params: projectParams,
  query: pageQuery,
  response: page(domain),
});

export const addDomain = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/domains",
  summary: "Add a custom domain to an environment. The response lists the DNS records to set",
  tag: "Domains",
  params: projectParams,
  body: addDomainBody,
  response: addDomainAnswer,
  status: 201,
});

export const getDomain = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/domains/{domain}",
  summary: "Show a custom domain with its DNS records",
  tag: "Domains",
  params: domainParams,
  response: addDomainAnswer.omit({ companion: true }),
});

export const verifyDomain = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/domains/{domain}/verify",
  summary: "Check the DNS records and, once ownership is proven, activate the zone's domains",
  tag: "Domains",
  params: domainParams,
  response: verifyDomainAnswer,
});

export const deleteDomain = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}/domains/{domain}",
  summary: "Remove a custom domain",
  tag: "Domains",
  params: domainParams,
  status: 204,
});
