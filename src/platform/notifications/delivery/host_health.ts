/**
 * A circuit breaker for each receiving host. A host that keeps failing gets nothing for a while,
 * and then one message. If that message succeeds, the waiting messages follow. The state is in
 * memory, so a restart tries every host again.
 *
 * @module
 */
import type { Clock, Random } from "../../../lib/clock.ts";
import { fraction } from "./retry_policy.ts";

/** Number of consecutive failures before a host is paused. */
const TOLERATED = 3;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Maximum pause that a host can request, in milliseconds. */
const LONGEST_ASKED_MS = 60 * 60_000;
/**
 * Time to wait while another message tests whether a host is available again, in milliseconds.
 */
const PROBE_WAIT_MS = 2000;
/**
 * Maximum number of failing hosts to remember. Beyond that, the host whose last failure is oldest
 * is dropped.
 */
const MAX_HOSTS = 10_000;

interface Ailment {
  troubles: number;
  pausedUntil: number;
  /** Messages that were let through since the pause ended. */
  probing: number;
}

export class HostHealth {
  readonly #ailing = new Map<string, Ailment>();

  readonly #now: Clock;
  readonly #random: Random;

  constructor(now: Clock, random: Random) {
    this.#now = now;
    this.#random = random;
  }

  /**
   * Returns the number of milliseconds until a message may be sent to the host; 0 if it may be sent
   * now.
   */
  wait(host: string): number {
    const ailment = this.#ailing.get(host);
    if (ailment === undefined) return 0;
    const left = ailment.pausedUntil - this.#now();
    if (left > 0) return left;
    return ailment.troubles >= TOLERATED && ailment.probing > 0 ? PROBE_WAIT_MS : 0;
  }

  begin(host: string): void {
    const ailment = this.#ailing.get(host);
    if (ailment !== undefined) ailment.probing++;
  }

  well(host: string): void {
    this.#ailing.delete(host);
  }

  /** Records that the host did not respond, or that it requested a pause of `retryAfterMs`. */
  trouble(host: string, retryAfterMs?: number): void {
    const known = this.#ailing.get(host);
    // A message that was in progress when the pause started provides no new information.
    const isPaused = known !== undefined && this.#now() < known.pausedUntil;
    if (isPaused && retryAfterMs === undefined) return;
    const troubles = (known?.troubles ?? 0) + 1;
    const backoff = troubles < TOLERATED ? 0 : Math.min(
      LONGEST_PAUSE_MS,
      FIRST_PAUSE_MS * 2 ** Math.min(troubles - TOLERATED, 30),
    );
    const jittered = backoff * (0.5 + fraction(this.#random) / 2);
    const asked = Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS);
    const pausedUntil = this.#now() + Math.max(jittered, asked);
    this.#ailing.delete(host);
    if (this.#ailing.size >= MAX_HOSTS) this.#ailing.delete(this.#ailing.keys().next().value!);
    this.#ailing.set(host, {
      troubles,
      pausedUntil: Math.max(pausedUntil, known?.pausedUntil ?? 0),
      probing: 0,
    });
  }

  /** Records an attempt whose outcome does not depend on the host. */
  unknown(host: string): void {
    const ailment = this.#ailing.get(host);
    if (ailment !== undefined && ailment.probing > 0) ailment.probing--;
  }
}
