/**
 * Requests to the HTTP API of a DNS service, with limits on time and size. A rejected request fails
 * with the service's message.
 *
 * @module
 */
import * as z from "zod";
import { readLimited } from "../../../lib/read_limited.ts";
import { NoZoneError, possibleZones } from "./dns_provider.ts";

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Maximum length of the text that is quoted from an error response, in characters. */
const MAX_QUOTE = 300;

/** The service rejected a request. */
class DnsApiError extends Error {
  override readonly name = "DnsApiError";
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export interface DnsApiOptions {
  /** The service's name, for messages. */
  readonly provider: string;
  /** Base URL of all requests. */
  readonly base: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Content type of request bodies; JSON by default. */
  readonly contentType?: string;
  /** Sends a request; `fetch` by default. */
  readonly send?: (request: Request) => Promise<Response>;
}

async function readText({ body }: Response): Promise<string> {
  const bytes = await readLimited(body, MAX_ANSWER_BYTES);
  if (bytes === undefined) throw new Error("the response is larger than 4 MiB");
  return new TextDecoder().decode(bytes);
}

export class DnsApi {
  readonly #options: DnsApiOptions;

  constructor(options: DnsApiOptions) {
    this.#options = options;
  }

  get provider(): string {
    return this.#options.provider;
  }

  /**
   * Sends a request and returns the text of the response.
   *
   * @throws {DnsApiError} if the service rejects the request
   */
  async text(method: string, path: string, body?: string): Promise<string> {
    const { provider, base, headers, contentType = "application/json", send = fetch } =
      this.#options;
    const request = new Request(base + path, {
      method,
      headers: body === undefined ? headers ?? {} : { ...headers, "content-type": contentType },
      body: body ?? null,
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    let response: Response;
    let text: string;
    try {
      response = await send(request);
      text = await readText(response);
    } catch (cause) {
      throw new Error(
        `${provider} does not respond: ${cause instanceof Error ? cause.message : cause}`,
        {
          cause,
        },
      );
    }
    if (response.ok) return text;
    const quote = text.replaceAll(/\s+/g, " ").trim().slice(0, MAX_QUOTE);
    throw new DnsApiError(
      response.status,
      `${provider} responded with ${response.status}: ${quote}`,
    );
  }

  /** Sends JSON and parses the response with a schema. */
  async json<Schema extends z.ZodType>(
    method: string,
    path: string,
    { schema, body }: { readonly schema: Schema; readonly body?: unknown },
  ): Promise<z.output<Schema>> {
    const text = await this.text(
      method,
      path,
      body === undefined ? undefined : JSON.stringify(body),
    );
    let value: unknown;
    try {
      value = text === "" ? undefined : JSON.parse(text);
    } catch (cause) {
      throw new Error(`${this.provider} did not respond with JSON to ${method} ${path}`, { cause });
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new Error(`${this.provider} sent an unexpected response to ${method} ${path}`);
  }
}

/** Returns the result, or `undefined` if the service does not know the resource. */
export async function orMissing<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof DnsApiError && error.status === 404) return undefined;
    throw error;
  }
}

/**
 * Finds the zone of a name at a service that responds to `<folder>/<zone>` with 404 if the zone
 * does not exist.
 *
 * @throws {NoZoneError}
 */
export async function findZone(api: DnsApi, folder: string, name: string): Promise<string> {
  for (const zone of possibleZones(name)) {
    if (await orMissing(api.text("GET", `${folder}/${zone}`)) !== undefined) return zone;
  }
  throw new NoZoneError(api.provider, name);
}
