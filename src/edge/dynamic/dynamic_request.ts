/** @module Sends one request through pipeline, cache and proxy. */
import { normalizePath, rewriteChanged } from "../../rules/mod.ts";
import type { CallContext, OutboundFetch } from "../../runtime/mod.ts";
import type { FactsRequest } from "../cache/facts_request.ts";
import type { HttpCache } from "../cache/http_cache.ts";
import { ComputeFailedError } from "../compute/compute_failure.ts";
import {
  isSocketRequest,
  requestFromPipeline,
  type RequestTarget,
} from "../compute/compute_request.ts";
import type { BodyStream } from "../messages/body.ts";
import { type Hop, viaOf } from "../messages/message_headers.ts";
import type { PipelineRequest, PipelineResponse } from "../messages/messages.ts";
import { createFunctionRunner } from "../pipeline/function_runner.ts";
import { PipelineFailedError, type PipelineParts, runPipeline } from "../pipeline/run_pipeline.ts";
import type { PipelinePlan } from "../pipeline/plan.ts";
import type { StepRunner } from "../pipeline/step_runner.ts";
import { ProxyError, proxyRequest } from "../proxy/proxy.ts";
import { splitUrl } from "../request/host.ts";
import { edgePage } from "../response/error_pages.ts";
import { isObjectPath } from "../site/site_objects.ts";
import { failureResponse, type SiteResponder } from "../site/site_responder.ts";
import { cacheRequest, rememberKey } from "./cache_request.ts";
import { type DynamicContext, InitialRequest, requestForCache } from "./dynamic_context.ts";

export interface DynamicOptions {
  readonly siteResponder: SiteResponder;
  readonly cache: HttpCache;
  readonly outbound: OutboundFetch;
  /** Unique name of this edge in `Via`, used to detect loops. */
  readonly pseudonym: string;
  /** Called with the reason why something behind the edge failed. */
  onError(error: unknown, requestId: string): void;
}

export class DynamicRequest implements PipelineParts {
  readonly #first: InitialRequest;
  readonly #plan: PipelinePlan;
  #runner: StepRunner | undefined;
  #gone: AbortSignal | undefined;
  /**
   * Whether other requests may be waiting for the same response. If so, this client's disconnect
   * must not abort it.
   */
  #isShared = false;
  /** Whether caches must not store the origin's response, even after steps have changed it. */
  #isCurrent = false;

  readonly #context: DynamicContext;
  readonly #options: DynamicOptions;

  constructor(context: DynamicContext, options: DynamicOptions, plan: PipelinePlan) {
    this.#context = context;
    this.#options = options;
    this.#plan = plan;
    this.#first = new InitialRequest(context);
  }

  /**
   * Returns a signal that is aborted when the client disconnects, unless other requests are waiting
   * for the response. The signal is created on first use.
   */
  #signal(): AbortSignal {
    if (this.#gone !== undefined) return this.#gone;
    const gone = new AbortController();
    const { signal } = this.#context.clientRequest;
    const leave = () => {
      if (!this.#isShared) gone.abort();
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return this.#gone = gone.signal;
  }

  /** Returns the information about the request that functions get. */
  #callContext(): CallContext {
    const { clientRequest, site, facts } = this.#context;
    const [country, asn] = [facts.country(), facts.asn()];
    return {
      requestId: clientRequest.id,
      ip: clientRequest.ip,
      country,
      asn,
      device: clientRequest.device(),
      deployment: { id: site.deploymentId },
    };
  }

  #hop(): Hop {
    const { clientRequest } = this.#context;
    return {
      ip: clientRequest.ip,
      host: clientRequest.authority,
      scheme: clientRequest.scheme,
      via: clientRequest.header("via"),
      pseudonym: this.#options.pseudonym,
    };
  }

