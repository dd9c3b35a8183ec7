/** This platform's engines. Each is opened when it is first needed. @module */
import { type DatabaseEngine, EngineError, type EngineKind } from "../../database/mod.ts";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { messageOf } from "../../lib/error_message.ts";
import { Failure } from "../core/http/mod.ts";

export interface EngineSource {
  /** The engine for new databases. */
  readonly usual: EngineKind;
  /** Opens each configured engine. @throws {EngineError} with a message for the operator */
  readonly open: Readonly<Partial<Record<EngineKind, () => Promise<DatabaseEngine>>>>;
  /**
   * A message that explains why an engine is missing, and what to do. If not set, there is a
   * default message.
   */
  readonly lack?: string;
}

const MISSING: Readonly<Record<EngineKind, string>> = {
  embedded: "This platform has no embedded PostgreSQL",
  server:
    "This platform has no PostgreSQL server. The operator can set one with svc serve --postgres",
};

export class Engines {
  readonly #opening = new Map<EngineKind, Promise<DatabaseEngine>>();

  readonly #source: EngineSource;

  constructor(source: EngineSource) {
    this.#source = source;
  }

  get usual(): EngineKind {
    return this.#source.usual;
  }

  /**
   * Returns why there is no such engine, and what to do; `undefined` if the operator has set it up.
   */
  lackOf(kind: EngineKind): string | undefined {
    const { open, lack = MISSING[kind] } = this.#source;
    return open[kind] === undefined ? lack : undefined;
  }

  /** Returns the engine. Opens it first if it is not open. @throws {EngineError} */
  open(kind: EngineKind): Promise<DatabaseEngine> {
    let opening = this.#opening.get(kind);
    if (opening === undefined) {
      const open = this.#source.open[kind];
      if (open === undefined) return Promise.reject(new EngineError(this.lackOf(kind)!, "58000"));
      opening = open().catch((error) => {
        this.#opening.delete(kind);
        throw error instanceof EngineError ? error : new EngineError(
          `PostgreSQL cannot be started: ${wordsOf(error)}`,
          CANNOT_CONNECT_NOW,
          { cause: error },
        );
      });
      this.#opening.set(kind, opening);
    }
    return opening;
  }

  async opened(kind: EngineKind): Promise<DatabaseEngine | undefined> {
    return await this.#opening.get(kind)?.catch(() => undefined);
  }

  async close(): Promise<void> {
    for (const opening of this.#opening.values()) {
      await (await opening.catch(() => undefined))?.close();
    }
  }
}

/** Describes an error for the operator. */
const wordsOf = (error: unknown): string =>
  isFileFault(error) ? describeFileFault(error) : messageOf(error);

/** SQL states after which the same request may succeed if it is retried later. */
const PASSING: ReadonlySet<string> = new Set(["53300", "57P03", "57P01", "55006", "55P03"]);
/** How long to wait before trying again, in seconds. */
const RETRY_SECONDS = 5;
/** SQL state for `cannot_connect_now`. */
const CANNOT_CONNECT_NOW = "57P03";
/** SQL state for a full disk. */
const DISK_FULL = "53100";

/** Converts an engine's error into one for the API's caller. Returns other errors unchanged. */
export function toFailureOfEngine(error: unknown): unknown {
  if (!(error instanceof EngineError)) return error;
  const { message, sqlState } = error;
  if (sqlState === DISK_FULL) return new Failure("storage_full", message, { cause: error });
  return PASSING.has(sqlState)
    ? new Failure("unavailable", message, { cause: error, retryAfter: RETRY_SECONDS })
    : new Failure("conflict", message, { cause: error });
}

/**
 * Explains to a branch's owner why work on the branch failed. Internal details go only to the
 * platform's log.
 */
export function reasonOf(error: unknown): string {
  if (isFileFault(error)) {
    return `The database's files cannot be written: ${describeFileFault(error)}`;
  }
  return error instanceof EngineError || error instanceof Failure
    ? messageOf(error)
    : "The platform failed. See its log for the reason";
}
