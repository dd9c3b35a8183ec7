/**
 * This node's drains. Passes log entries to their senders. A log line waits in memory until its
 * deployment is known. No request waits for a log line.
 *
 * @module
 */
import type { BuildLogLine } from "../../contract/build_logs.ts";
import type { LogEntry } from "../../contract/logs.ts";
import { CoalescedWork } from "../../lib/coalesced_work.ts";
import { messageOf } from "../../lib/error_message.ts";
import { nextTurn } from "../../lib/next_turn.ts";
import type { Outbound } from "../../runtime/mod.ts";
import type { FollowLog } from "../core/log.ts";
import type { ErrorGroup } from "../errors/error_group.ts";
import type { AccessLogs, LogListener } from "../logs/mod.ts";
import type { DrainRecord, DrainStore } from "./drain_record.ts";
import { DrainSender, type SenderParts } from "./drain_sender.ts";
import {
  buildLineRecord,
  entryRecord,
  errorRecord,
  platformRecord,
  type RecordOwner,
  type SizedRecord,
} from "./log_records.ts";
import type { Endpoint } from "./post_batch.ts";
import { processMetrics } from "./process_metrics.ts";
import type { RecordOwners } from "./record_owners.ts";

/** Maximum number of lines that can wait until their deployments have been read. */
const MAX_WAITING = 20_000;
/** Number of lines to handle before yielding to other tasks. */
const AT_ONCE = 200;
/** Maximum time for sending the last records when the platform stops, in milliseconds. */
const GRACE_MS = 3000;

interface Line {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly request?: Extract<LogEntry, { type: "request" }>;
  build(owner: RecordOwner): SizedRecord;
}

interface DrainsParts extends Omit<SenderParts, "resource" | "ownMetrics"> {
  readonly store: Pick<DrainStore, "all" | "headersOf">;
  readonly owners: RecordOwners;
  readonly logs: Pick<AccessLogs, "follow" | "followAll" | "flush">;
  /** The operator's own endpoints. They receive the records of all projects. */
  readonly endpoints: readonly Endpoint[];
  /** Follows the platform's own log, which is sent to the operator's endpoints. */
  readonly followLog: FollowLog;
  /** Sends requests to the operator's endpoints, which may be on this machine. */
  readonly operatorOutbound: Outbound["fetch"];
}

/** A project's drains, which share one listener. */
interface OpenProject {
  readonly senders: Map<string, DrainSender>;
  leave(): void;
}

export class Drains {
  /** The operator's endpoints. */
  readonly ofAll: readonly DrainSender[];
  readonly #projects = new Map<string, OpenProject>();
  readonly #leaveAll: () => void;
  #waiting: Line[] = [];
  readonly #passes = new CoalescedWork(() =>
    this.#passOn()
      .catch((error) => this.#parts.onTrouble(`Cannot pass on log lines: ${messageOf(error)}`))
  );
  #loading: Promise<void> = Promise.resolve();

  readonly #parts: DrainsParts;

  constructor(parts: DrainsParts) {
    this.#parts = parts;
    const { operatorOutbound: outbound, owners: { platform }, now } = parts;
    const startedAt = now();
    const ownMetrics = () => processMetrics(platform, { startedAt, now: now() });
    this.ofAll = parts.endpoints.map((endpoint) =>
      this.#createSender(endpoint, { outbound, ownMetrics })
    );
    this.#leaveAll = this.ofAll.length > 0 ? this.#followAll() : () => {};
  }

