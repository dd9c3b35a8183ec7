/**
 * An edge in a thread of its own: it accepts connections, answers what the files and
 * rules of sites can answer, and hands everything else over to the platform.
 *
 * @module
 */
import {
  borrowBodies,
  createEdge,
  createHttpCache,
  type EdgeHandler,
  type LoadedGeo,
  loadGeo,
} from "../../edge/mod.ts";
import { type FeedMessage, Subscriber } from "../../feed/mod.ts";
import { systemClock, systemRandom } from "../../lib/clock.ts";
import {
  DEFAULT_HTTPS_PORT,
  type OrderedCertificates,
} from "../../platform/certificates/secure_listener.ts";
import { createHostDispatch } from "../../platform/core/http/host_dispatch.ts";
import { apiHosts } from "../../platform/core/http/hostname.ts";
import { requestIds } from "../../platform/core/http/request_id.ts";
import type { PlatformLog } from "../../platform/core/log.ts";
import { LinkedServers } from "../../runtime/compute/link/mod.ts";
import { LinkedFunctions } from "../../runtime/functions/link/mod.ts";
import { type Listeners, openListeners } from "../listeners.ts";
import { RequestCounters } from "../operations/metrics.ts";
import { TrafficCounter } from "../../traffic/mod.ts";
import { type AboutRequest, Forwarder } from "./forwarder.ts";
import { LineBatch } from "./line_batch.ts";
import { toError } from "./refusal.ts";
import { alone } from "./batch_port.ts";
import { Questions } from "./questions.ts";
import { ThreadSites } from "./thread_sites.ts";
import type { Answers, Inquiry, Question, ThreadStart, ToPlatform, ToThread } from "./wire.ts";

const NO_BYTES = new Uint8Array();

/** Part of a thread's memory for responses that is for bodies in the form in which they are sent. */
const HELD_SHARE = 1 / 4;

const CHALLENGES = "/.well-known/acme-challenge/";

export class EdgeThread {
  readonly #questions: Questions<Question>;
  readonly #lines: LineBatch;
  readonly #traffic: TrafficCounter;
  readonly #forwarder: Forwarder;
  readonly #sites: ThreadSites;
  readonly #cache: ReturnType<typeof createHttpCache>;
  readonly #servers: LinkedServers;
  readonly #functions: LinkedFunctions;
  /** Of requests that it answers itself: the platform counts the others. */
  readonly #counters: RequestCounters;
  readonly #subscriber: Subscriber;
  #listeners: Listeners | undefined;
  #geo: LoadedGeo | undefined;
  /** Answers what it can by itself. */
  #own: ReturnType<typeof createHostDispatch> | undefined;
  /** Also where it does not listen yet. */
  #isLeaving = false;

