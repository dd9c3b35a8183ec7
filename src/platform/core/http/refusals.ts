/** Responses to refused requests: JSON for programs, a page for people. @module */
import { Failure, failureBody, toFailure } from "./failure.ts";

export interface RefusalOptions {
  /** Receives the cause of each failure that is the platform's own fault. */
  onFault(requestId: string, cause: unknown): void;
  /** Renders a failure as a page. */
  showFailure(failure: Failure, requestId: string): Response | Promise<Response>;
}

/** Returns a path without parts that could be secret, such as tokens, for use in error messages. */
export function shownPath(path: string): string {
  return path.replace(/[0-9a-f]{32,}/gi, "…");
}

/**
 * Returns whether a person sent the request. When opening a URL, browsers accept HTML; programs do
 * not.
 */
function wantsPage({ method, headers }: Request): boolean {
  if (method !== "GET" && method !== "HEAD") return false;
  return /(?:^|[,\s])text\/html\b/i.test(headers.get("accept") ?? "");
}

export class Refusals {
  readonly #options: RefusalOptions;

  constructor(options: RefusalOptions) {
    this.#options = options;
  }

  asJson(error: unknown, requestId: string): Response {
    const failure = this.failureOf(error, requestId);
    const headers = new Headers({ "x-svc-request-id": requestId, "cache-control": "no-store" });
    if (failure.retryAfter !== undefined) headers.set("retry-after", String(failure.retryAfter));
    if (failure.code === "unauthorized") headers.set("www-authenticate", "Bearer");
    return Response.json(failureBody(failure, requestId), { status: failure.status, headers });
  }

  async asPage(error: unknown, requestId: string): Promise<Response> {
    const response = await this.#options.showFailure(this.failureOf(error, requestId), requestId);
    response.headers.set("x-svc-request-id", requestId);
    return response;
  }

  /**
   * Responds to a request for an unknown path: with a page for browsers, unless they call the API.
   */
  async ofUnknownPath(
    { request, pathname }: { readonly request: Request; readonly pathname: string },
    requestId: string,
  ): Promise<Response> {
    const path = shownPath(pathname);
    if (wantsPage(request) && !path.startsWith("/v1/")) {
      return await this.asPage(new Failure("not_found", `No page exists at ${path}`), requestId);
    }
    const message = `No such endpoint: ${request.method} ${path}. See /v1/openapi.json`;
    return this.asJson(new Failure("not_found", message), requestId);
  }

  /** Returns the public failure for a thrown error. Also reports faults of the platform. */
  failureOf(error: unknown, requestId: string): Failure {
    const failure = toFailure(error);
    if (failure.status >= 500) this.#options.onFault(requestId, failure.cause ?? failure);
    return failure;
  }
}
