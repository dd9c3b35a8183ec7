/**
 * The front edges that an operator has added, their sessions, and the requests that they relay.
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
  /** Whether the edge's clients should use other edges. */
  isDrained: z.boolean().optional(),
  /** The edge's public addresses, for svc's own DNS. */
  addresses: z.array(z.string()).optional(),
  country: z.string().optional(),
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

/** Maximum difference between the clocks of an edge and the platform, in milliseconds. */
const MAX_SKEW_MS = 60_000;

/** Maximum number of processes that can follow the feed with one key. */
const MAX_CONNECTIONS = 64;

/** Number of sessions whose used request numbers are kept. Up to twice as many may be in memory. */
const MAX_SESSIONS = 256;

/**
 * How long an edge can be silent before no more clients are sent to it, in milliseconds. Edges
 * report every five seconds.
 */
const SILENT_MS = 15_000;

/** Matches the names of the platform's own edges on this machine. */
const LOCAL_NAME = /^local-\d+$/;

export const isLocalEdge = (name: string): boolean => LOCAL_NAME.test(name);

const hashOf = (key: string): string => sha256Hex(`svc edge key\n${key}`);

/** Returns whether an edge's record contains these addresses and this country. */
const isPlaced = (
  { addresses = [], country }: EdgeRecord,
  placed: Pick<EdgePlace, "addresses" | "country">,
): boolean => addresses.join() === placed.addresses.join() && country === placed.country;

/** Returns whether an edge can have these addresses: it has them already, or it has none. */
const mayPlace = ({ addresses = [] }: EdgeRecord, wanted: readonly string[]): boolean =>
  addresses.length === 0 || addresses.join() === wanted.join();

/** An edge's last connection to this node. */
interface Contact {
  readonly state: "connected" | "lost";
  readonly since: number;
  /** When the edge last sent something. */
  readonly seenAt: number;
  readonly address: string;
  readonly version: string;
  /** Round-trip time of a report to this node, in milliseconds. */
  readonly roundTripMs?: number;
}

/** An edge's public addresses. */
export interface EdgePlace {
  readonly name: string;
  readonly isDrained: boolean;
  readonly addresses: readonly string[];
  readonly country: string | undefined;
}

interface KnownEdge {
  readonly secret: Uint8Array;
  readonly used: UsedNumbers;
}

interface EdgeRegistryOptions {
  readonly kv: RecordStore;
  readonly box: Pick<SecretBox, "deriveBytes">;
  readonly now: Clock;
  readonly random: Random;
  /** Looks up the country of an IP address. */
  country(address: string): string | undefined;
}

export class EdgeRegistry {
  readonly #table: Table<EdgeRecord, readonly [string], "hash" | "name">;
  /** All edges by name, so requests do not need to read the store. */
  readonly #edges = new Map<string, EdgeRecord>();
  /** The edges on this machine. Their keys become invalid when this process exits. */
  readonly #local = new Map<string, EdgeRecord>();
  readonly #contacts = new Map<string, Contact>();
  readonly #sessions = new RecentMap<Promise<KnownEdge>>(MAX_SESSIONS);
  /** Aborted to close the connections of edges that are removed. */
  readonly #open = new Map<string, Set<AbortController>>();

  readonly #options: EdgeRegistryOptions;

  constructor(options: EdgeRegistryOptions) {
    this.#options = options;
    this.#table = new Table(options.kv, edges);
  }

  /** Whether there are edges on other machines. If not, no request can come from such an edge. */
  get isEmpty(): boolean {
    return this.#edges.size === this.#local.size;
  }

