/**
 * Binds the contract's endpoints to handlers. A request reaches its handler only once it is
 * authenticated and parsed, and the response follows the contract.
 *
 * @module
 */
import { type Context, Hono } from "hono";
import type { Endpoint, ParamsOf, ResponseOf } from "../../../contract/endpoint.ts";
import type { Caller, Person, SelfCaller } from "../access/mod.ts";
import type {
  CompletedCall,
  ForeignVisit,
  Gatekeeper,
  GuardedContext,
  NotedFacts,
  RequestContext,
  Visit,
} from "./calls.ts";
import type { Client } from "./client.ts";
import { Failure } from "./failure.ts";
import { type Idempotency, readIdempotencyKey } from "./idempotency.ts";
import { addLimitFields } from "./limit_fields.ts";
import { parseRequest } from "./parse_request.ts";
import { type RefusalOptions, Refusals, shownPath } from "./refusals.ts";
import { RouteTable } from "./route_table.ts";

interface RouterOptions extends RefusalOptions {
  readonly gatekeeper: Gatekeeper;
  readonly idempotency: Pick<Idempotency, "run">;
  requestId(): string;
  /** Called for each call to a workspace's endpoint, before the response is sent. */
  onCompleted?(call: CompletedCall): Promise<void>;
}

type Answer<E> = ResponseOf<E> | Response;
type MaybePromise<T> = T | Promise<T>;

function toResponse(endpoint: Endpoint, answer: unknown, requestId: string): Response {
  if (answer instanceof Response) {
    answer.headers.set("x-svc-request-id", requestId);
    return answer;
  }
  const headers = { "x-svc-request-id": requestId, "cache-control": "no-store" };
  if (endpoint.status === 204) return new Response(null, { status: 204, headers });
  return Response.json(answer, { status: endpoint.status, headers });
}

interface Bindings {
  readonly client: Client;
}
type ApiContext = Context<{ Bindings: Bindings }>;
type Handler = (c: ApiContext, requestId: string) => Promise<Response>;

async function contextOf<E extends Endpoint>(
  endpoint: E,
  c: ApiContext,
  requestId: string,
): Promise<RequestContext<E>> {
  const parsed = await parseRequest(endpoint, c.req);
  return { ...parsed, request: c.req.raw, client: c.env.client, requestId };
}

/** Returns how to bind an endpoint, depending on who may call it. */
function bindingOf({ access }: Endpoint): "anyone" | "role" | "account" | "self" {
  return access === "anyone" || access === "account" || access === "self" ? access : "role";
}

/** Converts a contract path to Hono's syntax: `/a/{b}` becomes `/a/:b`. */
const honoPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");

/**
 * Header fields of every response from the platform's own host. They stop browsers from guessing
 * the content type, and other sites from embedding the response as an image, a script or a style
 * sheet.
 */
const HARDENED = [
  ["x-content-type-options", "nosniff"],
  ["cross-origin-resource-policy", "same-origin"],
] as const;

export class Router {
  #app = new Hono<{ Bindings: Bindings }>();
  readonly #routes = new RouteTable<Handler>();
  readonly #refusals: Refusals;

