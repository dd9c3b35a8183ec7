/**
 * The records of domains, zones and their owners, and a domain's wire format. A domain is verified
 * if its workspace owns its zone. Ownership is stored once, with the zone, so one proof covers all
 * names in the zone. Pure.
 *
 * @module
 */
import * as z from "zod";
import { dnsCheck, type Domain } from "../../contract/domains.ts";

export const domainRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  projectId: z.string(),
  hostname: z.string(),
  zone: z.string(),
  /** The name of the environment whose latest deployment the domain serves. */
  environment: z.string(),
  /** The hostname to which visitors are redirected; `null` if the domain serves the project. */
  redirectTo: z.string().nullable(),
  createdAt: z.number(),
  lastCheck: z.object({ checkedAt: z.number(), checks: z.array(dnsCheck) }).nullable(),
});
export type DomainRecord = z.infer<typeof domainRecord>;

/** A zone in a workspace, with the token that proves control. */
export const zoneRecord = z.object({
  workspaceId: z.string(),
  zone: z.string(),
  token: z.string(),
  createdAt: z.number(),
});
export type ZoneRecord = z.infer<typeof zoneRecord>;

/** The one workspace that has proven ownership of a zone. */
export const zoneOwnerRecord = z.object({ workspaceId: z.string(), verifiedAt: z.number() });
export type ZoneOwnerRecord = z.infer<typeof zoneOwnerRecord>;

/** Returns whether the domain's workspace has proven ownership of the zone. */
export function isVerified(domain: DomainRecord, owner: ZoneOwnerRecord | undefined): boolean {
  return owner?.workspaceId === domain.workspaceId;
}

export function domainToWire(
  domain: DomainRecord,
  context: {
    readonly owner: ZoneOwnerRecord | undefined;
    readonly certificate: Domain["certificate"];
  },
): Domain {
  const { workspaceId: _, createdAt, lastCheck, ...shown } = domain;
  const verified = isVerified(domain, context.owner);
  const time = (moment: number) => new Date(moment).toISOString();
  return {
    ...shown,
    status: verified ? "verified" : "pending",
    certificate: context.certificate,
    createdAt: time(createdAt),
    verifiedAt: verified ? time(Math.max(createdAt, context.owner!.verifiedAt)) : null,
    lastCheck: lastCheck === null
      ? null
      : { checkedAt: time(lastCheck.checkedAt), checks: lastCheck.checks },
  };
}
