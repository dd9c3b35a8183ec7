/**
 * One edge thread, as the platform sees it.
 *
 * @module
 */
import type { Publisher, Subscribed } from "../../feed/mod.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import { type FunctionLinks, type ServerLinks, workerUrl } from "../../runtime/mod.ts";
import type { DeploymentCounts } from "../../traffic/mod.ts";
import { BatchPort } from "./batch_port.ts";
import {
  type AboutForwarded,
  type ForwardedConnection,
  ForwardedRequests,
} from "./forwarded_requests.ts";
import { Questions } from "./questions.ts";
import { toRefusal } from "./refusal.ts";
import type { Inquiry, Question, ThreadStart, ToPlatform, ToThread } from "./wire.ts";

const MODULE = workerUrl("edge_thread.js", new URL("./thread_main.ts", import.meta.url));

/** Longest time in which a thread must say something when asked, in milliseconds. */
const SILENCE_MS = 10_000;

/** Longest time that a thread may take to end: as long as its requests may, and some more. */
const STOP_MS = 15_000;

export interface ThreadServices {
  readonly start: ThreadStart;
  /** The servers that threads use. */
  readonly links: ServerLinks;
  /** The functions that threads call. */
  readonly functions: FunctionLinks;
  log(line: PlatformLog): void;
  answer(question: Question): Promise<unknown>;
  addLines(projectId: string, lines: string): void;
  addCounts(counts: readonly DeploymentCounts[]): void;
  respond(request: Request, connection: ForwardedConnection): Promise<Response>;
  /** Called once, where the thread ends without having been stopped. */
  onEnd(reason: string): void;
}

export class ThreadHandle {
  /** Resolves when it can listen; rejects where it ends before. */
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #port: BatchPort<ToThread>;
  readonly #requests: ForwardedRequests;
  readonly #inquiries: Questions<Inquiry>;
  readonly #ready = Promise.withResolvers<void>();
  readonly #listening = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  #feed: Publisher | undefined;
  #subscribed: Subscribed | undefined;
  #ended: Error | undefined;
  #state: "starting" | "spare" | "running" | "stopping" | "ended" = "starting";
  /** Since when an answer is awaited, by a monotonic clock. */
  #askedAt: number | undefined;

