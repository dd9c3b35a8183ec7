/** Information about the platform itself. @module */
import * as z from "zod";
import { DATABASE_ENGINES } from "./databases.ts";
import { endpoint } from "./endpoint.ts";

/**
 * Maximum number of deployment processes, and the number that are running, starting or stopping.
 */
const processes = {
  running: z.int().nonnegative().describe("Processes that are running, starting or ending"),
  max: z.int().positive().describe("Maximum number at a time"),
};

export const health = z.object({
  status: z.literal("ok").meta({ description: "`ok` if the platform is healthy", example: "ok" }),
  version: z.string().meta({ description: "Version of the platform", example: "0.1.0" }),
  knowsNetworks: z.boolean().describe(
    "Whether conditions on `asn` can match: this requires an ASN database, or a proxy that sends the ASN",
  ),
  knowsCountries: z.boolean().default(true).describe(
    "Whether the country database can be read. If not, conditions on `geo` only match countries sent by a trusted proxy",
  ).meta({ example: true }),
  nodes: z.int().positive().default(1).describe(
    "Number of nodes. Each node counts requests for rate limits separately",
  ).meta({ example: 1 }),
  servers: z.object({
    sandbox: z.enum(["enforced", "refused", "unsandboxed"]).describe(
      "`enforced`: they run in the full sandbox. `refused`: the system does not support the sandbox, so none runs. `unsandboxed`: the operator allowed servers to run without a sandbox.",
    ),
    missing: z.array(z.string()).describe("Parts of the sandbox that the system does not support"),
    node: z.object({
      sandbox: z.enum(["namespaces", "kernel", "refused", "unsandboxed"]).describe(
        "`namespaces`: a separate root folder and separate process and network namespaces, with Landlock and seccomp. `kernel`: only Landlock and seccomp, because the system does not allow namespaces. `refused`: no server runs on Node. `unsandboxed`: the operator allowed servers to run without a sandbox.",
      ),
      reason: z.string().nullable().describe(
        "Reason that the full sandbox is not used; null if it is used, or if the reason is unknown",
      ),
      advice: z.string().nullable().describe("How the operator can enable the full sandbox"),
    }).describe("Sandbox for servers on Node, tested once"),
    ...processes,
  }).describe("Servers of deployments"),
  functions: z.object(processes).describe("Processes of functions"),
  databases: z.object({
    engine: z.enum(DATABASE_ENGINES).describe("Default engine for new databases"),
    port: z.int().nullable().describe("Address for PostgreSQL clients; null if there is none yet"),
    ready: z.boolean().describe("Whether databases can be created and used"),
    problem: z.string().nullable().describe(
      "Why databases are not ready, and what to do; null if they are ready",
    ),
  }).optional().describe("Managed databases"),
}).meta({ id: "Health" });
export type Health = z.infer<typeof health>;

export const getHealth = endpoint({
  method: "GET",
  path: "/v1/health",
  summary: "Show the version and health of the platform, and how it runs deployments",
  tag: "System",
  auth: "none",
  response: health,
});

export const getOpenApi = endpoint({
  method: "GET",
  path: "/v1/openapi.json",
  summary: "Describe this API as an OpenAPI 3.1 document",
  tag: "System",
  auth: "none",
  response: z.record(z.string(), z.unknown()),
});
