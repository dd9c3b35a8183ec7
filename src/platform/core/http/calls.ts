/**
 * Calls of endpoints: who decides about them, and what their handlers are given.
 *
 * @module
 */
import type { Endpoint } from "../../../contract/endpoint.ts";
import type { Caller, Person, SelfCaller } from "../access/mod.ts";
import type { Client } from "./client.ts";
import type { ParsedRequest } from "./parse_request.ts";

export interface RequestContext<E> extends ParsedRequest<E> {
  readonly request: Request;
  readonly client: Client;
  readonly requestId: string;
}

/** Fields of a resource, as the audit log compares them. */
export type AuditFacts = Readonly<Record<string, unknown>>;

/** A resource before and after a call, as far as its response does not tell. */
export interface NotedFacts {
  readonly before?: AuditFacts;
  readonly after?: AuditFacts;
}

export interface GuardedContext<E> extends RequestContext<E> {
  /** Tells the audit log what the call changes. */
  note(facts: NotedFacts): void;
}

/** A request for a page. */
export interface Visit {
  readonly request: Request;
  readonly client: Client;
  /** The named parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
}

/** A request of a program that speaks its own protocol. */
export interface ForeignVisit extends Visit {
  /**
   * Authenticates a request and checks what its caller may.
   *
   * @throws {Failure} as the API does
   */
  caller(request: Request, endpoint: GuardedEndpoint): Promise<Caller>;
}

/** Authenticates and authorizes callers; throws a `Failure` for those who may not call. */
export interface Gatekeeper {
  caller(request: Request, endpoint: GuardedEndpoint, client: Client): Promise<Caller>;
  person(request: Request, client: Client): Promise<Person>;
  self(request: Request, endpoint: Endpoint, client: Client): Promise<SelfCaller>;
}

/** A call of an endpoint of a workspace that was answered as its caller wished. */
export interface CompletedCall {
  readonly endpoint: Endpoint;
  readonly caller: Caller;
  readonly client: Client;
  /** The requested path, which contains no secret if the endpoint is guarded. */
  readonly path: string;
  /** The project that the path names, by name or id; null if it names none. */
  readonly project: string | null;
  readonly requestId: string;
  /** The parameters of its path and query, and the fields of its body. */
  readonly given: AuditFacts;
  readonly answer: unknown;
  readonly noted: NotedFacts;
}

/** The endpoint's fields that decide who can call it. */
export type GuardedEndpoint = Pick<Endpoint, "access" | "method" | "path">;
