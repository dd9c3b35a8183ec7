/**
 * Sends records to one endpoint: in batches, one request at a time, with retries. Adding a record
 * never waits. Memory and time are bounded, and dropped records are counted.
 *
 * @module
 */
import type { Random } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { LogEntry } from "../../contract/logs.ts";
import { droppedRecord, type OtlpResource, sampleRecord, type SizedRecord } from "./log_records.ts";
import {
  type Endpoint,
  packLogs,
  packMetrics,
  postBatch,
  type PostOutcome,
  type PostParts,
  type Signal,
} from "./post_batch.ts";
import { RequestMetrics, type ResourceMetrics } from "./request_metrics.ts";

/** Maximum number of records, and maximum number of bytes before compression, in one request. */
const BATCH_RECORDS = 512;
const BATCH_BYTES = 1024 * 1024;
/** Maximum number of records, and maximum number of bytes, that can wait for one endpoint. */
export const QUEUE_RECORDS = 20_000;
export const QUEUE_BYTES = 8 * 1024 * 1024;
/** Maximum number of bytes that can wait for all of a node's endpoints. */
const ALL_BYTES = 64 * 1024 * 1024;
/** Maximum time for which a record waits before it is dropped, in milliseconds. */
export const MAX_AGE_MS = 60 * 60 * 1000;
/** Maximum wait that an endpoint can request, in milliseconds. */
const MAX_RETRY_AFTER_MS = 10 * 60 * 1000;
/** How long to stop sending metrics to an endpoint that has no path for them, in milliseconds. */
const NO_METRICS_MS = 60 * 60 * 1000;
/** Minimum time between two messages to the operator about dropped records, in milliseconds. */
const TOLD_MS = 10 * 60 * 1000;

interface SendTimes {
  /** How long to collect records for a request, in milliseconds. */
  readonly batchMs: number;
  /**
   * Wait before the first retry, and maximum wait before any retry, in milliseconds. Each wait is
   * twice as long as the previous one.
   */
  readonly retryMs: number;
  readonly maxRetryMs: number;
}

const TIMES: SendTimes = { batchMs: 1000, retryMs: 1000, maxRetryMs: 60_000 };

/** Number of bytes that a sender can always buffer, regardless of the other senders. */
const FAIR_BYTES = 256 * 1024;

interface Holder {
  /** Total size of the records that can be dropped, in bytes. */
  readonly held: number;
  dropOldest(bytes: number): void;
}

/** The memory that all of a node's senders share. */
export class SendBudget {
  used = 0;
  readonly holders = new Set<Holder>();
  constructor(readonly max = ALL_BYTES) {}

  /**
   * Drops records from the fullest buffers first, so an unavailable endpoint does not affect the
   * others.
   */
  makeRoom(): void {
    while (this.used > this.max) {
      let fullest: Holder | undefined;
      for (const each of this.holders) {
        if (each.held > (fullest?.held ?? FAIR_BYTES)) fullest = each;
      }
      if (fullest === undefined) return;
      fullest.dropOldest(this.used - this.max);
    }
  }
}

export interface SenderParts extends PostParts {
  readonly random: Random;
  readonly budget: SendBudget;
  /** The sending node, for the platform's own reports. */
  readonly resource: OtlpResource;
  readonly times?: SendTimes;
  /** Returns additional metrics. Called each time metrics are sent. */
  ownMetrics?(): ResourceMetrics;
  onTrouble(message: string): void;
}

/** The state of one node's sending. Times are in milliseconds since the epoch. */
export interface SenderHealth {
  readonly sent: number;
  readonly dropped: number;
  readonly waiting: number;
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
}

export class DrainSender {
  #queue: SizedRecord[] = [];
  #head = 0;
  /** Total size of the queue and of the batch that is being sent, in bytes. */
  #bytes = 0;
  #inFlight = 0;
  #inFlightBytes = 0;
  #sent = 0;
  #dropped = 0;
  /**
   * How many dropped records have yet to be reported to the receiver (`#unsaid`) and to the
   * operator (`#untold`).
   */
  #unsaid = 0;
  #untold = 0;
  #toldAt = -Infinity;
  #lastSuccessAt: number | null = null;
  #lastError: { readonly at: number; readonly problem: string } | undefined;
  #running: Promise<void> | undefined;
  #isClosing = false;
  /** Whether the sender is waiting for more records rather than for the endpoint. */
  #isGathering = false;
  #wake = () => {};
  /** Aborts the current request when the sender closes. */
  readonly #closed = new AbortController();
  readonly #metrics = new RequestMetrics();
  /** When to send metrics again, according to the platform's clock. */
  #metricsAfter = 0;

