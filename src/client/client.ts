/** @module The typed client of the HTTP API. Every response is checked against the contract. */
import type {
  BodyInputOf,
  Endpoint,
  ParamsOf,
  QueryInputOf,
  ResponseOf,
} from "../contract/endpoint.ts";
import { ApiError, ContractError, NoAnswerError, UnreachableError } from "./errors.ts";
import { USUAL_WAITS, type Waits, withLimits, withPatience } from "./patience.ts";
import { DEFAULT_RETRIES, parseRetryAfter, type RetryPolicy, withRetries } from "./retry.ts";

export interface ClientOptions {
  /** URL of the platform, such as `http://localhost:8787`. */
  readonly baseUrl: string;
  /** API key, or a function that returns one. Without it, only public endpoints can be called. */
  readonly token?: string | (() => Promise<string>);
  /** Slug of the workspace to act in. Defaults to the key's workspace. */
  readonly workspace?: string;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
  readonly retries?: RetryPolicy;
  /**
   * Creates the `Idempotency-Key` for a request that must run once. A proxy can resend a request
   * when a connection closes. Without this function, no key is sent.
   */
  readonly newIdempotencyKey?: () => string;
  /**
   * Returns the current time in milliseconds, for comparison with `Retry-After` dates. Defaults to
   * the machine's clock.
   */
  readonly now?: () => number;
  /** Called for each finished exchange, for debug output. */
  readonly onExchange?: (exchange: Exchange) => void;
  /**
   * Called at the start of a call that changes something. The function that it returns is called
   * with the result. When `signal` is aborted, such a call gets {@link CHANGE_PATIENCE} to finish.
   */
  readonly watchChange?: (
    call: Pick<Exchange, "method" | "path">,
  ) => (outcome: ChangeOutcome) => void;
  /** Called repeatedly, with the elapsed milliseconds, while the platform has not responded. */
  readonly onWaiting?: (waited: number) => void;
  /** How long to wait for a response. Defaults to {@link USUAL_WAITS}. */
  readonly waits?: Waits;
}

/** The outcome of a change. `unknown` means that it was interrupted and may have taken effect. */
export type ChangeOutcome = "done" | "refused" | "unknown";

/** How long a change can continue after the user has stopped the command, in milliseconds. */
const CHANGE_PATIENCE = 3000;

export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

type Optional<Key extends string, Value> = Record<string, never> extends Value
  ? { readonly [K in Key]?: Value }
  : { readonly [K in Key]: Value };

export type CallInput<E extends Endpoint> =
  & Optional<"params", ParamsOf<E>>
  & { readonly query?: QueryInputOf<E>; readonly body?: BodyInputOf<E> }
  & {
    /** ETag that the resource must still have for the call to take effect (RFC 9110, 13.1.1). */
    readonly ifMatch?: string;
    /** True if the call is idempotent and can be retried. */
    readonly idempotent?: boolean;
    readonly signal?: AbortSignal;
  };

export interface Answer<Body> {
  readonly body: Body;
  readonly etag: string | undefined;
}

/** A request whose body is not JSON: blobs and multipart batches. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Creates a new body for each attempt. */
  readonly body?: () => Promise<BodyInit> | BodyInit;
  readonly signal?: AbortSignal;
}

export interface Client {
  readonly baseUrl: string;
  call<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<ResponseOf<E>>;
  /** Like `call`, but also returns the ETag of the response. */
  send<E extends Endpoint>(endpoint: E, input: CallInput<E>): Promise<Answer<ResponseOf<E>>>;
  /** Makes one attempt and does not read the body. Throws the same errors as `call`. */
  fetchRaw(request: RawRequest): Promise<Response>;
}

const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(["GET", "PUT", "DELETE"]);

