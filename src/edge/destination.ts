/**
 * Destinations of requests that the rules let through.
 *
 * @module
 */
import type { EdgeResponse } from "./response/edge_response.ts";
import type { StaticFile } from "./static/static_file.ts";
import type { RequestContext } from "./request_context.ts";
import { targetOf } from "./site/route_target.ts";

/**
 * The destination of a request that the rules let through: its file, the pipeline, the routes, or
 * web vitals.
 */
export type Destination = StaticFile | "dynamic" | "route" | "vitals";

/** Whether the rules let a request through without responding themselves. */
export const isDestination = (decided: EdgeResponse | Destination): decided is Destination =>
  typeof decided === "string" || "plain" in decided;

/** Returns the file that a request resolves to, if any. */
export function fileOf(context: RequestContext, way: Destination): StaticFile | undefined {
  if (typeof way !== "string") return way;
  if (way === "dynamic") return undefined;
  const resolution = context.site.content.resolve("GET", targetOf(context).path);
  return resolution.type === "file" || resolution.type === "moved" ? resolution.file : undefined;
}
