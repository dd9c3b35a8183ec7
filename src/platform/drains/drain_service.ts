/** Manages a project's drains, and reports their health on all nodes. @module */
import * as z from "zod";
import type { BodyOf, ResponseOf } from "../../contract/endpoint.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import { type Drain, type DrainHealth, MAX_DRAINS } from "../../contract/drains.ts";
import type { Usage } from "../../contract/usage.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { judgeTarget, OutboundError } from "../../runtime/mod.ts";
import { RateWindow } from "../core/access/mod.ts";
import { Failure, requireRate } from "../core/http/mod.ts";
import { askAll, type Peers, type SilentNode } from "../core/peers/mod.ts";
import type { DrainRecord, DrainStore } from "./drain_record.ts";
import type { DrainSender, SenderHealth } from "./drain_sender.ts";
import type { Drains } from "./drains.ts";

const TESTS_PER_MINUTE = 10;
const QUESTION = "drains.health";
const REMEDY =
  "Must be a public host on port 80, 443, or 1024 and above. For other hosts, the operator must run svc serve with --allow-private-upstreams";

const NONE: SenderHealth = {
  sent: 0,
  dropped: 0,
  waiting: 0,
  lastSuccessAt: null,
  lastErrorAt: null,
  lastError: null,
};
const time = z.number().nullable();
const nodeHealth = z.object({
  sent: z.number(),
  dropped: z.number(),
  waiting: z.number(),
  lastSuccessAt: time,
  lastErrorAt: time,
  lastError: z.string().nullable(),
});
/** The health of a project's drains, by ID, or of the operator's endpoints, by position. */
const answer = z.array(z.tuple([z.string(), nodeHealth]));

const iso = (at: number | null): string | null => at === null ? null : new Date(at).toISOString();

/** Combines the health reports of all nodes. */
function toWire(nodes: readonly SenderHealth[]): DrainHealth {
  const sum = (pick: (each: SenderHealth) => number) =>
    nodes.reduce((total, each) => total + pick(each), 0);
  const latest = (pick: (each: SenderHealth) => number | null) =>
    Math.max(...nodes.map((each) => pick(each) ?? -Infinity));
  const [success, error] = [latest((each) => each.lastSuccessAt), latest((e) => e.lastErrorAt)];
  return {
    sent: sum((each) => each.sent),
    dropped: sum((each) => each.dropped),
    waiting: sum((each) => each.waiting),
    lastSuccessAt: iso(success === -Infinity ? null : success),
    lastErrorAt: iso(error === -Infinity ? null : error),
    lastError: nodes.find((each) => each.lastErrorAt === error)?.lastError ?? null,
  };
}

interface DrainServiceParts {
  readonly store: DrainStore;
  readonly drains: Drains;
  readonly peers: Peers;
  readonly now: Clock;
  readonly random: Random;
  readonly closing: AbortSignal;
  /** Whether drains may use private, local and reserved addresses. */
  readonly allowPrivate: boolean;
}

type Healths = ReadonlyMap<string, readonly SenderHealth[]>;

export class DrainService {
  readonly #tests: RateWindow;

  readonly #parts: DrainServiceParts;

  constructor(parts: DrainServiceParts) {
    this.#parts = parts;
    this.#tests = new RateWindow({ limit: TESTS_PER_MINUTE, windowMs: 60_000 }, parts.now);
    parts.peers.answer(QUESTION, z.uuid().nullable(), (projectId) => this.#answer(projectId));
  }

  async *#answer(projectId: string | null) {
    yield [...await this.#localHealth(projectId)];
  }

  async #localHealth(projectId: string | null): Promise<Map<string, SenderHealth>> {
    const { store, drains } = this.#parts;
    if (projectId === null) {
      return new Map(drains.ofAll.map(({ health }, place) => [String(place), health]));
    }
    const records = await store.collect(projectId);
    return new Map(
      records.map((record) => [record.id, drains.senderOf(record)?.health ?? NONE]),
    );
  }

