/**
 * Sends requests to object storage: signed, with time limits, and with retries if these can help.
 * Also tracks whether the storage responds, so nothing waits for storage that is down.
 *
 * @module
 */
import { AwsClient } from "aws4fetch";
import pLimit from "p-limit";
import pRetry from "p-retry";
import type { Clock } from "../../../lib/clock.ts";
import { orAborted } from "../../../lib/or_aborted.ts";
import { UnavailableError } from "../../../lib/unavailable_error.ts";
import type { S3Credentials } from "./s3_credentials.ts";
import { describeS3Place, type S3Place, s3Url } from "./s3_place.ts";
import { parseError } from "./s3_xml.ts";

/** Thrown if the storage refused a request, or did not respond (status 0). */
export class S3Error extends Error {
  override readonly name = "S3Error";
  constructor(readonly status: number, readonly code: string, message: string) {
    super([status || undefined, code, message].filter(Boolean).join(" "));
  }
}

const noAnswer = (reason: unknown): S3Error =>
  reason instanceof S3Error
    ? reason
    : new S3Error(0, "", reason instanceof Error ? reason.message : String(reason));

export interface S3Patience {
  /**
   * Maximum time to wait for the response headers, not counting the time that the request's body
   * takes, in milliseconds.
   */
  readonly answerMs: number;
  /** Maximum time to wait for the next bytes of a response's body, in milliseconds. */
  readonly idleMs: number;
  /** Maximum number of attempts after the first one. */
  readonly retries: number;
  /** Time after which no further attempt starts, in milliseconds. */
  readonly longestMs: number;
  /**
   * Pause before the second attempt, in milliseconds. The pause doubles each time, up to
   * `longestPauseMs`.
   */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Pause between checks while the storage does not respond, in milliseconds. */
  readonly probeMs: number;
}

export const DEFAULT_PATIENCE: S3Patience = {
  answerMs: 10_000,
  idleMs: 30_000,
  retries: 4,
  longestMs: 15_000,
  firstPauseMs: 100,
  longestPauseMs: 3_000,
  probeMs: 2_000,
};

/** Minimum speed of an upload, in bytes per millisecond. */
const SLOWEST_UPLOAD = 32;

const MAX_REQUESTS = 64;

/**
 * Maximum length of a response to read in full, in bytes. A page of a listing is smaller than 1
 * MiB.
 */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** Number of seconds after which clients may retry. */
const RETRY_AFTER_SECONDS = 5;

/** Error codes of temporary refusals. Every status from 500 is also temporary. */
const PASSING_CODES = new Set(["SlowDown", "RequestTimeout", "InternalError", "BadDigest"]);

interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The object's key under the prefix; missing if the request is for the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
}

interface S3RequestsOptions {
  readonly place: S3Place;
  readonly credentials: S3Credentials;
  readonly patience: S3Patience;
  readonly now: Clock;
  /** Certificates (PEM) of authorities to trust in addition to the system's. */
  readonly caCerts?: readonly string[];
  /** Called when the storage stops responding, and when it responds again. */
  onChange(problem: string | undefined): void;
}

function isPassing(error: unknown): boolean {
  if (!(error instanceof S3Error)) return false;
  const { status, code } = error;
  return status === 0 || status >= 500 || status === 429 || status === 408 ||
    PASSING_CODES.has(code);
}

/** Returns whether the error means that an object does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof S3Error && error.status === 404 && error.code !== "NoSuchBucket";
}

/** Fraction of the usual time limit to apply if the storage recently did not respond. */
const IMPATIENCE = 1 / 4;

export class S3Requests {
  readonly #aws: AwsClient;
  readonly #http: Deno.HttpClient;
  readonly #limit = pLimit(MAX_REQUESTS);
  readonly #closing = new AbortController();
  #problem: string | undefined;
  #probe: ReturnType<typeof setTimeout> | undefined;
  #skewMs = 0;

  readonly #options: S3RequestsOptions;

