/**
 * Keeps a valid certificate for every hostname that is served: orders and renews certificates, and
 * retries failed orders later.
 *
 * @module
 */
import type { Domain } from "../../contract/domains.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { CoalescedWork } from "../../lib/coalesced_work.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import type { PlatformLog } from "../core/log.ts";
import type { Issuer } from "./acme_issuer.ts";
import { AuthorityError } from "./authority_requests.ts";
import {
  type CertificateRecord,
  certificateToWire,
  type KeyPair,
  renewalTime,
  retryTime,
  validityOf,
} from "./certificate.ts";
import type { CertificateStore } from "./certificate_store.ts";
import { dueOrders, isNearLimit, type Known, NEAR_LIMIT } from "./due_orders.ts";
import { wildcardOf } from "./https_listener.ts";
import { RenewalTimes } from "./renewal_times.ts";
import { WaitingHandshakes } from "./waiting_handshakes.ts";
import { Lease, LeaseLostError, type Led, type RecordKey } from "../../store/mod.ts";

/** Time between checks for due orders, in milliseconds. */
const INTERVAL_MS = 10 * 60_000;

/** Maximum length of an authority's message to store, in characters. */
const MAX_ERROR = 500;
/** Maximum `Retry-After` from an authority that is respected, in milliseconds. */
const MAX_PAUSE_MS = 7 * 24 * 60 * 60_000;

const isRateLimit = (error: unknown): boolean =>
  error instanceof AuthorityError && error.type === "rateLimited";

interface CertificateServiceOptions {
  readonly store: CertificateStore;
  readonly issuer: Issuer;
  /** Returns the hostnames that should have a certificate. */
  names(): Iterable<string>;
  /** Returns true for a hostname that should have a certificate. */
  wants(hostname: string): boolean;
  /**
   * The hostnames that get a certificate on demand, either when a client first connects or in a
   * later shared order.
   */
  hosts?(): Iterable<string>;
  /** Returns true for a hostname that gets its certificate on demand. */
  onDemand?(hostname: string): boolean;
  /** The nodes, one of which orders certificates; by default, only this node. */
  readonly nodes?: Pick<Nodes, "leads" | "during" | "onGained">;
  readonly now: Clock;
  readonly random: Random;
  /** Time between checks for due orders, in milliseconds; ten minutes by default. */
  readonly intervalMs?: number;
  /**
   * Called with hostnames whose certificates were changed or removed. Resolves when clients see the
   * change.
   */
  onChanged(hostnames: readonly string[]): Promise<void>;
  log(line: PlatformLog): void;
}

export class CertificateService {
  readonly #records = new Map<string, CertificateRecord>();
  /** Key pairs for handshakes. Updated before the record that mentions them. */
  readonly #pairs = new Map<string, KeyPair>();
  readonly #waiting = new WaitingHandshakes();
  readonly #renewals: RenewalTimes;
  #timer: ReturnType<typeof setInterval> | undefined;
  readonly #rounds = new CoalescedWork(() => this.#runRound());
  #state: "waiting" | "running" | "closed" = "waiting";

  readonly #options: CertificateServiceOptions;

  constructor(options: CertificateServiceOptions) {
    this.#options = options;
    this.#renewals = new RenewalTimes(options.issuer, options.now);
  }

