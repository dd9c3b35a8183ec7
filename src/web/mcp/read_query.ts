/**
 * Parses the URL of an agent: `/mcp?project=blog&read-only=true`.
 *
 * @module
 */
import * as z from "zod";
import { Failure } from "../../platform/core/http/mod.ts";

const query = z.strictObject({
  project: z.string().min(1).max(100).optional(),
  "read-only": z.enum(["true", "false"]).default("false"),
});

export interface AgentLimits {
  /** The project that the agent is confined to. */
  readonly project: string | undefined;
  /** Offers only what changes nothing. */
  readonly readOnly: boolean;
}

/** @throws {Failure} `invalid_request` for anything else: what is misspelt would confine nothing. */
export function readQuery(params: URLSearchParams): AgentLimits {
  const parsed = query.safeParse(Object.fromEntries(params));
  if (parsed.success && params.size === new Set(params.keys()).size) {
    return { project: parsed.data.project, readOnly: parsed.data["read-only"] === "true" };
  }
  throw new Failure(
    "invalid_request",
    "URL is not valid: /mcp accepts project=<name> and read-only=true, each at most once",
  );
}