  readonly #options: RouterOptions;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#refusals = new Refusals(options);
  }

  readonly fetch = async (request: Request, client: Client): Promise<Response> => {
    const response = await this.#app.fetch(request, { client });
    for (const [name, value] of HARDENED) {
      if (!response.headers.has(name)) response.headers.set(name, value);
    }
    return response;
  };

  open<E extends Endpoint>(
    endpoint: E,
    handler: (context: RequestContext<E>) => MaybePromise<Answer<E>>,
  ): void {
    this.#bind(
      endpoint,
      "anyone",
      async (c, requestId) => handler(await contextOf(endpoint, c, requestId)),
    );
  }

  /**
   * Binds an endpoint that has a secret in its path. `admit` checks the secret before the body is
   * read.
   */
  keyed<E extends Endpoint, Key>(endpoint: E, parts: {
    admit(params: ParamsOf<E>, request: Request): MaybePromise<Key>;
    before?(
      key: Key,
      request: Request,
      visit: Pick<RequestContext<E>, "client" | "requestId">,
    ): Promise<Answer<E> | undefined>;
    answer(key: Key, context: RequestContext<E>): MaybePromise<Answer<E>>;
  }): void {
    this.#bind(endpoint, "anyone", async (c, requestId) => {
      const key = await parts.admit(
        endpoint.params.parse(c.req.param()) as ParamsOf<E>,
        c.req.raw,
      );
      const { client } = c.env;
      const early = await parts.before?.(key, c.req.raw, { client, requestId });
      if (early !== undefined) return early;
      const parsed = await parseRequest(endpoint, c.req);
      return parts.answer(key, {
        ...parsed,
        client,
        requestId,
        request: c.req.raw,
      });
    });
  }

  /** Binds a workspace's endpoint. Its callers must have the role that the contract requires. */
  guarded<E extends Endpoint>(
    endpoint: E,
    handler: (caller: Caller, context: GuardedContext<E>) => MaybePromise<Answer<E>>,
  ): void {
    this.#bind(endpoint, "role", async (c, requestId) => {
      const { gatekeeper } = this.#options;
      const caller = await gatekeeper.caller(c.req.raw, endpoint, c.env.client);
      const recheck = () => gatekeeper.recheck(c.req.raw, endpoint, c.env.client);
      return await this.#once(
        endpoint,
        { c, requestId, credentialId: caller.credential.id },
        async () => {
          const context = await contextOf(endpoint, c, requestId);
          let noted: NotedFacts = {};
          const note = (facts: NotedFacts) => noted = { ...noted, ...facts };
          const answer = await handler(caller, { ...context, note, recheck });
          const { params, query, body } = context;
          await this.#options.onCompleted?.({
            endpoint,
            caller,
            client: c.env.client,
            path: c.req.path,
            requestId,
            project: c.req.param("project") ?? null,
            given: { ...params as object, ...query as object, ...body as object },
            answer,
            noted,
          });
          return answer;
        },
      );
    });
  }

  personal<E extends Endpoint>(
    endpoint: E,
    handler: (person: Person, context: RequestContext<E>) => MaybePromise<Answer<E>>,
  ): void {
    this.#bind(endpoint, "account", async (c, requestId) => {
      const person = await this.#options.gatekeeper.person(c.req.raw, c.env.client);
      return await this.#once(
        endpoint,
        { c, requestId, credentialId: person.credential.id },
        async () => handler(person, await contextOf(endpoint, c, requestId)),
      );
    });
  }

  self<E extends Endpoint>(
    endpoint: E,
    handler: (own: SelfCaller, context: RequestContext<E>) => MaybePromise<Answer<E>>,
  ): void {
    this.#bind(endpoint, "self", async (c, requestId) => {
      const own = await this.#options.gatekeeper.self(c.req.raw, endpoint, c.env.client);
      return await this.#once(
        endpoint,
        { c, requestId, credentialId: own.credential.id },
        async () => handler(own, await contextOf(endpoint, c, requestId)),
      );
    });
  }

  /**
   * Binds a page, or the form that the page submits. `path` is in Hono's syntax, as in
   * `/welcome/:token`. A page itself renders failures that the visitor caused. Failures of the
   * platform are thrown, and are rendered here.
   */
  page(
    method: "GET" | "POST",
    path: string,
    render: (visit: Visit) => MaybePromise<Response>,
  ): void {
    this.#routes.add(method, path, async (c, requestId) => {
      try {
        const { raw: request } = c.req;
        const response = await render({ request, client: c.env.client, params: c.req.param() });
        response.headers.set("x-svc-request-id", requestId);
        return response;
      } catch (error) {
        return await this.#refusals.asPage(error, requestId);
      }
    });
  }

  /** Binds a path that uses a protocol other than the API's. `refuse` writes its failures. */
  foreign(method: "GET" | "POST", path: string, parts: {
    answer(visit: ForeignVisit): MaybePromise<Response>;
    refuse(failure: Failure): Response;
  }): void {
    this.#routes.add(method, path, async (c, requestId) => {
      const { raw: request } = c.req;
      const { client } = c.env;
      const { gatekeeper } = this.#options;
      let response: Response;
      try {
        response = await parts.answer({
          request,
          client,
          params: c.req.param(),
          caller: (credentials, endpoint) => gatekeeper.caller(credentials, endpoint, client),
        });
      } catch (error) {
        response = parts.refuse(this.#refusals.failureOf(error, requestId));
      }
      response.headers.set("x-svc-request-id", requestId);
      return response;
    });
  }

  /**
   * Activates the bound routes. Call this last. Also responds to OPTIONS and unknown methods.
   * `bindMore` loads code and binds its routes; it runs at the first request whose path matches no
   * other route.
   */
  seal(bindMore?: () => Promise<void>): void {
    let more: Promise<Hono<{ Bindings: Bindings }>> | undefined;
    const load = async (bind: () => Promise<void>) => {
      await bind();
      return this.#appOf((c) => this.#refuseUnknown(c));
    };
    this.#app = this.#appOf(async (c) => {
      if (bindMore === undefined) return await this.#refuseUnknown(c);
      more ??= load(bindMore);
      return await (await more).fetch(c.req.raw, c.env);
    });
  }

  /** Creates a handler for the routes that have been bound since the last call. */
  #appOf(otherwise: (c: ApiContext) => Promise<Response>): Hono<{ Bindings: Bindings }> {
    const app = new Hono<{ Bindings: Bindings }>();
    app.onError((error) => this.#refusals.asJson(error, this.#options.requestId()));
    app.notFound(otherwise);
    for (const { path, find, allow } of this.#routes.takeSets()) {
      app.all(path, async (c) => {
        const requestId = this.#options.requestId();
        const handler = find(c.req.method);
        if (handler !== undefined) return await handler(c, requestId);
        const answer = c.req.method === "OPTIONS"
          ? new Response(null, { status: 204, headers: { "x-svc-request-id": requestId } })
          : this.#refusals.asJson(
            new Failure(
              "method_not_allowed",
              `${shownPath(c.req.path)} supports ${allow()}, not ${c.req.method}`,
            ),
            requestId,
          );
        answer.headers.set("allow", allow());
        return answer;
      });
    }
    return app;
  }

  #refuseUnknown(c: ApiContext): Promise<Response> {
    const { raw: request, path: pathname } = c.req;
    return this.#refusals.ofUnknownPath({ request, pathname }, this.#options.requestId());
  }

  async #once(
    endpoint: Endpoint,
    asked: {
      readonly c: ApiContext;
      readonly requestId: string;
      readonly credentialId: string;
    },
    answer: () => Promise<unknown>,
  ): Promise<unknown> {
    const { c: { req: { raw: request } }, requestId, credentialId } = asked;
    const key = endpoint.idempotency === "kept" ? readIdempotencyKey(request) : undefined;
    if (key === undefined) return await answer();
    const { maxBodyBytes } = endpoint;
    return await this.#options.idempotency.run(
      { key, credentialId, maxBodyBytes, request },
      async () => toResponse(endpoint, await answer(), requestId),
    );
  }

  #bind(
    endpoint: Endpoint,
    binding: ReturnType<typeof bindingOf>,
    answer: (c: ApiContext, requestId: string) => Promise<unknown>,
  ): void {
    if (bindingOf(endpoint) !== binding) {
      throw new TypeError(`${endpoint.path} has access "${endpoint.access}": bind it for that`);
    }
    this.#routes.add(endpoint.method, honoPath(endpoint.path), async (c, requestId) => {
      const { raw: request } = c.req;
      try {
        if (endpoint.idempotency === "refused" && request.headers.has("idempotency-key")) {
          throw new Failure(
            "invalid_request",
            `${endpoint.method} ${endpoint.path} does not support Idempotency-Key: leave it out`,
          );
        }
        return addLimitFields(
          request,
          toResponse(endpoint, await answer(c, requestId), requestId),
        );
      } catch (error) {
        return addLimitFields(request, this.#refusals.asJson(error, requestId));
      }
    });
  }
}