/** Fills a path's `{name}` parts and adds the query. Values are percent-encoded. */
export function buildPath(
  template: string,
  input: { readonly params?: unknown; readonly query?: unknown },
): string {
  const params = new Map<string, unknown>(Object.entries(input.params ?? {}));
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params.get(name);
    if (value === undefined) throw new TypeError(`Set path parameter "${name}" of ${template}`);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Describes a call for messages. */
export const changeOf = <E extends Endpoint>(
  { method, path }: E,
  params: ParamsOf<E>,
): Pick<Exchange, "method" | "path"> => ({ method, path: buildPath(path, { params }) });

/** A hint for responses that do not come from svc. */
const ELSEWHERE =
  "Check the URL. If it is correct, a proxy in front of the platform responds but cannot reach the platform";

async function toApiError(
  response: Response,
  { now, url }: { readonly now: () => number; readonly url: string },
): Promise<ApiError> {
  const retryAfter = parseRetryAfter(response.headers.get("retry-after"), now());
  const rest = retryAfter === undefined ? {} : { retryAfter };
  const text = await response.text().catch(() => "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const { apiError } = await import("../contract/common.ts");
  const parsed = apiError.safeParse(value);
  if (!parsed.success) {
    const requestId = response.headers.get("x-svc-request-id");
    return new ApiError(`The response of ${url} is not from svc: status ${response.status}`, {
      status: response.status,
      hint: ELSEWHERE,
      ...(requestId === null ? {} : { requestId }),
      ...rest,
    });
  }
  const { error, code, requestId, problems, hint } = parsed.data;
  return new ApiError(error, {
    status: response.status,
    code,
    requestId,
    problems,
    hint,
    ...rest,
  });
}

function anySignal(signals: readonly (AbortSignal | undefined)[]): AbortSignal | undefined {
  const present = signals.filter((signal) => signal !== undefined);
  return present.length < 2 ? present[0] : AbortSignal.any(present);
}

/** Rejects parameters that the platform would reject, with the same message. */
function checkParams(endpoint: Endpoint, params: unknown): void {
  const checked = endpoint.params.safeParse(params ?? {});
  if (checked.success) return;
  const problems = checked.error.issues.map(({ path, message }) => ({
    path: `path.${String(path[0] ?? "")}`,
    message,
  }));
  const reasons = problems.map(({ message }) => message).join("; or ");
  throw new ApiError(`Cannot send this request: ${reasons}`, {
    status: 400,
    code: "invalid_request",
    problems,
  });
}

async function readAnswer<E extends Endpoint>(
  endpoint: E,
  response: Response,
): Promise<Answer<ResponseOf<E>>> {
  const etag = response.headers.get("etag") ?? undefined;
  try {
    const value: unknown = response.status === 204 ? undefined : await response.json();
    if (response.status === 204) await response.body?.cancel();
    return { body: endpoint.response.parse(value) as ResponseOf<E>, etag };
  } catch (cause) {
    throw new ContractError(`${endpoint.method} ${endpoint.path}`, { cause });
  }
}

/** Creates a client for one platform, key and workspace. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? fetch;
  const policy = options.retries ?? DEFAULT_RETRIES;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");

  const waits = options.waits ?? USUAL_WAITS;
  const limitsOf = (longest: number) => ({
    baseUrl,
    longest,
    noticeEvery: waits.notice,
    onWaiting: options.onWaiting,
  });

  /** Sends a request. The time for receiving a body is not limited. */
  function fetchRaw(request: RawRequest): Promise<Response> {
    const signals = [options.signal, request.signal];
    if (request.body !== undefined) return exchange(request, anySignal(signals));
    return withLimits(
      limitsOf(waits.read),
      (limit) => exchange(request, anySignal([...signals, limit])),
    );
  }

  async function exchange(
    request: RawRequest,
    signal: AbortSignal | undefined,
  ): Promise<Response> {
    const headers = new Headers({ accept: "application/json", ...request.headers });
    const token = typeof options.token === "function" ? await options.token() : options.token;
    if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    if (options.workspace !== undefined) headers.set("x-workspace", options.workspace);
    const body = await request.body?.();
    const url = `${baseUrl}${request.path}`;
    let response: Response;
    try {
      response = await send(url, {
        method: request.method,
        headers,
        redirect: "manual",
        body,
        signal,
      });
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      throw new UnreachableError(baseUrl, { cause });
    }
    options.onExchange?.({
      method: request.method,
      path: request.path,
      status: response.status,
    });
    if (!response.ok) throw await toApiError(response, { now: options.now ?? Date.now, url });
    return response;
  }

  async function sendCall<E extends Endpoint>(
    endpoint: E,
    input: CallInput<E>,
  ): Promise<Answer<ResponseOf<E>>> {
    checkParams(endpoint, input.params);
    const request: RawRequest = {
      method: endpoint.method,
      path: buildPath(endpoint.path, input),
      headers: {
        ...(input.body === undefined ? {} : { "content-type": "application/json" }),
        ...(endpoint.idempotency !== "kept" || options.newIdempotencyKey === undefined
          ? {}
          : { "idempotency-key": options.newIdempotencyKey() }),
        ...(input.ifMatch === undefined ? {} : { "if-match": input.ifMatch }),
        // A proxy that compresses the response would make its ETag weak, and If-Match needs a
        // strong one.
        "accept-encoding": "identity",
      },
      ...(input.body === undefined ? {} : { body: () => JSON.stringify(input.body) }),
    };
    const stop = anySignal([options.signal, input.signal]);
    stop?.throwIfAborted();
    const { method, path } = request;
    // When the user stops the command, do not wait for an idempotent call, because its result is
    // checked afterwards.
    const isChange = method !== "GET" && input.idempotent !== true;
    const settle = isChange ? options.watchChange?.({ method, path }) : undefined;
    const limits = limitsOf(method === "GET" ? waits.read : waits.change);
    const mayRepeat = input.idempotent === true || IDEMPOTENT_METHODS.has(method);
    const work = (signal: AbortSignal | undefined) => {
      const attempt = () =>
        withLimits(
          limits,
          async (limit) =>
            await readAnswer(endpoint, await exchange(request, anySignal([signal, limit]))),
        );
      if (!mayRepeat) return attempt();
      return withRetries(attempt, { policy, signal, stop });
    };
    try {
      const answer = stop !== undefined && isChange
        ? await withPatience(stop, CHANGE_PATIENCE, work)
        : await work(stop);
      settle?.("done");
      return answer;
    } catch (error) {
      const isCutOff = stop?.aborted === true || error instanceof NoAnswerError;
      settle?.(isCutOff && !(error instanceof ApiError) ? "unknown" : "refused");
      throw error;
    }
  }

  return {
    baseUrl,
    fetchRaw,
    send: sendCall,
    call: async (endpoint, input) => (await sendCall(endpoint, input)).body,
  };
}
