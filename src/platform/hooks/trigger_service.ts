/** Turns a trigger into a deployment to be built, or finds the existing one. @module */
import type { BodyOf } from "../../contract/endpoint.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import { HOOK_TRIGGERS_PER_MINUTE, type TriggerAnswer } from "../../contract/hooks.ts";
import type { Clock } from "../../lib/clock.ts";
import { formatCount } from "../../lib/format.ts";
import { KeyedLock } from "../../lib/keyed_lock.ts";
import { RateWindow } from "../core/access/mod.ts";
import { type BuildStore, type DeployCommit, NotAdmittedError } from "../builds/mod.ts";
import type { GitService } from "../git/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { DeploymentRecord, DeploymentService, DeploymentStore } from "../deployments/mod.ts";
import { Failure, noteLimit } from "../core/http/mod.ts";
import type { ProjectRecord, ProjectStore } from "../projects/mod.ts";
import type { SecretBox } from "../core/secrets/mod.ts";
import { CommitResolver, RETRY_SECONDS } from "./commit_resolver.ts";
import { decideTrigger, hashHookToken, type HookRecord } from "./hook.ts";
import type { HookAudit, HookVisit } from "./hook_audit.ts";
import type { HookStore } from "./hook_store.ts";
import type { HookUses } from "./hook_uses.ts";
import { ReplayedError, type ReplayKey, replayKey, type ReplayStore } from "./replays.ts";
import { unknownHook } from "./resolve_failure.ts";
import { issueTicket, readTicket } from "./status_ticket.ts";
import { describeProgress, triggerAnswer } from "./trigger_answer.ts";

/** Number of digits in a full SHA. */
const FULL_SHA = 40;

const MAX_MESSAGE = 500;
const MAX_AUTHOR = 200;

export interface TriggerServices {
  readonly hooks: HookStore;
  readonly uses: HookUses;
  readonly replays: ReplayStore;
  readonly audit: Pick<HookAudit, "deployed">;
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly builds: BuildStore;
  readonly deploymentService: Pick<DeploymentService, "stop" | "whenEdgesCurrent">;
  readonly deployCommit: DeployCommit;
  readonly git: GitService;
  readonly box: SecretBox;
  readonly addresses: Addresses;
  readonly publicOrigin: string;
  /** Maximum wait for a repository, in milliseconds; 50 seconds by default. */
  readonly resolveMs?: number | undefined;
  readonly now: Clock;
}

type Body = BodyOf<typeof endpoints.triggerHook>;

/** Only a forge's own delivery may omit the commit. */
type TriggerBody = Omit<Body, "commitSha"> & { readonly commitSha?: string | undefined };

interface Trigger {
  readonly body: TriggerBody;
  /** The `Idempotency-Key` field, if any. */
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal;
  readonly visit: HookVisit;
  /**
   * Whether the commit cancels the build of an older commit on its branch instead of being refused.
   */
  readonly supersedes?: boolean;
}

/** A resolved commit, and the environment to which it is deployed. */
interface TriggeredCommit {
  readonly project: ProjectRecord;
  readonly environment: string;
  readonly branch: string;
  readonly commitSha: string;
  readonly message: string;
  readonly author: string;
  readonly force: boolean;
  /** Number of digits in the SHA that the body named; 0 if it did not name one. */
  readonly digits: number;
  readonly supersedes: boolean;
  readonly visit: HookVisit;
  /** The key with which a repeated call finds the deployment, if there is one. */
  readonly replay: ReplayKey | undefined;
}

export class TriggerService {
  readonly #rates: RateWindow;
  readonly #lock = new KeyedLock();
  readonly #commits: CommitResolver;

  readonly #services: TriggerServices;

