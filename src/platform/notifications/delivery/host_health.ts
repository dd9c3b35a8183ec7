/**
 * Which receiving hosts are asked at the moment. One that fails again and
 * again is left alone for a while, then asked by one message; when that goes
 * through, the others follow. Kept in memory: a restart asks everybody anew.
 *
 * @module
 */
import type { Clock, Random } from "../../../lib/clock.ts";
import { fraction } from "./retry_policy.ts";

/** Troubles in a row before a host is left alone. */
const TOLERATED = 3;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Longest pause that a host can ask for. */
const LONGEST_ASKED_MS = 60 * 60_000;
/** Where another message is asking whether a host is back. */
const PROBE_WAIT_MS = 2000;
/** Ailing hosts that are remembered; the one that ails the longest is forgotten first. */
const MAX_HOSTS = 10_000;

interface Ailment {
  troubles: number;
  pausedUntil: number;
  /** Messages that were let through since the pause ended. */
  probing: number;
}

export class HostHealth {
  private readonly ailing = new Map<string, Ailment>();

  constructor(private readonly now: Clock, private readonly random: Random) {}

  /** Milliseconds until the host may be asked; 0 where it may be now. */
  wait(host: string): number {
    const ailment = this.ailing.get(host);
    if (ailment === undefined) return 0;
    const left = ailment.pausedUntil - this.now();
    if (left > 0) return left;
    return ailment.troubles >= TOLERATED && ailment.probing > 0 ? PROBE_WAIT_MS : 0;
  }

  /** A message goes out to the host. */
  begin(host: string): void {
    const ailment = this.ailing.get(host);
    if (ailment !== undefined) ailment.probing++;
  }

  /** The host answered as one that is well. */
  well(host: string): void {
    this.ailing.delete(host);
  }

  /** The host did not answer, or asked to be left alone for `retryAfterMs`. */
  trouble(host: string, retryAfterMs?: number): void {
    const known = this.ailing.get(host);
    // What was under way when the pause began says nothing new.
    const isPaused = known !== undefined && this.now() < known.pausedUntil;
    if (isPaused && retryAfterMs === undefined) return;
    const troubles = (known?.troubles ?? 0) + 1;
    const backoff = troubles < TOLERATED ? 0 : Math.min(
      LONGEST_PAUSE_MS,
      FIRST_PAUSE_MS * 2 ** Math.min(troubles - TOLERATED, 30),
    );
    const jittered = backoff * (0.5 + fraction(this.random) / 2);
    const asked = Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS);
    const pausedUntil = this.now() + Math.max(jittered, asked);
    this.ailing.delete(host);
    if (this.ailing.size >= MAX_HOSTS) {
      for (const oldest of this.ailing.keys()) {
        this.ailing.delete(oldest);
        break;
      }
    }
    this.ailing.set(host, {
      troubles,
      pausedUntil: Math.max(pausedUntil, known?.pausedUntil ?? 0),
      probing: 0,
    });
  }

  /** An attempt ended in a way that tells nothing of the host. */
  unknown(host: string): void {
    const ailment = this.ailing.get(host);
    if (ailment !== undefined && ailment.probing > 0) ailment.probing--;
  }
}
