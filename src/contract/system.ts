/**
 * The platform about itself.
 *
 * @module
 */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";

export const health = z.object({
  status: z.literal("ok"),
  version: z.string(),
  /** Whether conditions on `asn` can hold: there is an ASN database, or a proxy that names networks. */
  knowsNetworks: z.boolean(),
}).meta({ id: "Health" });

export const getHealth = endpoint({
  method: "GET",
  path: "/v1/health",
  summary: "Tell that the platform answers, and its version",
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
