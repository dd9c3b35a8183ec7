/**
 * One request on its way through pipeline, cache and proxy.
 *
 * @module
 */
import {
  type CacheDecision,
  createFacts,
  type Decision,
  normalizePath,
  type RequestFacts,
  rewriteChanged,
} from "../../rules/mod.ts";
import type { CallContext, OutboundFetch } from "../../runtime/mod.ts";
import { cacheKey, FactsRequest, type HttpCache, type OriginRequest } from "../cache/mod.ts";
import {
  ComputeFailedError,
  isSocketRequest,
  requestFromPipeline,
  type Target,
} from "../compute/mod.ts";
import {
  type BodyStream,
  bytesOf,
  findHeader,
  type HeaderList,
  type Hop,
  type PipelineRequest,
  type PipelineResponse,
  viaOf,
} from "../messages/mod.ts";
import {
  createFunctionRunner,
  PipelineFailedError,
  type PipelineParts,
  type PipelinePlan,
  runPipeline,
  type StepRunner,
} from "../pipeline/mod.ts";
import { ProxyError, proxyRequest } from "../proxy/mod.ts";
import { type Exchange, splitTarget } from "../request/mod.ts";
import { type Answer, edgePage } from "../response/mod.ts";
import { failureAnswer, type Site, type SiteAnswers } from "../site/mod.ts";
import type { KnownTarget } from "../site_rules/mod.ts";

export interface DynamicOptions {
  readonly answers: SiteAnswers;
  readonly cache: HttpCache;
  readonly outbound: OutboundFetch;
  /** Name of this edge in `Via`; unique, so that loops are noticed. */
  readonly pseudonym: string;
  /** Told why something behind the edge failed. */
  onError(error: unknown, requestId: string): void;
}

/** A request with what the rules decided about it. */
export interface DynamicTurn {
  readonly exchange: Exchange;
  readonly site: Site;
  readonly decision: Decision;
  readonly facts: RequestFacts;
  /** What is remembered of its target. */
  readonly known: KnownTarget | undefined;
}

/**
 * The request as the first step sees it: an internal rewrite has happened, an
 * external one not. Fields and body are read from the exchange when somebody
 * asks: a hit in the cache never does.
 */
class FirstRequest implements PipelineRequest {
  readonly method: string;
  readonly url: string;
  /** Where the routes look for it. */
  readonly target: Target;
  readonly #exchange: Exchange;
  #headers: HeaderList | undefined;

  constructor({ exchange, decision }: DynamicTurn) {
    const { rewrite } = decision;
    this.target = rewrite?.type === "internal"
      ? rewrite
      : { path: exchange.path, query: exchange.rawQuery };
    const { path, query } = this.target;
    const target = query === "" ? path : `${path}?${query}`;
    this.method = exchange.method;
    this.url = `${exchange.scheme}://${exchange.authority}${target}`;
    this.#exchange = exchange;
  }

  get headers(): HeaderList {
    return this.#headers ??= [...this.#exchange.fields()];
  }

  get body(): BodyStream | null {
    return this.#exchange.body;
  }
}

/** An answer of the edge itself as one of the pipeline; its text is bytes for those who ask. */
function fromSite({ body, ...head }: Answer): PipelineResponse {
  if (typeof body !== "string") return { ...head, body };
  return {
    ...head,
    text: body,
    get body() {
      return bytesOf(body);
    },
  };
}

/** The request that the cache sends on: without what it answers itself, with its conditions. */
function originRequest(request: PipelineRequest, how: OriginRequest): PipelineRequest {
  if (how.type === "as_is") return request;
  const kept = request.headers.filter(([name]) => !how.without.has(name));
  return { method: "GET", url: request.url, headers: [...kept, ...how.conditions], body: null };
}

export class DynamicRequest implements PipelineParts {
  readonly #first: FirstRequest;
  readonly #plan: PipelinePlan;
  #runner: StepRunner | undefined;
  #gone: AbortSignal | undefined;
  /** True once others wait for the same answer: the client may go, the work goes on. */
  #isShared = false;

  constructor(
    private readonly turn: DynamicTurn,
    private readonly options: DynamicOptions,
    plan: PipelinePlan,
  ) {
    this.#plan = plan;
    this.#first = new FirstRequest(turn);
  }

  /** Ends what was begun for this client alone; made when something is begun. */
  #signal(): AbortSignal {
    if (this.#gone !== undefined) return this.#gone;
    const gone = new AbortController();
    const { signal } = this.turn.exchange;
    const leave = () => {
      if (!this.#isShared) gone.abort();
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    return this.#gone = gone.signal;
  }

  /** What functions are told of the request. */
  #context(): CallContext {
    const { exchange, site, facts } = this.turn;
    const [country, asn] = [facts.country(), facts.asn()];
    return {
      requestId: exchange.id,
      ip: exchange.ip,
      ...(country === undefined ? {} : { country }),
      ...(asn === undefined ? {} : { asn }),
      device: exchange.device(),
      deployment: { id: site.deploymentId },
    };
  }

  #hop(): Hop {
    const { exchange } = this.turn;
    return {
      ip: exchange.ip,
      host: exchange.authority,
      scheme: exchange.scheme,
      via: exchange.header("via"),
      pseudonym: this.options.pseudonym,
    };
  }

