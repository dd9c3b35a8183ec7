/** Sends a request to a forge's API, through the guard for outbound requests. @module */
import type { Clock } from "../../../../lib/clock.ts";
import { createPause } from "../../../../lib/next_turn.ts";
import { readLimited } from "../../../../lib/read_limited.ts";
import { JsonError, parseJson } from "../../../../lib/parse_json.ts";
import { FORGE_NAMES } from "../../../../contract/projects.ts";
import type { OutboundFetch, OutboundResponse } from "../../../../runtime/mod.ts";
import type { SendOutcome } from "../../delivery/channel.ts";
import { judgePostError, POST_MS, readRetryAfter } from "../post_out.ts";
import type { Dialect, ForgeRequest, ForgeTarget } from "./dialect.ts";

/**
 * Maximum size of a response to read, in bytes: enough for a hundred comments on a pull request.
 */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const MAX_DEPTH = 64;

interface ForgeAnswer {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
}

export class ForgeError extends Error {
  override readonly name = "ForgeError";

  constructor(
    readonly outcome: Exclude<SendOutcome, { readonly type: "sent" }>,
    readonly status?: number,
    options?: ErrorOptions,
  ) {
    super(outcome.reason, options);
  }
}

const failed = (reason: string): ForgeError => new ForgeError({ type: "failed", reason });

async function readText({ body, bytes }: OutboundResponse): Promise<string> {
  const read = bytes ?? await readLimited(body, MAX_ANSWER_BYTES);
  if (read === undefined) throw failed("The response is larger than 8 MiB");
  return new TextDecoder().decode(read);
}

async function readJsonText(text: string): Promise<unknown> {
  if (text === "") return undefined;
  try {
    const bytes = new TextEncoder().encode(text);
    return (await parseJson(bytes, { maxDepth: MAX_DEPTH, pause: createPause() })).value;
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Classifies a refusal: caused by the token, by the forge's limits, or by a fault in the forge. */
function judgeRefusal(
  { forge, api }: ForgeTarget,
  answer: { readonly status: number; readonly headers: Headers },
  now: number,
): SendOutcome {
  const { status, headers } = answer;
  const name = FORGE_NAMES[forge];
  const retryAfterMs = readRetryAfter(headers.get("retry-after") ?? undefined, now) ??
    (headers.get("x-ratelimit-remaining") === "0" ? 60_000 : undefined);
  const isLimited = status === 429 || status === 403 && retryAfterMs !== undefined;
  if (isLimited || status >= 500) {
    return {
      type: "retry",
      reason: `${name} responded with status ${status}`,
      hostTrouble: status >= 502 && status <= 504,
      ...(isLimited || status === 503) && retryAfterMs !== undefined ? { retryAfterMs } : {},
    };
  }
  const why = status === 401
    ? "it rejected the token in the project's git credentials"
    : status === 403
    ? "the token in the project's git credentials is not allowed to set commit statuses or comment"
    : status === 404
    ? `there is no such repository at ${api}, or the token has no access to it`
    : status >= 300 && status < 400
    ? "it responded with a redirect. Set --forge-api with `svc projects git-credentials`"
    : "it refused the request";
  return { type: "failed", reason: `${name} responded with status ${status}: ${why}` };
}

/**
 * Sends a request to a forge.
 *
 * @throws {ForgeError} if the forge does not respond with a success status
 */
export async function askForge(
  { outbound, now }: { readonly outbound: OutboundFetch; readonly now: Clock },
  { target, dialect }: { readonly target: ForgeTarget; readonly dialect: Dialect },
  { method, url, body }: ForgeRequest,
): Promise<ForgeAnswer> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), POST_MS);
  const bytes = body === undefined ? undefined : new TextEncoder().encode(JSON.stringify(body));
  const sent: readonly (readonly [string, string])[] = bytes === undefined
    ? []
    : [["content-type", "application/json"], ["content-length", `${bytes.byteLength}`]];
  try {
    const answer = await outbound({
      method,
      url,
      signal: timeout.signal,
      headers: [...dialect.fields(target), ...sent, ["user-agent", "svc"]].map(
        ([name, value]) => [name, value] as [string, string],
      ),
      body: bytes === undefined ? null : new Blob([bytes]).stream(),
    });
    const { status } = answer;
    const text = await readText(answer);
    if (status >= 200 && status < 300) return { status, text, json: await readJsonText(text) };
    if (dialect.isMarked?.({ status, text }) === true) return { status, text, json: undefined };
    const headers = new Headers(answer.headers.map(([name, value]) => [name, value]));
    const outcome = judgeRefusal(target, { status, headers }, now());
    if (outcome.type !== "sent") throw new ForgeError(outcome, status);
    return { status, text, json: undefined };
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    const outcome = judgePostError(error);
    if (outcome.type === "sent") throw error;
    throw new ForgeError(outcome);
  } finally {
    clearTimeout(timer);
  }
}