  constructor(options: S3RequestsOptions) {
    this.#options = options;
    this.#aws = new AwsClient({
      ...options.credentials,
      service: "s3",
      region: options.place.region,
      retries: 0,
    });
    this.#http = Deno.createHttpClient({
      poolMaxIdlePerHost: MAX_REQUESTS,
      ...(options.caCerts === undefined ? {} : { caCerts: [...options.caCerts] }),
    });
  }

  /** Why the storage cannot be used, for the operator; `undefined` if it responds. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Returns the time according to the storage's clock, in milliseconds since 1970, accurate to the
   * second.
   */
  storageTime(): number {
    return this.#options.now() + this.#skewMs;
  }

  /**
   * Runs `work`, which sends requests. Retries temporary failures, but not while the storage does
   * not respond.
   *
   * @throws {S3Error} if the storage says that an object is missing.
   * @throws {UnavailableError} if all attempts failed.
   * @throws any other error of `work`, immediately.
   */
  async attempt<T>(work: () => Promise<T>): Promise<T> {
    const { retries, longestMs, firstPauseMs, longestPauseMs } = this.#options.patience;
    try {
      const result = await pRetry(work, {
        retries: this.#problem === undefined ? retries : 0,
        minTimeout: firstPauseMs,
        maxTimeout: longestPauseMs,
        maxRetryTime: longestMs,
        randomize: true,
        signal: this.#closing.signal,
        shouldRetry: ({ error }) => isPassing(error),
      });
      this.#note(undefined);
      return result;
    } catch (cause) {
      if (this.#closing.signal.aborted) throw this.#unavailable(cause);
      if (!(cause instanceof S3Error)) throw cause;
      if (isMissing(cause)) {
        this.#note(undefined);
        throw cause;
      }
      this.#note(`${describeS3Place(this.#options.place)} cannot be used: ${cause.message}`);
      throw this.#unavailable(cause);
    }
  }

  #unavailable(cause: unknown): UnavailableError {
    return new UnavailableError(
      "The file storage is not responding. Try again in a few seconds",
      { cause, retryAfter: RETRY_AFTER_SECONDS },
    );
  }

  /**
   * Sends one request and returns its successful response. The caller must read the response's
   * body.
   */
  async send(request: S3Request): Promise<Response> {
    const url = s3Url(this.#options.place, request.key);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      url.searchParams.set(name, value);
    }
    const signed = await this.#aws.sign(url.href, {
      method: request.method,
      headers: { ...request.headers },
      body: request.body,
    });
    return await this.#limit(() => this.#fetch(signed, request.body?.length ?? 0));
  }

  /** Sends content and returns its ETag. Without an ETag, the content was not stored. */
  async store(request: S3Request): Promise<string> {
    const response = await this.send(request);
    await readText(response);
    const etag = response.headers.get("etag");
    if (etag === null) {
      throw new S3Error(502, "NoETag", "the response does not confirm what was stored");
    }
    return etag;
  }

  /** Sends one request and reads the response as text. */
  async text(request: S3Request): Promise<string> {
    return await readText(await this.send(request));
  }

  /** @throws {UnavailableError} if the bucket cannot be used. */
  async look(): Promise<void> {
    const prefix = `${this.#options.place.prefix}look/`;
    const query = { "list-type": "2", "max-keys": "1", prefix };
    await this.attempt(() => this.text({ method: "GET", query }));
  }

  /** Signs a request that the storage carries out only within the next few seconds. */
  async presign(method: "DELETE", key: string, seconds: number): Promise<Request> {
    const url = s3Url(this.#options.place, key);
    url.searchParams.set("X-Amz-Expires", String(seconds));
    // Uses the storage's clock, which determines expiry.
    const datetime = new Date(this.storageTime()).toISOString().replace(/[:-]|\.\d{3}/g, "");
    return await this.#aws.sign(url.href, { method, aws: { signQuery: true, datetime } });
  }

  async sendSigned(request: Request): Promise<void> {
    const response = await this.#limit(() => this.#fetch(request, 0));
    await response.body?.cancel();
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#probe);
    this.#http.close();
  }

  async #fetch(request: Request, bodyBytes: number): Promise<Response> {
    const { answerMs, idleMs } = this.#options.patience;
    const late = new AbortController();
    const patience = this.#problem === undefined ? 1 : IMPATIENCE;
    const limit = patience * answerMs + bodyBytes / SLOWEST_UPLOAD;
    const timer = setTimeout(() => late.abort(new S3Error(504, "Timeout", "no response")), limit);
    const signal = AbortSignal.any([late.signal, this.#closing.signal]);
    try {
      const response = await fetch(request, { client: this.#http, signal, redirect: "manual" });
      this.#noteTime(response.headers.get("date"));
      if (!response.ok) throw await this.#errorOf(response);
      if (response.body === null) return response;
      const body = watched(response.body, { idleMs, closing: this.#closing.signal });
      return new Response(body, response);
    } catch (error) {
      throw noAnswer(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #errorOf(response: Response): Promise<S3Error> {
    const { code, message } = parseError(await response.text());
    return new S3Error(response.status, code || response.statusText, message);
  }

  #noteTime(date: string | null): void {
    const time = date === null ? NaN : Date.parse(date);
    if (!Number.isNaN(time)) this.#skewMs = time - this.#options.now();
  }

  #note(problem: string | undefined): void {
    const before = this.#problem;
    this.#problem = problem;
    if ((problem === undefined) === (before === undefined)) return;
    this.#options.onChange(problem);
    clearTimeout(this.#probe);
    if (problem !== undefined) this.#probeLater();
  }

  #probeLater(): void {
    const goOn = (): void => {
      if (this.#problem !== undefined && !this.#closing.signal.aborted) this.#probeLater();
    };
    this.#probe = setTimeout(() => {
      this.look().then(goOn, goOn);
    }, this.#options.patience.probeMs);
  }
}

/**
 * Returns a body that fails if no byte arrives for a while, or when `closing` is aborted. The
 * request's signal cannot end the body: once the original response is garbage, Deno 2.7 ignores it.
 */
function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  { idleMs, closing }: { readonly idleMs: number; readonly closing: AbortSignal },
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const late = Promise.withResolvers<never>();
      const stop = () => late.reject(new S3Error(504, "Timeout", "the response was interrupted"));
      const timer = setTimeout(stop, idleMs);
      try {
        const read = Promise.race([reader.read(), late.promise]);
        const { done, value } = await orAborted(read, closing);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        reader.cancel(error).catch(() => {});
        throw noAnswer(error);
      } finally {
        clearTimeout(timer);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
}

async function readText({ body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > MAX_TEXT_BYTES) throw new S3Error(502, "TooLong", "the response is too long");
    parts.push(part);
  }
  return await new Blob(parts as BlobPart[]).text();
}
