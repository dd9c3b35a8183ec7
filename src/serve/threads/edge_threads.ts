/**
 * The edge threads of a platform: started together, replaced where one dies, and told
 * by the feed what has changed.
 *
 * @module
 */
import { setTimeout as delay } from "node:timers/promises";
import type { PoolMemory, RuleCount, SharedCounters } from "../../edge/mod.ts";
import type { Publisher } from "../../feed/mod.ts";
import { nextTurn } from "../../lib/next_turn.ts";
import type { Edges } from "../../platform/core/foundation.ts";
import { type createHostDispatch, faultAnswer } from "../../platform/core/http/mod.ts";
import type { FunctionLinks, ServerLinks } from "../../runtime/mod.ts";
import { EarlyAnswers } from "../early_answers.ts";
import type { Listeners, ListenOptions } from "../listeners.ts";
import { alone } from "./batch_port.ts";
import type { ForwardedConnection } from "./forwarded_requests.ts";
import { choosePorts, divideLimits } from "./thread_listen.ts";
import { ThreadHandle, type ThreadServices } from "./thread_handle.ts";
import type { EdgeThreadsOptions } from "./threads_options.ts";
import type { Inquiry, Question } from "./wire.ts";

/** Time between two attempts to replace a thread that cannot be started, in milliseconds. */
const AGAIN_MS = 500;
/** How often it is looked whether all threads still run, in milliseconds. */
const WATCH_MS = 1000;

/** What the platform answers the questions of threads with, once it is there. */
export type ThreadAnswers = Pick<ThreadServices, "answer" | "addLines" | "addCounts">;

const NOTHING_YET: ThreadAnswers = {
  answer: () => Promise.resolve(undefined),
  addLines: () => {},
  addCounts: () => {},
};

export class EdgeThreads implements Listeners, Edges {
  readonly port: number;
  readonly httpsPort: number | undefined;
  readonly finished: Promise<void>;
  /** By their index, a spare one among them. */
  readonly #threads: (ThreadHandle | undefined)[] = [];
  /** Has started and follows the feed, so that it can take the place of one that ends. */
  #spare: ThreadHandle | undefined;
  /** Those that are started until they do: nobody else replaces them. */
  readonly #starting = new Set<number>();
  readonly #ended = Promise.withResolvers<void>();
  /** Resolves when one thread listens. */
  readonly #first: Promise<void>;
  readonly #early: EarlyAnswers;
  #dispatch: ReturnType<typeof createHostDispatch>;
  #certificates: Parameters<Listeners["open"]>[1];
  #answers: ThreadAnswers = NOTHING_YET;
  #feed: Publisher | undefined;
  #completing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #isDiverted = false;
  #isLeaving = false;
  readonly #watching: ReturnType<typeof setInterval>;
  readonly #faultAnswer: (error: unknown) => Response;

