/** Handles a forge's event: deploys a branch, or stops its previews. @module */
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { branchName, FORGE_NAMES } from "../../contract/projects.ts";
import type { TriggerAnswer } from "../../contract/hooks.ts";
import {
  type Delivery,
  deliveryOf,
  isSigned,
  readDelivery,
  type Report,
} from "./forges/read_delivery.ts";
import { type ForgeEvent, PayloadError } from "./forges/forge_event.ts";
import { isSameRepository } from "./forges/repository.ts";
import { formatCount } from "../../lib/format.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Failure, readBytes, toFailure } from "../core/http/mod.ts";
import {
  canMove,
  type DeploymentRecord,
  type DeploymentService,
  type DeploymentStore,
} from "../deployments/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { decideTrigger, type HookRecord, hookSecret } from "./hook.ts";
import type { HookAudit, HookVisit } from "./hook_audit.ts";
import type { PullStore } from "./pull_store.ts";
import { replayKey, type ReplayStore } from "./replays.ts";
import { unknownHook } from "./resolve_failure.ts";
import type { TriggerService } from "./trigger_service.ts";

/** Maximum size of a forge's payload, in bytes. The payload lists the commits in a push. */
const MAX_PAYLOAD_BYTES = 5 * 1024 * 1024;

/** Maximum number of branches to process per push. */
const MAX_EVENTS = 10;

/** Stored instead of a deployment's ID, to record that the end of a branch was reported. */
const STOPPED = "stopped";

interface ForgeServices {
  readonly triggers: Pick<TriggerService, "trigger">;
  readonly replays: ReplayStore;
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly deploymentService: Pick<DeploymentService, "stop">;
  readonly pulls: PullStore;
  readonly reportPull: ReportPull;
  readonly audit: Pick<HookAudit, "stopped" | "refused">;
}

/** Reports an existing deployment to the forge, for a pull request that shows it. */
export type ReportPull = (deployment: DeploymentRecord) => Promise<void>;

/** A call to a hook, with its token. */
interface HookCall {
  readonly hook: HookRecord;
  readonly token: string;
  readonly visit: HookVisit;
}

export class ForgeService {
  readonly #services: ForgeServices;

  constructor(services: ForgeServices) {
    this.#services = services;
  }

  /**
   * Handles a forge's event. Returns `undefined` for other requests, whose body can still be read.
   * If the hook has a secret, every request must be signed with it.
   *
   * @throws {Failure} `forbidden`
   */
  async answer(
    call: HookCall,
    request: Request,
    signal: AbortSignal,
  ): Promise<TriggerAnswer | Response | undefined> {
    const { headers } = request;
    const { hook, token, visit } = call;
    const delivery = deliveryOf(headers);
    const secret = hookSecret(hook, token);
    if (delivery === undefined && secret === undefined) return undefined;
    const body = await readBytes(request.clone(), MAX_PAYLOAD_BYTES);
    if (secret !== undefined && !isSigned(headers, { body, secret })) {
      await this.#services.audit.refused(hook, visit);
      throw new Failure(
        "forbidden",
        "The request is not signed with this hook's secret. Configure the secret in the forge",
      );
    }
    if (delivery === undefined) return undefined;
    await request.body?.cancel();
    const type = headers.get("content-type");
    const report = await readDelivery(delivery, { body, type }).catch((error) => {
      if (!(error instanceof PayloadError)) throw error;
      throw new Failure("invalid_request", error.message, { cause: error });
    });
    return await this.#perform(call, { delivery, report, bodyHash: sha256Hex(body), signal });
  }

