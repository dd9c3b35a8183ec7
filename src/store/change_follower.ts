/** Reports which keys other nodes have changed, in commit order. @module */
import { CoalescedWork } from "../lib/coalesced_work.ts";
import type { Connections } from "./connections.ts";
import { decodeKey } from "./key_encoding.ts";
import type { RecordKey } from "./record_types.ts";
import type { SeenVersion } from "./seen_version.ts";

const CHANNEL = "svc_changes";

/** Maximum delay until a change is noticed if the notification was lost, in milliseconds. */
const POLL_MS = 1000;

/**
 * Time after which a node that has not read the list of changes counts as outdated, in
 * milliseconds.
 */
const BEHIND_MS = 5000;

/** Maximum number of commits that are read at a time. */
const MOST = 1000;

interface ChangeHandlers {
  /** Applies other nodes' changes. A failure is reported but not retried. */
  onChanges(keys: readonly RecordKey[]): Promise<void>;
  /**
   * Called if changes were deleted before they were read. In that case, everything must be read
   * again.
   */
  onGap(): Promise<void>;
  onError(error: unknown): void;
}

interface Row {
  /** The version of the store at the time of the read. */
  readonly clock: string;
  /** The version up to which the list has been read. */
  readonly place: string;
  /** Whether changes after the last position are no longer in the list. */
  readonly gap: boolean;
  /** Keys that other nodes have changed, in hexadecimal and separated by spaces. */
  readonly keys: string | null;
}

/** Information that a follower needs about the node on which it runs. */
export interface Followed {
  /**
   * Identifies the node in the list of changes, so the follower can ignore the node's own changes.
   */
  readonly writer: string;
  readonly seen: SeenVersion;
}

/** The part of `Connections` that a follower uses. */
export type FollowedConnections = Pick<Connections, "run" | "listen">;

const seconds = (milliseconds: number): string => `${Math.floor(milliseconds / 1000)} s`;

export class ChangeFollower {
  #place: bigint;
  /** The last time at which this node knew all changes made by other nodes. */
  #readAt: number;
  /** Time when the store last responded. */
  #answeredAt: number;
  #handlers: ChangeHandlers | undefined;
  readonly #reads = new CoalescedWork(() => this.#read());
  #timer: ReturnType<typeof setInterval> | undefined;

  readonly #connections: FollowedConnections;
  readonly #options: Followed;
  readonly #monotonic: () => number;

  private constructor(
    connections: FollowedConnections,
    options: Followed,
    monotonic: () => number,
    place: bigint,
  ) {
    this.#connections = connections;
    this.#options = options;
    this.#monotonic = monotonic;
    this.#place = place;
    this.#readAt = this.#answeredAt = monotonic();
  }

  /** Follows all commits from now on. `monotonic` is in milliseconds. */
  static async open(
    connections: FollowedConnections,
    options: Followed,
    monotonic = () => performance.now(),
  ): Promise<ChangeFollower> {
    const [row] = await connections.run((sql) =>
      sql<{ version: string }[]>`SELECT version FROM svc.clock`
    );
    return new ChangeFollower(connections, options, monotonic, BigInt(row!.version));
  }

  /** Milliseconds since this node last knew all changes made by other nodes. */
  get behindMs(): number {
    return this.#monotonic() - this.#readAt;
  }

  /** Whether the node is less than 5 seconds behind the other nodes' changes. */
  isCurrent(): boolean {
    return this.behindMs < BEHIND_MS;
  }

  /** Explains why some changes are unknown; `undefined` if {@link isCurrent} is true. */
  whyBehind(): string | undefined {
    if (this.isCurrent()) return undefined;
    const silentMs = this.#monotonic() - this.#answeredAt;
    return silentMs < BEHIND_MS
      ? `This node is ${seconds(this.behindMs)} behind the other nodes' changes`
      : `The store has not responded for ${seconds(silentMs)}`;
  }

  /** Starts to report changes, including those made since the follower was opened. */
  start(handlers: ChangeHandlers): void {
    this.#handlers = handlers;
    const read = () => this.#reads.start();
    this.#connections.listen(CHANNEL, read);
    this.#timer = setInterval(read, POLL_MS);
    read();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#handlers = undefined;
    await this.#reads.settled();
  }

  async #read(): Promise<void> {
    if (this.#handlers === undefined) return;
    try {
      await this.#readBatch(this.#handlers);
    } catch (error) {
      // If the store is unreachable, the node falls behind, and {@link isCurrent} becomes false.
      if (this.isCurrent()) this.#handlers?.onError(error);
    }
  }

  async #readBatch(handlers: ChangeHandlers): Promise<void> {
    const { place, gap, keys } = await this.#next();
    this.#answeredAt = this.#monotonic();
    const isLast = place === this.#place;
    this.#place = place;
    if (gap) await handlers.onGap();
    else if (keys.length > 0) await handlers.onChanges(keys);
    if (isLast) this.#readAt = this.#monotonic();
    else this.#reads.start();
  }

  /** Reads the changes after the last position, in one snapshot. */
  async #next() {
    const { writer, seen } = this.#options;
    const [row] = await this.#connections.run(async (sql) => {
      const known = seen.version;
      const rows = await sql<Row[]>`
        WITH new AS (
          SELECT version, writer, keys FROM svc.changes
          WHERE version > ${String(this.#place)}::bigint ORDER BY version LIMIT ${MOST}
        ), clock AS (SELECT forgotten > ${
        String(this.#place)
      }::bigint AS gap, version FROM svc.clock)
        SELECT clock.version AS clock, clock.gap,
          CASE WHEN NOT clock.gap AND (SELECT count(*) FROM new) = ${MOST}
            THEN (SELECT max(version) FROM new) ELSE clock.version END AS place,
          (SELECT string_agg(encode(key, 'hex'), ' ' ORDER BY version)
            FROM new, unnest(keys) AS key WHERE writer <> ${writer}::uuid) AS keys
        FROM clock`;
      seen.read(BigInt(rows[0]!.clock), known);
      return rows;
    });
    const { place, gap, keys } = row!;
    const distinct = new Set((keys ?? "").split(" ").filter((hex) => hex !== ""));
    return {
      gap,
      place: BigInt(place),
      keys: [...distinct].map((hex) => decodeKey(Uint8Array.fromHex(hex))),
    };
  }
}
