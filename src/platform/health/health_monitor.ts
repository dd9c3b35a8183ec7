/** Checks production's servers regularly, and raises events when their health changes. @module */
import type { SiteDirectory } from "../../edge/mod.ts";
import type { ProjectHealth } from "../../contract/health.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ComputeService } from "../compute/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { RaisedEvent, RaiseEvent } from "../core/events/mod.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import { keys } from "../core/store/mod.ts";
import { productionDeploymentId, type ProjectRecord } from "../projects/mod.ts";
import { type HealthRecord, type UnconfirmedChange, weighHealth } from "./health_record.ts";
import type { Checked, ServersElsewhere } from "./servers_elsewhere.ts";
import type { HealthStore } from "./health_store.ts";
import { Lease, type Led, type RecordKey } from "../../store/mod.ts";

const HEALTH_INTERVAL_MS = 30_000;

export interface HealthServices {
  readonly store: Led<Pick<HealthStore, "all" | "change">>;
  readonly computeService: Pick<ComputeService, "all" | "find">;
  readonly sites: Pick<SiteDirectory, "deploymentAt" | "resolve">;
  readonly addresses: Addresses;
  readonly raiseEvent: RaiseEvent;
  /** The platform's nodes, one of which checks the servers. By default, there is only this node. */
  readonly nodes?: Pick<Nodes, "during">;
  /** Production's servers that run on other nodes. */
  readonly elsewhere: Pick<ServersElsewhere, "all" | "find">;
  readonly now: Clock;
  onTrouble(message: string): void;
}

export class HealthMonitor {
  readonly #records = new Map<string, HealthRecord>();
  readonly #unconfirmed = new Map<string, UnconfirmedChange>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #round: Promise<unknown> = Promise.resolve();

  readonly #services: HealthServices;

  constructor(services: HealthServices) {
    this.#services = services;
  }

  /** Reads the state from before the platform stopped, and starts checking. */
  async start(): Promise<void> {
    await this.#read();
    this.#timer = setInterval(() => void this.check(), HEALTH_INTERVAL_MS);
  }

  async #read(): Promise<void> {
    for await (const { projectId, record } of this.#services.store.all()) {
      this.#records.set(projectId, record);
    }
  }

  /** Checks all production servers once. Each round waits for the previous one. */
  check(): Promise<unknown> {
    const { nodes, onTrouble } = this.#services;
    return this.#round = this.#round
      .then(() =>
        nodes === undefined
          ? this.#checkAll(Lease.ofSoleNode("health"))
          : nodes.during("health", (lease) => this.#checkAll(lease))
      )
      .catch((error) => onTrouble(`Cannot check servers: ${error}`));
  }

  /** Applies another node's result. */
  async follow(changed: readonly RecordKey[]): Promise<void> {
    if (!changed.some(([first]) => first === keys.allProjectHealth()[0])) return;
    await this.#read();
  }

  async of(project: ProjectRecord): Promise<ProjectHealth> {
    const { sites, computeService, elsewhere } = this.#services;
    const deploymentId = productionDeploymentId(project);
    const unknown = { since: null, reason: null, deploymentId };
    if (deploymentId === null) return { state: "none", ...unknown };
    const site = await sites.resolve(this.#hostOf(project.name));
    if (site?.compute === undefined) return { state: "static", ...unknown };
    const record = this.#records.get(project.id);
    if (record?.state === "unhealthy") {
      const { reason, since } = record;
      return { state: "unhealthy", reason, since: new Date(since).toISOString(), deploymentId };
    }
    const health = await computeService.find(deploymentId)?.check();
    const runs = health?.state === "healthy" || await elsewhere.find(deploymentId);
    if (!runs) return { state: "idle", ...unknown };
    const since = record === undefined ? null : new Date(record.since).toISOString();
    return { state: "healthy", reason: null, since, deploymentId };
  }

  forget(projectId: string): void {
    this.#records.delete(projectId);
    this.#unconfirmed.delete(projectId);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  #hostOf(projectName: string): string {
    return this.#services.addresses.hostname(projectName);
  }

  async #checkAll(lease: Lease): Promise<void> {
    const { elsewhere, sites } = this.#services;
    // Sites that were down before a restart are checked even if they have no visitors.
    for (const { state, projectName } of this.#records.values()) {
      if (state === "unhealthy") await sites.resolve(this.#hostOf(projectName));
    }
    const checks = new Map<string, Checked>();
    for (const checked of [...await this.#checkOwn(), ...await elsewhere.all()]) {
      const { owner } = checked;
      if (sites.deploymentAt(this.#hostOf(owner.projectName)) !== owner.id) continue;
      const known = checks.get(owner.projectId);
      // A result of `unhealthy` takes precedence, because visitors are affected even if only one
      // node is unhealthy.
      if (known?.health.state !== "unhealthy") checks.set(owner.projectId, checked);
    }
    for (const checked of checks.values()) await this.#weigh(checked, lease);
  }

  /** Checks the production servers on this node. */
  async #checkOwn(): Promise<readonly Checked[]> {
    const { computeService, sites } = this.#services;
    const shown = computeService.all().filter(({ owner }) =>
      sites.deploymentAt(this.#hostOf(owner.projectName)) === owner.id
    );
    return await Promise.all(shown.map(async (servers) => {
      const { owner } = servers;
      // A site that is down may not get any requests, so its server is started here to check
      // whether it works again.
      if (this.#records.get(owner.projectId)?.state === "unhealthy") await servers.start();
      return { owner, health: await servers.check() };
    }));
  }

  async #weigh({ owner, health }: Checked, lease: Lease): Promise<void> {
    const { store, now, raiseEvent } = this.#services;
    const { projectId } = owner;
    const { record, unconfirmed, change } = weighHealth(
      { record: this.#records.get(projectId), unconfirmed: this.#unconfirmed.get(projectId) },
      { health, owner, now: now() },
    );
    if (change !== undefined) {
      // If the change cannot be stored, the next check finds and reports it again.
      const event = this.#eventOf(owner, record);
      await store.change(projectId, record, event, lease);
      await raiseEvent(event);
    }
    this.#records.set(projectId, record);
    if (unconfirmed === undefined) this.#unconfirmed.delete(projectId);
    else this.#unconfirmed.set(projectId, unconfirmed);
  }

  #eventOf(owner: Checked["owner"], { state, reason, since }: HealthRecord): RaisedEvent {
    const { id: deploymentId, projectId, projectName, workspaceId } = owner;
    return {
      event: state === "unhealthy" ? "health.check_failed" : "health.recovered",
      audience: { type: "workspace", workspaceId },
      data: {
        deploymentId,
        projectId,
        project: projectName,
        url: this.#services.addresses.url(projectName),
        reason,
      },
      key: `${projectId}/${since}/${state}`,
    };
  }
}
