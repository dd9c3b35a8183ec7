/**
 * Reports a deployment's state to the repository's forge, as a commit status and a comment on the
 * branch's pull request. A report contains the state at the time of sending, so reports may be
 * late, repeated or out of order.
 *
 * @module
 */
import { ENVIRONMENT_PRODUCTION } from "../../../../contract/environment_names.ts";
import type { Clock } from "../../../../lib/clock.ts";
import { sha256Hex } from "../../../../lib/hash.ts";
import type { Protection } from "../../../../lib/protection.ts";
import { KeyedLock } from "../../../../lib/keyed_lock.ts";
import type { OutboundFetch } from "../../../../runtime/mod.ts";
import type { DeploymentRecord, DeploymentStore } from "../../../deployments/mod.ts";
import type { PullRecord, PullStore } from "../../../hooks/mod.ts";
import type { OpenGitCredentials, ProjectStore } from "../../../projects/mod.ts";
import type { SendOutcome } from "../../delivery/channel.ts";
import { askForge, ForgeError } from "./ask_forge.ts";
import type { Dialect, ForgeTarget, ShownComment } from "./dialect.ts";
import { dialectOf, forgeTarget } from "./forge_target.ts";
import { commentText, commitStatus, isSkipped, markOf, type ReportContext } from "./report_text.ts";
import type { ReportRecord, ReportStore } from "./report_store.ts";

/** How many times to repeat a report if its deployment has changed in the meantime. */
const ROUNDS = 4;

const NOT_ALLOWED = "The URL of the forge's API must be https, because a token is sent to it";

interface ReporterParts extends ReportContext {
  readonly projects: Pick<ProjectStore, "find">;
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly credentials: OpenGitCredentials;
  readonly pulls: Pick<PullStore, "find" | "commented">;
  readonly reports: ReportStore;
  /** Returns who can visit a project's previews. */
  protectionOf(projectId: string): Promise<Protection>;
  readonly outbound: OutboundFetch;
  readonly allowPrivate: boolean;
  readonly now: Clock;
}

/** The fields of a deployment's event that identify the deployment. */
export interface ReportedPlace {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly deploymentId: string;
}

interface Reported {
  readonly deployment: DeploymentRecord;
  readonly target: ForgeTarget;
}

interface Addressed extends Reported {
  readonly dialect: Dialect;
}

export class ForgeReporter {
  readonly #lock = new KeyedLock();

  readonly #parts: ReporterParts;

  constructor(parts: ReporterParts) {
    this.#parts = parts;
  }

  /** Returns the deployment and its forge; `undefined` if there is no forge to notify. */
  async find({ workspaceId, projectId, deploymentId }: ReportedPlace): Promise<
    Reported | undefined
  > {
    const { projects, deployments, credentials } = this.#parts;
    const project = await projects.find(workspaceId, projectId);
    if (project?.gitCredentials !== "https") return undefined;
    const deployment = await deployments.find(projectId, deploymentId);
    if (deployment?.source !== "git" || deployment.commitSha === null) return undefined;
    const target = forgeTarget(project.gitUrl, await credentials(project));
    return target === undefined ? undefined : { deployment, target };
  }

