/** Security events, and the audit log that contains them. @module */
import { securityEventName } from "./events.ts";
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const securityEvent = z.object({
  id: uuid.describe("ID of the event"),
  event: securityEventName.describe("Name of the event"),
  userId: uuid.describe("Affected account"),
  workspaceId: uuid.nullable().describe("Workspace; null if the event is about the account"),
  at: timestamp.describe("Time of the event"),
  address: z.string().describe("IP address of the request"),
  country: z.string().nullable().meta({
    description: "Country as ISO 3166-1 alpha-2 code; null if unknown",
    example: "DE",
  }),
  detail: z.string().describe("Description of the event"),
}).meta({ id: "SecurityEvent" });
export type SecurityEvent = z.infer<typeof securityEvent>;

export const listSecurityEvents = endpoint({
  method: "GET",
  path: "/v1/security-events",
  summary: "List security events for the workspace's keys, newest first",
  tag: "Security",
  access: "owner",
  query: pageQuery,
  response: page(securityEvent),
});

export const listAccountEvents = endpoint({
  method: "GET",
  path: "/v1/account/security-events",
  summary: "List the account's security events, newest first",
  tag: "Security",
  access: "account",
  query: pageQuery,
  response: page(securityEvent),
});
