/** Parses every part of a request with its endpoint's schemas. @module */
import type { HonoRequest } from "hono";
import type { BodyOf, Endpoint, ParamsOf, QueryOf } from "../../../contract/endpoint.ts";
import type { Problem } from "../../../contract/common.ts";
import { formatPath } from "../../../lib/diagnostic.ts";
import { Failure } from "./failure.ts";
import { readJson } from "./read_body.ts";
import { problemsOf, validateBody, type Validated } from "./validate_body.ts";

export interface ParsedRequest<E> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
}

function summary(problems: readonly Problem[]): string {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
  return `Request is not valid: ${first?.path}: ${first?.message}${more}`;
}

/** Parses every part of a request. All problems are reported together. */
export async function parseRequest<E extends Endpoint>(
  endpoint: E,
  request: HonoRequest,
): Promise<ParsedRequest<E>> {
  const params = endpoint.params.safeParse(request.param());
  const query = endpoint.query.safeParse(request.query());
  const repeated = Object.entries(request.queries()).flatMap(([name, values]) =>
    values.length > 1 ? [{ path: formatPath(["query", name]), message: "Must appear once" }] : []
  );
  const body = await parseBody(endpoint, request.raw);
  const problems = [
    ...(params.success ? [] : problemsOf(params.error, ["path"])),
    ...(query.success ? [] : problemsOf(query.error, ["query"])),
    ...repeated,
    ...(body.ok ? [] : body.problems),
  ];
  if (problems.length > 0) {
    throw new Failure("invalid_request", summary(problems), { problems });
  }
  return {
    params: params.data as ParamsOf<E>,
    query: query.data as QueryOf<E>,
    body: (body.ok ? body.data : undefined) as BodyOf<E>,
  };
}

async function parseBody(endpoint: Endpoint, request: Request): Promise<Validated> {
  const { bodyKind, body, maxBodyBytes } = endpoint;
  if (bodyKind !== "json" || body.type === "undefined") return { ok: true, data: undefined };
  return validateBody(body, await readJson(request, maxBodyBytes));
}