  /** Reads the edges, and disconnects those that no longer exist. */
  async reread(): Promise<void> {
    const found = await this.#table.collect();
    const before = new Map(this.#edges);
    this.#edges.clear();
    for (const edge of [...found, ...this.#local.values()]) this.#edges.set(edge.name, edge);
    for (const [name, connections] of this.#open) {
      // An edge that was added again with the same name has a different key.
      const isSame = this.#edges.get(name)?.id === before.get(name)?.id;
      if (!isSame) { for (const each of connections) each.abort(); }
    }
    for (const name of this.#contacts.keys()) {
      if (!this.#edges.has(name)) this.#contacts.delete(name);
    }
  }

  /** Lists the edges. `behind` is the number of changes that an edge has not applied yet. */
  list(behind: (name: string) => number | null): FrontEdge[] {
    return [...this.#edges.values()].map((edge) => this.#shown(edge, behind(edge.name)));
  }

  /** Adds an edge. Returns `undefined` if its name is taken. */
  async add(name: string): Promise<FrontEdge & { readonly key: string } | undefined> {
    const { edge, key } = this.#create(name);
    if (isLocalEdge(name) || !await this.#table.add(edge)) return undefined;
    this.#edges.set(name, edge);
    return { ...this.#shown(edge, null), key };
  }

  /** Adds an edge on this machine, or gives an existing one a new key. Returns the key. */
  addLocal(name: string): string {
    const { edge, key } = this.#create(name);
    const isDrained = this.isDrained(name);
    this.#local.set(name, { ...edge, isDrained });
    this.#edges.set(name, { ...edge, isDrained });
    // The edge's last process has exited, or must be stopped.
    for (const each of this.#open.get(name) ?? []) each.abort();
    return key;
  }

  #create(name: string): { readonly edge: EdgeRecord; readonly key: string } {
    const { random, now } = this.#options;
    const key = `svce_${Buffer.from(random(32)).toString("base64url")}`;
    return { key, edge: { id: uuidV7(now, random), name, hash: hashOf(key), createdAt: now() } };
  }

  /** Drains an edge, or stops draining it. Returns `undefined` if there is no such edge. */
  async drain(name: string, isDrained: boolean): Promise<boolean | undefined> {
    const local = this.#local.get(name);
    if (local !== undefined) {
      this.#local.set(name, { ...local, isDrained });
      this.#edges.set(name, { ...local, isDrained });
      return true;
    }
    const found = await this.#table.findBy("name", keys.frontEdgeByName(name));
    const changed = found &&
      await this.#table.update([found.id], (edge) => ({ ...edge, isDrained }));
    if (changed === undefined) return undefined;
    this.#edges.set(name, changed);
    return true;
  }

  /** Returns an edge's ID. An edge that is added again under the same name gets a different ID. */
  idOf(name: string): string | undefined {
    return this.#edges.get(name)?.id;
  }

  isDrained(name: string): boolean {
    return this.#edges.get(name)?.isDrained === true;
  }

  /** Returns the names of the edges that are connected to this node. */
  present(): string[] {
    const since = this.#options.now() - SILENT_MS;
    return [...this.#contacts]
      .filter(([, { state, seenAt }]) => state === "connected" && seenAt > since)
      .map(([name]) => name);
  }

  /** Lists the edges that have public addresses. */
  places(): EdgePlace[] {
    return [...this.#edges.values()].flatMap((
      { name, isDrained = false, addresses = [], country },
    ) => addresses.length === 0 ? [] : [{ name, isDrained, addresses, country }]);
  }

  /**
   * Stores an edge's public addresses, for other nodes and for the next start. The first addresses
   * are kept, so a stolen key cannot be used to send visitors to another machine.
   *
   * @returns whether the stored addresses are the reported ones
   */
  async place(
    name: string,
    { addresses, country }: Pick<EdgePlace, "addresses" | "country">,
  ): Promise<boolean> {
    const known = this.#edges.get(name);
    if (known === undefined || this.#local.has(name)) return true;
    const placed = { addresses: [...addresses], country };
    if (isPlaced(known, placed)) return true;
    const stored = await this.#table.update(
      [known.id],
      (edge) =>
        mayPlace(edge, addresses) && !isPlaced(edge, placed) ? { ...edge, ...placed } : edge,
    );
    if (stored === undefined) return true;
    if (this.idOf(name) === stored.id) this.#edges.set(name, stored);
    return mayPlace(stored, addresses);
  }

  /** Records that an edge has just sent a message. */
  seen(name: string): void {
    const contact = this.#contacts.get(name);
    if (contact !== undefined) {
      this.#contacts.set(name, { ...contact, seenAt: this.#options.now() });
    }
  }

  /** Records the round-trip time of an edge's last report to this node. */
  noteRoundTrip(name: string, roundTripMs: number | undefined): void {
    const contact = this.#contacts.get(name);
    if (contact === undefined || roundTripMs === undefined) return;
    this.#contacts.set(name, { ...contact, roundTripMs });
  }

  /** Removes an edge. Returns `undefined` if there is no edge called `name`. */
  async remove(name: string): Promise<FrontEdge | undefined> {
    const found = await this.#table.findBy("name", keys.frontEdgeByName(name));
    const removed = found && await this.#table.remove([found.id]);
    if (removed === undefined) return undefined;
    const shown = this.#shown(removed, null);
    await this.reread();
    return shown;
  }

  /** Returns the name of the edge to which a key belongs. */
  async find(key: string): Promise<string | undefined> {
    const hash = hashOf(key);
    const local = [...this.#local.values()].find((edge) => edge.hash === hash);
    if (local !== undefined) return local.name;
    const found = await this.#table.findBy("hash", keys.frontEdgeByHash(hash));
    // Another node may have just added the edge.
    if (found !== undefined && !this.#edges.has(found.name)) await this.reread();
    return found?.name;
  }

  /** Returns whether an edge has reached its maximum number of connections. */
  isFull(edge: string): boolean {
    return (this.#open.get(edge)?.size ?? 0) >= MAX_CONNECTIONS;
  }

  /** Starts an edge's session. The signal is aborted when the edge is removed. */
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
    const since = this.#options.now();
    this.#contacts.set(edge, { ...from, state: "connected", since, seenAt: since });
    const end = () => {
      connections.delete(connection);
      if (connections.size > 0) return;
      this.#open.delete(edge);
      if (!this.#edges.has(edge)) return;
      const known = this.#contacts.get(edge) ?? { ...from, seenAt: since };
      this.#contacts.set(edge, { ...known, state: "lost", since: this.#options.now() });
    };
    return { session: { edge, id }, secret, removed: connection.signal, end };
  }

  /**
   * Returns the facts about a relayed request's client; `undefined` if the signature is wrong, old
   * or reused.
   */
  async admit(
    request: RelayedTarget & { readonly facts: string; readonly signature: string },
  ): Promise<RelayFacts | undefined> {
    const facts = parseFacts(request.facts);
    const edge = facts === undefined ? undefined : this.#edges.get(facts.edge);
    if (facts === undefined || edge === undefined) return undefined;
    if (Math.abs(this.#options.now() - facts.time) > MAX_SKEW_MS) return undefined;
    // Uses the ID, because another edge may already have the same name.
    const name = `${edge.id} ${facts.id}`;
    let session = this.#sessions.get(name);
    // Sessions without a valid signature must not evict other sessions.
    const isNew = session === undefined;
    session ??= this.#know(facts);
    const known = await session;
    if (!isSignedBy(known.secret, request.facts, request)) return undefined;
    if (isNew && this.#sessions.get(name) === undefined) this.#sessions.set(name, session);
    const { used } = await (this.#sessions.get(name) ?? session);
    return used.take(facts.number) ? facts : undefined;
  }

  async #know(session: EdgeSession): Promise<KnownEdge> {
    return { secret: await this.#derive(session), used: new UsedNumbers() };
  }

  /** Every node derives the same secret, so the nodes need not share sessions. */
  #derive({ edge, id }: EdgeSession): Promise<Uint8Array> {
    const { hash } = this.#edges.get(edge)!;
    return this.#options.box.deriveBytes(`svc session of a front edge ${edge} ${id} ${hash}`);
  }

  #shown(edge: EdgeRecord, behind: number | null): FrontEdge {
    const { name, createdAt, isDrained = false, addresses: [address] = [] } = edge;
    const contact = this.#contacts.get(name);
    const place = address ?? contact?.address;
    const country = edge.country ?? (place && this.#options.country(place));
    return {
      name,
      isLocal: isLocalEdge(name),
      state: contact?.state ?? "unseen",
      isDrained,
      behind: contact?.state === "connected" ? behind : null,
      since: contact === undefined ? null : new Date(contact.since).toISOString(),
      seenAt: contact === undefined ? null : new Date(contact.seenAt).toISOString(),
      address: contact?.address ?? null,
      country: country ?? null,
      roundTripMs: contact?.roundTripMs ?? null,
      version: contact?.version ?? null,
      createdAt: new Date(createdAt).toISOString(),
    };
  }
}
