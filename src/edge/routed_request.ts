/**
 * A path of a site that one edge has another one answer, in the middle of a pipeline
 * that it runs itself.
 *
 * @module
 */
import { requestFromPipeline, type RoutedRequest } from "./compute/mod.ts";
import type { Decided, RouteElsewhere } from "./hand_over.ts";
import type { PipelineResponse } from "./messages/mod.ts";
import type { RequestContext } from "./request_context.ts";
import type { Connection } from "./request/mod.ts";
import type { EdgeResponse } from "./response/mod.ts";
import type { SiteResponder } from "./site/mod.ts";

/** What the rules of this edge have done with a request. */
export function decidedOf({ clientRequest, limits = [], shadowed = [] }: RequestContext): Decided {
  return { requestId: clientRequest.id, verdicts: [...limits, ...shadowed] };
}

/** Answers requests of a pipeline in another edge; `undefined` where there is none. */
export function routeThrough(
  elsewhere: RouteElsewhere | undefined,
  context: RequestContext,
  arrival: { readonly request: Request; readonly connection: Connection },
): ((routed: RoutedRequest) => Promise<PipelineResponse>) | undefined {
  if (elsewhere === undefined) return undefined;
  const { request, connection } = arrival;
  return (routed) => elsewhere(request, connection, { ...decidedOf(context), routed });
}

/** Answers what the edge that runs the pipeline wants of terminal routing. */
export async function respondRouted(
  { clientRequest, site, noteProblem }: RequestContext,
  { method, headers, target }: RoutedRequest,
  siteResponder: SiteResponder,
): Promise<EdgeResponse> {
  const asked = requestFromPipeline(
    { method, headers, url: "", body: null },
    clientRequest,
    () => clientRequest.signal,
  );
  const response = await siteResponder.route(site, asked, target);
  if (response.problem !== undefined) noteProblem?.(response.problem);
  return response;
}
