/**
 * Following the list of changes: which keys other nodes have changed, in the order of
 * their commits.
 *
 * @module
 */
import type { Connections } from "./connections.ts";
import { decodeKey } from "./key_encoding.ts";
import type { RecordKey } from "./record_types.ts";
import type { SeenVersion } from "./seen_version.ts";

const CHANNEL = "svc_changes";

/** Longest time until a change is seen whose notification was lost, in milliseconds. */
const POLL_MS = 1000;

/** A node that has not read the list for longer is behind, in milliseconds. */
const BEHIND_MS = 5000;

/** Commits that are read at a time. */
const MOST = 1000;

export interface ChangeHandlers {
  /** Takes over what others have changed; a failure is reported, and not repeated. */
  onChanges(keys: readonly RecordKey[]): Promise<void>;
  /** Called where changes were forgotten before they were read: all is to be read again. */
  onGap(): Promise<void>;
  onError(error: unknown): void;
}

interface Row {
  /** The version of the store. */
  readonly clock: string;
  /** The version up to which the list is read. */
  readonly place: string;
  /** True if changes after the place before are no longer listed. */
  readonly gap: boolean;
  /** Keys of others, one after the other, in hexadecimal. */
  readonly keys: string | null;
}

/** Events for a follower about its node. */
export interface Followed {
  /** Names the node in the list of changes: its own ones are left out. */
  readonly writer: string;
  readonly seen: SeenVersion;
}

/** The part of the connections that a follower uses. */
export type FollowedConnections = Pick<Connections, "run" | "listen">;

const seconds = (milliseconds: number): string => `${Math.floor(milliseconds / 1000)} s`;

export class ChangeFollower {
  #place: bigint;
  /** When everything was known that others had changed. */
  #readAt: number;
  /** When the store answered. */
  #answeredAt: number;
  #handlers: ChangeHandlers | undefined;
  #reading: Promise<void> | undefined;
  #isAskedAgain = false;
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

  /**
   * Follows everything committed from now on.
   *
   * @param monotonic milliseconds, on a clock that is never set back
   */
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

  /** How long ago everything was known that others had changed, in milliseconds. */
  get behindMs(): number {
    return this.#monotonic() - this.#readAt;
  }

  /** Whether everything is known that others have changed a few seconds ago. */
  isCurrent(): boolean {
    return this.behindMs < BEHIND_MS;
  }

  /** Why not everything is known, for people; `undefined` if {@link isCurrent}. */
  whyBehind(): string | undefined {
    if (this.isCurrent()) return undefined;
    const silentMs = this.#monotonic() - this.#answeredAt;
    return silentMs < BEHIND_MS
      ? `This node is ${seconds(this.behindMs)} behind the changes of other nodes`
      : `The store has not responded for ${seconds(silentMs)}`;
  }

  /** Begins to report changes, those since it was opened first. */
  start(handlers: ChangeHandlers): void {
    this.#handlers = handlers;
    this.#connections.listen(CHANNEL, () => this.#wake());
    this.#timer = setInterval(() => this.#wake(), POLL_MS);
    this.#wake();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#handlers = undefined;
    await this.#reading;
  }

  #wake(): void {
    this.#isAskedAgain = true;
    this.#reading ??= this.#readOn().finally(() => this.#reading = undefined);
  }

  async #readOn(): Promise<void> {
    while (this.#isAskedAgain && this.#handlers !== undefined) {
      this.#isAskedAgain = false;
      try {
        await this.#read(this.#handlers);
      } catch (error) {
        // If the store is unreachable, the node falls behind, and that is reported.
        if (this.isCurrent()) this.#handlers?.onError(error);
      }
    }
  }

  async #read(handlers: ChangeHandlers): Promise<void> {
    const { place, gap, keys } = await this.#next();
    this.#answeredAt = this.#monotonic();
    const isLast = place === this.#place;
    this.#place = place;
    if (gap) await handlers.onGap();
    else if (keys.length > 0) await handlers.onChanges(keys);
    if (isLast) this.#readAt = this.#monotonic();
    else this.#isAskedAgain = true;
  }

  /** Reads the changes after the place, from one moment. */
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
