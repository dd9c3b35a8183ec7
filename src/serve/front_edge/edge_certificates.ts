/**
 * A front edge's certificates. The edge requests a certificate when a client first connects to a
 * host, and keeps it only in memory. The edge drops all certificates if its key is revoked.
 *
 * @module
 */
import type { FeedMessage } from "../../feed/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import {
  type ChangedNames,
  type KeyPair,
  type OrderedCertificates,
  wildcardOf,
} from "../../platform/certificates/mod.ts";
import { sealedCertificate, SealKey } from "../../platform/edges/mod.ts";
import { EdgeKeyError, type PlatformClient } from "./platform_client.ts";

/** Maximum number of remembered certificates. */
const MAX_NAMES = 10_000;

/** Maximum number of times to read a certificate that keeps changing during the read. */
const MAX_READS = 3;

/** Maximum number of concurrent reads for unknown hosts. Clients can send any name. */
const MAX_UNKNOWN = 8;

/** Pause before failed reads are retried and between two warnings, in milliseconds. */
const RETRY_MS = 5000;

interface EdgeCertificatesOptions {
  readonly client: Pick<PlatformClient, "read">;
  /** Returns whether a host serves a deployment or redirects to another host. */
  isHost(hostname: string): boolean;
  /** Pause before failed reads are retried, in milliseconds; by default, five seconds. */
  readonly retryMs?: number;
  onTrouble(message: string): void;
}

/** A read in progress. Its result is stale if the certificate changes in the meantime. */
interface Read {
  isStale: boolean;
}

export class EdgeCertificates implements OrderedCertificates {
  readonly #known = new Map<string, KeyPair>();
  readonly #reads = new SingleFlight<KeyPair | undefined>();
  readonly #running = new Map<string, Read>();
  #unknown = 0;
  /**
   * Hosts whose certificates could not be read. Listeners remember that handshakes for these hosts
   * were rejected.
   */
  readonly #failed = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #key = SealKey.create();
  #isRevoked = false;

  /**
   * Called with the names of changed certificates. Resolves when new connections use the new
   * certificates.
   */
  onChanged: (names: ChangedNames) => Promise<void> = () => Promise.resolve();

  readonly #options: EdgeCertificatesOptions;

  constructor(options: EdgeCertificatesOptions) {
    this.#options = options;
  }

  async find(hostname: string): Promise<KeyPair | undefined> {
    if (this.#isRevoked) return undefined;
    const known = this.#known.get(hostname);
    if (known !== undefined) return known;
    const read = () => this.#reads.run(hostname, () => this.#read(hostname));
    if (this.#options.isHost(hostname)) return await read();
    if (this.#unknown >= MAX_UNKNOWN) return undefined;
    this.#unknown++;
    return await read().finally(() => this.#unknown--);
  }

  async apply(message: FeedMessage): Promise<void> {
    if (message.type === "certificates_changed") await this.#forget(message.hostnames);
  }

  /** Requests every certificate again when needed, because changes may have been missed. */
  async forgetAll(): Promise<void> {
    await this.#forget("all");
  }

  /** Called when the platform accepts the edge's key. */
  allow(): void {
    this.#isRevoked = false;
  }

  /** Called when the platform no longer accepts the key. */
  async revoke(): Promise<void> {
    this.#isRevoked = true;
    await this.forgetAll();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #forget(names: ChangedNames): Promise<void> {
    const changed = new Set(names === "all" ? [] : names);
    const isChanged = (name: string) =>
      names === "all" || changed.has(name) || changed.has(wildcardOf(name));
    for (const name of this.#known.keys()) if (isChanged(name)) this.#known.delete(name);
    for (const [name, read] of this.#running) if (isChanged(name)) read.isStale = true;
    await this.onChanged(names);
  }

  async #read(hostname: string): Promise<KeyPair | undefined> {
    try {
      const pair = await this.#readCurrent(hostname);
      return this.#isRevoked ? undefined : pair;
    } catch (error) {
      if (!(error instanceof EdgeKeyError)) this.#retryLater(hostname, error);
      return undefined;
    } finally {
      this.#running.delete(hostname);
    }
  }

  async #readCurrent(hostname: string): Promise<KeyPair | undefined> {
    const key = await this.#key;
    const path = `certificates/${encodeURIComponent(hostname)}?key=${key.publicKey.toHex()}`;
    for (let reads = 0; reads < MAX_READS; reads++) {
      const read: Read = { isStale: false };
      this.#running.set(hostname, read);
      const sealed = await this.#options.client.read(path, sealedCertificate);
      const pair = sealed && await key.open(sealed, hostname);
      if (read.isStale) continue;
      if (pair !== undefined) this.#remember(hostname, pair);
      return pair;
    }
    throw new Error("it keeps changing");
  }

  /**
   * After a short delay, makes listeners ask again for `hostname`, and for all hosts whose reads
   * fail in the meantime.
   */
  #retryLater(hostname: string, error: unknown): void {
    const { isHost, onTrouble, retryMs = RETRY_MS } = this.#options;
    if (!isHost(hostname)) return;
    this.#failed.add(hostname);
    if (this.#timer !== undefined) return;
    onTrouble(`No certificate for ${hostname}: ${messageOf(error)}`);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const names = [...this.#failed];
      this.#failed.clear();
      this.onChanged(names).catch((cause) =>
        onTrouble(`Cannot listen for HTTPS again: ${messageOf(cause)}`)
      );
    }, retryMs);
  }

  #remember(hostname: string, pair: KeyPair): void {
    if (!this.#options.isHost(hostname)) return;
    const [oldest] = this.#known.keys();
    if (this.#known.size >= MAX_NAMES && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(hostname, pair);
  }
}