  constructor(services: TriggerServices) {
    this.#services = services;
    this.#commits = new CommitResolver(services);
    this.#rates = new RateWindow(
      { limit: HOOK_TRIGGERS_PER_MINUTE, windowMs: 60_000 },
      services.now,
    );
  }

  /**
   * Finds the hook to which a token belongs, and counts the call.
   *
   * @throws {Failure} `unauthorized`, `rate_limited`
   */
  async admit(token: string, request: Request): Promise<HookRecord> {
    const hook = await this.#services.hooks.findByToken(hashHookToken(token));
    if (hook === undefined) throw unknownHook();
    const wait = this.#rates.take(hook.id);
    noteLimit(request, "hook", this.#rates.standing(hook.id));
    if (wait === 0) return hook;
    throw new Failure(
      "rate_limited",
      `The hook accepts at most ${HOOK_TRIGGERS_PER_MINUTE} triggers per minute. Try again in ${
        formatCount(wait, "second")
      }`,
      { retryAfter: wait },
    );
  }

  /** Deploys the branch and commit that the body names. */
  async trigger(hook: HookRecord, trigger: Trigger): Promise<TriggerAnswer> {
    const { idempotencyKey, body } = trigger;
    if (idempotencyKey === undefined) return await this.#deploy(hook, trigger, undefined);
    const key = replayKey(hook.id, { key: idempotencyKey, body });
    return await this.#lock.run(`replay/${hook.id}/${key.keyHash}`, async () => {
      const known = await this.#services.replays.find(key);
      const deployment = known === undefined
        ? undefined
        : await this.#services.deployments.find(hook.projectId, known);
      return deployment === undefined
        ? await this.#deploy(hook, trigger, known === undefined ? key : { ...key, gone: known })
        : await this.#answerKnown(hook, deployment);
    });
  }

  /** Returns the status of the deployment that a ticket names. */
  async progress(ticket: string): Promise<TriggerAnswer> {
    const named = await readTicket(this.#services.box, ticket);
    const deployment = named === undefined
      ? undefined
      : await this.#services.deployments.find(named.projectId, named.id);
    if (deployment === undefined) throw new Failure("not_found", "Deployment does not exist");
    await this.#services.deploymentService.whenEdgesCurrent(deployment.projectId);
    return await this.#answer(deployment, describeProgress(deployment, this.#services.addresses));
  }

  async #deploy(
    hook: HookRecord,
    { body, signal, visit, supersedes = false }: Trigger,
    replay: ReplayKey | undefined,
  ): Promise<TriggerAnswer> {
    const project = await this.#services.projects.find(hook.workspaceId, hook.projectId);
    if (project === undefined) throw unknownHook();
    const decision = decideTrigger(hook, { wanted: body.branch, production: project.branch });
    if (decision.type === "refuse") {
      throw new Failure("forbidden", decision.message, { hint: decision.hint });
    }
    const known = await this.#findDeployed(project, { ...body, environment: decision.environment });
    if (known !== undefined) return await this.#answerKnown(hook, known, replay);
    const commit = await this.#commits.resolve(project, body, signal);
    const wanted: TriggeredCommit = {
      project,
      environment: decision.environment,
      branch: body.branch,
      commitSha: commit.sha,
      message: body.message ?? commit.message.slice(0, MAX_MESSAGE),
      author: body.author ?? commit.author.slice(0, MAX_AUTHOR),
      force: body.force,
      digits: body.commitSha?.length ?? 0,
      supersedes,
      visit,
      replay,
    };
    return await this.#lock.run(
      `branch/${project.id}/${body.branch}`,
      () => this.#createOnce(hook, wanted),
    );
  }

  /** Finds the existing deployment for a full SHA, which does not require git. */
  async #findDeployed(
    { id: projectId }: ProjectRecord,
    wanted: TriggerBody & { readonly environment: string },
  ): Promise<DeploymentRecord | undefined> {
    const { commitSha = "", force } = wanted;
    if (!isJudgedBySha({ force, digits: commitSha.length })) return undefined;
    const place = { ...wanted, projectId, commitSha };
    const admission = await this.#services.builds.admission(place, false);
    return admission.type === "identical"
      ? await this.#services.deployments.find(projectId, admission.id)
      : undefined;
  }

  /** Creates the deployment, unless an identical one exists or the branch is busy. */
  async #createOnce(hook: HookRecord, wanted: TriggeredCommit): Promise<TriggerAnswer> {
    const { builds } = this.#services;
    try {
      if (!isJudgedBySha(wanted)) {
        const place = { ...wanted, projectId: wanted.project.id };
        const admission = await builds.admission(place, wanted.force);
        if (admission.type !== "create") throw new NotAdmittedError(admission);
      }
      return await this.#create(hook, wanted);
    } catch (error) {
      const isReplayed = error instanceof ReplayedError;
      if (!isReplayed && !(error instanceof NotAdmittedError)) throw error;
      const delivered = await this.#findDelivered(wanted);
      if (delivered !== undefined) return await this.#answerKnown(hook, delivered);
      if (isReplayed) throw new Failure("conflict", "The deployment was deleted");
      const { admission } = error;
      if (admission.type === "busy" && wanted.supersedes) {
        const outdated = await this.#services.deployments.find(wanted.project.id, admission.id);
        if (outdated !== undefined) {
          await this.#services.deploymentService.stop(outdated, wanted.project);
        }
        return await this.#createOnce(hook, { ...wanted, supersedes: false });
      }
      if (admission.type === "busy") {
        throw new Failure(
          "conflict",
          `Deployment ${admission.id} of branch '${wanted.branch}' is still building commit ` +
            `${admission.commitSha}. Try again when it has finished`,
          { retryAfter: RETRY_SECONDS },
        );
      }
      const known = await this.#services.deployments.find(wanted.project.id, admission.id);
      if (known === undefined) throw new Failure("conflict", "The deployment was deleted");
      return await this.#answerKnown(hook, known, wanted.replay);
    }
  }

  /** Finds the deployment that another node has created for the same key. */
  async #findDelivered(
    { project, replay }: TriggeredCommit,
  ): Promise<DeploymentRecord | undefined> {
    const id = replay && await this.#services.replays.find(replay);
    return id === undefined ? undefined : await this.#services.deployments.find(project.id, id);
  }

  async #create(hook: HookRecord, wanted: TriggeredCommit): Promise<TriggerAnswer> {
    const { deployCommit, replays, addresses, audit, now } = this.#services;
    const { replay, visit, digits: _, supersedes: __, ...commit } = wanted;
    const deployment = await deployCommit({ ...commit, trigger: "hook" }, async (operation, id) => {
      if (replay !== undefined) await replays.keepWith(operation, replay, id);
    });
    this.#services.uses.note(hook.id, now());
    await audit.deployed(hook, visit, deployment);
    return await this.#answer(deployment, describeProgress(deployment, addresses));
  }

  /** Responds with an existing deployment, and stores `replay`. */
  async #answerKnown(
    hook: HookRecord,
    deployment: DeploymentRecord,
    replay?: ReplayKey,
  ): Promise<TriggerAnswer> {
    const { uses, replays, addresses, now } = this.#services;
    if (replay !== undefined) await replays.keep(replay, deployment.id);
    uses.note(hook.id, now());
    const progress = describeProgress(deployment, addresses);
    return await this.#answer(deployment, `Nothing new to deploy: ${progress}`);
  }

  async #answer(deployment: DeploymentRecord, message: string): Promise<TriggerAnswer> {
    const { addresses, box, publicOrigin } = this.#services;
    const ticket = await issueTicket(box, deployment);
    const statusUrl = `${publicOrigin}/v1/triggered-deployments/${ticket}`;
    return triggerAnswer(deployment, { addresses, message, statusUrl });
  }
}

/**
 * Returns whether `findDeployed()` has already looked for the commit. If it found no deployment,
 * the commit is new.
 */
const isJudgedBySha = ({ force, digits }: Pick<TriggeredCommit, "force" | "digits">): boolean =>
  !force && digits === FULL_SHA;