  #createSender(
    endpoint: Endpoint,
    own: Partial<Pick<SenderParts, "outbound" | "ownMetrics">> = {},
  ): DrainSender {
    return new DrainSender(endpoint, {
      ...this.#parts,
      ...own,
      resource: this.#parts.owners.platform,
    });
  }

  /** Follows the logs of all projects and of the platform. */
  #followAll(): () => void {
    const { logs, followLog, owners, now } = this.#parts;
    const leaves = [
      logs.followAll(this.#take),
      followLog((line) => {
        const record = platformRecord(owners.platform, line, now());
        for (const sender of this.ofAll) sender.add(record);
      }),
    ];
    return () => leaves.forEach((leave) => leave());
  }

  senderOf({ projectId, id }: Pick<DrainRecord, "projectId" | "id">): DrainSender | undefined {
    return this.#projects.get(projectId)?.senders.get(id);
  }

  /** Opens the drains that are in the store, and closes the others. */
  load(): Promise<void> {
    return this.#loading = this.#loading.catch(() => {}).then(() => this.#load());
  }

  async #load(): Promise<void> {
    const wanted = new Set<string>();
    for await (const record of this.#parts.store.all()) {
      wanted.add(record.id);
      if (this.senderOf(record) === undefined) await this.#open(record);
    }
    for (const [projectId, { senders }] of [...this.#projects]) {
      for (const id of [...senders.keys()]) if (!wanted.has(id)) this.#shut(projectId, id);
    }
  }

  async #open(record: DrainRecord): Promise<void> {
    const { store, logs, onTrouble } = this.#parts;
    const { id, projectId, url } = record;
    try {
      const sender = this.#createSender({ url, headers: await store.headersOf(record) });
      const project = this.#projects.get(projectId) ?? {
        senders: new Map(),
        leave: this.ofAll.length > 0
          ? () => {}
          : logs.follow(projectId, (entry) => this.#take(projectId, entry)),
      };
      project.senders.set(id, sender);
      this.#projects.set(projectId, project);
    } catch (error) {
      onTrouble(`Cannot open drain ${id}: ${messageOf(error)}`);
    }
  }

  #shut(projectId: string, id: string): void {
    const project = this.#projects.get(projectId);
    project?.senders.get(id)?.close(0).catch((error) => this.#parts.onTrouble(messageOf(error)));
    project?.senders.delete(id);
    if (project?.senders.size !== 0) return;
    project.leave();
    this.#projects.delete(projectId);
  }

  forget(projectId: string): void {
    for (const id of this.#projects.get(projectId)?.senders.keys() ?? []) {
      this.#shut(projectId, id);
    }
  }

  #sendersOf(projectId: string): DrainSender[] {
    return [...this.ofAll, ...this.#projects.get(projectId)?.senders.values() ?? []];
  }

  #all(): DrainSender[] {
    return [
      ...this.ofAll,
      ...[...this.#projects.values()].flatMap(({ senders }) => [...senders.values()]),
    ];
  }

  readonly #take: LogListener = (projectId, entry) =>
    this.#add({
      projectId,
      deploymentId: entry.deploymentId,
      ...(entry.type === "request" ? { request: entry } : {}),
      build: (owner) => entryRecord(owner, entry),
    });

  /** Takes a line from a build's log. Never waits. */
  readonly takeBuildLine = (
    build: { readonly projectId: string; readonly deploymentId: string },
    line: BuildLogLine,
  ): void => this.#add({ ...build, build: (owner) => buildLineRecord(owner, line) });

  /** Receives the counts for an error group. Never waits. */
  readonly takeError = (projectId: string, group: ErrorGroup): void =>
    this.#add({
      projectId,
      deploymentId: group.deployments[0]?.deploymentId ?? group.broughtBy,
      build: (owner) => errorRecord(owner, group),
    });

  #add(line: Line): void {
    const senders = this.#sendersOf(line.projectId);
    if (senders.length === 0) return;
    if (this.#waiting.length >= MAX_WAITING) { for (const sender of senders) sender.drop(1); }
    else this.#waiting.push(line);
    this.#passes.start();
  }

  async #passOn(): Promise<void> {
    while (this.#waiting.length > 0) {
      for (const line of this.#waiting.splice(0, AT_ONCE)) {
        const { projectId, deploymentId, request } = line;
        const owner = await this.#parts.owners.of(projectId, deploymentId);
        const senders = this.#sendersOf(projectId);
        const record = owner && line.build(owner);
        for (const sender of senders) {
          if (record === undefined) sender.drop(1);
          else sender.add(record);
          if (owner && request) {
            sender.count({ deploymentId, resource: owner.resource }, request);
          }
        }
      }
      await nextTurn();
    }
  }

  async sendMetrics(): Promise<void> {
    await Promise.all(this.#all().map((sender) => sender.sendMetrics()));
  }

  async close(): Promise<void> {
    await this.#parts.logs.flush();
    this.#leaveAll();
    for (const { leave } of this.#projects.values()) leave();
    await this.#passes.settled();
    await Promise.all(this.#all().map((sender) => sender.close(GRACE_MS)));
  }
}
