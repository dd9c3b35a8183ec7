/** @module The project's queues in memory, delivered by the platform's own code. */
import type { Site } from "../../edge/mod.ts";
import { systemClock, systemRandom } from "../../lib/clock.ts";
import { mintWebhookSecret } from "../../lib/sign_webhook.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { answerSend, isQueuePath } from "../../platform/queues/local_requests.ts";
import type { QueueMessage, QueuePlace } from "../../platform/queues/message.ts";
import { QueueService } from "../../platform/queues/queue_service.ts";
import type { Ending } from "../../platform/queues/queue_store.ts";
import { DenoStore } from "../../store/mod.ts";
import type { DevLevel, DevReport } from "../options.ts";

/** ID of the project in development. */
export const LOCAL_PROJECT = "local";
const ENVIRONMENT = "development";
/** Name of the only host. Messages contain this name. */
const LABEL = "site";

/** This process, which is the only one that delivers messages. */
const NODES = {
  instance: "dev",
  isAlive: () => Promise.resolve(false),
  onDeath() {},
  count: () => 1,
};

export interface LocalQueues {
  /** The secret that the server uses to verify messages. */
  readonly secret: string;
  /** Handles a request that sends a message. Returns `undefined` for any other request. */
  answer(request: Request): Promise<Response> | undefined;
  /**
   * Delivers to the current site from now on. Messages that were sent earlier wait until this call.
   */
  start(current: () => Site | undefined): Promise<void>;
  /** Stops the current deliveries. Further calls do nothing. */
  close(): Promise<void>;
}

/** Describes the result of a delivery as a line for the terminal. */
function describeEnding(queue: string, { attempts }: QueueMessage, ending: Ending): string {
  const attempt = `Queue ${queue}: attempt ${attempts + 1}`;
  switch (ending.type) {
    case "done":
      return `${attempt} delivered a message`;
    case "again": {
      const seconds = Math.ceil((ending.at - systemClock()) / 1000);
      return `${attempt} failed. Retrying in ${seconds} s. ${ending.reason}`;
    }
    case "dead":
      return `${attempt} failed. It was the last one. ${ending.reason}`;
  }
}

const LEVELS: Readonly<Record<Ending["type"], DevLevel>> = {
  done: "info",
  again: "warn",
  dead: "error",
};

/** @param url URL of the site for browsers */
export async function openLocalQueues(
  url: string,
  say: DevReport["say"],
): Promise<LocalQueues> {
  const kv = await DenoStore.open(":memory:");
  const started = Promise.withResolvers<() => Site | undefined>();
  const site = async () => (await started.promise)();
  const closing = new AbortController();
  const secret = mintWebhookSecret(systemRandom);
  const onTrouble = (message: string) => say("warn", message);
  const service = new QueueService({
    kv,
    now: systemClock,
    random: systemRandom,
    nodes: NODES,
    sites: { resolve: site },
    addresses: { hostname: () => LABEL, url: () => url },
    secretOf: () => secret,
    record() {},
    ended: ([, , queue], message, ending) =>
      say(LEVELS[ending.type], describeEnding(queue, message, ending)),
    onTrouble,
    closing: closing.signal,
  });

  async function send(queue: string, message: Parameters<typeof service.send>[1]) {
    const place: QueuePlace = [LOCAL_PROJECT, ENVIRONMENT, queue];
    if (!(await site())?.queues.has(queue)) {
      throw new Failure(
        "not_found",
        `The project has no queue "${queue}". Declare it as [[queues]] in svc.toml and restart svc dev`,
      );
    }
    return await service.send(place, message);
  }

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    started.resolve(() => undefined);
    closing.abort(new DOMException("The dev server is stopping", "AbortError"));
    await service.close();
    kv.close();
  }

  return {
    secret,
    answer(request) {
      if (!isQueuePath(new URL(request.url).pathname)) return undefined;
      return answerSend(request, {
        now: systemClock(),
        onTrouble,
        send: (queue, message) => send(queue, { ...message, labels: [LABEL] }),
      });
    },
    async start(current) {
      started.resolve(current);
      await service.start();
    },
    close: () => closed ??= close(),
  };
}
