/**
 * Custom domains: hostnames that show a project's environment. One proof by a
 * TXT record verifies every hostname below the same registrable domain, the
 * zone, within a workspace.
 *
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

export const DOMAIN_STATUSES = ["pending", "verified"] as const;
export type DomainStatus = (typeof DOMAIN_STATUSES)[number];

export const DNS_RECORD_TYPES = ["TXT", "CNAME", "A", "AAAA"] as const;
export type DnsRecordType = (typeof DNS_RECORD_TYPES)[number];

export const CERTIFICATE_STATUSES = ["none", "pending", "issued", "failed"] as const;
export type CertificateStatus = (typeof CERTIFICATE_STATUSES)[number];

/** A record to set at the domain's name server. */
export const dnsRecord = z.object({
  type: z.enum(DNS_RECORD_TYPES).describe("Type of the record"),
  name: z.string().describe("Full name, without the final dot"),
  value: z.string().meta({
    description: "Value that the record needs",
    example: "svc.example.net",
  }),
  purpose: z.enum(["proof", "routing"]).describe(
    "What the record is for: the proof of control, or the way of the visitors",
  ),
}).meta({ id: "DnsRecord" });
export type DnsRecord = z.infer<typeof dnsRecord>;

/** The result of a DNS lookup of one record. */
export const dnsCheck = z.object({
  type: z.string().meta({ description: "Type of the record", example: "TXT" }),
  name: z.string().meta({ description: "Name of the record", example: "shop" }),
  purpose: z.enum(["proof", "routing"]).describe(
    "Whether the record proves control or directs visitors",
  ),
  ok: z.boolean().describe("Whether the record is correct"),
  expected: z.array(z.string()).meta({
    description: "Expected values",
    example: ["svc.example.net"],
  }),
  seen: z.array(z.string()).describe("Values found"),
  failure: z.string().nullable().describe(
    "Why nothing was seen: `NXDOMAIN`, `SERVFAIL`, `TIMEOUT` and the like; null where an answer came",
  ),
  hint: z.string().nullable().describe("What to do about it; null where all is well"),
}).meta({ id: "DnsCheck" });
export type DnsCheck = z.infer<typeof dnsCheck>;

export const domain = z.object({
  id: uuid.describe("Id of the domain"),
  hostname: z.string().describe("In punycode; `*.example.com` covers one label"),
  zone: z.string().describe("The registrable domain, where the proof stands"),
  projectId: uuid.describe("Id of the project"),
  environment: z.string().meta({
    description: "Environment that the domain shows",
    example: "production",
  }),
  redirectTo: z.string().nullable().describe(
    "The hostname that visitors are sent on to; null where the project answers",
  ),
  status: z.enum(DOMAIN_STATUSES).describe("Status of the domain"),
  certificate: z.object({
    status: z.enum(CERTIFICATE_STATUSES).describe("Status of the certificate"),
    expiresAt: timestamp.nullable().describe("When the certificate expires; null if there is none"),
    error: z.string().nullable().meta({
      description: "Why no certificate was issued; null if one was",
      example: "The authority refused the order",
    }),
  }).describe("`pending` while one is being ordered; `none` where the platform orders none"),
  createdAt: timestamp.describe("When the domain was created"),
  verifiedAt: timestamp.nullable().describe("When the domain was verified; null before"),
  lastCheck: z.object({
    checkedAt: timestamp.describe("When the records were looked up"),
    checks: z.array(dnsCheck).describe("Records that were looked up"),
  }).nullable().describe(
    "When the records were last looked up, and what was seen then",
  ),
}).meta({ id: "Domain" });
export type Domain = z.infer<typeof domain>;

export const addDomainBody = z.object({
  hostname: z.string().min(1).max(1000).meta({
    description: "A name such as `www.example.com`, `*.example.com` or `bücher.example`",
    example: "www.example.com",
  }),
  environment: environmentReference.meta({
    description: "Environment that the domain shows",
    example: "production",
  }),
}).strict();

export const addDomainAnswer = z.object({
  domain: domain.describe("The domain"),
  companion: domain.nullable().describe(
    "The `www` name of an apex, or the apex of a `www` name: it redirects. Null where there is none.",
  ),
  records: z.array(dnsRecord).describe("The records to set for both"),
  notes: z.array(z.string()).describe("What the records leave open, in sentences for people"),
});
export type AddedDomain = z.infer<typeof addDomainAnswer>;

export const verifyDomainAnswer = z.object({
  domain: domain.describe("The domain"),
  checks: z.array(dnsCheck).describe(
    "The look-ups that were made; an empty hint list means that all is as it should be",
  ),
  notes: z.array(z.string()).describe("Remarks in sentences"),
});
export type VerifiedDomain = z.infer<typeof verifyDomainAnswer>;

const domainParams = projectParams.extend({
  domain: uuid.describe("Id or hostname of the domain"),
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
  summary: "Bind a hostname to an environment and learn which DNS records to set",
  tag: "Domains",
  params: projectParams,
  body: addDomainBody,
  response: addDomainAnswer,
  status: 201,
});

export const getDomain = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/domains/{domain}",
  summary: "Show a custom domain with the DNS records that it needs",
  tag: "Domains",
  params: domainParams,
  response: addDomainAnswer.omit({ companion: true }),
});

export const verifyDomain = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/domains/{domain}/verify",
  summary: "Look the DNS records up and, once the proof is seen, activate the zone's domains",
  tag: "Domains",
  params: domainParams,
  response: verifyDomainAnswer,
});

export const deleteDomain = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}/domains/{domain}",
  summary: "Remove a custom domain and free its hostname",
  tag: "Domains",
  params: domainParams,
  status: 204,
});
