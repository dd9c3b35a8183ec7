/**
 * The front edges that an operator has added, their sessions, and the requests that they pass on.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import * as z from "zod";
import type { FrontEdge } from "../../contract/edges.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { RecentMap } from "../../lib/memo.ts";
import type { RecordStore } from "../../store/mod.ts";
import type { SecretBox } from "../core/secrets/mod.ts";
import { keys, RecordType, Table } from "../core/store/mod.ts";
import {
  type EdgeSession,
  isSignedBy,
  parseFacts,
  type RelayedTarget,
  type RelayFacts,
  UsedNumbers,
} from "./relay_signature.ts";

const edgeRecord = z.object({
  id: z.string(),
  name: z.string(),
  hash: z.string(),
  createdAt: z.number(),
});
type EdgeRecord = z.infer<typeof edgeRecord>;

const edges = new RecordType({
  root: keys.frontEdges(),
  schema: edgeRecord,
  parts: ({ id }) => [id],
  indices: {
    hash: { entries: ({ hash }) => [keys.frontEdgeByHash(hash)], holds: "id" },
    name: { entries: ({ name }) => [keys.frontEdgeByName(name)], holds: "id", unique: true },
  },
});

/** How far the clocks of an edge and the platform may be apart, in milliseconds. */
const MAX_SKEW_MS = 60_000;

/** Processes that may follow the feed with one key. */
const MAX_CONNECTIONS = 64;

/** Sessions whose used numbers are remembered; up to twice as many. */
const MAX_SESSIONS = 256;

const hashOf = (key: string): string => sha256Hex(`svc edge key\n${key}`);

/** The last connection of an edge to this node. */
interface Contact {
  readonly state: "connected" | "lost";
  readonly since: number;
  readonly address: string;
  readonly version: string;
}

interface Known {
  readonly secret: Uint8Array;
  readonly used: UsedNumbers;
}

export interface EdgeRegistryOptions {
  readonly kv: RecordStore;
  readonly box: Pick<SecretBox, "deriveBytes">;
  readonly now: Clock;
  readonly random: Random;
}

export class EdgeRegistry {
  readonly #table: Table<EdgeRecord, readonly [string], "hash" | "name">;
  /** All edges by name, so that requests need no look into the store. */
  readonly #edges = new Map<string, EdgeRecord>();
  readonly #contacts = new Map<string, Contact>();
  readonly #sessions = new RecentMap<Promise<Known>>(MAX_SESSIONS);
  /** Ends the connections of edges that are removed. */
  readonly #open = new Map<string, Set<AbortController>>();

  readonly #options: EdgeRegistryOptions;

  constructor(options: EdgeRegistryOptions) {
    this.#options = options;
    this.#table = new Table(options.kv, edges);
  }

  /** Whether any edge exists; if not, no request can come from one. */
  get isEmpty(): boolean {
    return this.#edges.size === 0;
  }