  get runner(): StepRunner {
    return this.#runner ??= createFunctionRunner({
      functions: this.#context.site.functions,
      signal: () => this.#signal(),
      context: () => this.#callContext(),
      via: () => viaOf(this.#hop()),
    });
  }

  run(): PipelineResponse | Promise<PipelineResponse> {
    return runPipeline(this.#plan, this.#first, this);
  }

  /** Returns the error page for a failure behind the edge. */
  failed(error: unknown): PipelineResponse {
    const { clientRequest, site } = this.#context;
    if (error instanceof ComputeFailedError) {
      return failureResponse(error, clientRequest, site);
    }
    if (!(error instanceof ProxyError) && !(error instanceof PipelineFailedError)) throw error;
    const page = edgePage(clientRequest, error.status, { headers: site.common });
    return { ...page, problem: error.message };
  }

  /**
   * Returns the URL of an external rewrite. If a step changed the path, the rewrite only applies if
   * its rule also matches the new path.
   */
  #upstreamUrl(request: PipelineRequest): string | undefined {
    const { site, decision } = this.#context;
    const { rewrite } = decision;
    if (rewrite?.type !== "external") return undefined;
    if (request.url === this.#first.url) return rewrite.url;
    const { pathname, search } = new URL(request.url);
    const path = normalizePath(pathname);
    if (typeof path !== "string" || site.rules === undefined) return undefined;
    const changed = rewriteChanged(site.rules.compiled, rewrite.rule, {
      path,
      rawQuery: search.slice(1),
    });
    return changed?.type === "external" ? changed.url : undefined;
  }

  /**
   * Returns the body of the client's `GET` or `HEAD` request, or null if the response is shared or
   * a step changed the method.
   */
  #content({ method }: PipelineRequest): BodyStream | null {
    return this.#isShared || method !== this.#first.method
      ? null
      : this.#context.clientRequest.content;
  }

  /**
   * Returns the path and query to route, as changed by the steps, or `undefined` if the path is
   * invalid.
   */
  #requestTarget(request: PipelineRequest): RequestTarget | undefined {
    if (request.url === this.#first.url) return this.#first.target;
    const path = normalizePath(new URL(request.url).pathname);
    return typeof path === "string" ? { path, query: splitUrl(request.url).query } : undefined;
  }

  /** Fetches from the target of an external rewrite, or from the deployment's routes. */
  async origin(request: PipelineRequest): Promise<PipelineResponse> {
    const { clientRequest, site } = this.#context;
    const upstream = this.#upstreamUrl(request);
    if (upstream !== undefined) {
      const body = request.body ?? this.#content(request);
      return await proxyRequest(this.#options.outbound, { request, body, url: upstream }, {
        hop: this.#hop(),
        signal: () => this.#signal(),
      });
    }
    const fields = requestFromPipeline(request, clientRequest, () => this.#signal());
    const target = this.#requestTarget(request);
    if (target === undefined) return edgePage(fields, 400, { headers: site.common });
    const { cache } = this.#context.decision;
    const moves = request.url === this.#first.url ? this.#context.moves : undefined;
    const caching = cache === undefined ? "deployment" : "rule";
    const response = await this.#options.siteResponder.route(site, fields, target, {
      caching,
      moves,
    });
    this.#isCurrent ||= response.isCurrent === true;
    return response;
  }

  cached(
    request: PipelineRequest,
    produce: (request: PipelineRequest) => Promise<PipelineResponse>,
  ): PipelineResponse | Promise<PipelineResponse> {
    const { cache } = this.#options;
    const { decision, site } = this.#context;
    const asked = this.#cacheRequest(request);
    const { cache: rule } = decision;
    if (rule === undefined || !this.#isCacheable(request)) {
      return produce(request).then((response) => {
        cache.invalidate(asked, response);
        return response;
      });
    }
    rememberKey(this.#context, this.#plan, { request: asked, rule });
    return cache.handle(asked, {
      rule,
      common: site.common,
      fetchOrigin: async (how) => {
        if (how.type === "for_cache") this.#isShared = true;
        const response = await produce(requestForCache(request, how));
        return this.#isCurrent ? { ...response, isCurrent: true } : response;
      },
      waitUntil: (work) => void work.catch((error) => this.#report(error)),
    });
  }

  /**
   * Whether a response can be stored. This is the case only for responses from functions, other
   * sites and servers, because files are already in memory.
   */
  #isCacheable(request: PipelineRequest): boolean {
    const { clientRequest, site, decision } = this.#context;
    if (decision.rewrite?.type === "external") return true;
    const target = this.#requestTarget(request);
    if (target !== undefined && isObjectPath(site, target.path)) return false;
    if (this.#plan.runsBehindCache) return true;
    return target !== undefined && !isSocketRequest(clientRequest) &&
      site.content.resolve(request.method, target.path).type === "compute";
  }

  #cacheRequest(request: PipelineRequest): FactsRequest {
    const originUrl = this.#upstreamUrl(request) ?? request.url;
    return cacheRequest(this.#context, this.#plan, { first: this.#first, request, originUrl });
  }

  #report(error: unknown): void {
    this.#options.onError(error, this.#context.clientRequest.id);
  }
}
