/**
 * Responses of an edge that supervises nothing: copies of what another edge has
 * stored, and responses of servers and functions that it may reach itself.
 *
 * @module
 */
import type { Clock } from "../lib/clock.ts";
import { ORIGIN_HANDLE } from "../rules/mod.ts";
import type { SiteFunctions } from "./pipeline/mod.ts";
import {
  type DirectServers,
  isSocketRequest,
  respondDirectly,
  type RoutedRequest,
} from "./compute/mod.ts";
import { type DynamicResponder, isDynamic, type StoredResponder } from "./dynamic/mod.ts";
import { isReading, type PipelineResponse } from "./messages/mod.ts";
import type { RequestContext } from "./request_context.ts";
import type { EdgeResponse } from "./response/mod.ts";
import { targetOf, type Way } from "./way.ts";

/** The functions that an edge may call although another one supervises them. */
export interface DirectFunctions {
  /** What calls these functions of a deployment; `undefined` while some cannot be called here. */
  find(deploymentId: string, names: readonly string[]): SiteFunctions | undefined;
}

export interface ThinResponderOptions {
  readonly stored: StoredResponder | undefined;
  readonly dynamic: DynamicResponder | undefined;
  readonly servers: DirectServers | undefined;
  readonly functions: DirectFunctions | undefined;
  readonly now: Clock;
}

/** Has another edge answer a path in the middle of a pipeline. */
type Route = (routed: RoutedRequest) => Promise<PipelineResponse>;

/** A response; `undefined`, now or later, where another edge has to answer. */
export type ThinResponse = EdgeResponse | Promise<EdgeResponse | undefined> | undefined;

export class ThinResponder {
  constructor(private readonly options: ThinResponderOptions) {}

  respond(
    context: RequestContext,
    way: EdgeResponse | Way,
    routeElsewhere: Route | undefined,
  ): ThinResponse {
    const { stored } = this.options;
    const { clientRequest, site } = context;
    if (way === "dynamic") {
      return this.#findStored(context) ?? this.#callFunctions(context, routeElsewhere) ??
        this.#sendUnsafe(context);
    }
    return stored?.page(site, clientRequest, targetOf(context)) ??
      (way === "route" ? this.#askServer(context) : undefined);
  }

  /** The copy of a response that another edge has stored, while it is fresh. */
  #findStored(context: RequestContext): EdgeResponse | undefined {
    const { clientRequest, site, decision, facts, cachedDecision } = context;
    return this.options.stored?.find({
      ...{ clientRequest, site, decision, facts: facts!, cachedDecision },
    });
  }

  #askServer(context: RequestContext): ThinResponse {
    const { servers, now } = this.options;
    const { site, clientRequest: request } = context;
    const target = targetOf(context);
    // An image's endpoint is the edge's own, also where the site's server takes every path.
    if (servers === undefined || site.images?.styleOf(target.path) !== undefined) return undefined;
    const resolution = site.content.resolve(request.method, target.path);
    if (resolution.type !== "compute") return undefined;
    return respondDirectly({ site, request, target, route: resolution.route, servers, now });
  }

  /** Has a server act on an unsafe request, and removes what its response invalidates. */
  #sendUnsafe(context: RequestContext): ThinResponse {
    const { stored } = this.options;
    const { clientRequest, site, decision } = context;
    if (stored === undefined || isReading(clientRequest.method)) return undefined;
    if (decision.cache !== undefined || isDynamic(decision)) return undefined;
    if (stored.isInLoop(clientRequest)) return undefined;
    const asked = this.#askServer(context);
    return asked instanceof Promise
      ? asked.then(async (response) => {
        if (response !== undefined) await stored.invalidate(clientRequest, site, response);
        return response;
      })
      : asked;
  }

  /** Runs a pipeline here that needs nothing but functions and files. */
  #callFunctions(context: RequestContext, routeElsewhere: Route | undefined): ThinResponse {
    const { dynamic, functions: all } = this.options;
    const { clientRequest, site, decision, facts, cachedDecision } = context;
    const plan = this.options.stored?.planOf(decision);
    if (plan === undefined || plan.functions.length === 0 || dynamic === undefined) {
      return undefined;
    }
    // The cache and other sites are another edge's; so are servers behind the functions.
    if (decision.cache !== undefined || decision.rewrite?.type === "external") return undefined;
    if (plan.handle === ORIGIN_HANDLE && site.hasServers || isSocketRequest(clientRequest)) {
      return undefined;
    }
    const functions = all?.find(site.deploymentId, plan.functions);
    if (functions === undefined) return undefined;
    return dynamic.respond({
      ...{ clientRequest, site, decision, facts: facts!, cachedDecision, functions },
      routeElsewhere,
    });
  }
}
