/**
 * SQL over the API: queries, and dumps of whole branches as text.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import { MAX_SCHEMA_CHANGES } from "../../contract/database_branches.ts";
import type { ParamsOf } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import {
  type BranchAccess,
  EngineError,
  refuseReadOnly,
  runScript,
  runSql,
  type SqlEvent,
} from "../../database/mod.ts";
import type { Caller } from "../core/access/mod.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import type { RecordedBranches } from "./branch_access.ts";
import type { DatabaseDoor } from "./database_door.ts";
import { toFailureOfEngine } from "./engines.ts";
import { stateOf } from "./records.ts";
import { findDatabase, type RouteParts } from "./routes.ts";
import { diffSchemas, readSchema } from "./schema_diff.ts";

type DatabaseParams = ParamsOf<typeof endpoints.getDatabase>;

interface QueryParts extends RouteParts {
  readonly directory: RecordedBranches;
  readonly door: DatabaseDoor;
  readonly closing: AbortSignal;
}

/**
 * Maximum number of concurrent API queries per branch. Clients that use PostgreSQL's protocol are not
 * counted.
 */
const MAX_QUERIES = 8;

/** How often, and how many times, to check whether a new branch is ready: 30 seconds in total. */
const CHECK_MS = 200;
const MAX_CHECKS = 150;

const NDJSON = "application/x-ndjson";
const SQL = "application/sql; charset=utf-8";

class Running {
  readonly #counts = new Map<string, number>();

  /** @throws {Failure} `rate_limited` if too many queries are running */
  begin(branchId: string): () => void {
    const count = this.#counts.get(branchId) ?? 0;
    if (count >= MAX_QUERIES) {
      throw new Failure(
        "rate_limited",
        `Too many queries: ${MAX_QUERIES} are already running on this branch. Wait for one to finish`,
        { retryAfter: 1 },
      );
    }
    this.#counts.set(branchId, count + 1);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const left = (this.#counts.get(branchId) ?? 1) - 1;
      if (left === 0) this.#counts.delete(branchId);
      else this.#counts.set(branchId, left);
    };
  }
}

/** Sends events as lines of JSON. Cancelling the stream ends the query. */
function linesOf(
  events: AsyncGenerator<SqlEvent, void, void>,
  onEnd: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await events.next();
        if (done) {
          onEnd();
          return controller.close();
        }
        controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
      } catch (error) {
        onEnd();
        controller.error(error);
      }
    },
    async cancel() {
      onEnd();
      await events.return();
    },
  });
}

interface BranchOfRequest {
  readonly params: DatabaseParams;
  /** Name of the branch. */
  readonly name: string;
  /** Aborted when the request finishes or the platform stops. */
  readonly signal: AbortSignal;
}

