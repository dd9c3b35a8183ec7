/** One request to an OTLP endpoint, and its outcome (OTLP/HTTP response). @module */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { ProtobufLogsSerializer, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/error_message.ts";
import { formatCount } from "../../lib/format.ts";
import { createSecretMasker } from "../../lib/mask_secrets.ts";
import type { OutboundFetch } from "../../runtime/mod.ts";
import { judgePostError, postOut } from "../notifications/mod.ts";
import type { OtlpRecord } from "./log_records.ts";
import type { ResourceMetrics } from "./request_metrics.ts";

const pack = promisify(gzip);

/**
 * Maximum size of a response to read, in bytes. The response describes a partial success or a
 * failure.
 */
const ANSWER_BYTES = 4096;
/** Maximum length of the endpoint's message in an error, in characters. */
const MAX_WORDS = 300;
/** Statuses after which the same request may succeed later. */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

const SIGNALS = ["logs", "metrics"] as const;
export type Signal = (typeof SIGNALS)[number];

export interface Endpoint {
  /** Base URL. A URL that ends with a signal's path is also accepted. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PostParts {
  readonly outbound: OutboundFetch;
  readonly now: Clock;
}

/**
 * Even if the result is `accepted`, the endpoint may have rejected some records. `problem` then
 * says why.
 */
export type PostOutcome =
  & { readonly status: number | null }
  & (
    | { readonly type: "accepted"; readonly rejected: number; readonly problem: string | undefined }
    | { readonly type: "refused"; readonly problem: string }
    | { readonly type: "later"; readonly problem: string; readonly retryAfterMs?: number }
  );

export function signalUrl(url: string, signal: Signal): string {
  const target = new URL(url);
  const base = target.pathname.replace(/\/(?:v1\/(?:logs|metrics|traces)\/?)?$/, "");
  target.pathname = `${base}/v1/${signal}`;
  return target.href;
}

export async function packLogs(records: OtlpRecord[]): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await pack(ProtobufLogsSerializer.serializeRequest(records)!));
}

/**
 * Returns the compressed body of a metrics request. Concatenated messages form one message that
 * contains the lists of all of them.
 */
export async function packMetrics(
  metrics: readonly ResourceMetrics[],
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = metrics.map((each) => ProtobufMetricsSerializer.serializeRequest(each)!);
  return new Uint8Array(
    await pack(new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer())),
  );
}

/** Reads how many records an endpoint rejected, and its message. Ignores a damaged body. */
function readPartial(signal: Signal, body: Uint8Array) {
  try {
    if (signal === "logs") {
      const { partialSuccess } = ProtobufLogsSerializer.deserializeResponse(body);
      return { count: partialSuccess?.rejectedLogRecords, message: partialSuccess?.errorMessage };
    }
    const { partialSuccess } = ProtobufMetricsSerializer.deserializeResponse(body);
    return { count: partialSuccess?.rejectedDataPoints, message: partialSuccess?.errorMessage };
  } catch {
    return { count: undefined, message: undefined };
  }
}

/** Returns the text of a response in any format, without control characters or credentials. */
function wordsOf(text: string, { headers }: Endpoint): string {
  // The endpoint may repeat a token without the scheme that precedes it, such as Bearer.
  const secrets = Object.values(headers).flatMap((value) => [value, ...value.split(" ").slice(1)]);
  const plain = text.replace(/[\p{Cc}\p{Cf}\ufffd]+/gu, " ").trim();
  return createSecretMasker(secrets).mask(plain).slice(0, MAX_WORDS).toWellFormed();
}

/** Sends a body. Errors are returned as outcomes. */
export async function postBatch(
  endpoint: Endpoint,
  { signal, body, closed }: {
    readonly signal: Signal;
    readonly body: Uint8Array<ArrayBuffer>;
    /** Aborted when no caller waits for the outcome anymore. */
    readonly closed: AbortSignal;
  },
  { outbound, now }: PostParts,
): Promise<PostOutcome> {
  try {
    const { status, excerpt, retryAfterMs } = await postOut(outbound, {
      url: signalUrl(endpoint.url, signal),
      headers: [
        ...Object.entries(endpoint.headers),
        ["content-type", "application/x-protobuf"],
        ["content-encoding", "gzip"],
      ],
      body,
      now,
      excerptBytes: ANSWER_BYTES,
      signal: closed,
    });
    if (status >= 200 && status < 300) {
      const { count, message } = readPartial(signal, excerpt);
      const problem = count || message
        ? `The endpoint rejected ${formatCount(count ?? 0, "record")}: ${
          wordsOf(message ?? "", endpoint)
        }`
        : undefined;
      return { type: "accepted", status, rejected: count ?? 0, problem };
    }
    const words = wordsOf(new TextDecoder().decode(excerpt), endpoint);
    const problem = `The endpoint responded with status ${status}${words && `: ${words}`}`;
    return RETRIED.has(status)
      ? { type: "later", status, problem, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
      : { type: "refused", status, problem };
  } catch (error) {
    return { ...judgeError(error), status: null };
  }
}

function judgeError(
  error: unknown,
): { readonly type: "refused" | "later"; readonly problem: string } {
  try {
    const outcome = judgePostError(error);
    const problem = outcome.type === "sent" ? outcome.detail : outcome.reason;
    return { type: outcome.type === "failed" ? "refused" : "later", problem };
  } catch {
    return { type: "later", problem: messageOf(error) };
  }
}