  /** Reports the deployment's state to the forge. The outcome says whether to retry. */
  async report(place: ReportedPlace): Promise<SendOutcome> {
    const first = await this.find(place);
    if (first === undefined) return { type: "gone", reason: "There is no forge to report to" };
    const { projectId, branch } = first.deployment;
    return await this.#lock.run(`${projectId}/${branch}`, async () => {
      let told: DeploymentRecord["status"] | undefined;
      for (let round = 0; round < ROUNDS; round++) {
        const found = await this.find(place);
        if (found === undefined || found.deployment.status === told) break;
        const outcome = await this.#tell(found);
        if (outcome !== undefined) return outcome;
        told = found.deployment.status;
      }
      return { type: "sent", detail: "Reported to the forge" };
    });
  }

  /** Returns why the report failed; `undefined` if it succeeded. */
  async #tell({ deployment, target }: Reported): Promise<SendOutcome | undefined> {
    const { reports, now } = this.#parts;
    const known = await reports.find(deployment);
    let record: ReportRecord = {
      state: null,
      comment: null,
      ...known,
      problem: null,
      forge: target.forge,
      repository: target.path.join("/"),
      at: now(),
    };
    try {
      if (!target.api.startsWith("https:") && !this.#parts.allowPrivate) {
        throw new ForgeError({ type: "failed", reason: NOT_ALLOWED });
      }
      const addressed = { deployment, target, dialect: dialectOf(target) };
      record = { ...record, state: await this.#mark(addressed, record.state) };
      record = { ...record, comment: await this.#comment(addressed, record.comment) };
      await reports.save(deployment, record);
      return undefined;
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      const { outcome } = error;
      await reports.save(deployment, { ...record, problem: outcome.reason });
      // Permanent failures are shown with the deployment, so they need not be kept as undelivered
      // messages.
      return outcome.type === "failed" ? { type: "gone", reason: outcome.reason } : outcome;
    }
  }

  #ask(addressed: Addressed, request: Parameters<typeof askForge>[2]) {
    return askForge(this.#parts, addressed, request);
  }

  /** Sets the commit's status if it has changed. Returns the current status. */
  async #mark(addressed: Addressed, known: string | null): Promise<string | null> {
    const status = commitStatus(addressed.deployment, this.#parts);
    if (status === undefined || status.state === known) return known;
    await this.#ask(addressed, addressed.dialect.status(addressed.target, status));
    return status.state;
  }

  /** Writes or changes the comment on the pull request. Returns the hash of its text. */
  async #comment(addressed: Addressed, known: string | null): Promise<string | null> {
    const { deployment } = addressed;
    if (isSkipped(deployment)) return known;
    const pull = await this.#parts.pulls.find(deployment);
    const last = pull?.comment ?? null;
    if (pull === undefined || last === null && !pull.isOpen) return known;
    const shown = await this.#shownPreview(deployment, last);
    if (shown === undefined) return known;
    const { checks } = deployment;
    const protection = await this.#parts.protectionOf(deployment.projectId);
    const text = commentText(shown, { ...this.#parts, protection, checks });
    const hash = sha256Hex(text);
    if (last?.deploymentId === shown.id && hash === known) return known;
    const id = await this.#write(addressed, pull, text);
    const comment = id === undefined ? null : { id, deploymentId: shown.id };
    await this.#parts.pulls.commented(deployment, pull.number, comment);
    return hash;
  }

  /**
   * Returns the preview to show in the comment: the deployment itself or, for a production
   * deployment with checks, the preview of its commit. If `undefined`, the comment stays unchanged.
   */
  async #shownPreview(
    deployment: DeploymentRecord,
    last: PullRecord["comment"],
  ): Promise<DeploymentRecord | undefined> {
    const { environment, projectId, commitSha, checks } = deployment;
    if (environment !== ENVIRONMENT_PRODUCTION) {
      // The pull request already shows a newer deployment from the branch.
      return last !== null && last.deploymentId > deployment.id ? undefined : deployment;
    }
    if (last === null || checks === undefined || checks.state === "RUNNING") return undefined;
    const preview = await this.#parts.deployments.find(projectId, last.deploymentId);
    return preview?.commitSha === commitSha ? preview : undefined;
  }

  /**
   * Writes the comment. Returns its ID; `undefined` if a closed pull request no longer has a
   * comment.
   */
  async #write(addressed: Addressed, pull: PullRecord, text: string): Promise<string | undefined> {
    const { target, dialect, deployment } = addressed;
    const { number } = pull;
    if (pull.comment !== null) {
      const id = await this.#change(addressed, number, { id: pull.comment.id, text });
      if (id !== undefined) return id;
    }
    if (!pull.isOpen) return undefined;
    // There may have been a crash after the comment was written, but before it was recorded.
    const { json } = await this.#ask(addressed, dialect.comments(target, number));
    const mark = markOf(deployment.projectId);
    const found = this.#read(() => dialect.readComments(json)).find((each) =>
      each.text.includes(mark)
    );
    if (found !== undefined) {
      const id = await this.#change(addressed, number, { id: found.id, text });
      if (id !== undefined) return id;
    }
    const added = await this.#ask(addressed, dialect.addComment(target, number, text));
    return this.#read(() => dialect.readComment(added.json)).id;
  }

  async #change(
    addressed: Addressed,
    pull: number,
    comment: ShownComment,
  ): Promise<string | undefined> {
    const { target, dialect } = addressed;
    try {
      const asked = dialect.comment?.(target, pull, comment.id);
      const shown = asked === undefined ? undefined : await this.#ask(addressed, asked);
      const version = shown === undefined
        ? undefined
        : this.#read(() => dialect.readComment(shown.json)).version;
      await this.#ask(
        addressed,
        dialect.changeComment(target, pull, {
          ...comment,
          ...(version === undefined ? {} : { version }),
        }),
      );
      return comment.id;
    } catch (error) {
      if (error instanceof ForgeError && error.status === 404) return undefined;
      throw error;
    }
  }

  #read<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      const reason = "The forge returned an unexpected response";
      throw new ForgeError({ type: "failed", reason }, undefined, { cause });
    }
  }
}
