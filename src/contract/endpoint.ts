/** Endpoints as data, for the server, the client and the OpenAPI document. @module */
import * as z from "zod";

type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * How a body is sent. `octets`, `multipart` and `events` are streamed and not parsed with a schema.
 * `form` is a form (RFC 6749, B) or JSON. The handler of a form parses the body, because errors
 * must have OAuth's format.
 */
export type BodyKind = "json" | "form" | "octets" | "multipart" | "events";

/** Default for the maximum size of an endpoint's body, in bytes. */
const MAX_BODY_BYTES = 16 * 1024;

/** How long the response for an `Idempotency-Key` is remembered, in hours. */
export const IDEMPOTENCY_HOURS = 24;

type Shape = z.ZodType;

/**
 * Who can call an endpoint. `anyone` needs no credentials. `account` concerns the account itself
 * and requires a person with a browser session, in no particular workspace. `self` concerns the
 * caller's own resources. A session can access all of them. An API key or a CLI's token can access
 * only those in its workspace, and a key with the viewer role can only read them. The other levels
 * are the minimum role in the request's workspace.
 */
export const ACCESS_LEVELS = [
  "anyone",
  "account",
  "self",
  "viewer",
  "developer",
  "owner",
] as const;
export type Access = (typeof ACCESS_LEVELS)[number];

/**
 * `kept` replays the response for a day, `own` leaves idempotency to the endpoint, and `refused`
 * returns 400.
 */
type IdempotencyKind = "kept" | "own" | "refused" | "none";

/**
 * HTTP features of an endpoint, apart from bodies. `if-match` is a condition of the request, and
 * `etag` is a field of the response. `resumable` accepts `Last-Event-ID`. `sets-cookie` signs in or
 * out. `limited` counts requests without a credential. `idempotency-key` means that the endpoint
 * reads this field itself.
 */
type Trait =
  | "if-match"
  | "etag"
  | "resumable"
  | "sets-cookie"
  | "limited"
  | "idempotency-key";

export interface Endpoint<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Response extends Shape = Shape,
> {
  readonly method: HttpMethod;
  /** Path with a `{name}` for each path parameter. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** `none` for the few endpoints that anyone can call. */
  readonly auth: "bearer" | "none";
  /** Who may call the endpoint. By default, viewers may read and developers may change. */
  readonly access: Access;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly bodyKind: BodyKind;
  /** Maximum size of the body in bytes. Larger bodies get a 413. */
  readonly maxBodyBytes: number;
  readonly response: Response;
  readonly responseKind: BodyKind;
  readonly status: 200 | 201 | 204;
  readonly idempotency: IdempotencyKind;
  readonly traits: readonly Trait[];
  /** Successful responses with a status other than `status`, by status. */
  readonly otherAnswers: Readonly<Record<number, Shape>>;
  /** Statuses of the refusals that are specific to this endpoint. */
  readonly refusals: readonly number[];
}

const nothing = z.object({});
type Nothing = typeof nothing;

type Given<P extends Shape, Q extends Shape, B extends Shape, R extends Shape> =
  & Pick<Endpoint, "method" | "path" | "summary" | "tag">
  & Partial<
    Pick<
      Endpoint,
      | "auth"
      | "access"
      | "bodyKind"
      | "maxBodyBytes"
      | "responseKind"
      | "status"
      | "idempotency"
      | "traits"
      | "otherAnswers"
      | "refusals"
    >
  >
  & { readonly params?: P; readonly query?: Q; readonly body?: B; readonly response?: R };

function usualAccess(given: Pick<Endpoint, "method"> & Partial<Pick<Endpoint, "auth">>): Access {
  if (given.auth === "none") return "anyone";
  return given.method === "GET" ? "viewer" : "developer";
}

/**
 * Returns the default for `idempotency`. Keys are refused if the endpoint needs no credential,
 * because responses are stored by credential, or if the request's body is not JSON.
 */
function usualIdempotency(
  given: Pick<Endpoint, "method"> & Partial<Pick<Endpoint, "auth" | "bodyKind">>,
): IdempotencyKind {
  if (given.method !== "POST") return "none";
  return given.auth === "none" || (given.bodyKind ?? "json") !== "json" ? "refused" : "kept";
}

/** Declares an endpoint. Omitted parts are empty. */
export function endpoint<
  P extends Shape = Nothing,
  Q extends Shape = Nothing,
  B extends Shape = z.ZodUndefined,
  R extends Shape = z.ZodUndefined,
>(given: Given<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return {
    auth: "bearer",
    access: usualAccess(given),
    bodyKind: "json",
    maxBodyBytes: MAX_BODY_BYTES,
    responseKind: "json",
    status: 200,
    idempotency: usualIdempotency(given),
    traits: [],
    otherAnswers: {},
    refusals: [],
    params: nothing as unknown as P,
    query: nothing as unknown as Q,
    body: z.undefined() as unknown as B,
    response: z.undefined() as unknown as R,
    ...given,
  };
}

export type ParamsOf<E> = E extends Endpoint<infer P> ? z.output<P> : never;
export type QueryOf<E> = E extends Endpoint<Shape, infer Q> ? z.output<Q> : never;
/** The query as clients pass it. Fields with defaults are optional. */
export type QueryInputOf<E> = E extends Endpoint<Shape, infer Q> ? z.input<Q> : never;
export type BodyOf<E> = E extends Endpoint<Shape, Shape, infer B> ? z.output<B> : never;
/** The body as clients pass it. Fields with defaults are optional. */
export type BodyInputOf<E> = E extends Endpoint<Shape, Shape, infer B> ? z.input<B> : never;
export type ResponseOf<E> = E extends Endpoint<Shape, Shape, Shape, infer R> ? z.output<R> : never;