  readonly endpoint: Endpoint;
  readonly #parts: SenderParts;
  readonly #times: SendTimes;

  constructor(endpoint: Endpoint, parts: SenderParts) {
    this.endpoint = endpoint;
    this.#parts = parts;
    this.#times = parts.times ?? TIMES;
    parts.budget.holders.add(this);
  }

  get held(): number {
    return this.#bytes - this.#inFlightBytes;
  }

  /** Drops the oldest waiting records until `bytes` bytes are free. */
  dropOldest(bytes: number): void {
    let [freed, dropped] = [0, 0];
    while (this.#size > 0 && freed < bytes) {
      const { size } = this.#shift();
      this.#free(size);
      freed += size;
      dropped++;
    }
    this.drop(dropped);
  }

  get health(): SenderHealth {
    return {
      sent: this.#sent,
      dropped: this.#dropped,
      waiting: this.#size + this.#inFlight,
      lastSuccessAt: this.#lastSuccessAt,
      lastErrorAt: this.#lastError?.at ?? null,
      lastError: this.#lastError?.problem ?? null,
    };
  }

  get #size(): number {
    return this.#queue.length - this.#head;
  }

  add(record: SizedRecord): void {
    if (this.#isClosing) return;
    const { budget } = this.#parts;
    this.#queue.push(record);
    this.#bytes += record.size;
    budget.used += record.size;
    let dropped = 0;
    while (this.#size > 0 && (this.#size > QUEUE_RECORDS || this.#bytes > QUEUE_BYTES)) {
      this.#free(this.#shift().size);
      dropped++;
    }
    this.drop(dropped);
    budget.makeRoom();
    if (this.#isGathering && this.#size >= BATCH_RECORDS) this.#wake();
    this.#start();
  }

  #start(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
      if (this.#size > 0) this.#start();
    });
  }

  /** Counts records that will not be sent. */
  drop(count: number): void {
    if (count === 0) return;
    this.#dropped += count;
    this.#unsaid += count;
    this.#untold += count;
    const now = this.#parts.now();
    if (now - this.#toldAt < TOLD_MS) return;
    const { host } = new URL(this.endpoint.url);
    const reason = this.#lastError?.problem ?? "more arrived than could be sent";
    const records = formatCount(this.#untold, "log record");
    // These are set first, because the log line itself may become a dropped record.
    this.#toldAt = now;
    this.#untold = 0;
    this.#parts.onTrouble(`Dropped ${records} for the drain ${host}: ${reason}`);
  }

  count(
    owner: { readonly deploymentId: string; readonly resource: OtlpResource },
    request: Extract<LogEntry, { type: "request" }>,
  ): void {
    const now = this.#parts.now();
    if (now >= this.#metricsAfter) this.#metrics.add({ ...owner, now }, request);
  }

  /** Sends the metrics once, without retries, because the next export includes them. */
  async sendMetrics(): Promise<void> {
    if (this.#parts.now() < this.#metricsAfter) return;
    const own = this.#parts.ownMetrics?.();
    const metrics = [...this.#metrics.collect(this.#parts.now()), ...own ? [own] : []];
    if (metrics.length === 0) return;
    const body = await packMetrics(metrics);
    const outcome = await this.#post("metrics", body);
    // Either the endpoint accepts only logs, or it is being replaced.
    if (outcome.status === 404) this.#metricsAfter = this.#parts.now() + NO_METRICS_MS;
    this.#note(outcome, "Metrics: ");
  }

  async test(): Promise<PostOutcome> {
    const { resource, now } = this.#parts;
    const body = await packLogs([sampleRecord(resource, now()).record]);
    const outcome = await this.#post("logs", body);
    this.#note(outcome);
    return outcome;
  }

  /** Accepts no more records, and tries once to send the rest, for at most `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    this.#wake();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, graceMs));
    const last = graceMs === 0 ? undefined : this.sendMetrics();
    await Promise.race([Promise.all([this.#running, last]), late]);
    clearTimeout(timer);
    this.#closed.abort();
    while (this.#size > 0) this.#free(this.#shift().size);
    this.#parts.budget.holders.delete(this);
  }

  async #work(): Promise<void> {
    while (this.#size > 0) {
      if (this.#size < BATCH_RECORDS) {
        this.#isGathering = true;
        await this.#pause(this.#times.batchMs);
        this.#isGathering = false;
      }
      await this.#sendNext();
    }
  }

  #shift(): SizedRecord {
    const record = this.#queue[this.#head]!;
    this.#head++;
    if (this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return record;
  }

  #free(bytes: number): void {
    this.#bytes -= bytes;
    this.#parts.budget.used -= bytes;
  }

  /** Takes the next records, and drops those that are too old. */
  #take(): SizedRecord[] {
    const batch: SizedRecord[] = [];
    const oldest = this.#parts.now() - MAX_AGE_MS;
    let [bytes, expired] = [0, 0];
    while (this.#size > 0 && batch.length < BATCH_RECORDS && bytes < BATCH_BYTES) {
      const record = this.#shift();
      if (record.time < oldest) {
        this.#free(record.size);
        expired++;
      } else {
        batch.push(record);
        bytes += record.size;
      }
    }
    this.drop(expired);
    return batch;
  }

  async #sendNext(): Promise<void> {
    const batch = this.#take();
    if (batch.length === 0) return;
    this.#inFlight = batch.length;
    this.#inFlightBytes = batch.reduce((sum, { size }) => sum + size, 0);
    const lost = await this.#sendBatch(batch).catch((error) => {
      this.#lastError = { at: this.#parts.now(), problem: messageOf(error) };
      return batch.length;
    });
    this.#inFlight = 0;
    this.#sent += batch.length - lost;
    this.#free(this.#inFlightBytes);
    this.#inFlightBytes = 0;
    this.drop(lost);
  }

  /**
   * Sends the records until the endpoint accepts or rejects them, or until they are too old.
   * Returns the number of lost records.
   */
  async #sendBatch(batch: readonly SizedRecord[]): Promise<number> {
    const { now, resource } = this.#parts;
    const said = this.#unsaid;
    const report = said === 0 ? [] : [droppedRecord(resource, said, now())];
    const body = await packLogs([...report, ...batch].map(({ record }) => record));
    const { retryMs, maxRetryMs, batchMs } = this.#times;
    for (let waitMs = retryMs;; waitMs = Math.min(2 * waitMs, maxRetryMs)) {
      if (this.#closed.signal.aborted) return batch.length;
      const outcome = await this.#post("logs", body);
      this.#note(outcome);
      if (outcome.type === "accepted") {
        this.#unsaid -= said;
        return Math.min(outcome.rejected, batch.length);
      }
      if (outcome.type === "refused") {
        await this.#pause(batchMs);
        return batch.length;
      }
      const pauseMs = Math.max(this.#spread(waitMs), outcome.retryAfterMs ?? 0);
      await this.#pause(Math.min(pauseMs, MAX_RETRY_AFTER_MS));
      if (this.#isClosing || batch[0]!.time < now() - MAX_AGE_MS) return batch.length;
    }
  }

  #post(signal: Signal, body: Uint8Array<ArrayBuffer>): Promise<PostOutcome> {
    return postBatch(
      this.endpoint,
      { signal, body, closed: this.#closed.signal },
      this.#parts,
    );
  }

  /**
   * Returns a random time between half the given time and all of it, so nodes do not retry
   * simultaneously.
   */
  #spread(ms: number): number {
    return ms * (0.5 + this.#parts.random(1)[0]! / 510);
  }

  #note(outcome: PostOutcome, prefix = ""): void {
    const now = this.#parts.now();
    if (outcome.type === "accepted") this.#lastSuccessAt = now;
    if (outcome.problem !== undefined) {
      this.#lastError = { at: now, problem: `${prefix}${outcome.problem}` };
    }
  }

  /** Waits until the time is up, the sender closes, or it is woken. */
  async #pause(ms: number): Promise<void> {
    if (this.#isClosing) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