  constructor(
    private readonly start: ThreadStart,
    private readonly send: (message: ToPlatform) => void,
  ) {
    this.#questions = new Questions((id, question) => send({ type: "ask", id, question }));
    this.#lines = new LineBatch((projects) => send({ type: "lines", projects }));
    this.#traffic = new TrafficCounter({
      salt: (day) => this.#ask({ type: "salt", day }),
      onError: (error) => this.#warn(`Edge thread ${start.index}: ${error}`),
    });
    // The platform is the first to count.
    this.#counters = new RequestCounters(start.requestCounts, start.index + 1);
    this.#forwarder = new Forwarder(send);
    this.#sites = new ThreadSites({
      ask: this.#ask,
      onDamaged: (message) => this.#log({ level: "error", message }),
    });
    this.#servers = new LinkedServers({
      slots: start.slots,
      // The platform is the first member.
      member: start.index + 1,
      explain: (failure) => this.#ask({ type: "failure", failure }),
      left: (slot) => send({ type: "server_left", slot }),
    });
    this.#functions = new LinkedFunctions({
      slots: start.slots,
      member: start.index + 1,
      lease: (deploymentId) => this.#ask({ type: "functions", deploymentId }),
      send: (deploymentId, generation, { payload, ...frame }) =>
        send({
          ...{ type: "function_frame", deploymentId, generation },
          frame: payload === undefined ? frame : { ...frame, payload: alone(payload) },
        }),
      log: (deploymentId, entry) => send({ type: "function_line", deploymentId, entry }),
      left: (slot) => send({ type: "server_left", slot }),
      fetch: (asked, request) => this.#forwarder.fetch(asked, request),
    });
    const heldBytes = Math.floor(start.cacheBytes * HELD_SHARE);
    this.#cache = createHttpCache({
      ...{ now: systemClock, capacityBytes: start.cacheBytes - heldBytes, isOfCopies: true },
      bodies: borrowBodies(start.bodies, heldBytes),
      onInvalid: (uris) => this.#ask({ type: "invalid", uris }),
    });
    this.#subscriber = new Subscriber({
      apply: (message) => this.#apply(message),
      replace: (messages) => {
        // A purge may be among what was missed.
        this.#cache.clear();
        this.#sites.replace(messages);
      },
      applied: (place) => send({ type: "applied", place }),
      onGap: () => send({ type: "gap" }),
      onError: (error) =>
        this.#log({ level: "warn", message: `Edge thread ${start.index}: ${error}` }),
    });
  }

  /** Reads what it needs, so that it can listen at once when it is told to. */
  async prepare(): Promise<void> {
    const { geoip, asn } = this.start;
    this.#geo = await loadGeo({ geoip, asn }, { warn: this.#warn });
    this.send({ type: "ready" });
  }

  /** Listens, and has the platform answer all requests until the first snapshot has come. */
  async #listen(): Promise<void> {
    const listeners = await openListeners(this.start.listen, this.#log);
    this.#listeners = listeners;
    if (this.#isLeaving) await listeners.leave();
    this.#own = this.#dispatch(this.#edge(this.#geo!));
    listeners.open(this.#own, this.#certificates);
    const { port, httpsPort } = listeners;
    this.send({ type: "listening", port, httpsPort });
  }

  /** Takes a message of the platform. */
  receive(message: Exclude<ToThread, { readonly type: "start" }>): void {
    switch (message.type) {
      case "snapshot":
        this.#traffic.prepare(systemClock());
        return this.#subscriber.reset(message.snapshot);
      case "change":
        return this.#subscriber.receive(message.change);
      case "server_opened":
        return this.#servers.opened(message.lease);
      case "function_frame":
        return this.#functions.take(message.generation, { payload: NO_BYTES, ...message.frame });
      case "functions_ended":
        return this.#functions.ended(message.generation, message);
      case "copy":
        return this.#cache.adopt(message.copy);
      case "answer":
        return this.#questions.answer(message.id, message.value);
      case "refusal":
        return this.#questions.refuse(message.id, toError(message));
      case "inquire":
        return void this.#find(message.id, message.inquiry);
      case "listen":
        return void this.#listen().catch(this.fail);
      case "stop":
        return void this.#stop();
      default:
        return this.#forwarder.receive(message satisfies AboutRequest);
    }
  }

  #apply(message: FeedMessage): void | Promise<void> {
    switch (message.type) {
      case "cache_purged":
        return this.#cache.purgeSince(message);
      case "cache_cleared":
        return this.#cache.clear();
      case "cache_invalidated":
        return this.#cache.removeUris(message.uris);
      case "deployment_removed":
        this.#functions.forget(message.deploymentId);
        return this.#sites.apply(message);
      default:
        return this.#sites.apply(message);
    }
  }

  /** Reports that it cannot go on. */
  readonly fail = (error: unknown): void => {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    this.send({ type: "failed", name, message });
  };

  readonly #log = (line: PlatformLog): void => this.send({ type: "log", line });
  readonly #warn = (message: string): void => this.#log({ level: "warn", message });

  readonly #ask = <Asked extends Question>(question: Asked) =>
    this.#questions.ask(question) as Promise<Answers[Asked["type"]]>;

  #edge(geo: Awaited<ReturnType<typeof loadGeo>>): EdgeHandler {
    const { listen, counters, pseudonym, staticCacheBytes } = this.start;
    return createEdge({
      ...geo,
      cache: this.#cache,
      ...{ counters, pseudonym, cacheBytes: staticCacheBytes, trustProxy: listen.trustProxy },
      resolveHost: this.#sites.resolve,
      record: (record) => {
        this.#counters.add("edge", record.status);
        this.#lines.record(record);
      },
      count: this.#traffic.count,
      countVitals: this.#traffic.countVitals,
      now: systemClock,
      random: systemRandom,
      requestId: requestIds(systemRandom),
      handOver: this.#forwarder.forward,
      routeElsewhere: this.#forwarder.route,
      servers: this.#servers,
      functions: this.#functions,
      onError: (cause, id) => {
        const reason = cause instanceof Error ? cause.stack ?? cause.message : String(cause);
        this.#log({ level: "error", message: `Request ${id} failed: ${reason}` });
      },
    });
  }

  readonly #certificates: OrderedCertificates = {
    find: (hostname) => this.#ask({ type: "certificate", hostname }),
  };

  #dispatch(edge: EdgeHandler): ReturnType<typeof createHostDispatch> {
    const { listen, apiHosts: names } = this.start;
    const { forward } = this.#forwarder;
    const { domains } = this.#sites;
    const redirectsToHttps = listen.ordersCertificates &&
      (listen.httpsPort ?? DEFAULT_HTTPS_PORT) === DEFAULT_HTTPS_PORT;
    return createHostDispatch({
      isApi: apiHosts(names),
      api: forward,
      edge,
      hosts: domains,
      challenges: {
        // The platform knows the challenges, and which names have certificates.
        answer: (request, connection) =>
          redirectsToHttps || request.url.includes(CHALLENGES)
            ? forward(request, connection)
            : undefined,
      },
    });
  }

  async #find(id: number, inquiry: Inquiry): Promise<void> {
    if (inquiry.type === "traffic") this.#sendTraffic();
    else this.#lines.flush();
    if (inquiry.type === "certificates") {
      await this.#listeners?.certificatesChanged(inquiry.hostnames);
    }
    if (inquiry.type === "divert") {
      const { forward } = this.#forwarder;
      this.#listeners?.open({ http: forward, https: forward }, this.#certificates);
    }
    if (inquiry.type === "leave") {
      this.#isLeaving = true;
      await this.#listeners?.leave();
    }
    if (inquiry.type === "resume") this.#listeners?.open(this.#own!, this.#certificates);
    const value = inquiry.type === "rule_counts"
      ? await this.#sites.ruleCounts(inquiry.hostname)
      : undefined;
    this.send({ type: "found", id, value });
  }

  #sendTraffic(): void {
    const counts = this.#traffic.take();
    if (counts.length > 0) this.send({ type: "traffic", counts });
  }

  async #stop(): Promise<void> {
    await this.#listeners?.close();
    this.#lines.flush();
    this.#sendTraffic();
    this.send({ type: "stopped" });
  }
}