  /** The store's write methods, for the node that orders certificates. */
  get #led(): Led<Pick<CertificateStore, "put" | "delete">> {
    return this.#options.store;
  }

  /** Reads everything stored. A certificate whose key cannot be decrypted is ordered again. */
  async load(): Promise<void> {
    const { store, onChanged } = this.#options;
    const changed: string[] = [];
    for await (const record of store.all()) {
      if (await this.#take(record)) changed.push(record.hostname);
    }
    await onChanged(changed);
  }

  /** Applies changes made by the node that orders certificates. */
  async follow(changed: readonly RecordKey[]): Promise<void> {
    const { store, onChanged } = this.#options;
    for (const hostname of store.hostnamesOf(changed)) {
      const record = await store.find(hostname);
      if (record === undefined) this.#forget(hostname);
      // Waiting clients get the certificate before all edges have it.
      const seen = record && await this.#take(record) ? onChanged([hostname]) : undefined;
      if (record?.issued !== null || record.failures > 0) this.#waiting.settle(hostname);
      await seen;
      this.wake();
    }
  }

  #forget(hostname: string): void {
    this.#records.delete(hostname);
    this.#pairs.delete(hostname);
  }

  /** Returns whether the certificate in use changed. */
  async #take(record: CertificateRecord): Promise<boolean> {
    const { store, log } = this.#options;
    try {
      const pair = await store.open(record);
      this.#records.set(record.hostname, record);
      if (pair === undefined) return false;
      const before = this.#pairs.get(record.hostname);
      this.#pairs.set(record.hostname, pair);
      return pair.cert !== before?.cert;
    } catch (error) {
      const message = `Cannot use the certificate for ${record.hostname}: ${error}`;
      log({ level: "error", message });
      return false;
    }
  }

  /** Returns whether a served hostname has a certificate. */
  has(hostname: string): boolean {
    return this.#find(hostname) !== undefined;
  }

  /**
   * Returns the certificate for a served hostname. The first client of a host waits for its
   * certificate, for at most ten seconds.
   */
  find(hostname: string): KeyPair | undefined | Promise<KeyPair | undefined> {
    const pair = this.#find(hostname);
    return pair === undefined && this.#options.onDemand?.(hostname) === true
      ? this.#orderNow(hostname)
      : pair;
  }

  #find(hostname: string): KeyPair | undefined {
    const pair = this.#pairs.get(hostname);
    if (pair !== undefined && this.#wants(hostname)) return pair;
    const wildcard = wildcardOf(hostname);
    return this.#options.wants(wildcard) ? this.#pairs.get(wildcard) : undefined;
  }

  #wants(hostname: string): boolean {
    return this.#options.wants(hostname) || this.#options.onDemand?.(hostname) === true;
  }

  async #orderNow(hostname: string): Promise<KeyPair | undefined> {
    const { now, nodes } = this.#options;
    const record = this.#records.get(hostname) ??
      { hostname, issued: null, failures: 0, error: null, dueAt: now() };
    if (record.dueAt > now()) return undefined;
    await this.#waiting.wait(hostname, () => {
      this.#records.set(hostname, record);
      if (nodes?.leads("certificates") === false) this.#passOn(record);
      this.wake();
    });
    return this.#find(hostname);
  }

  /**
   * Records that hostnames are now served, or no longer served. Resolves when handshakes reflect
   * the change.
   */
  async servedChanged(hostnames: readonly string[]): Promise<void> {
    const known = hostnames.filter((hostname) => this.#pairs.has(hostname));
    if (known.length > 0) await this.#options.onChanged(known);
  }

  describe(hostname: string): Domain["certificate"] {
    return certificateToWire(this.#records.get(hostname), this.#options.now());
  }

  /** Makes a failed order due immediately. */
  retry(hostname: string): void {
    const known = this.#records.get(hostname);
    if (known !== undefined && known.failures > 0) {
      const record = { ...known, dueAt: this.#options.now() };
      this.#records.set(hostname, record);
      if (this.#options.nodes?.leads("certificates") === false) this.#passOn(record);
    }
    this.wake();
  }

  /** Stores a due order, so the node that orders certificates carries it out. */
  #passOn(record: CertificateRecord): void {
    const { store, log } = this.#options;
    store.put(record).catch((error) => {
      const message = `Cannot request the certificate for ${record.hostname}: ${error}`;
      log({ level: "warn", message });
    });
  }

  /** Starts a round of orders, or another round after the current one. */
  wake(): void {
    if (this.#state !== "running") return;
    this.#rounds.start();
  }

  /** Starts ordering, now that challenges can be served. */
  start(): void {
    this.#state = "running";
    const { nodes, intervalMs = INTERVAL_MS } = this.#options;
    this.#timer = setInterval(() => this.wake(), intervalMs);
    if (nodes === undefined) this.wake();
    else nodes.onGained("certificates", () => this.wake());
  }

  /** Resolves when no round is running. */
  async idle(): Promise<void> {
    await this.#rounds.settled();
  }

  /** Starts no more orders. An order in progress is completed. */
  close(): void {
    this.#state = "closed";
    clearInterval(this.#timer);
    this.#waiting.close();
  }

  /** Runs a round if this node orders certificates. */
  async #runRound(): Promise<void> {
    const { nodes, log } = this.#options;
    const run = (lease: Lease) => this.#orderAll(lease);
    try {
      if (nodes === undefined) await run(Lease.ofSoleNode("certificates"));
      else await nodes.during("certificates", run);
    } catch (error) {
      if (this.#state === "closed") return;
      log({ level: "error", message: `Cannot request certificates: ${error}` });
    }
  }

  async #orderAll(lease: Lease): Promise<void> {
    if (this.#state !== "running") return;
    await this.#forgetExpired(lease);
    for (const hostnames of this.#dueOrders()) {
      if (this.#state !== "running") return;
      await this.#order(hostnames, lease);
    }
    await this.#askForRenewals(lease);
  }

  #dueOrders(): readonly (readonly string[])[] {
    const { names, hosts } = this.#options;
    return dueOrders(names(), hosts?.() ?? [], this.#known);
  }

  get #known(): Known {
    const { onDemand = () => false, now } = this.#options;
    return { records: this.#records, onDemand, now: now() };
  }

  async #forgetExpired(lease: Lease): Promise<void> {
    const { now } = this.#options;
    for (const [hostname, { issued }] of this.#records) {
      if (this.#wants(hostname) || (issued?.notAfter ?? 0) > now()) continue;
      await this.#led.delete(hostname, lease);
      this.#forget(hostname);
    }
  }

  /** Makes certificates due if the authority wants them to be renewed earlier. */
  async #askForRenewals(lease: Lease): Promise<void> {
    const { now, log } = this.#options;
    for (const [hostname, record] of this.#records) {
      if (this.#state !== "running") return;
      const { issued, dueAt } = record;
      if (issued === null || dueAt <= now() || !this.#wants(hostname)) continue;
      try {
        const renewAt = await this.#renewals.ask(issued.chain, { lease, chance: this.#chance() });
        if (renewAt === undefined || renewAt >= dueAt) continue;
        const earlier = { ...record, dueAt: renewAt };
        await this.#led.put(earlier, lease);
        this.#records.set(hostname, earlier);
        if (renewAt <= now()) this.wake();
      } catch (error) {
        if (error instanceof LeaseLostError) throw error;
        const message = `Cannot look up when to renew the certificate for ${hostname}: ${error}`;
        log({ level: "warn", message });
      }
    }
    const chains = [...this.#records.values()].map(({ issued }) => issued?.chain ?? "");
    this.#renewals.keepOnly(new Set(chains));
  }

  /** @throws {Error} with the authority's message */
  async #issue(hostnames: readonly string[], lease: Lease): Promise<KeyPair> {
    await lease.requireHeld();
    const { issuer, onDemand } = this.#options;
    const replaces = this.#records.get(hostnames[0]!)?.issued?.chain;
    const isNew = replaces === undefined && onDemand?.(hostnames[0]!) === true;
    if (isNew && isNearLimit(this.#known)) throw new Error(NEAR_LIMIT);
    return await issuer.issue(hostnames, { lease, replaces });
  }

  async #order(hostnames: readonly string[], lease: Lease): Promise<void> {
    const { store, onChanged, log } = this.#options;
    try {
      const pair = await this.#issue(hostnames, lease);
      const life = validityOf(pair.cert);
      const dueAt = renewalTime(life, this.#chance());
      const records = await Promise.all(hostnames.map(async (hostname) => ({
        hostname,
        issued: { chain: pair.cert, key: await store.seal(hostname, pair.key), ...life },
        failures: 0,
        error: null,
        dueAt,
      })));
      for (const record of records) await this.#led.put(record, lease);
      for (const hostname of hostnames) this.#pairs.set(hostname, pair);
      const seen = onChanged(hostnames);
      // Waiting clients get the certificate before all edges have it.
      for (const hostname of hostnames) this.#waiting.settle(hostname);
      await seen;
      for (const record of records) this.#records.set(record.hostname, record);
      log({ level: "info", message: `Issued a certificate for ${hostnames.join(", ")}` });
    } catch (error) {
      if (hostnames.length === 1 || error instanceof LeaseLostError || isRateLimit(error)) {
        await this.#noteFailure(hostnames, { error, lease });
      } else {
        for (const hostname of hostnames) await this.#order([hostname], lease);
      }
    } finally {
      for (const hostname of hostnames) this.#waiting.settle(hostname);
    }
  }

  async #noteFailure(
    hostnames: readonly string[],
    { error, lease }: { readonly error: unknown; readonly lease: Lease },
  ): Promise<void> {
    const { now, log } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    const pause = error instanceof AuthorityError ? error.retryAfter * 1000 : 0;
    for (const hostname of hostnames) {
      const before = this.#records.get(hostname);
      const failures = (before?.failures ?? 0) + 1;
      const retryAt = retryTime(failures, { now: now(), chance: this.#chance() });
      const dueAt = Math.max(retryAt, now() + Math.min(pause, MAX_PAUSE_MS));
      const record: CertificateRecord = {
        hostname,
        issued: before?.issued ?? null,
        // If a shared order was only postponed, its names also share the next order.
        failures: hostnames.length > 1 ? failures - 1 : failures,
        dueAt,
        error: reason.slice(0, MAX_ERROR),
      };
      await this.#keepFailure(record, { before, lease });
      const next = new Date(dueAt).toISOString();
      log({
        level: "warn",
        message: `Cannot get a certificate for ${hostname}: ${reason}. Next try at ${next}`,
      });
    }
  }

  /**
   * Records a failure, so the order is not retried immediately. A failure that cannot be stored is
   * kept in memory. If another node is already ordering, that node is responsible, so the failure
   * is dropped.
   */
  async #keepFailure(
    record: CertificateRecord,
    { before, lease }: { readonly before: CertificateRecord | undefined; readonly lease: Lease },
  ): Promise<void> {
    const { hostname } = record;
    this.#records.set(hostname, record);
    try {
      await this.#led.put(record, lease);
    } catch (error) {
      if (error instanceof LeaseLostError) {
        if (before === undefined) this.#records.delete(hostname);
        else this.#records.set(hostname, before);
      }
      throw error;
    }
  }

  /** Returns a random number from 0 to 1. */
  #chance(): number {
    return this.#options.random(1)[0]! / 255;
  }
}
