/** The nodes of a platform: processes that serve from the same store. @module */
import * as z from "zod";
import { timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const platformNode = z.object({
  id: z.string().meta({ example: "a" }).describe("ID of the node"),
  version: z.string().meta({ description: "Version of svc on the node", example: "0.1.0" }),
  addresses: z.array(z.string()).describe("URLs of its listeners").meta({
    example: ["http://10.0.0.1:8787"],
  }),
  url: z.string().optional().describe("Address for other nodes").meta({
    example: "http://10.0.0.1:8787",
  }),
  since: timestamp.describe("When the node started"),
  lagMs: z.int().nonnegative().describe(
    "Replication lag behind other nodes in milliseconds. More than 5,000 is a problem",
  ),
  roles: z.array(z.string()).describe("Tasks that this node runs for all nodes"),
  isSelf: z.boolean().describe("True for the node that sent this response"),
}).meta({ id: "PlatformNode" });

export const listNodes = endpoint({
  method: "GET",
  path: "/v1/nodes",
  summary: "List the nodes of the platform that were seen in the last 15 seconds",
  tag: "System",
  access: "owner",
  response: z.object({
    items: z.array(platformNode).describe("The nodes"),
    lost: z.array(z.string()).describe(
      "Nodes that were seen in the last day but not in the last 15 seconds, including stopped ones",
    ).meta({ example: ["c"] }),
  }),
});
