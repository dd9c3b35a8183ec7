/** @module The TypeScript types for function authors, as the text of `functions/svc.d.ts`. */

/** Declares the global types `SvcFunction`, `SvcContext` and their members. */
export const functionTypes =
  `// Types of svc functions. Written by \`svc init\`; see docs/functions.md.

/** The client's country as a two-letter code (ISO 3166-1); missing if unknown. */
interface SvcGeo {
  readonly country?: string;
}

/** A value in the key-value store: text, bytes, or anything that JSON can represent. */
interface SvcKvEntry<T = unknown> {
  readonly value: T;
  /** Changes each time the key is written. */
  readonly version: string;
  /** Milliseconds since the epoch; missing if the value never expires. */
  readonly expiresAt?: number;
}

interface SvcKvSetOptions {
  /** Seconds until the value expires; never if missing. */
  readonly ttl?: number;
  /**
   * Sets the value only if the key has this version or, with \`null\`, only if the key does not
   * exist.
   */
  readonly ifVersion?: string | null;
}

interface SvcKvList {
  readonly items: readonly {
    readonly key: string;
    /** Bytes of the value. */
    readonly size: number;
    readonly version: string;
    readonly expiresAt?: number;
  }[];
  /** The start of the next page; \`null\` after the last one. */
  readonly cursor: string | null;
}

/** The key-value store of the project's environment (docs/kv.md). */
interface SvcKv {
  /** Returns the value of a key; \`undefined\` if the key does not exist. */
  get<T = unknown>(key: string): Promise<T | undefined>;
  /** Returns the value with its version, for a later \`ifVersion\`. */
  getEntry<T = unknown>(key: string): Promise<SvcKvEntry<T> | undefined>;
  /**
   * Returns the new version; \`undefined\` if \`ifVersion\` did not match, so nothing has changed.
   */
  set(key: string, value: unknown, options?: SvcKvSetOptions): Promise<string | undefined>;
  /** Returns false if \`ifVersion\` did not match, so nothing has changed. */
  remove(key: string, options?: { readonly ifVersion?: string }): Promise<boolean>;
  /** Returns a page of keys, sorted by their bytes; 100 by default, at most 1,000. */
  list(
    options?: { readonly prefix?: string; readonly limit?: number; readonly cursor?: string },
  ): Promise<SvcKvList>;
  /** Removes all keys that begin with the prefix, or all keys. Returns how many were removed. */
  clear(prefix?: string): Promise<number>;
}

interface SvcQueueOptions {
  /** Seconds until the first delivery, at most 30 days. */
  readonly delay?: number;
  /** Time of the first delivery, at most 30 days from now. */
  readonly at?: Date | string;
  /**
   * Messages with the same key are delivered one at a time, in the order in which they were sent.
   */
  readonly key?: string;
  /** If the same ID is sent again within 24 hours, nothing is stored. */
  readonly id?: string;
}

/** The queues of the project's environment (docs/queues.md). */
interface SvcQueue {
  /** Stores a message: text, bytes, or anything that JSON can represent. */
  send(
    name: string,
    body: unknown,
    options?: SvcQueueOptions,
  ): Promise<{ readonly id: string; readonly isDuplicate: boolean }>;
}

interface SvcDatabase {
  /**
   * Runs one statement on the project's database, with values for \`$1\`, \`$2\` and so on. Each
   * statement runs in its own transaction. Rejects with an error that has PostgreSQL's \`code\`.
   */
  query<Row = Record<string, unknown>>(
    text: string,
    params?: readonly unknown[],
  ): Promise<{ readonly rows: Row[]; readonly command: string | null }>;
}

interface SvcContext {
  /** The client's IP address. */
  readonly ip: string;
  readonly geo: SvcGeo;
  /** Number of the client's autonomous system (network), if known. */
  readonly asn: number | undefined;
  readonly device: "desktop" | "mobile" | "tablet" | "bot" | undefined;
  readonly deployment: { readonly id: string; readonly url?: string };
  /** The variables of the project's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The key-value store of the project's environment. */
  readonly kv: SvcKv;
  /** The queues of the project's environment. */
  readonly queue: SvcQueue;
  /** The project's database, if its variable is injected. */
  readonly database: SvcDatabase;
  /** The request's ID. Also in the response header x-svc-request-id and in the logs. */
  readonly requestId: string;
  /** The step's \`as\` name in the pipeline. */
  readonly as: string | undefined;
  /** The response so far, in response and observe steps. Observers cannot see its body. */
  readonly response: Response | undefined;
  /** Keeps work running after the response, for a limited time. */
  waitUntil(promise: Promise<unknown>): void;
}

/** The context of a response step, which always has a response. */
interface SvcResponseContext extends SvcContext {
  readonly response: Response;
}

type SvcResult<T> = T | Promise<T>;

/** Responds to a request: \`handle\`. */
type SvcHandle = (request: Request, context: SvcContext) => SvcResult<Response>;

/** Ends the request with a Response, changes it with a Request, or lets it continue. */
type SvcRequestStep = (
  request: Request,
  context: SvcContext,
) => SvcResult<Response | Request | void>;

/** Replaces the response, or keeps it. */
type SvcResponseStep = (
  request: Request,
  context: SvcResponseContext,
) => SvcResult<Response | void>;

/** Observes the response. Its return value is ignored. */
type SvcObserveStep = (request: Request, context: SvcResponseContext) => unknown;

type SvcFunction = SvcHandle | SvcRequestStep | SvcResponseStep | SvcObserveStep;
`;
