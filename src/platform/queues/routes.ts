/**
 * `/v1/projects/{project}/queues`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import type { MessageState, Queue, QueueMessage as WireMessage } from "../../contract/queues.ts";
import type { Clock } from "../../lib/clock.ts";
import type { QueueSettings } from "../../manifest/mod.ts";
import type { RecordStore } from "../../store/mod.ts";
import type { Caller } from "../core/access/mod.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { type EnvironmentStore, findEnvironmentName, latestLabel } from "../environments/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import { listMessages, namesOfQueues } from "./list_messages.ts";
import { dueTime } from "./local_requests.ts";
import { MAX_STORED, type QueueMessage, type QueuePlace } from "./message.ts";
import type { QueueService } from "./queue_service.ts";

interface QueueRouteServices {
  readonly kv: RecordStore;
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly service: QueueService;
  /** Returns the queues that the live deployment on a project's host declares. */
  declaredAt(
    project: Pick<ProjectRecord, "id">,
    label: string,
  ): Promise<ReadonlyMap<string, QueueSettings>>;
  /** Returns the number of deliveries in progress on all nodes. */
  running(place: QueuePlace): Promise<number>;
  readonly now: Clock;
}

/** Maximum number of messages that one request retries or deletes. */
const MAX_CHANGED = 1_000;
const MAX_PREVIEW = 500;

function messageToWire(message: QueueMessage): WireMessage {
  const { id, key, contentType, size, text, attempts, lastReason, sentAt, dueAt, deadAt } = message;
  const isDead = deadAt !== null;
  return {
    id,
    state: isDead ? "dead" : "waiting",
    key,
    contentType,
    size,
    preview: text === null
      ? null
      : [...text.slice(0, 2 * MAX_PREVIEW)].slice(0, MAX_PREVIEW).join(""),
    attempts,
    lastReason,
    sentAt: new Date(sentAt).toISOString(),
    dueAt: isDead ? null : new Date(dueAt).toISOString(),
    deadAt: isDead ? new Date(deadAt).toISOString() : null,
  };
}

export function bindQueueRoutes(router: Router, services: QueueRouteServices): void {
  const { kv, projects, environments, service, declaredAt, running, now } = services;
  const { store } = service;

  async function find(caller: Caller, reference: string, environment: string) {
    const project = await findProject(projects, caller, reference);
    const name = await findEnvironmentName(environments, project, environment);
    return { project, environment: name, label: latestLabel(project, name) };
  }

  async function placeOf(
    caller: Caller,
    params: { readonly project: string; readonly queue: string },
    environment: string,
  ): Promise<QueuePlace> {
    const { project, environment: name, label } = await find(caller, params.project, environment);
    const { queue } = params;
    const isKnown = (await declaredAt(project, label)).has(queue) ||
      (await namesOfQueues(kv, project.id, name)).has(queue);
    if (isKnown) return [project.id, name, queue];
    throw new Failure("not_found", `Environment ${name} has no queue "${queue}"`);
  }

  async function describe(place: QueuePlace, declared: QueueSettings | undefined): Promise<Queue> {
    const [, environment, name] = place;
    const { uncounted } = service.standing(place);
    const [counts, under] = await Promise.all([store.count(place, MAX_STORED), running(place)]);
    return {
      name,
      environment,
      path: declared?.path ?? null,
      concurrency: declared?.concurrency ?? null,
      retries: declared?.retries ?? null,
      timeoutMs: declared?.timeoutMs ?? null,
      waiting: counts.waiting,
      running: under,
      done: counts.done + uncounted,
      dead: counts.dead,
    };
  }

  const missing = (id: string): Failure => new Failure("not_found", `Message ${id} does not exist`);

  router.guarded(endpoints.listQueues, async (caller, { params, query }) => {
    const { project, environment, label } = await find(caller, params.project, query.environment);
    const declared = await declaredAt(project, label);
    const names = new Set([
      ...declared.keys(),
      ...await namesOfQueues(kv, project.id, environment),
    ]);
    const items: Queue[] = [];
    for (const name of [...names].sort()) {
      items.push(await describe([project.id, environment, name], declared.get(name)));
    }
    return { items };
  });

  router.guarded(endpoints.sendQueueMessage, async (caller, { params, body }) => {
    const { project, environment, label } = await find(caller, params.project, body.environment);
    return await service.send([project.id, environment, params.queue], {
      labels: [label],
      key: body.key,
      dedupeId: body.id ?? null,
      contentType: body.contentType,
      body: new TextEncoder().encode(body.body),
      dueAt: dueTime(body, now()),
    });
  });

  router.guarded(endpoints.listQueueMessages, async (caller, { params, query }) => {
    const place = await placeOf(caller, params, query.environment);
    const { items, nextCursor } = await listMessages({ kv, store }, place, query);
    return { items: items.map(messageToWire), nextCursor };
  });

  router.guarded(endpoints.retryQueueMessage, async (caller, { params, body }) => {
    const place = await placeOf(caller, params, body.environment);
    const outcome = await store.retry(place, params.message);
    if (outcome === "missing") throw missing(params.message);
    if (outcome === "held") {
      throw new Failure("conflict", "Another message with the same key must be delivered first");
    }
    service.wake(place);
    return undefined;
  });

  router.guarded(endpoints.deleteQueueMessage, async (caller, { params, query }) => {
    const place = await placeOf(caller, params, query.environment);
    if (!await store.remove(place, params.message)) throw missing(params.message);
    service.wake(place);
    return undefined;
  });

  /** Changes up to 1,000 messages. */
  async function changeAll(
    place: QueuePlace,
    state: MessageState,
    change: (id: string) => Promise<boolean>,
  ) {
    const ids = await store.idsOf(place, state, MAX_CHANGED + 1);
    let changed = 0;
    for (const id of ids.slice(0, MAX_CHANGED)) if (await change(id)) changed++;
    service.wake(place);
    return { changed, hasMore: ids.length > MAX_CHANGED };
  }

  router.guarded(endpoints.retryQueue, async (caller, { params, body }) => {
    const place = await placeOf(caller, params, body.environment);
    const { changed, hasMore } = await changeAll(
      place,
      "dead",
      async (id) => await store.retry(place, id) === "retried",
    );
    return { retried: changed, hasMore };
  });

  router.guarded(endpoints.purgeQueue, async (caller, { params, body }) => {
    const place = await placeOf(caller, params, body.environment);
    const { changed, hasMore } = await changeAll(
      place,
      body.state,
      (id) => store.remove(place, id, [body.state]),
    );
    return { removed: changed, hasMore };
  });
}