  /** Reads the edges, and disconnects those that are gone. */
  async reread(): Promise<void> {
    const found = await this.#table.collect();
    const before = new Map(this.#edges);
    this.#edges.clear();
    for (const edge of found) this.#edges.set(edge.name, edge);
    for (const [name, connections] of this.#open) {
      // One that was added again under its name has another key.
      const isSame = this.#edges.get(name)?.id === before.get(name)?.id;
      if (!isSame) { for (const each of connections) each.abort(); }
    }
    for (const name of this.#contacts.keys()) {
      if (!this.#edges.has(name)) this.#contacts.delete(name);
    }
  }

  list(): FrontEdge[] {
    return [...this.#edges.values()].map((edge) => this.#shown(edge));
  }

  /** Adds an edge; `undefined` if its name is taken. */
  async add(name: string): Promise<FrontEdge & { readonly key: string } | undefined> {
    const { random, now } = this.#options;
    const key = `svce_${Buffer.from(random(32)).toString("base64url")}`;
    const edge = { id: uuidV7(now, random), name, hash: hashOf(key), createdAt: now() };
    if (!await this.#table.add(edge)) return undefined;
    this.#edges.set(name, edge);
    return { ...this.#shown(edge), key };
  }

  /** Removes an edge; `undefined` if there is none of that name. */
  async remove(name: string): Promise<FrontEdge | undefined> {
    const found = await this.#table.findBy("name", keys.frontEdgeByName(name));
    const removed = found && await this.#table.remove([found.id]);
    if (removed === undefined) return undefined;
    const shown = this.#shown(removed);
    await this.reread();
    return shown;
  }

  /** The edge of a key. */
  async find(key: string): Promise<string | undefined> {
    const hash = hashOf(key);
    const found = await this.#table.findBy("hash", keys.frontEdgeByHash(hash));
    // Another node may have added it a moment ago.
    if (found !== undefined && !this.#edges.has(found.name)) await this.reread();
    return found?.name;
  }

  /** Whether an edge has as many connections as it may. */
  isFull(edge: string): boolean {
    return (this.#open.get(edge)?.size ?? 0) >= MAX_CONNECTIONS;
  }

  /** Starts a session of an edge; the signal is aborted when the edge is removed. */
  async begin(
    edge: string,
    from: { readonly address: string; readonly version: string },
  ): Promise<{
    readonly session: EdgeSession;
    readonly secret: Uint8Array;
    readonly removed: AbortSignal;
    end(): void;
  }> {
    const id = this.#options.random(16).toHex();
    const secret = await this.#derive({ edge, id });
    const connection = new AbortController();
    const connections = this.#open.get(edge) ?? new Set();
    connections.add(connection);
    this.#open.set(edge, connections);
    this.#contacts.set(edge, { ...from, state: "connected", since: this.#options.now() });
    const end = () => {
      connections.delete(connection);
      if (connections.size > 0) return;
      this.#open.delete(edge);
      if (!this.#edges.has(edge)) return;
      this.#contacts.set(edge, { ...from, state: "lost", since: this.#options.now() });
    };
    return { session: { edge, id }, secret, removed: connection.signal, end };
  }

  /** The client facts of a relayed request; `undefined` if the signature is wrong, old or used. */
  async admit(
    request: RelayedTarget & { readonly facts: string; readonly signature: string },
  ): Promise<RelayFacts | undefined> {
    const facts = parseFacts(request.facts);
    const edge = facts === undefined ? undefined : this.#edges.get(facts.edge);
    if (facts === undefined || edge === undefined) return undefined;
    if (Math.abs(this.#options.now() - facts.time) > MAX_SKEW_MS) return undefined;
    // By id: another edge may have the same name by now.
    const name = `${edge.id} ${facts.id}`;
    let session = this.#sessions.get(name);
    // Sessions without a valid signature must not evict others.
    const isNew = session === undefined;
    session ??= this.#know(facts);
    const known = await session;
    if (!isSignedBy(known.secret, request.facts, request)) return undefined;
    if (isNew && this.#sessions.get(name) === undefined) this.#sessions.set(name, session);
    const { used } = await (this.#sessions.get(name) ?? session);
    return used.take(facts.number) ? facts : undefined;
  }

  async #know(session: EdgeSession): Promise<Known> {
    return { secret: await this.#derive(session), used: new UsedNumbers() };
  }

  /** Every node derives the same secret, so none has to know of the session. */
  #derive({ edge, id }: EdgeSession): Promise<Uint8Array> {
    const { hash } = this.#edges.get(edge)!;
    return this.#options.box.deriveBytes(`svc session of a front edge ${edge} ${id} ${hash}`);
  }

  #shown({ name, createdAt }: EdgeRecord): FrontEdge {
    const contact = this.#contacts.get(name);
    return {
      name,
      state: contact?.state ?? "unseen",
      since: contact === undefined ? null : new Date(contact.since).toISOString(),
      address: contact?.address ?? null,
      version: contact?.version ?? null,
      createdAt: new Date(createdAt).toISOString(),
    };
  }
}
