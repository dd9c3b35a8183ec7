/** Holds the counts of the current periods until they are written. @module */
import pMap from "p-map";
import { type EncodedCounts, TrafficCounts } from "../../traffic/mod.ts";
import { startOf, type Unit, UNITS } from "./periods.ts";
import type { TrafficPart } from "./traffic_store.ts";

/**
 * Maximum number of periods in memory, at about 10 KiB each. Any more are written as several parts.
 */
const MAX_OPEN = 6000;

/** Maximum number of concurrent writes. The limit gives other writers a turn. */
const WRITERS = 32;

interface OpenPart extends TrafficPart {
  readonly counts: TrafficCounts;
  isDirty: boolean;
}

/** The project and environment to which counts belong. */
export interface Counted {
  readonly projectId: string;
  readonly environment: string;
}

interface TrafficBookOptions {
  write(part: TrafficPart, counts: EncodedCounts): Promise<void>;
  /** Creates a unique name for a part. */
  partName(): string;
}

export class TrafficBook {
  /** Current periods by project, environment and unit, least recently used first. */
  readonly #open = new Map<string, OpenPart>();
  /** Parts to which no more counts are added, and which are waiting to be written. */
  #ended: OpenPart[] = [];

  readonly #options: TrafficBookOptions;

  constructor(options: TrafficBookOptions) {
    this.#options = options;
  }

  /** Adds the counts up to `now`. */
  add(counted: Counted, counts: EncodedCounts, now: number): void {
    for (const unit of UNITS) {
      const part = this.#partOf(counted, unit, now);
      part.counts.merge(counts);
      part.isDirty = true;
    }
  }

  /**
   * Writes changes, and releases past periods. Keeps counts that could not be written for the next
   * time.
   */
  async save(now: number, projectId?: string): Promise<void> {
    this.#closeEnded(now);
    const isMeant = (part: OpenPart) => projectId === undefined || part.projectId === projectId;
    const ended = this.#ended.filter(isMeant);
    const open = [...this.#open.values()].filter((part) => part.isDirty && isMeant(part));
    await pMap([...ended, ...open], (part) => this.#write(part), { concurrency: WRITERS });
    this.#ended = this.#ended.filter((part) => part.isDirty);
  }

  /** Drops the counts for a project, or for one of its environments. */
  forget(projectId: string, environment?: string): void {
    const isMeant = (part: OpenPart) =>
      part.projectId === projectId && (environment ?? part.environment) === part.environment;
    for (const [name, part] of this.#open) if (isMeant(part)) this.#open.delete(name);
    this.#ended = this.#ended.filter((part) => !isMeant(part));
  }

  async #write(part: OpenPart): Promise<void> {
    const { counts, isDirty: _, ...place } = part;
    part.isDirty = false;
    try {
      await this.#options.write(place, counts.encode());
    } catch (error) {
      part.isDirty = true;
      throw error;
    }
  }

  #partOf({ projectId, environment }: Counted, unit: Unit, now: number): OpenPart {
    const name = `${projectId} ${environment} ${unit}`;
    const start = startOf(unit, now);
    let part = this.#open.get(name);
    this.#open.delete(name);
    if (part !== undefined && part.start !== start) {
      this.#ended.push(part);
      part = undefined;
    }
    part ??= {
      projectId,
      environment,
      unit,
      start,
      part: this.#options.partName(),
      counts: new TrafficCounts(),
      isDirty: false,
    };
    this.#open.set(name, part);
    return part;
  }

  #closeEnded(now: number): void {
    for (const [name, part] of this.#open) {
      if (part.start === startOf(part.unit, now) && this.#open.size <= MAX_OPEN) continue;
      this.#open.delete(name);
      this.#ended.push(part);
    }
    this.#ended = this.#ended.filter((part) => part.isDirty);
  }
}
