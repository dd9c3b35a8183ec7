/** @module A cache whose clock and origin are controlled by tests. */
import { createFacts } from "../../rules/mod.ts";
import type { Bytes } from "../messages/body.ts";
import type { Header, HeaderList } from "../messages/header_list.ts";
import type { OriginResponse } from "../messages/messages.ts";
import { FactsRequest } from "./facts_request.ts";
import { createHttpCache, type HttpCache } from "./http_cache.ts";
import type { HttpCacheOptions } from "./http_cache_options.ts";
import type { CachedResponse, CacheRequest, CacheRule, OriginRequest } from "./types.ts";

/** A Monday noon. */
export const START = Date.UTC(2026, 10, 16, 12);

export const RULE: CacheRule = {
  ttlSeconds: 100,
  swrSeconds: 0,
  vary: [],
  varyNames: { headers: [], cookies: [], query: [] },
};

export interface TestRequest {
  readonly method?: string;
  readonly host?: string;
  readonly deploymentId?: string;
  /** Path with query. */
  readonly url?: string;
  readonly originKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly country?: string;
  readonly asn?: number;
  readonly device?: "desktop" | "mobile";
}

export function cacheRequest(asked: TestRequest = {}): CacheRequest {
  const { method = "GET", host = "shop.test", deploymentId = "dep", url = "/page", originKey } =
    asked;
  const [path = "", rawQuery = ""] = url.split("?");
  const facts = createFacts({
    method,
    host,
    path,
    rawQuery,
    header: (name) => asked.headers?.[name],
    country: () => asked.country,
    asn: () => asked.asn,
    device: () => asked.device,
  });
  return new FactsRequest(facts, {
    deploymentId,
    ...(originKey === undefined ? {} : { originKey }),
  });
}

/** A request that the origin received, with its fields. */
export interface Seen {
  readonly how: OriginRequest["type"];
  readonly headers: Readonly<Record<string, string>>;
}

export type Respond = (seen: Seen, count: number) => OriginResponse | Promise<OriginResponse>;

export function ok(
  body: string | OriginResponse["body"],
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): OriginResponse {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return {
    status,
    headers: Object.entries(headers).map(([name, value]): Header => [name, value]),
    body: bytes,
  };
}

/** Returns the fields of a request as a proxy would forward them. */
function sentOn(asked: TestRequest, how: OriginRequest): Record<string, string> {
  const entries = Object.entries(asked.headers ?? {});
  if (how.type === "as_is") return Object.fromEntries(entries);
  const kept = entries.filter(([name]) => !how.without.has(name));
  return Object.fromEntries([...kept, ...how.conditions]);
}

export class TestCache {
  now = START;
  readonly cache: HttpCache;
  readonly seen: Seen[] = [];
  readonly work: Promise<unknown>[] = [];
  /** Functions that turn off request collapsing. */
  readonly timeouts: (() => void)[] = [];
  readonly errors: unknown[] = [];

  constructor(public respond: Respond, options: Partial<HttpCacheOptions> = {}) {
    this.cache = createHttpCache({
      now: () => this.now,
      timer: (_, callback) => {
        this.timeouts.push(callback);
        return () => {};
      },
      onError: (error) => this.errors.push(error),
      ...options,
    });
  }

  ask(
    asked: TestRequest = {},
    rule: Partial<CacheRule> | "bypass" = {},
  ): Promise<CachedResponse> {
    const ref = { id: "cache", index: 0 };
    return Promise.resolve(this.cache.handle(cacheRequest(asked), {
      rule: rule === "bypass"
        ? { type: "bypass", rule: ref }
        : { type: "cache", ...RULE, ...rule, rule: ref },
      fetchOrigin: async (how) => {
        const seen = { how: how.type, headers: sentOn(asked, how) };
        this.seen.push(seen);
        return await this.respond(seen, this.seen.length);
      },
      waitUntil: (work) => this.work.push(work),
    }));
  }

  /** Sends a request, reads the whole response, and waits for background work to finish. */
  async read(
    asked: TestRequest = {},
    rule: Partial<CacheRule> | "bypass" = {},
  ): Promise<ReadAnswer> {
    const answer = await readAnswer(await this.ask(asked, rule));
    await Promise.all(this.work.splice(0));
    return answer;
  }
}

interface ReadAnswer {
  readonly status: number;
  readonly text: string;
  readonly result: string;
  header(name: string): string | undefined;
}

export async function readAnswer(answer: CachedResponse): Promise<ReadAnswer> {
  const text = await new Response(answer.body).text();
  const find = (headers: HeaderList, name: string) =>
    headers.filter((header) => header[0] === name).map(([, value]) => value).join(", ");
  return {
    status: answer.status,
    text,
    result: answer.result,
    header: (name) => find(answer.headers, name) || undefined,
  };
}

interface TestBody {
  readonly stream: ReadableStream<Bytes>;
  write(text: string): void;
  close(): void;
  fail(error: Error): void;
  /** Whether the body was cancelled. */
  cancelled: boolean;
}

/** Returns a body whose chunks the test sends. */
export function testBody(): TestBody {
  let controller: ReadableStreamDefaultController<Bytes> | undefined;
  const body: TestBody = {
    cancelled: false,
    stream: new ReadableStream<Bytes>({
      start: (own) => void (controller = own),
      cancel: () => void (body.cancelled = true),
    }),
    write: (text) => controller!.enqueue(new TextEncoder().encode(text)),
    close: () => controller!.close(),
    fail: (error) => controller!.error(error),
  };
  return body;
}
