/**
 * Keeps a valid certificate for every hostname that is served: orders it,
 * renews it in time, and tries again later if an order fails.
 *
 * @module
 */
import type { Domain } from "../../contract/mod.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import type { PlatformLog } from "../core/log.ts";
import type { Issuer } from "./acme_issuer.ts";
import {
  type CertificateRecord,
  certificateToWire,
  type KeyPair,
  renewalTime,
  retryTime,
  validityOf,
} from "./certificate.ts";
import type { CertificateStore } from "./certificate_store.ts";

/** Most characters that are kept of an authority's message. */
const MAX_ERROR = 500;

export interface CertificateServiceOptions {
  readonly store: CertificateStore;
  readonly issuer: Issuer;
  /** The hostnames that should have a certificate. */
  names(): Iterable<string>;
  /** True for a hostname that should have a certificate. */
  wants(hostname: string): boolean;
  /** One of them orders; this one alone where missing. */
  readonly nodes?: Pick<Nodes, "leads" | "during" | "onGained">;
  readonly now: Clock;
  readonly random: Random;
  /** Called with a hostname that has a new certificate. */
  onIssued(hostname: string): void;
  log(line: PlatformLog): void;
}

interface Held {
  record: CertificateRecord;
  pair: KeyPair | undefined;
}

export class CertificateService {
  private readonly held = new Map<string, Held>();
  private round: Promise<unknown> | undefined;
  private again = false;
  private state: "waiting" | "running" | "closed" = "waiting";

  constructor(private readonly options: CertificateServiceOptions) {}

  /** Reads all that is stored. A certificate whose key cannot be decrypted is ordered again. */
  async load(): Promise<void> {
    for await (const record of this.options.store.all()) await this.take(record);
  }

  /** Takes over the certificates that another node has ordered or forgotten. */
  async follow(changed: readonly Deno.KvKey[]): Promise<void> {
    const { store, onIssued } = this.options;
    for (const hostname of store.hostnamesOf(changed)) {
      const record = await store.find(hostname);
      if (record === undefined) this.held.delete(hostname);
      else if (await this.take(record)) onIssued(hostname);
      this.wake();
    }
  }

  /** Whether a certificate can be used from now on. */
  private async take(record: CertificateRecord): Promise<boolean> {
    const { store, log } = this.options;
    try {
      const pair = await store.open(record);
      this.held.set(record.hostname, { record, pair });
      return pair !== undefined;
    } catch (error) {
      const message = `Cannot use the certificate of ${record.hostname}: ${error}`;
      log({ level: "error", message });
      return false;
    }
  }

  /** The certificate of a hostname that is served. */
  find(hostname: string): KeyPair | undefined {
    const pair = this.held.get(hostname)?.pair;
    return pair !== undefined && this.options.wants(hostname) ? pair : undefined;
  }

  describe(hostname: string): Domain["certificate"] {
    return certificateToWire(this.held.get(hostname)?.record, this.options.now());
  }

  /** Makes a failed order due at once. */
  retry(hostname: string): void {
    const held = this.held.get(hostname);
    if (held !== undefined && held.record.failures > 0) {
      held.record = { ...held.record, dueAt: this.options.now() };
      if (this.options.nodes?.leads("certificates") === false) this.passOn(held.record);
    }
    this.wake();
  }

  /** Lets the node that orders certificates know what is due. */
  private passOn(record: CertificateRecord): void {
    const { store, log } = this.options;
    store.put(record).catch((error) => {
      const message = `Cannot order the certificate of ${record.hostname} now: ${error}`;
      log({ level: "warn", message });
    });
  }

  /** Starts a round of orders, or another one after the round that is running. */
  wake(): void {
    if (this.state !== "running") return;
    this.again = true;
    const { nodes } = this.options;
    const run = () => this.runRounds();
    this.round ??= (nodes === undefined ? run() : nodes.during("certificates", run))
      .catch((error) => {
        if (this.state === "closed") return;
        const message = `Ordering certificates was interrupted: ${error}`;
        this.options.log({ level: "error", message });
      })
      .finally(() => this.round = undefined);
  }

  /** Starts ordering, now that challenges are answered. */
  start(): void {
    this.state = "running";
    const { nodes } = this.options;
    if (nodes === undefined) this.wake();
    else nodes.onGained("certificates", () => this.wake());
  }

  /** Resolves when no round is running. */
  async idle(): Promise<void> {
    await this.round;
  }

  /** Starts no further order; one that is running ends by itself. */
  close(): void {
    this.state = "closed";
  }

  private async runRounds(): Promise<void> {
    while (this.again && this.state === "running") {
      this.again = false;
      await this.forgetExpired();
      const due = [...this.options.names()].filter((hostname) => this.isDue(hostname));
      for (const hostname of due) {
        if (this.state !== "running") return;
        await this.order(hostname);
      }
    }
  }

  private isDue(hostname: string): boolean {
    const held = this.held.get(hostname);
    return held === undefined || held.record.dueAt <= this.options.now();
  }

  private async forgetExpired(): Promise<void> {
    const { store, wants, now } = this.options;
    for (const [hostname, { record }] of this.held) {
      if (wants(hostname) || (record.issued?.notAfter ?? 0) > now()) continue;
      this.held.delete(hostname);
      await store.delete(hostname);
    }
  }

  private async order(hostname: string): Promise<void> {
    const { store, issuer, now, onIssued, log } = this.options;
    const before = this.held.get(hostname);
    try {
      const pair = await issuer.issue(hostname);
      const life = validityOf(pair.cert);
      const record: CertificateRecord = {
        hostname,
        issued: { chain: pair.cert, key: await store.seal(hostname, pair.key), ...life },
        failures: 0,
        error: null,
        dueAt: renewalTime(life, this.chance()),
      };
      await this.keep({ record, pair });
      onIssued(hostname);
      log({ level: "info", message: `Certificate for ${hostname} is issued` });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const failures = (before?.record.failures ?? 0) + 1;
      const dueAt = retryTime(failures, { now: now(), chance: this.chance() });
      await this.keep({
        record: {
          hostname,
          issued: before?.record.issued ?? null,
          failures,
          error: reason.slice(0, MAX_ERROR),
          dueAt,
        },
        pair: before?.pair,
      });
      const next = new Date(dueAt).toISOString();
      log({
        level: "warn",
        message: `Cannot get a certificate for ${hostname}: ${reason}. Next try at ${next}`,
      });
    }
  }

  private async keep(held: Held): Promise<void> {
    this.held.set(held.record.hostname, held);
    await this.options.store.put(held.record);
  }

  /** A number from 0 to 1. */
  private chance(): number {
    return this.options.random(1)[0]! / 255;
  }
}