  get runner(): StepRunner {
    return this.#runner ??= createFunctionRunner({
      functions: this.turn.site.functions,
      signal: () => this.#signal(),
      context: () => this.#context(),
      via: () => viaOf(this.#hop()),
    });
  }

  run(): PipelineResponse | Promise<PipelineResponse> {
    return runPipeline(this.#plan, this.#first, this);
  }

  /** A failure behind the edge becomes a plain page. */
  failed(error: unknown): PipelineResponse {
    const { exchange, site } = this.turn;
    if (error instanceof ComputeFailedError) return fromSite(failureAnswer(error, exchange, site));
    if (!(error instanceof ProxyError) && !(error instanceof PipelineFailedError)) throw error;
    const page = edgePage(exchange, error.status, { headers: site.common });
    return { ...fromSite(page), problem: error.message };
  }

  /**
   * Where an external rewrite leads a request. The rule counts for a path that
   * a step has changed as well, as long as it matches it.
   */
  #upstreamUrl(request: PipelineRequest): string | undefined {
    const { site, decision } = this.turn;
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

  /** What came with a GET or HEAD; nothing for a request whose answer others get too. */
  #content({ method }: PipelineRequest): BodyStream | null {
    return this.#isShared || method !== this.#first.method ? null : this.turn.exchange.content;
  }

  /** Where the routes look for what the steps made of the request; `undefined` for no path. */
  #targetOf(request: PipelineRequest): Target | undefined {
    if (request.url === this.#first.url) return this.#first.target;
    const path = normalizePath(new URL(request.url).pathname);
    return typeof path === "string" ? { path, query: splitTarget(request.url).query } : undefined;
  }

  /** Asks the other site of an external rewrite, else the deployment's own routes. */
  async origin(request: PipelineRequest): Promise<PipelineResponse> {
    const { exchange, site } = this.turn;
    const upstream = this.#upstreamUrl(request);
    if (upstream !== undefined) {
      const body = request.body ?? this.#content(request);
      return await proxyRequest(this.options.outbound, { request, body, url: upstream }, {
        hop: this.#hop(),
        signal: () => this.#signal(),
      });
    }
    const fields = requestFromPipeline(request, exchange, () => this.#signal());
    const target = this.#targetOf(request);
    if (target === undefined) return fromSite(edgePage(fields, 400, { headers: site.common }));
    const use = { mayKeep: this.turn.decision.cache?.type !== "bypass" };
    return fromSite(await this.options.answers.route(site, fields, target, use));
  }

  cached(
    request: PipelineRequest,
    produce: (request: PipelineRequest) => Promise<PipelineResponse>,
  ): PipelineResponse | Promise<PipelineResponse> {
    const { cache } = this.options;
    const { decision, site } = this.turn;
    const cacheRequest = this.#cacheRequest(request);
    if (decision.cache === undefined || !this.#isCacheable(request)) {
      return produce(request).then((response) => {
        cache.invalidate(cacheRequest, response);
        return response;
      });
    }
    this.#keepKey(cacheRequest, decision.cache);
    return cache.handle(cacheRequest, {
      rule: decision.cache,
      common: site.common,
      fetchOrigin: (how) => {
        if (how.type === "for_cache") this.#isShared = true;
        return produce(originRequest(request, how));
      },
      waitUntil: (work) => void work.catch((error) => this.#report(error)),
    });
  }

  /**
   * The next request with this target finds its answer by the key: where no step
   * has to see it first, and no fact of a client is in the key.
   */
  #keepKey(request: FactsRequest, rule: CacheDecision): void {
    const { known } = this.turn;
    if (known === undefined || this.#plan.runsBeforeCache || rule.type !== "cache") return;
    if (rule.vary.length === 0) known.cacheKey = cacheKey(request, rule);
  }

  /** Files are in memory already; what others, functions or servers make is worth keeping. */
  #isCacheable(request: PipelineRequest): boolean {
    if (this.#plan.runsBehindCache || this.turn.decision.rewrite?.type === "external") return true;
    const { exchange, site } = this.turn;
    const target = this.#targetOf(request);
    return target !== undefined && !isSocketRequest(exchange) &&
      site.content.resolve(request.method, target.path).type === "compute";
  }

  /**
   * What the answer is kept under: the public address, the fields as the steps
   * on the client's side left them, and what answers.
   */
  #cacheRequest(request: PipelineRequest): FactsRequest {
    const { exchange, site, facts } = this.turn;
    const answering = this.#upstreamUrl(request) ?? request.url;
    const seen = request === this.#first ? facts : createFacts({
      method: request.method,
      host: exchange.host,
      path: exchange.path,
      rawQuery: exchange.rawQuery,
      ip: exchange.ip,
      header: (name) => findHeader(request.headers, name),
      country: () => facts.country(),
      asn: () => facts.asn(),
      device: () => facts.device(),
    });
    return new FactsRequest(seen, {
      deploymentId: site.deploymentId,
      // What the upstream is told of the client's address must be in the key too.
      target: `${this.#plan.handle} ${request.url} ${answering}`,
    });
  }

  #report(error: unknown): void {
    this.options.onError(error, this.turn.exchange.id);
  }
}