  /** Returns the health of a project's drains, or of the operator's endpoints, on all nodes. */
  async #healths(
    projectId: string | null,
  ): Promise<{ readonly healths: Healths; readonly silent: readonly SilentNode[] }> {
    const { peers, closing } = this.#parts;
    const [own, { answers, silent }] = await Promise.all([
      this.#localHealth(projectId),
      askAll(peers, {
        name: QUESTION,
        data: () => projectId,
        schema: answer,
        withLost: false,
        closing,
      }),
    ]);
    const all = [...own, ...[...answers.values()].flat(2)];
    const groups = Map.groupBy(all, ([id]) => id);
    return {
      healths: new Map([...groups].map(([id, list]) => [id, list.map(([, health]) => health)])),
      silent,
    };
  }

  #toWire({ id, url, headerNames, createdAt }: DrainRecord, healths?: Healths): Drain {
    return {
      id,
      url,
      headerNames,
      createdAt: new Date(createdAt).toISOString(),
      health: toWire(healths?.get(id) ?? [NONE]),
    };
  }

  async usage(projectId: string): Promise<Usage> {
    const { length } = await this.#parts.store.collect(projectId);
    return { subject: "drains", of: null, used: length, limit: MAX_DRAINS };
  }

  async list(projectId: string) {
    const [records, { healths, silent }] = await Promise.all([
      this.#parts.store.collect(projectId),
      this.#healths(projectId),
    ]);
    return { items: records.map((record) => this.#toWire(record, healths)), silent };
  }

  /** Lists the operator's endpoints. */
  async listPlatform() {
    const { healths, silent } = await this.#healths(null);
    const items = this.#parts.drains.ofAll.map(({ endpoint: { url, headers } }, place) => ({
      url,
      headerNames: Object.keys(headers),
      health: toWire(healths.get(String(place)) ?? [NONE]),
    }));
    return { items, silent };
  }

  /** @throws {Failure} `invalid_request` for an address that is not public */
  async create(
    projectId: string,
    { url, headers }: BodyOf<typeof endpoints.createDrain>,
  ): Promise<Drain> {
    const { store, drains, now, random } = this.#parts;
    this.#checkUrl(url);
    if ((await store.collect(projectId)).length >= MAX_DRAINS) {
      throw new Failure(
        "conflict",
        `A project can have at most ${MAX_DRAINS} drains: remove one first`,
      );
    }
    const id = uuidV7(now, random);
    const record = await store.seal({ id, projectId, url, headers, createdAt: now() });
    await store.add(record);
    await drains.load();
    return this.#toWire(record);
  }

  #checkUrl(url: string): void {
    try {
      judgeTarget(url, this.#parts);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const message = `${error.message}. ${REMEDY}`;
      throw new Failure("invalid_request", `Request is not valid: body.url: ${message}`, {
        problems: [{ path: "body.url", message }],
      });
    }
  }

  async find(projectId: string, id: string): Promise<DrainRecord> {
    const record = await this.#parts.store.find(projectId, id);
    if (record === undefined) throw new Failure("not_found", `Drain ${id} does not exist`);
    return record;
  }

  async remove({ projectId, id }: DrainRecord): Promise<void> {
    await this.#parts.store.remove([projectId, id]);
    await this.#parts.drains.load();
  }

  async test(record: DrainRecord): Promise<ResponseOf<typeof endpoints.testDrain>> {
    requireRate(this.#tests, record.projectId, "tests");
    const sender: DrainSender | undefined = this.#parts.drains.senderOf(record);
    if (sender === undefined) {
      throw new Failure("conflict", "The drain is not open on this node yet. Try again");
    }
    const started = performance.now();
    const outcome = await sender.test();
    return {
      delivered: outcome.type === "accepted" && outcome.problem === undefined,
      status: outcome.status,
      durationMs: Math.round(performance.now() - started),
      detail: outcome.problem ?? `Status ${outcome.status}`,
    };
  }
}