  private constructor(
    private readonly options: EdgeThreadsOptions,
    private readonly listen: ListenOptions,
  ) {
    this.port = listen.port;
    this.#early = new EarlyAnswers(listen.takesOver);
    this.#dispatch = this.#early.dispatch;
    this.#certificates = this.#early.certificates;
    const isSecure = listen.tls !== undefined || listen.ordersCertificates;
    this.httpsPort = isSecure ? listen.httpsPort : undefined;
    this.finished = this.#ended.promise;
    this.#faultAnswer = faultAnswer(options.log);
    options.links.onOpened = (lease) => {
      for (const thread of this.#threads) thread?.send({ type: "server_opened", lease });
    };
    options.functions.onTold = (member, deploymentId, generation, frame) =>
      this.#threads[member - 1]?.send({
        ...{ type: "function_frame", deploymentId, generation },
        frame: { ...frame, payload: alone(frame.payload) },
      });
    options.functions.onEnded = (generation, { reason, message }) => {
      for (const thread of this.#threads) {
        thread?.send({ type: "functions_ended", generation, reason, message });
      }
    };
    this.#watching = setInterval(() => this.#watch(), WATCH_MS);
    this.#first = this.#openThread(0);
    this.#first.catch(() => {});
  }

  /**
   * Starts the first thread, which may listen only later, at the latest when {@link serve} is
   * done. Where another platform is replaced, all threads listen when this resolves.
   *
   * @throws {Deno.errors.AddrInUse} when a port is taken.
   * @throws {ListenError} when the address is not one of this machine's, or needs more rights.
   */
  static async open(options: EdgeThreadsOptions): Promise<EdgeThreads> {
    const listen = await choosePorts({
      ...options.listen,
      connections: divideLimits(options.listen.connections, options.count),
      reusePort: true,
    });
    const threads = new EdgeThreads(options, listen);
    if (!listen.takesOver) return threads;
    try {
      const others = threads.#otherIndexes().map((index) => threads.#openThread(index));
      await Promise.all([threads.#first, ...others]);
      return threads;
    } catch (error) {
      await threads.close();
      throw error;
    }
  }

  /** What the platform shares with the threads. */
  get shared(): {
    readonly counters: SharedCounters;
    /** Name of all edges in `Via`. */
    readonly pseudonym: string;
    readonly requestCounts: SharedArrayBuffer;
    /** Where the bodies of cached responses lie. */
    readonly bodies: PoolMemory;
    readonly links: ServerLinks;
    readonly functions: FunctionLinks;
    /** How many threads there are, with the spare one. */
    readonly count: number;
  } {
    const { links, functions, count, start } = this.options;
    const { counters, pseudonym, requestCounts, bodies } = start;
    return { counters, pseudonym, requestCounts, bodies, links, functions, count: count + 1 };
  }

  open(
    dispatch: ReturnType<typeof createHostDispatch>,
    certificates: Parameters<Listeners["open"]>[1],
  ): void {
    this.#dispatch = dispatch;
    this.#certificates = certificates;
    this.#early.open(dispatch, certificates);
  }

  /**
   * Has the threads hand over all requests until {@link serve} is called again; resolves
   * when all of them do.
   */
  async divert(): Promise<void> {
    this.#isDiverted = true;
    await this.#inquire({ type: "divert" });
  }

  /**
   * Lets the threads answer by themselves what the feed tells them; resolves when those that
   * have been started do.
   *
   * @throws where the first thread cannot listen.
   */
  async serve(feed: Publisher, answers: ThreadAnswers): Promise<void> {
    await this.#first;
    this.#feed = feed;
    this.#answers = answers;
    await Promise.all(this.#threads.map((thread) => thread?.subscribe(feed)));
    if (this.#isDiverted) await this.#inquire({ type: "resume" });
    this.#isDiverted = false;
  }

  /** Starts the other threads, and a spare one; resolves when all but that one listen. */
  complete(): Promise<void> {
    return this.#completing ??= this.#complete();
  }

  async #complete(): Promise<void> {
    const opening: Promise<void>[] = [];
    for (const index of this.listen.takesOver ? [] : this.#otherIndexes()) {
      // The start of a worker keeps this thread for some milliseconds: requests go first.
      await nextTurn();
      opening.push(this.#replace(index));
    }
    await Promise.all([this.#first, ...opening]);
    void this.#startSpare(this.options.count);
  }

  /** Those of all threads but the first and the spare one. */
  #otherIndexes(): readonly number[] {
    return Array.from({ length: this.options.count - 1 }, (_, index) => index + 1);
  }

  async certificatesChanged(hostnames: readonly string[]): Promise<void> {
    await this.#inquire({ type: "certificates", hostnames });
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    await this.#inquire({ type: "leave" });
  }

  async collectLines(): Promise<void> {
    await this.#inquire({ type: "lines" });
  }

  async collectTraffic(): Promise<void> {
    await this.#inquire({ type: "traffic" });
  }

  async ruleCounts(hostname: string): Promise<readonly (readonly RuleCount[])[]> {
    const found = await this.#inquire({ type: "rule_counts", hostname });
    return found.filter((counts) => counts !== undefined) as (readonly RuleCount[])[];
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    clearInterval(this.#watching);
    this.#early.close();
    await Promise.all(this.#threads.map((thread) => thread?.stop()));
    this.#ended.resolve();
  }

  /** Asks all threads; a thread that ends has no answer. */
  #inquire(inquiry: Inquiry): Promise<unknown[]> {
    return Promise.all(
      this.#threads.map((thread) => thread?.inquire(inquiry).catch(() => undefined)),
    );
  }

  /** Starts a thread, which knows what the feed says but does not listen yet. */
  async #startThread(index: number): Promise<ThreadHandle> {
    const { start, links, functions, log } = this.options;
    const thread = new ThreadHandle({
      start: { ...start, index, listen: this.listen },
      ...{ links, functions, log },
      answer: (question) => this.#answer(question),
      addLines: (projectId, lines) => this.#answers.addLines(projectId, lines),
      addCounts: (counts) => this.#answers.addCounts(counts),
      respond: (request, connection) => this.#respond(request, connection),
      onEnd: (reason) => this.#threadEnded(index, thread, reason),
    });
    this.#threads[index] = thread;
    await thread.ready;
    if (this.#feed !== undefined) await thread.subscribe(this.#feed);
    if (this.#isLeaving) await thread.inquire({ type: "leave" });
    if (thread.ended !== undefined) throw thread.ended;
    return thread;
  }

  async #openThread(index: number): Promise<void> {
    const thread = await this.#startThread(index);
    await thread.listen();
  }

  #answer(question: Question): Promise<unknown> {
    switch (question.type) {
      case "certificate":
        return Promise.resolve(this.#certificates?.find(question.hostname));
      case "failure":
        return this.options.links.explain(question.failure);
      case "functions":
        return Promise.resolve(this.options.functions.find(question.deploymentId)?.lease());
      default:
        return this.#answers.answer(question);
    }
  }

  async #respond(request: Request, connection: ForwardedConnection): Promise<Response> {
    try {
      return await this.#dispatch[connection.scheme](request, connection);
    } catch (error) {
      return this.#faultAnswer(error);
    }
  }

  #watch(): void {
    for (const thread of this.#threads) thread?.watch();
  }

  /** Puts another thread in the place of one that has ended by itself. */
  #threadEnded(index: number, thread: ThreadHandle, reason: string): void {
    if (this.#threads[index] !== thread || this.#starting.has(index)) return;
    this.#threads[index] = undefined;
    const isSpare = this.#spare === thread;
    this.options.log({
      level: "error",
      message: `Edge thread ${index} has ended and is replaced: ${reason}`,
    });
    const spare = this.#spare;
    this.#spare = undefined;
    if (isSpare) void this.#startSpare(index);
    else if (spare === undefined) void this.#replace(index);
    else void this.#promote(spare, index);
  }

  /** Lets the spare thread listen; another one is started once it does. */
  async #promote(spare: ThreadHandle, index: number): Promise<void> {
    // One that cannot listen has ended, and is replaced in turn.
    await spare.listen().catch(() => {});
    await this.#startSpare(index);
  }

  async #startSpare(index: number): Promise<void> {
    const thread = await this.#keepStarting(index, (started) => Promise.resolve(started));
    if (thread !== undefined) this.#spare = thread;
  }

  async #replace(index: number): Promise<void> {
    await this.#keepStarting(index, (thread) => thread.listen());
  }

  /** Starts a thread, again and again where it cannot be started. */
  async #keepStarting<Result>(
    index: number,
    then: (thread: ThreadHandle) => Promise<Result>,
  ): Promise<Result | undefined> {
    this.#starting.add(index);
    while (this.#closing === undefined) {
      try {
        const result = await then(await this.#startThread(index));
        this.#starting.delete(index);
        return result;
      } catch (error) {
        this.#threads[index] = undefined;
        this.options.log({
          level: "error",
          message: `Cannot start edge thread ${index}: ${error}`,
        });
        await delay(AGAIN_MS);
      }
    }
    return undefined;
  }
}
