/**
 * Requests that a server of the deployment answers: asked straight, from the
 * pages that it has kept, or as a WebSocket.
 *
 * @module
 */
import type { ComputeRequest, ComputeResult, ComputeSocketResult } from "../../runtime/mod.ts";
import type { CachedAnswer } from "../cache/mod.ts";
import type { KeptPages } from "../isr/mod.ts";
import { discardBody, type HeaderList, isReading, type OriginAnswer } from "../messages/mod.ts";
import type { Answer } from "../response/mod.ts";
import type { ComputeResolution, SiteContent } from "../static/mod.ts";
import { ComputeFailedError } from "./compute_failure.ts";
import {
  computeRequest,
  isSocketRequest,
  type ServerRequest,
  socketRequest,
  type Target,
} from "./compute_request.ts";
import { pageAnswer, pageRequest } from "./page_request.ts";
import { isFinalStatus, serverAnswer, toAnswer } from "./server_response.ts";

/** The COMPUTE layers of one deployment, by name. */
export interface SiteCompute {
  /** Asks the server of a layer; starts it where it is not running, and never rejects. */
  fetch(layer: string, request: ComputeRequest): Promise<ComputeResult>;
  /** Opens a WebSocket to the server of a layer; never rejects. */
  connect(layer: string, request: Omit<ComputeRequest, "body">): Promise<ComputeSocketResult>;
  /** Answers that routes with `revalidate` have kept. */
  readonly pages: KeptPages;
}

/** How a server may be used for a request. */
export interface ComputeUse {
  /** False where a rule says that nothing kept may answer. */
  readonly mayKeep: boolean;
}

/** A request that terminal routing leads to a COMPUTE layer. */
export interface ComputeTurn extends ComputeUse {
  /** What of the deployment an answer needs: the routes that come next, and fields of all answers. */
  readonly site: { readonly content: Pick<SiteContent, "after">; readonly common: HeaderList };
  readonly compute: SiteCompute;
  readonly request: ServerRequest;
  readonly target: Target;
  readonly resolution: ComputeResolution;
}

/** The server's answer means "not here", so that the next route is asked. */
export type Missing = "missing";

/** @throws {ComputeFailedError} */
function responseOf(
  layer: string,
  result: ComputeResult | Extract<ComputeSocketResult, { readonly type: "response" | "failed" }>,
): OriginAnswer {
  if (result.type === "failed") {
    throw new ComputeFailedError(layer, result.reason, result.message);
  }
  const answer = serverAnswer(result.response);
  if (isFinalStatus(answer.status)) return answer;
  discardBody(answer.body);
  throw new ComputeFailedError(layer, "invalid_response", `Its status is ${answer.status}`);
}

/**
 * A body can be sent once: where it went to this server, another server can not
 * get it, so this one's 404 is the answer.
 */
function fallsThrough({ site, request, target, resolution }: ComputeTurn): boolean {
  if (!resolution.route.fallthrough) return false;
  if (request.body === null) return true;
  return site.content.after(request.method, target.path, resolution).type !== "compute";
}

function settle(turn: ComputeTurn, answer: OriginAnswer): Answer | Missing {
  if (answer.status === 404 && fallsThrough(turn)) {
    discardBody(answer.body);
    return "missing";
  }
  return toAnswer(turn.request.method, answer, turn.site.common);
}

async function askServer(turn: ComputeTurn): Promise<Answer | Missing> {
  const { compute, request, target, resolution } = turn;
  const { name } = resolution.route.layer;
  const result = await compute.fetch(name, computeRequest(request, target));
  return settle(turn, responseOf(name, result));
}

/** The server is asked first: a client is upgraded only where there is something to talk to. */
async function openSocket(turn: ComputeTurn): Promise<Answer | Missing> {
  const { compute, request, target, resolution, site } = turn;
  const { name } = resolution.route.layer;
  const result = await compute.connect(name, socketRequest(request, target));
  if (result.type !== "open") return settle(turn, responseOf(name, result));
  return { status: 101, headers: site.common, body: null, bytes: 0, upgrade: result.socket };
}

function askPages(
  turn: ComputeTurn,
  seconds: number,
): Answer | Missing | Promise<Answer | Missing> {
  const { compute, request, target, resolution } = turn;
  const { name } = resolution.route.layer;
  const finish = (answer: CachedAnswer): Answer | Missing => {
    if (answer.status !== 404 || !fallsThrough(turn)) return pageAnswer(answer, turn);
    discardBody(answer.body);
    return "missing";
  };
  const answer = compute.pages.handle(pageRequest(request, target), {
    revalidateSeconds: seconds,
    keepsMissing: !resolution.route.fallthrough,
    fetchPage: async (asked) => responseOf(name, await compute.fetch(name, asked)),
    fetchOwn: async () =>
      responseOf(name, await compute.fetch(name, computeRequest(request, target))),
  });
  return answer instanceof Promise ? answer.then(finish) : finish(answer);
}

/**
 * Answers from a COMPUTE layer; at once where a kept page is in memory.
 *
 * @throws {ComputeFailedError} where the server can not answer.
 */
export function answerFromCompute(turn: ComputeTurn): Answer | Missing | Promise<Answer | Missing> {
  const { request, resolution, mayKeep } = turn;
  const { revalidate } = resolution.route;
  if (isSocketRequest(request)) return openSocket(turn);
  if (mayKeep && revalidate !== undefined && revalidate > 0 && isReading(request.method)) {
    return askPages(turn, revalidate);
  }
  return askServer(turn);
}
