/**
 * Requests that one edge hands over to another: a thin edge has the files, rules and
 * limits of its sites and copies of cached responses, but no servers or functions.
 *
 * @module
 */
import type { KeepCopy } from "./cache/mod.ts";
import type { RoutedRequest } from "./compute/mod.ts";
import type { PipelineResponse } from "./messages/mod.ts";
import type { NamedVerdict } from "./rate_limit/mod.ts";
import type { Connection, HandedConnection } from "./request/mod.ts";

/** What the edge that had the request first has done already. Data only. */
export interface Decided {
  readonly requestId: string;
  /** The rate limits that it counted the request against, by the id of their rule. */
  readonly verdicts: readonly NamedVerdict[];
  /**
   * Where the first edge runs the pipeline: what it wants of terminal routing. Rules and
   * functions have had their turn, and it logs the request itself.
   */
  readonly routed?: RoutedRequest | undefined;
}

/** A request as the edge sees it that it was handed over to. */
export interface HandedOver extends HandedConnection {
  /** Missing where the first edge has not judged it. */
  readonly decided?: Decided | undefined;
  /** Takes a copy of the cached response that answers, for the first edge. */
  readonly keepCopy?: KeepCopy | undefined;
  /** Takes the reason why the response to a routed request is an error page. */
  noteProblem?(problem: string): void;
}

/** The connection of a request, which may be another edge's. */
export interface EdgeConnection extends Connection {
  readonly handedOver?: HandedOver | undefined;
}

/**
 * Has another edge answer a request; the response is whole, and logged there.
 * `decided` is missing where the site is not known here.
 */
export type HandOver = (
  request: Request,
  connection: Connection,
  decided: Decided | undefined,
) => Promise<Response>;

/** Has another edge answer a routed request by terminal routing. */
export type RouteElsewhere = (
  request: Request,
  connection: Connection,
  decided: Decided & { readonly routed: RoutedRequest },
) => Promise<PipelineResponse>;
