/**
 * Records when and where credentials are used, at most once a minute for each credential and
 * outside the request path. Using a token in a second country within an hour is suspicious.
 *
 * @module
 */
import type { Clock } from "../../../lib/clock.ts";
import type { Client } from "../../core/http/mod.ts";
import type { CredentialStore } from "./credential_store.ts";
import type { KnownCredential } from "./known_credential.ts";
import type { RaiseSecurityEvent } from "../security_events.ts";

const NOTE_EVERY_MS = 60_000;
const HOUR_MS = 60 * 60 * 1000;

interface LastUsedTrackerOptions {
  readonly store: CredentialStore;
  readonly raise: RaiseSecurityEvent;
  readonly now: Clock;
  /** Called if a use cannot be recorded. The request continues. */
  readonly onTrouble: (message: string) => void;
}

export class LastUsedTracker {
  readonly #pending = new Set<Promise<void>>();

  readonly #options: LastUsedTrackerOptions;

  constructor(options: LastUsedTrackerOptions) {
    this.#options = options;
  }

  note(known: KnownCredential, client: Client): void {
    const now = this.#options.now();
    known.usedAt = now;
    if (client.address !== known.address) this.#moved(known, client);
    else if (known.country !== null) known.countryAt = now;
    if (now - known.notedAt < NOTE_EVERY_MS) return;
    known.notedAt = now;
    const { address, country } = known;
    const use = { at: now, address: address ?? client.address, country };
    this.#later(this.#options.store.noteUse(known.owner.credential.id, use));
  }

  /** Waits for the writes in progress. */
  async close(): Promise<void> {
    await Promise.all(this.#pending);
  }

  #moved(known: KnownCredential, client: Client): void {
    const now = this.#options.now();
    known.address = client.address;
    const country = client.country();
    if (country === null) return;
    const before = known.country;
    const isSecond = before !== null && before !== country && now - known.countryAt < HOUR_MS;
    known.country = country;
    known.countryAt = now;
    if (!isSecond || now - known.warnedAt < HOUR_MS) return;
    known.warnedAt = now;
    const { user, credential, workspaceId } = known.owner;
    this.#later(this.#options.raise({
      event: "security.suspicious_activity",
      userId: user.id,
      ...(workspaceId === null ? {} : { workspaceId }),
      detail: `"${credential.name}" was used from ${before} and ${country} within an hour`,
      client,
    }));
  }

  #later(work: Promise<void>): void {
    const kept = work
      .catch((error) => this.#options.onTrouble(`Cannot record the use of a credential: ${error}`))
      .finally(() => this.#pending.delete(kept));
    this.#pending.add(kept);
  }
}
