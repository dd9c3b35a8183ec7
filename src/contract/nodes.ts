/**
 * The nodes of a platform: processes that serve from the same store.
 *
 * @module
 */
import * as z from "zod";
import { timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";

export const platformNode = z.object({
  id: z.string().meta({ example: "a" }).describe("Id of the node"),
  version: z.string().meta({ description: "Version of svc on the node", example: "0.1.0" }),
  addresses: z.array(z.string()).describe("Where its listeners are").meta({
    example: ["http://10.0.0.1:8787"],
  }),
  url: z.string().optional().describe("Where the other nodes reach it").meta({
    example: "http://10.0.0.1:8787",
  }),
  since: timestamp.describe("When it started"),
  lagMs: z.int().nonnegative().describe(
    "How far it is behind what other nodes changed, in milliseconds; more than 5,000 is too much",
  ),
  roles: z.array(z.string()).describe("What it does for all nodes, one of which does each"),
  isSelf: z.boolean().describe("Whether it is the node that answers"),
}).meta({ id: "PlatformNode" });
export type PlatformNode = z.infer<typeof platformNode>;

export const listNodes = endpoint({
  method: "GET",
  path: "/v1/nodes",
  summary: "List the nodes of the platform that were heard of in the last 15 seconds",
  tag: "System",
  access: "owner",
  response: z.object({
    items: z.array(platformNode).describe("Entries of the page"),
    lost: z.array(z.string()).describe(
      "Names of nodes heard from within the last day, and no longer, stopped ones among them",
    ).meta({ example: ["c"] }),
  }),
});
