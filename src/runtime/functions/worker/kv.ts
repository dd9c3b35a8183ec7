/**
 * @module A function's `context.kv` (docs/kv.md), whose requests use the worker's own connection.
 */

/** Sends a request to the store. The host of the URL does not matter. */
export type FetchKv = (url: URL, init: RequestInit) => Promise<Response>;

interface Entry {
  readonly value: unknown;
  readonly version: string;
  readonly expiresAt?: number;
}

interface ListedItem {
  readonly key: string;
  readonly size: number;
  readonly version: string;
  readonly expiresAt?: number;
}

const TEXT = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json";
const BINARY = "application/octet-stream";

type Fields = Readonly<Record<string, string | number | undefined>>;

function address(path: string, fields: Fields): URL {
  const url = new URL(path, "http://kv");
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** Converts a value to text, bytes or JSON, with the media type that `read` expects. */
export function writeValue(value: unknown): { readonly body: BodyInit; readonly type: string } {
  if (typeof value === "string") return { body: value, type: TEXT };
  if (value instanceof ArrayBuffer) return { body: value, type: BINARY };
  if (ArrayBuffer.isView(value)) return { body: value as Uint8Array<ArrayBuffer>, type: BINARY };
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`JSON cannot represent a ${typeof value}`);
  return { body: text, type: JSON_TYPE };
}

async function read(response: Response): Promise<unknown> {
  const type = response.headers.get("content-type") ?? BINARY;
  if (/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) return await response.json();
  return /^text\//i.test(type) ? await response.text() : await response.bytes();
}

/** Returns the error for a response, with the store's message. */
export async function errorOf(response: Response, of: string): Promise<Error> {
  const told: unknown = await response.json().catch(() => undefined);
  const message = typeof told === "object" && told !== null && "error" in told
    ? String(told.error)
    : `the store responded with ${response.status}`;
  return new Error(`${of}: ${message}`);
}

const failureOf = (response: Response): Promise<Error> => errorOf(response, "context.kv");

const versionOf = (response: Response): string =>
  (response.headers.get("etag") ?? "").replaceAll('"', "");

function conditionOf(version: string | null | undefined): Record<string, string> {
  if (version === undefined) return {};
  return version === null ? { "if-none-match": "*" } : { "if-match": `"${version}"` };
}

class FunctionKv {
  readonly #fetch: FetchKv;

  constructor(fetch: FetchKv) {
    this.#fetch = fetch;
  }

  async get(key: string): Promise<unknown> {
    return (await this.getEntry(key))?.value;
  }

  async getEntry(key: string): Promise<Entry | undefined> {
    const response = await this.#fetch(address("/v1/value", { key }), {});
    if (response.status === 404) {
      await response.body?.cancel();
      return undefined;
    }
    if (!response.ok) throw await failureOf(response);
    const expiresAt = response.headers.get("svc-kv-expires-at");
    return {
      value: await read(response),
      version: versionOf(response),
      ...(expiresAt === null ? {} : { expiresAt: Number(expiresAt) }),
    };
  }

  async set(
    key: string,
    value: unknown,
    { ttl, ifVersion }: { readonly ttl?: number; readonly ifVersion?: string | null } = {},
  ): Promise<string | undefined> {
    const { body, type } = writeValue(value);
    const response = await this.#fetch(address("/v1/value", { key, ttl }), {
      method: "PUT",
      headers: { "content-type": type, ...conditionOf(ifVersion) },
      body,
    });
    if (await this.#changed(response)) return versionOf(response);
  }

  async remove(
    key: string,
    { ifVersion }: { readonly ifVersion?: string } = {},
  ): Promise<boolean> {
    const headers = conditionOf(ifVersion);
    const response = await this.#fetch(address("/v1/value", { key }), {
      method: "DELETE",
      headers,
    });
    return await this.#changed(response);
  }

  async list(
    { prefix, limit, cursor }: {
      readonly prefix?: string;
      readonly limit?: number;
      readonly cursor?: string;
    } = {},
  ): Promise<{ items: ListedItem[]; cursor: string | null }> {
    const url = address("/v1/values", { prefix, limit, cursor });
    const response = await this.#fetch(url, {});
    if (!response.ok) throw await failureOf(response);
    return await response.json();
  }

  async clear(prefix = ""): Promise<number> {
    const url = address("/v1/values", { prefix });
    const response = await this.#fetch(url, { method: "DELETE" });
    if (!response.ok) throw await failureOf(response);
    return (await response.json()).removed;
  }

  /**
   * Returns whether a write took effect. The result is false if the condition of the write was not
   * met.
   */
  async #changed(response: Response): Promise<boolean> {
    if (!response.ok && response.status !== 412) throw await failureOf(response);
    await response.body?.cancel();
    return response.ok;
  }
}

/** Creates `context.kv`, which all calls of a worker share. */
export function createFunctionKv(fetch: FetchKv): object {
  return Object.freeze(new FunctionKv(fetch));
}
