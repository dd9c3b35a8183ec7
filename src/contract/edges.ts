/**
 * Front edges: processes on other machines that serve sites and follow the platform's state.
 *
 * @module
 */
import * as z from "zod";
import { slug, timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "System";

const edgeName = slug(40).meta({ description: "Name of the front edge", example: "tokyo" });

const EDGE_STATES = ["connected", "lost", "unseen"] as const;

export const frontEdge = z.object({
  name: edgeName,
  isLocal: z.boolean().describe("Whether `svc serve --edges` runs it on the platform's machine"),
  state: z.enum(EDGE_STATES).describe(
    "`connected` follows the platform, `lost` serves the last state it received, `unseen` " +
      "has not connected to this node since it started",
  ),
  isDrained: z.boolean().describe("Whether the edge is drained: its clients use other edges"),
  behind: z.int().nonnegative().nullable().describe(
    "Changes that it has not applied yet; null unless `connected`",
  ),
  since: timestamp.nullable().describe("When it connected or was lost; null if `unseen`"),
  seenAt: timestamp.nullable().describe(
    "When it last reported, which it does every few seconds; null if `unseen`",
  ),
  address: z.string().nullable().describe("IP address of its last connection; null if `unseen`"),
  country: z.string().nullable().describe(
    "Country of the edge, as two letters (ISO 3166-1): as set, or looked up from its address; null if unknown",
  ),
  roundTripMs: z.number().nonnegative().nullable().describe(
    "Round-trip time of its last report to the platform, in milliseconds; null before the second one",
  ),
  version: z.string().nullable().describe("Version of svc on the edge; null if `unseen`"),
  createdAt: timestamp.describe("When the key was created"),
}).meta({ id: "FrontEdge" });
export type FrontEdge = z.infer<typeof frontEdge>;

export const listEdges = endpoint({
  method: "GET",
  path: "/v1/edges",
  summary: "List the platform's front edges and their state",
  tag,
  access: "owner",
  response: z.object({ items: z.array(frontEdge).describe("The front edges") }),
});

export const addEdge = endpoint({
  method: "POST",
  path: "/v1/edges",
  summary: "Add a front edge. Its key is shown only once",
  tag,
  access: "owner",
  body: z.object({ name: edgeName }).strict(),
  response: frontEdge.extend({
    key: z.string().meta({
      description: "The key of the edge, for SVC_EDGE_KEY; shown only once",
      example: "svce_kX2v9Qm4Zr7Tb1Lw5Nc8Hd3Fg6Js0Ya",
    }),
  }),
  status: 201,
});

export const drainEdge = endpoint({
  method: "PATCH",
  path: "/v1/edges/{edge}",
  summary: "Drain a front edge, or use it again",
  tag,
  access: "owner",
  params: z.object({ edge: edgeName }),
  body: z.object({
    isDrained: z.boolean().describe("Whether the edge is drained: its clients use other edges"),
  }).strict(),
  response: frontEdge,
});

export const removeEdge = endpoint({
  method: "DELETE",
  path: "/v1/edges/{edge}",
  summary: "Remove a front edge. Its key stops working immediately",
  tag,
  access: "owner",
  params: z.object({ edge: edgeName }),
  status: 204,
});