export function bindQueryRoutes(router: Router, parts: QueryParts): void {
  const { databaseService, directory, door, closing } = parts;
  const running = new Running();

  /** Finds a branch, and waits if it is being created. The wait counts as a running query. */
  const findBranch = async (
    caller: Caller,
    { params, name, signal }: BranchOfRequest,
  ) => {
    let end: (() => void) | undefined;
    try {
      for (let checks = 1;; checks++) {
        const database = await findDatabase(parts, caller, params);
        const branch = await databaseService.requireBranch(database, name);
        const isReady = stateOf(database, branch).state !== "creating";
        if (isReady || checks === MAX_CHECKS || signal.aborted) return { database, branch };
        end ??= running.begin(branch.id);
        await delay(CHECK_MS, undefined, { signal }).catch(() => {});
      }
    } finally {
      end?.();
    }
  };

  const accessTo = async (
    caller: Caller,
    of: BranchOfRequest,
  ): Promise<BranchAccess & { readonly branchId: string }> => {
    const { database, branch } = await findBranch(caller, of);
    try {
      const access = await directory.accessTo(database, branch);
      if (access === undefined) throw new Error(`Branch ${branch.id} has a damaged verifier`);
      if (access.refusal !== undefined) throw new Failure("conflict", access.refusal.message);
      return { ...access, branchId: branch.id };
    } catch (error) {
      throw toFailureOfEngine(error);
    }
  };

  router.guarded(endpoints.queryDatabase, async (caller, { params, body, request }) => {
    const signal = AbortSignal.any([request.signal, closing]);
    const { sql, params: values, readOnly } = body;
    const refusal = readOnly ? refuseReadOnly(sql) : undefined;
    if (refusal !== undefined) {
      // Does not connect to the database, because one that is still being created or started would
      // delay the error.
      await databaseService.requireBranch(await findDatabase(parts, caller, params), body.branch);
      return new Response(`${JSON.stringify(refusal)}\n`, { headers: { "content-type": NDJSON } });
    }
    const access = await accessTo(caller, { params, name: body.branch, signal });
    const end = running.begin(access.branchId);
    try {
      const session = await door.connect(access);
      const events = runSql(session, sql, { params: values, readOnly, signal });
      return new Response(linesOf(events, end), { headers: { "content-type": NDJSON } });
    } catch (error) {
      end();
      throw toFailureOfEngine(error);
    }
  });

  router.guarded(endpoints.importDatabase, async (caller, { params, query, request }) => {
    const signal = AbortSignal.any([request.signal, closing]);
    const access = await accessTo(caller, { params, name: query.branch, signal });
    const script = limited(request, endpoints.importDatabase.maxBodyBytes);
    const end = running.begin(access.branchId);
    try {
      const session = await door.connect(access);
      const events = runScript(session, script, { signal });
      return new Response(linesOf(events, end), { headers: { "content-type": NDJSON } });
    } catch (error) {
      end();
      throw toFailureOfEngine(error);
    }
  });

  const schemaOf = async (
    access: BranchAccess & { readonly branchId: string },
    signal: AbortSignal,
  ) => {
    const end = running.begin(access.branchId);
    try {
      return await readSchema(await door.connect(access), signal);
    } catch (error) {
      throw toFailureOfEngine(error);
    } finally {
      end();
    }
  };

  router.guarded(endpoints.diffDatabaseBranch, async (caller, { params, query, request }) => {
    const { branch } = params;
    const { against } = query;
    const signal = AbortSignal.any([request.signal, closing]);
    const [own, other] = [
      await accessTo(caller, { params, name: branch, signal }),
      await accessTo(caller, { params, name: against, signal }),
    ];
    const changes = diffSchemas(await schemaOf(other, signal), await schemaOf(own, signal));
    return {
      branch,
      against,
      changes: changes.slice(0, MAX_SCHEMA_CHANGES),
      truncated: changes.length > MAX_SCHEMA_CHANGES,
    };
  });

  const dump = async (
    caller: Caller,
    { schemaOnly, request, ...of }:
      & Omit<BranchOfRequest, "signal">
      & { readonly schemaOnly: boolean; readonly request: Request },
  ): Promise<Response> => {
    const signal = AbortSignal.any([request.signal, closing]);
    const access = await accessTo(caller, { ...of, signal });
    const sql = access.engine.dump(access.branch, { schemaOnly });
    return new Response(await begun(sql), { headers: { "content-type": SQL } });
  };
  router.guarded(
    endpoints.getDatabaseSchema,
    (caller, { params, query, request }) =>
      dump(caller, { params, name: query.branch, schemaOnly: true, request }),
  );
  router.guarded(
    endpoints.exportDatabase,
    (caller, { params, query, request }) =>
      dump(caller, { params, name: query.branch, schemaOnly: false, request }),
  );
}

/** @throws {Failure} `payload_too_large`, immediately if `Content-Length` is too high */
function limited(request: Request, maxBytes: number): ReadableStream<Uint8Array> {
  const message = `Send a script of at most ${maxBytes} bytes`;
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    throw new Failure("payload_too_large", message);
  }
  let size = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new EngineError(message, "54000");
      controller.enqueue(chunk);
    },
  });
  return (request.body ?? new Blob([]).stream()).pipeThrough(bound);
}

/**
 * Returns a stream once its first part has arrived, so immediate failures become error responses.
 */
async function begun(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const reader = stream.getReader();
  let first: ReadableStreamReadResult<Uint8Array<ArrayBuffer>>;
  try {
    first = await reader.read();
  } catch (error) {
    throw toFailureOfEngine(error);
  }
  return new ReadableStream({
    start(controller) {
      if (!first.done) controller.enqueue(first.value);
    },
    async pull(controller) {
      const { done, value } = first.done ? first : await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
