/** Calls to endpoints: their authorization, and the input for their handlers. @module */
import type { Endpoint } from "../../../contract/endpoint.ts";
import type { Caller, Person, SelfCaller } from "../access/mod.ts";
import type { Client } from "./client.ts";
import type { ParsedRequest } from "./parse_request.ts";

export interface RequestContext<E> extends ParsedRequest<E> {
  readonly request: Request;
  readonly client: Client;
  readonly requestId: string;
}

export type AuditFacts = Readonly<Record<string, unknown>>;

/**
 * A resource before and after a call, for the audit log. `after` adds to what the response shows.
 */
export interface NotedFacts {
  readonly before?: AuditFacts;
  readonly after?: AuditFacts;
}

export interface GuardedContext<E> extends RequestContext<E> {
  note(facts: NotedFacts): void;
  /**
   * Checks the caller again while a response is being streamed.
   *
   * @throws {Failure} if the caller may no longer make the request
   */
  recheck(): Promise<Caller>;
}

export interface Visit {
  readonly request: Request;
  readonly client: Client;
  readonly params: Readonly<Record<string, string>>;
}

/** A request in a protocol other than the API's. */
export interface ForeignVisit extends Visit {
  /**
   * Authenticates a request and checks its caller's permissions.
   *
   * @throws {Failure} for the same reasons as the API
   */
  caller(request: Request, endpoint: GuardedEndpoint): Promise<Caller>;
}

/** Authenticates and authorizes callers. Throws a `Failure` if the caller is not allowed. */
export interface Gatekeeper {
  caller(request: Request, endpoint: GuardedEndpoint, client: Client): Promise<Caller>;
  /** Checks the caller of an accepted request again, without counting a request. */
  recheck(request: Request, endpoint: GuardedEndpoint, client: Client): Promise<Caller>;
  person(request: Request, client: Client): Promise<Person>;
  self(request: Request, endpoint: Endpoint, client: Client): Promise<SelfCaller>;
}

/** A successful call to a workspace's endpoint. */
export interface CompletedCall {
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly client: Client;
  /** The requested path, which contains no secret if the endpoint is guarded. */
  readonly path: string;
  /** The project that the path refers to by name or ID; null if it does not refer to one. */
  readonly project: string | null;
  readonly requestId: string;
  /** The parameters in the request's path and query, and the fields of its body. */
  readonly given: AuditFacts;
  readonly answer: unknown;
  readonly noted: NotedFacts;
}

/** The endpoint's fields that decide who can call it. */
export type GuardedEndpoint = Pick<Endpoint, "access" | "method" | "path">;
