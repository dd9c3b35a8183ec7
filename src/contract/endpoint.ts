/**
 * An endpoint as data: one description that the server validates with, the
 * client is typed by, and the OpenAPI document is made from.
 *
 * @module
 */
import { z } from "zod";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** How a body travels. `octets`, `multipart` and `events` are streamed, not parsed by schema. */
export type BodyKind = "json" | "octets" | "multipart" | "events";

type Shape = z.ZodType;

export interface Endpoint<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Response extends Shape = Shape,
> {
  readonly method: HttpMethod;
  /** Path with `{name}` for each path parameter. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** `none` for the few endpoints that anyone may call. */
  readonly auth: "bearer" | "none";
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly bodyKind: BodyKind;
  readonly response: Response;
  readonly responseKind: BodyKind;
  readonly status: 200 | 201 | 204;
}

const nothing = z.object({});
type Nothing = typeof nothing;

type Given<P extends Shape, Q extends Shape, B extends Shape, R extends Shape> =
  & Pick<Endpoint, "method" | "path" | "summary" | "tag">
  & Partial<Pick<Endpoint, "auth" | "bodyKind" | "responseKind" | "status">>
  & { readonly params?: P; readonly query?: Q; readonly body?: B; readonly response?: R };

/** Describes an endpoint; parts that are left out are empty. */
export function endpoint<
  P extends Shape = Nothing,
  Q extends Shape = Nothing,
  B extends Shape = z.ZodUndefined,
  R extends Shape = z.ZodUndefined,
>(given: Given<P, Q, B, R>): Endpoint<P, Q, B, R> {
  return {
    auth: "bearer",
    bodyKind: "json",
    responseKind: "json",
    status: 200,
    params: nothing as unknown as P,
    query: nothing as unknown as Q,
    body: z.undefined() as unknown as B,
    response: z.undefined() as unknown as R,
    ...given,
  };
}

export type ParamsOf<E> = E extends Endpoint<infer P> ? z.output<P> : never;
export type QueryOf<E> = E extends Endpoint<Shape, infer Q> ? z.output<Q> : never;
/** The query as a client gives it: defaults may be left out. */
export type QueryInputOf<E> = E extends Endpoint<Shape, infer Q> ? z.input<Q> : never;
export type BodyOf<E> = E extends Endpoint<Shape, Shape, infer B> ? z.output<B> : never;
/** The body as a client gives it: defaults may be left out. */
export type BodyInputOf<E> = E extends Endpoint<Shape, Shape, infer B> ? z.input<B> : never;
export type ResponseOf<E> = E extends Endpoint<Shape, Shape, Shape, infer R> ? z.output<R> : never;
