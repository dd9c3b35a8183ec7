/** A client for the Telegram Bot API. The client's errors never contain the bot's token. @module */
import * as z from "zod";

const DEFAULT_BOT_API = "https://api.telegram.org";

const TOKEN = /^\d{1,20}:[\w-]{8,128}$/;
const CALL_MS = 15_000;

export interface BotSettings {
  /** The secret from BotFather. */
  readonly token: string;
  /** The Bot API's URL, if it is not Telegram's own. */
  readonly api?: string;
  readonly name?: string;
}

/** Thrown if the bot settings cannot be used. The message never contains the token. */
export class BotSettingsError extends TypeError {
  override readonly name = "BotSettingsError";
}

/**
 * Thrown if a call failed: it was refused with a status, or got no response (status `undefined`).
 */
export class BotApiError extends Error {
  override readonly name = "BotApiError";
  constructor(
    message: string,
    readonly status?: number,
    /** The pause that the API requested, in milliseconds. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

const answerSchema = z.discriminatedUnion("ok", [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.number(),
    description: z.string().default(""),
    parameters: z.object({ retry_after: z.number().optional() }).optional(),
  }),
]);

export interface CallOptions<T> {
  readonly result: z.ZodType<T>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export class BotApi {
  readonly #base: string;

  /** @throws {BotSettingsError} */
  constructor(settings: BotSettings) {
    const url = URL.parse(settings.api ?? DEFAULT_BOT_API);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "") {
      throw new BotSettingsError(
        "Cannot use the Bot API URL: it must be an http or https URL",
      );
    }
    if (!TOKEN.test(settings.token)) {
      throw new BotSettingsError(
        "Cannot use the bot token: it must look like 123456:ABC…, as provided by BotFather",
      );
    }
    this.#base = `${url.origin}${url.pathname.replace(/\/$/, "")}/bot${settings.token}`;
  }

  /** Calls a method. @throws {BotApiError} */
  async call<T>(method: string, parameters: object, options: CallOptions<T>): Promise<T> {
    const answer = answerSchema.safeParse(await this.#exchange(method, parameters, options));
    if (!answer.success) throw new BotApiError("The Bot API sent an unexpected response");
    if (!answer.data.ok) {
      const { error_code: status, description, parameters: more } = answer.data;
      const retryAfter = more?.retry_after;
      throw new BotApiError(
        `The Bot API responded with ${status}: ${description.slice(0, 200)}`,
        status,
        retryAfter === undefined ? undefined : retryAfter * 1000,
      );
    }
    const result = options.result.safeParse(answer.data.result);
    if (!result.success) {
      throw new BotApiError(`The Bot API sent an unexpected response to ${method}`);
    }
    return result.data;
  }

  async #exchange(
    method: string,
    parameters: object,
    { timeoutMs = CALL_MS, signal }: CallOptions<unknown>,
  ): Promise<unknown> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    const stop = () => abort.abort();
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted === true) stop();
    try {
      const response = await fetch(`${this.#base}/${method}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(parameters),
        redirect: "error",
        signal: abort.signal,
      });
      return await response.json();
    } catch {
      throw new BotApiError(
        abort.signal.aborted
          ? "The Bot API did not respond in time"
          : "The Bot API cannot be reached",
      );
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}