  constructor(private readonly services: ThreadServices) {
    const { start } = services;
    this.#worker = new Worker(MODULE, { type: "module", name: `edge ${start.index}` });
    this.#port = new BatchPort<ToThread>(this.#worker);
    this.send = (message) => this.#port.send(message);
    this.#requests = new ForwardedRequests({
      send: this.send,
      answer: services.respond,
      fetch: ({ deploymentId, to }, request) =>
        services.functions.find(deploymentId)?.fetch(to, request) ??
          Promise.reject(new TypeError("The deployment has been shut down")),
    });
    this.#inquiries = new Questions((id, inquiry) => this.send({ type: "inquire", id, inquiry }));
    this.ready = this.#ready.promise;
    for (const { promise } of [this.#ready, this.#listening]) promise.catch(() => {});
    this.#worker.onmessage = ({ data }: MessageEvent<readonly ToPlatform[]>) => {
      for (const message of data) this.#receive(message);
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.end(event.message);
    };
    this.send({ type: "start", ...start });
  }

  readonly send: (message: ToThread) => void;

  /** Why it has ended; `undefined` if it has not. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** Lets it take connections; rejects where it cannot. */
  listen(): Promise<void> {
    if (this.#state === "spare") this.send({ type: "listen" });
    return this.#listening.promise;
  }

  /** Tells the thread what is true, and from then on what changes; resolves when it knows. */
  async subscribe(feed: Publisher): Promise<void> {
    this.#subscribed?.end();
    const known = Promise.withResolvers<void>();
    const { snapshot, entry } = feed.subscribe({
      send: (change) => this.send({ type: "change", change }),
      onLate: ({ message }) => this.end(`it did not apply "${message.type}" in time`),
    });
    this.#feed = feed;
    this.#subscribed = {
      applied(place) {
        entry.applied(place);
        if (place >= snapshot.place) known.resolve();
      },
      end() {
        entry.end();
        known.resolve();
      },
    };
    if (this.#state === "ended") return this.#subscribed.end();
    this.send({ type: "snapshot", snapshot });
    await known.promise;
  }

  /** Asks the thread; rejects where it ends first. */
  inquire(inquiry: Inquiry): Promise<unknown> {
    return this.#state === "running" || this.#state === "spare"
      ? this.#inquiries.ask(inquiry)
      : Promise.reject(new Error("The edge thread has ended"));
  }

  /** Ends the thread where it has been silent for too long. */
  watch(): void {
    if (this.#state !== "running" && this.#state !== "spare") return;
    const now = performance.now();
    if (this.#askedAt === undefined) {
      this.#askedAt = now;
      this.#inquiries.ask({ type: "lines" }).then(() => this.#askedAt = undefined, () => {});
    } else if (now - this.#askedAt > SILENCE_MS) this.end("it does not answer");
  }

  /** Lets it finish its requests, then ends it. */
  async stop(): Promise<void> {
    if (this.#state === "running") {
      this.#state = "stopping";
      this.send({ type: "stop" });
      // A thread that hangs must not keep the platform from ending.
      const late = setTimeout(() => this.#stopped.resolve(), STOP_MS);
      await this.#stopped.promise;
      clearTimeout(late);
    }
    this.#close("stopped");
  }

  /** Ends it at once, and says so. */
  end(reason: string, error = new Error(reason)): void {
    if (this.#state === "ended") return;
    const isFresh = this.#state === "starting";
    this.#ended = error;
    this.#close(reason);
    for (const { reject } of [this.#ready, this.#listening]) reject(error);
    if (!isFresh) this.services.onEnd(reason);
  }

  #close(reason: string): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#worker.terminate();
    this.#subscribed?.end();
    this.#inquiries.end(reason);
    this.services.links.memberEnded(this.services.start.index + 1);
    this.#requests.close();
    this.#stopped.resolve();
  }

  #receive(message: ToPlatform): void {
    switch (message.type) {
      case "ready":
        if (this.#state === "starting") this.#state = "spare";
        for (const lease of this.services.links.leases()) {
          this.send({ type: "server_opened", lease });
        }
        return this.#ready.resolve();
      case "listening":
        if (this.#state === "spare") this.#state = "running";
        return this.#listening.resolve();
      case "failed":
        return this.end(
          message.message,
          message.name === "AddrInUse" ? new Deno.errors.AddrInUse(message.message) : undefined,
        );
      case "stopped":
        return this.#stopped.resolve();
      case "applied":
        return this.#subscribed?.applied(message.place);
      case "gap":
        return this.send({ type: "snapshot", snapshot: this.#feed!.snapshot() });
      case "log":
        return this.services.log(message.line);
      case "lines":
        return message.projects.forEach(({ projectId, lines }) =>
          this.services.addLines(projectId, lines)
        );
      case "traffic":
        return this.services.addCounts(message.counts);
      case "ask":
        return void this.#answer(message.id, message.question);
      case "server_left":
        return this.services.links.left(message.slot);
      case "function_frame":
        return this.#host(message)?.send(message.generation, message.frame);
      case "function_line":
        return this.#host(message)?.log(message.entry);
      case "found":
        return this.#inquiries.answer(message.id, message.value);
      default:
        return this.#requests.receive(message satisfies AboutForwarded);
    }
  }

  #host({ deploymentId }: { readonly deploymentId: string }) {
    return this.services.functions.find(deploymentId);
  }

  async #answer(id: number, question: Question): Promise<void> {
    try {
      this.send({ type: "answer", id, value: await this.services.answer(question) });
    } catch (error) {
      this.send({ type: "refusal", id, ...toRefusal(error) });
    }
  }
}
