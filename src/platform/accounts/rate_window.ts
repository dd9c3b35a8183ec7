/**
 * A number of requests in a window of time, for each of many subjects. The
 * window slides: what was counted in the one before fades in proportion. The
 * counts are in memory, so a restart begins anew.
 *
 * @module
 */
import type { Clock } from "../../lib/clock.ts";

interface Counts {
  /** Number of the window, counted from the epoch. */
  window: number;
  before: number;
  current: number;
}

/** Subjects that are counted; when there are more, the oldest is forgotten. */
const MAX_SUBJECTS = 20_000;

export class RateWindow {
  private readonly subjects = new Map<string, Counts>();

  constructor(
    private readonly limits: { readonly limit: number; readonly windowMs: number },
    private readonly now: Clock,
  ) {}

  /** Counts a request; returns 0, or the seconds to wait where it is one too many. */
  take(subject: string): number {
    const { limit, windowMs } = this.limits;
    const now = this.now();
    const counts = this.at(subject, Math.floor(now / windowMs));
    const passed = (now % windowMs) / windowMs;
    if (counts.current + counts.before * (1 - passed) <= limit - 1) {
      counts.current++;
      return 0;
    }
    return Math.max(1, Math.ceil(this.wait(counts, passed) * windowMs / 1000));
  }

  /** Takes a counted request back. */
  refund(subject: string): void {
    const counts = this.subjects.get(subject);
    if (counts !== undefined && counts.current > 0) counts.current--;
  }

  /** The part of a window until the next request fits. */
  private wait({ before, current }: Counts, passed: number): number {
    const room = this.limits.limit - 1;
    if (current <= room) return 1 - (room - current) / before - passed;
    return 1 - passed + Math.max(0, 1 - room / current);
  }

  private at(subject: string, window: number): Counts {
    const known = this.subjects.get(subject);
    if (known?.window === window) return known;
    const before = known?.window === window - 1 ? known.current : 0;
    const counts = { window, before, current: 0 };
    this.subjects.delete(subject);
    if (this.subjects.size >= MAX_SUBJECTS) {
      for (const oldest of this.subjects.keys()) {
        this.subjects.delete(oldest);
        break;
      }
    }
    this.subjects.set(subject, counts);
    return counts;
  }
}
