/**
 * Creates each deployment's record: its ID, its URLs, and its environment's variables.
 *
 * @module
 */
import type { Clock, Random } from "../../lib/clock.ts";
import { shortId, uuidV7 } from "../../lib/ids.ts";
import type { VariableService } from "../variables/mod.ts";
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { branchLabel } from "../core/addresses.ts";
import type { BuildTrigger, DeploymentRecord } from "./deployment.ts";
import type { CreatedWith, DeploymentStore } from "./deployment_store.ts";

/** Number of attempts to find a unique label that is free. About one in 10^11 labels is taken. */
const LABEL_ATTEMPTS = 5;

export interface RecordServices {
  readonly deployments: DeploymentStore;
  readonly variables: Pick<VariableService, "takeSnapshot" | "removeSnapshot">;
  readonly now: Clock;
  readonly random: Random;
}

type DeploymentContent =
  & Pick<DeploymentRecord, "branch" | "commitSha" | "message" | "author" | "source">
  & Pick<DeploymentRecord, "contentSha" | "cron" | "protection" | "database">
  & Pick<DeploymentRecord, "fileCount" | "totalBytes">;

type WantedDeployment = DeploymentContent & {
  readonly environment: string;
  /** ID of the person who started the deployment; missing if no person did. */
  readonly startedBy?: string | undefined;
  /** The build's trigger; missing if there is no build. */
  readonly trigger?: BuildTrigger;
  /** The preview that is being promoted; missing for any other deployment. */
  readonly promotedFrom?: string | null;
  /** The deployment that is being redeployed; missing for any other deployment. */
  readonly redeployOf?: string;
};

export function contentOf(source: DeploymentRecord): DeploymentContent {
  const { branch, commitSha, message, author, contentSha, cron, protection } = source;
  const { database, fileCount, totalBytes } = source;
  const content = { contentSha, cron, protection, database, fileCount, totalBytes };
  return { branch, commitSha, message, author, source: source.source, ...content };
}

async function freeBranchLabel(
  deployments: DeploymentStore,
  project: ProjectRecord,
  branch: string,
): Promise<string> {
  const label = branchLabel(project.name, branch);
  const host = await deployments.findHost(label);
  const taken = host !== undefined && host.projectId !== project.id;
  return taken ? branchLabel(project.name, branch, { taken }) : label;
}

/** Records a deployment in state PENDING. `also` adds changes to the same commit, and may throw. */
export async function recordDeployment(
  services: RecordServices,
  project: ProjectRecord,
  options: {
    readonly wanted: WantedDeployment;
    readonly also?: (deployment: DeploymentRecord) => CreatedWith;
  },
): Promise<DeploymentRecord> {
  const { deployments, variables, now, random } = services;
  const { wanted, also } = options;
  const id = uuidV7(now, random);
  const { environment } = wanted;
  const label = await freeBranchLabel(deployments, project, wanted.branch);
  const base: Omit<DeploymentRecord, "uniqueLabel" | "variablesVersion"> = {
    promotedFrom: null,
    redeployOf: null,
    ...wanted,
    id,
    projectId: project.id,
    workspaceId: project.workspaceId,
    projectName: project.name,
    status: "PENDING",
    branchLabel: label,
    functions: [],
    error: null,
    createdAt: now(),
    updatedAt: now(),
    liveAt: null,
  };
  try {
    for (let attempt = 0; attempt < LABEL_ATTEMPTS; attempt++) {
      const uniqueLabel = `${project.name}-${shortId(random)}`;
      const { version, references, problem } = await variables.takeSnapshot({
        id,
        project,
        branch: wanted.branch,
        environment,
        uniqueLabel,
      });
      // A build that cannot get its variables fails with a reason that the person who pushed can
      // see.
      if (problem !== undefined && wanted.contentSha !== null) {
        throw new Failure("conflict", problem);
      }
      const deployment = {
        ...base,
        uniqueLabel,
        variablesVersion: version,
        ...(references.length === 0 ? {} : { references: [...references] }),
      };
      if (await deployments.create(deployment, also?.(deployment))) return deployment;
    }
    throw new Failure("conflict", "Cannot find a free hostname for the deployment. Try again");
  } catch (error) {
    await variables.removeSnapshot(id);
    throw error;
  }
}