  async #perform(
    call: HookCall,
    { delivery, report, bodyHash, signal }: {
      readonly delivery: Delivery;
      readonly report: Report;
      readonly bodyHash: string;
      readonly signal: AbortSignal;
    },
  ): Promise<TriggerAnswer | Response> {
    const answers: TriggerAnswer[] = [];
    const messages: string[] = [];
    const foreign = await this.#foreignTo(call.hook, report);
    if (foreign !== undefined) messages.push(foreign);
    const { taken, rest } = foreign === undefined
      ? await this.#chosen(call.hook, report.events)
      : { taken: [], rest: 0 };
    for (const [index, event] of taken) {
      const done = await this.#follow(call, event, { key: `${bodyHash}/${index}`, signal })
        .catch((error) => {
          if (taken.length === 1) throw error;
          const failure = toFailure(error);
          if (failure.status >= 500) throw error;
          // The other branches of the push are still deployed.
          const branch = event.type === "ignore" ? "" : `${event.branch}: `;
          return `${branch}${failure.message}`;
        });
      if (typeof done === "string") messages.push(done);
      else answers.push(done);
    }
    if (rest > 0) {
      messages.push(
        `A push deploys at most ${MAX_EVENTS} branches. Ignored ${formatCount(rest, "change")}`,
      );
    }
    const [only] = answers;
    if (only !== undefined && answers.length === 1 && messages.length === 0) return only;
    messages.push(...answers.map(({ message }) => message));
    const message = messages.join(". ") || "Nothing changed";
    return Response.json({ message: `${FORGE_NAMES[delivery.forge]}: ${message}` }, {
      status: 202,
      headers: { "cache-control": "no-store" },
    });
  }

  /**
   * Returns the events of a push to handle, each with its position in the push, and the number of
   * events beyond the maximum. The production branch comes first.
   */
  async #chosen(hook: HookRecord, events: readonly ForgeEvent[]) {
    const all = [...events.entries()];
    if (all.length <= MAX_EVENTS) return { taken: all, rest: 0 };
    const project = await this.#services.projects.find(hook.workspaceId, hook.projectId);
    const isFirst = ([, event]: typeof all[number]) =>
      Number(event.type !== "ignore" && event.branch === project?.branch);
    const sorted = all.sort((one, other) => isFirst(other) - isFirst(one));
    return { taken: sorted.slice(0, MAX_EVENTS), rest: sorted.length - MAX_EVENTS };
  }

  /** Returns why a repository's events do not concern a hook's project; `undefined` if they do. */
  async #foreignTo(hook: HookRecord, { repository }: Report): Promise<string | undefined> {
    if (repository === undefined) return undefined;
    const project = await this.#services.projects.find(hook.workspaceId, hook.projectId);
    if (project === undefined) throw unknownHook();
    if (isSameRepository(project.gitUrl, repository)) return undefined;
    const own = project.gitUrl === null ? "has no git URL" : `is built from ${project.gitUrl}`;
    return `Ignored an event from ${repository.name}: project ${project.name} ${own}`;
  }

  /** Returns the deployment that an event triggers, or why there is none. */
  async #follow(
    call: HookCall,
    event: ForgeEvent,
    { key, signal }: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<TriggerAnswer | string> {
    if (event.type === "ignore") return event.reason;
    const { hook, visit } = call;
    const { branch } = event;
    if (!branchName.safeParse(branch).success) return "The branch name is not allowed";
    const project = await this.#services.projects.find(hook.workspaceId, hook.projectId);
    if (project === undefined) throw unknownHook();
    const decision = decideTrigger(hook, { wanted: branch, production: project.branch });
    // Returns the message instead of refusing the call. A forge treats a refusal as a fault in the
    // hook, and some forges then stop calling the hook.
    if (decision.type === "refuse") return decision.message;
    if (event.type === "stop") return await this.#stop(call, event, key);
    if (event.pull !== undefined) {
      await this.#services.pulls.opened({ projectId: project.id, branch }, event.pull);
    }
    // Uses the branch's head, regardless of the payload, so late or repeated events do no harm.
    const answer = await this.#services.triggers.trigger(hook, {
      body: { branch, force: false },
      idempotencyKey: undefined,
      signal,
      visit,
      supersedes: true,
    });
    if (event.pull !== undefined) await this.#report(project.id, answer.id);
    return answer;
  }

  /**
   * Reports a deployment that an earlier push may have created. Nothing else reports it to the pull
   * request.
   */
  async #report(projectId: string, id: string): Promise<void> {
    const deployment = await this.#services.deployments.find(projectId, id);
    if (deployment !== undefined) await this.#services.reportPull(deployment);
  }

  /**
   * Stops a branch's previews. Does so only once per delivery, because a repeated delivery may be
   * outdated.
   */
  async #stop(
    { hook, visit }: HookCall,
    { branch, pull }: Extract<ForgeEvent, { readonly type: "stop" }>,
    key: string,
  ): Promise<string> {
    const { replays, projects, deployments, deploymentService, pulls, audit } = this.#services;
    const replay = replayKey(hook.id, { key: `stop/${key}`, body: branch });
    if (await replays.find(replay) !== undefined) return "This event was already delivered";
    const project = await projects.find(hook.workspaceId, hook.projectId);
    let count = 0;
    for await (const deployment of deployments.all(hook.projectId)) {
      const isPreview = deployment.environment !== ENVIRONMENT_PRODUCTION;
      if (deployment.branch !== branch || deployment.source !== "git" || !isPreview) continue;
      if (project === undefined || !canMove(deployment.status, "STOPPED")) continue;
      await deploymentService.stop(deployment, project);
      count++;
    }
    if (count > 0) await audit.stopped(hook, visit, branch);
    if (pull !== undefined) await pulls.closed({ projectId: hook.projectId, branch }, pull);
    await replays.keep(replay, STOPPED);
    return count === 0
      ? `Branch '${branch}' has no preview`
      : `The preview of '${branch}' was removed`;
  }
}
