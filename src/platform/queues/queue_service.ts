/**
 * Sends messages to queues, and runs the workers that deliver them.
 *
 * @module
 */
import type { RecordKey } from "../../store/mod.ts";
import { Claims, type Nodes } from "../core/nodes/mod.ts";
import { Failure } from "../core/http/mod.ts";
import { RateWindow } from "../core/access/mod.ts";
import { deliverMessage, type DeliveryServices, findSite, findTarget } from "./deliver_message.ts";
import { findSent } from "./list_messages.ts";
import { MAX_STORED, type NewMessage, type QueuePlace, SEND_RATE } from "./message.ts";
import { QueueStore, type StoreParts } from "./queue_store.ts";
import { QueueWorker, type QueueWorkerParts } from "./queue_worker.ts";

/** Minimum time between two counts of a full queue, in milliseconds. */
const RECOUNT_MS = 5_000;

interface QueueServiceParts extends StoreParts, DeliveryServices, Pick<QueueWorkerParts, "ended"> {
  readonly nodes: Pick<Nodes, "instance" | "isAlive" | "onDeath" | "count">;
  onTrouble(message: string): void;
}

/** How many messages can still be sent to a queue, and when its messages were last counted. */
interface Allowance {
  left: number;
  countedAt: number;
}

const nameOf = (place: QueuePlace): string => JSON.stringify(place);

export class QueueService {
  readonly store: QueueStore;
  readonly #workers = new Map<string, QueueWorker>();
  readonly #allowances = new Map<string, Allowance>();
  readonly #rates: RateWindow;
  readonly #claims: Claims;
  #state: "idle" | "live" | "closed" = "idle";

  readonly #parts: QueueServiceParts;

  constructor(parts: QueueServiceParts) {
    this.#parts = parts;
    this.store = new QueueStore(parts);
    this.#rates = new RateWindow(SEND_RATE, parts.now);
    this.#claims = new Claims(parts.nodes);
  }

  /**
   * Stores a message, and starts its delivery.
   *
   * @throws {Failure} `not_found`, `rate_limited`, `storage_full`
   */
  async send(place: QueuePlace, message: NewMessage) {
    const [projectId, environment] = place;
    if (await findTarget(this.#parts, place, message.labels) === undefined) {
      throw new Failure("not_found", await this.#unknown(place, message.labels));
    }
    const wait = this.#rates.take(`${projectId} ${environment}`);
    if (wait > 0) {
      const { limit, windowMs } = SEND_RATE;
      const seconds = windowMs / 1000;
      throw new Failure(
        "rate_limited",
        `The environment has sent more than ${limit} messages in ${seconds} seconds. Try again in ${wait} s`,
        { retryAfter: wait },
      );
    }
    // A message that is already stored needs no room, even if the queue is full by now.
    const known = message.dedupeId === null
      ? undefined
      : await findSent(this.#parts.kv, place, message.dedupeId);
    if (known !== undefined) return { id: known, isDuplicate: true };
    await this.#takeRoom(place);
    const sent = await this.store.send(place, message);
    if (!sent.isDuplicate) this.wake(place);
    return sent;
  }

  async #unknown(
    [projectId, environment, queue]: QueuePlace,
    labels: readonly string[],
  ): Promise<string> {
    const site = await findSite(this.#parts, projectId, labels.at(-1) ?? "");
    const start = `The live deployment of ${environment} declares no queue "${queue}"`;
    if (site === undefined) return `Environment ${environment} has no live deployment`;
    const names = [...site.queues.keys()];
    return names.length === 0
      ? `${start}. Declare it as [[queues]] in svc.toml and deploy`
      : `${start}. Its queues: ${names.join(", ")}`;
  }

  async #takeRoom(place: QueuePlace): Promise<void> {
    const { now, nodes } = this.#parts;
    const name = nameOf(place);
    let allowance = this.#allowances.get(name);
    if (allowance === undefined || allowance.left <= 0) {
      if (allowance === undefined || now() - allowance.countedAt >= RECOUNT_MS) {
        const { waiting, dead } = await this.store.count(place, MAX_STORED);
        const left = Math.ceil((MAX_STORED - waiting - dead) / Math.max(1, nodes.count()));
        allowance = { left, countedAt: now() };
        this.#allowances.set(name, allowance);
      }
      if (allowance.left <= 0) {
        const [, , queue] = place;
        throw new Failure(
          "storage_full",
          `The queue ${queue} has ${MAX_STORED} waiting messages and dead letters. Let it catch up, or purge it`,
        );
      }
    }
    allowance.left--;
  }

  /** Starts deliveries. */
  async start(): Promise<void> {
    this.#state = "live";
    this.#parts.nodes.onDeath(() => void this.#wakeAll());
    await this.#wakeAll();
  }

  async #wakeAll(): Promise<void> {
    try {
      for await (const place of this.store.active()) this.wake(place);
    } catch (error) {
      this.#parts.onTrouble(`Cannot read the queues: ${error}`);
    }
  }

  /** Checks the queues that another node has changed. */
  follow(changed: readonly RecordKey[]): void {
    const places = new Map<string, QueuePlace>();
    for (const [root, ...rest] of changed) {
      if (root !== "queue_active" && root !== "queue_claims" && root !== "queue_due") continue;
      const [projectId, environment, queue] = rest.map(String);
      if (queue === undefined) continue;
      const place: QueuePlace = [projectId!, environment!, queue];
      places.set(nameOf(place), place);
    }
    for (const place of places.values()) this.wake(place);
  }

  /** Checks all queues, for when changes by other nodes were missed. */
  reread(): Promise<void> {
    return this.#wakeAll();
  }

  /** Starts delivering a queue's messages. */
  wake(place: QueuePlace): void {
    if (this.#state !== "live") return;
    const name = nameOf(place);
    let worker = this.#workers.get(name);
    if (worker === undefined) {
      worker = this.#makeWorker(place);
      this.#workers.set(name, worker);
    }
    worker.wake();
  }

  #makeWorker(place: QueuePlace): QueueWorker {
    const parts = this.#parts;
    return new QueueWorker(place, {
      ...parts,
      store: this.store,
      claims: this.#claims,
      targetOf: (at, { labels }) => findTarget(parts, at, labels),
      deliver: async (target, at, message) => {
        const body = await this.store.bodyOf(at, message);
        return await deliverMessage(parts, target, { place: at, message, body });
      },
    });
  }

  /**
   * Returns the number of a queue's deliveries that are in progress in this process, and the number
   * that are not counted yet.
   */
  standing(place: QueuePlace): { readonly running: number; readonly uncounted: number } {
    const worker = this.#workers.get(nameOf(place));
    return { running: worker?.running ?? 0, uncounted: worker?.uncounted ?? 0 };
  }

  /** Stops the workers of a project, or of one of its environments. */
  async forget(projectId: string, environment?: string): Promise<void> {
    for (const [name, worker] of [...this.#workers]) {
      const [ofProject, ofEnvironment] = JSON.parse(name);
      if (ofProject !== projectId) continue;
      if (environment !== undefined && ofEnvironment !== environment) continue;
      this.#workers.delete(name);
      this.#allowances.delete(name);
      await worker.close();
    }
  }

  async close(): Promise<void> {
    this.#state = "closed";
    await Promise.all([...this.#workers.values()].map((worker) => worker.close()));
  }
}
