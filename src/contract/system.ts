/**
 * The platform about itself.
 *
 * @module
 */
import * as z from "zod";
import { DATABASE_ENGINES } from "./databases.ts";
import { endpoint } from "./endpoint.ts";

/** Processes of deployments: those that run, start or end, and the most at a time. */
const processes = {
  running: z.int().nonnegative().describe("Those that run, start or end"),
  max: z.int().positive().describe("The most at the same time"),
};

export const health = z.object({
  status: z.literal("ok").meta({ description: "`ok` if the platform works", example: "ok" }),
  version: z.string().meta({ description: "Version of the platform", example: "0.1.0" }),
  knowsNetworks: z.boolean().describe(
    "Whether conditions on `asn` can hold: there is an ASN database, or a proxy that names networks",
  ),
  knowsCountries: z.boolean().default(true).describe(
    "Whether the database of countries can be read; where it cannot, conditions on `geo` match only what a trusted proxy names",
  ).meta({ example: true }),
  nodes: z.int().positive().default(1).describe(
    "How many nodes the platform has; each counts the requests of rate limits by itself",
  ).meta({ example: 1 }),
  servers: z.object({
    sandbox: z.enum(["enforced", "refused", "unsandboxed"]).describe(
      "`enforced`: they run in the whole sandbox. `refused`: the system does not offer it, and none runs. `unsandboxed`: they run without, as the operator wants.",
    ),
    missing: z.array(z.string()).describe("What the system does not offer of the sandbox"),
    node: z.object({
      sandbox: z.enum(["namespaces", "kernel", "refused", "unsandboxed"]).describe(
        "`namespaces`: a root folder, processes and a network of their own, and Landlock and seccomp. `kernel`: Landlock and seccomp only, as the system gives no namespaces. `refused`: no server runs on Node. `unsandboxed`: they run without, as the operator wants.",
      ),
      reason: z.string().nullable().describe("What the system refuses"),
      advice: z.string().nullable().describe("What the operator can do for the whole sandbox"),
    }).describe("The sandbox of servers on Node, which is tried once"),
    ...processes,
  }).describe("Servers of deployments"),
  functions: z.object(processes).describe("Processes of functions"),
  databases: z.object({
    engine: z.enum(DATABASE_ENGINES).describe("Which one new databases get"),
    port: z.int().nullable().describe("Where PostgreSQL clients connect; null for nowhere yet"),
    ready: z.boolean().describe("Whether databases can be used, or made"),
    problem: z.string().nullable().describe("Why they can't, and what to do"),
  }).optional().describe("Managed databases"),
}).meta({ id: "Health" });
export type Health = z.infer<typeof health>;

export const getHealth = endpoint({
  method: "GET",
  path: "/v1/health",
  summary: "Show that the platform answers, its version, and how it runs deployments",
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
