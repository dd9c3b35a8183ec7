/**
 * @module An in-memory edge with functions and another site behind it: the functions run as
 * handlers in this process, and requests to the other site need no network.
 */
import { createHttpCache } from "./cache/http_cache.ts";
import type { EdgeOptions } from "./edge_options.ts";
import type { SiteFunctions } from "./pipeline/function_runner.ts";
import type { Rule } from "../rules/mod.ts";
import type {
  CallContext,
  FailureReason,
  Invocation,
  InvocationResult,
  OutboundRequest,
} from "../runtime/mod.ts";
import { type Files, type TestEdge, testEdge, testSite } from "./_test_site.ts";

/** The origin of the other site. */
export const UPSTREAM = "https://upstream.test";

export type TestContext = CallContext & {
  readonly as: string | undefined;
  readonly response: Response | undefined;
};

/** A function as an author writes it. Use `fails()` for a failing function. */
export type TestFunction = (
  request: Request,
  context: TestContext,
) => Response | Request | void | Promise<Response | Request | void>;

class Failing extends Error {
  constructor(readonly reason: FailureReason) {
    super(reason);
  }
}

/** Creates a function that fails for the given reason. */
export const fails = (reason: FailureReason): TestFunction => () => {
  throw new Failing(reason);
};

const NULL_BODY = new Set([101, 204, 205, 304]);

function toResponse({ status, headers, body }: NonNullable<Invocation["response"]>): Response {
  const init = { status, headers: headers.map(([name, value]): [string, string] => [name, value]) };
  return new Response(NULL_BODY.has(status) ? null : body as ReadableStream<Uint8Array>, init);
}

async function invoke(handler: TestFunction, invocation: Invocation): Promise<InvocationResult> {
  const { mode, request: given, response, context, as } = invocation;
  const request = new Request(given.url, {
    method: given.method,
    headers: given.headers.map(([name, value]): [string, string] => [name, value]),
    body: given.body as ReadableStream<Uint8Array<ArrayBuffer>> | null,
  });
  try {
    const result = await handler(request, {
      ...context,
      as,
      response: response === undefined ? undefined : toResponse(response),
    });
    if (mode === "observe" || result === undefined) return { type: "next" };
    if (result instanceof Response) {
      const { status, headers, body } = result;
      return { type: "response", response: { status, headers: [...headers], body } };
    }
    const { method, url, headers, body } = result;
    return { type: "request", request: { method, url, headers: [...headers], body } };
  } catch (error) {
    const reason = error instanceof Failing ? error.reason : "threw";
    return { type: "failed", reason, message: String(error) };
  }
}

/** Runs handlers by name. An unknown name results in `not_found`. */
export function functionsOf(handlers: Readonly<Record<string, TestFunction>>): SiteFunctions {
  return {
    invoke(invocation) {
      const handler = handlers[invocation.function];
      return handler === undefined
        ? Promise.resolve({ type: "failed", reason: "not_found", message: "No such function" })
        : invoke(handler, invocation);
    },
  };
}

export interface DynamicWorld {
  readonly files?: Files;
  readonly rules: readonly Rule[];
  readonly functions?: Readonly<Record<string, TestFunction>>;
  /** Responses of the other site. */
  upstream?(request: OutboundRequest, count: number): Response | Promise<Response>;
  readonly edge?: Partial<EdgeOptions>;
}

interface DynamicEdge extends TestEdge {
  /** The requests to the other site, in order. */
  readonly asked: OutboundRequest[];
  readonly cache: EdgeOptions["cache"];
  /** Advances the clock. */
  wait(seconds: number): void;
}

/**
 * Returns an edge in front of one site with the given parts. The edge's clock only moves when it is
 * advanced.
 */
export function dynamicEdge(world: DynamicWorld): DynamicEdge {
  const asked: OutboundRequest[] = [];
  let now = Date.UTC(2026, 0, 1);
  const cache = createHttpCache({ now: () => now });
  const { site } = testSite(world.files ?? { "index.html": "home" }, {
    rules: world.rules,
    functions: functionsOf(world.functions ?? {}),
  });
  const edge = testEdge(site, {
    now: () => now,
    cache,
    outbound: async (request) => {
      asked.push(request);
      const answer = await (world.upstream?.(request, asked.length) ?? new Response("upstream"));
      return {
        status: answer.status,
        statusText: answer.statusText,
        headers: [...answer.headers],
        body: answer.body,
        url: request.url,
        redirected: false,
      };
    },
    ...world.edge,
  });
  return { ...edge, asked, cache, wait: (seconds) => now += seconds * 1000 };
}

/** A rule that forwards everything below a path to the other site. */
export const toUpstream: Rule = {
  id: "proxy",
  condition: { path: { type: "glob", value: "/{rest...}" } },
  action: { type: "rewrite", target: `${UPSTREAM}/{rest}`, external: true },
};

export const cached = (more: object = {}): Rule => ({
  id: "cache",
  action: { type: "cache", ttlSeconds: 60, ...more },
});
