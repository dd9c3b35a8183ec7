/** Combines the logs of all nodes, because each node logs its own responses. @module */
import * as z from "zod";
import { type LogEntry, logEntry } from "../../contract/logs.ts";
import { Batches } from "../../lib/batches.ts";
import { askAll, followAll, type Peers, type SilentNode } from "../core/peers/mod.ts";
import type { AccessLogs } from "./access_logs.ts";
import type { LogCursor } from "./log_cursor.ts";
import { type LogCounts, logCounts } from "./log_counts.ts";
import {
  type EntryFilter,
  entryFilterFields,
  type LogFilter,
  logFilterFields,
  logMatcher,
} from "./log_filter.ts";
import { mergePages, type NodePage } from "./merge_pages.ts";

const place = z.object({ file: z.number(), offset: z.number() });
const readQuestion = z.object({
  projectId: z.uuid(),
  ...logFilterFields,
  limit: z.int().positive(),
  before: place.optional(),
});
const followQuestion = z.object({ projectId: z.uuid(), ...entryFilterFields });
const countQuestion = z.object({ projectId: z.uuid(), ...logFilterFields });

const readPart = z.union([
  z.object({ lines: z.array(z.object({ entry: logEntry, place })) }),
  z.object({ next: place.nullable(), top: place }),
]);

/** Number of entries in each part of a response. */
const PART = 200;
/** Maximum number of entries that can wait for a node that is following the logs. */
const MAX_BEHIND = 10_000;

interface SharedLogsOptions {
  readonly local: AccessLogs;
  readonly peers: Peers;
  /** The name of this node. */
  readonly node: string;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
  onTrouble(message: string): void;
}

interface SharedLogPage {
  /** Oldest first. */
  readonly items: LogEntry[];
  /** The positions from which nodes continue; empty if no node does. */
  readonly cursor: LogCursor;
  readonly silent: readonly SilentNode[];
}

export class SharedLogs {
  readonly #options: SharedLogsOptions;

  constructor(options: SharedLogsOptions) {
    this.#options = options;
    const { peers, local } = options;
    peers.answer("logs.read", readQuestion, async function* ({ projectId, ...filter }) {
      const { lines, next, top } = await local.read(projectId, filter);
      for (let at = 0; at < lines.length; at += PART) yield { lines: lines.slice(at, at + PART) };
      yield { next, top };
    });
    peers.answer("logs.count", countQuestion, async function* ({ projectId, ...filter }) {
      yield await local.count(projectId, filter);
    });
    peers.answer("logs.follow", followQuestion, async function* ({ projectId, ...filter }, signal) {
      const matches = logMatcher(filter);
      const batches = new Batches<LogEntry>(MAX_BEHIND);
      const leave = local.follow(projectId, (entry) => matches(entry) && batches.push(entry));
      signal.addEventListener("abort", batches.end, { once: true });
      try {
        yield* batches;
      } finally {
        // This also keeps the signal in memory. In Deno 2.7, a listener alone does not.
        signal.removeEventListener("abort", batches.end);
        leave();
      }
    });
  }

  /**
   * Returns the latest entries on all nodes that pass a filter, or the latest ones before a cursor.
   */
  async read(
    projectId: string,
    { cursor, ...filter }: LogFilter & {
      readonly limit: number;
      readonly cursor?: LogCursor | undefined;
    },
  ): Promise<SharedLogPage> {
    const { local, peers, node, closing } = this.#options;
    const isAsked = (id: string) => cursor === undefined || cursor.has(id);
    const [own, others] = await Promise.all([
      isAsked(node) ? local.read(projectId, { ...filter, before: cursor?.get(node) }) : undefined,
      askAll(peers, {
        name: "logs.read",
        schema: readPart,
        closing,
        isAsked,
        withLost: cursor === undefined,
        data: (id) => ({ projectId, ...filter, before: cursor?.get(id) }),
      }),
    ]);
    const pages = new Map<string, NodePage>();
    if (own !== undefined) pages.set(node, own);
    for (const [id, parts] of others.answers) {
      const lines = parts.flatMap((part) => "lines" in part ? part.lines : []);
      const end = parts.find((part) => "top" in part);
      if (end !== undefined) pages.set(id, { lines, ...end });
    }
    return { ...mergePages(pages, filter.limit), silent: others.silent };
  }

  /** Counts the latest entries from all nodes. */
  async count(
    projectId: string,
    filter: LogFilter,
  ): Promise<{ readonly counts: readonly LogCounts[]; readonly silent: readonly SilentNode[] }> {
    const { local, peers, closing } = this.#options;
    const [own, others] = await Promise.all([
      local.count(projectId, filter),
      askAll(peers, {
        name: "logs.count",
        schema: logCounts,
        closing,
        withLost: true,
        data: () => ({ projectId, ...filter }),
      }),
    ]);
    const counts = [own, ...[...others.answers].flatMap(([, parts]) => parts)];
    return { counts, silent: others.silent };
  }

  /** Calls back with new entries from all nodes, and once for each node that does not respond. */
  follow(
    projectId: string,
    filter: EntryFilter,
    { onEntry, onSilent }: {
      onEntry(entry: LogEntry): void;
      onSilent(node: SilentNode): void;
    },
  ): () => void {
    const { local, peers, closing } = this.#options;
    const matches = logMatcher(filter);
    const leave = local.follow(projectId, (entry) => matches(entry) && onEntry(entry));
    const gone = new AbortController();
    followAll(peers, {
      name: "logs.follow",
      data: { projectId, ...filter },
      schema: z.array(logEntry),
      signal: AbortSignal.any([gone.signal, closing]),
      onPart: (entries) => entries.forEach(onEntry),
      onSilent,
    }).catch((error) => this.#options.onTrouble(`Cannot follow logs of other nodes: ${error}`));
    return () => {
      leave();
      gone.abort();
    };
  }
}
