/**
 * Branches of databases that belong to the previews of a git branch: made when
 * a preview first needs one, and removed when no preview of the branch is left.
 *
 * @module
 */
import { ENVIRONMENT_PREVIEW } from "../../contract/environment_names.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { type DeploymentRecord, type DeploymentStore, isServed } from "../deployments/mod.ts";
import type { BranchService } from "./branch_service.ts";
import type { BranchStore } from "./branch_store.ts";
import { Failure } from "../core/http/mod.ts";
import { type BranchRecord, type DatabaseRecord, previewBranchName } from "./records.ts";

/** States in which a deployment is still being created. */
const BEFORE_LIVE: readonly string[] = ["PENDING", "BUILDING", "DEPLOYING"];

/** Whether a deployment uses the branches of its git branch's previews. */
const usesBranch = ({ environment, status }: DeploymentRecord): boolean =>
  environment === ENVIRONMENT_PREVIEW && (isServed(status) || BEFORE_LIVE.includes(status));

/**
 * The branch for the previews of a git branch, copied from `main` where there
 * is none.
 *
 * @throws {Failure}
 */
export async function previewBranch(
  database: DatabaseRecord,
  gitBranch: string,
  { branches, branchService }: {
    readonly branches: BranchStore;
    readonly branchService: BranchService;
  },
): Promise<BranchRecord> {
  const name = previewBranchName(gitBranch);
  const known = await branches.get(database.id, name);
  if (known !== undefined) return known;
  try {
    return await branchService.add(database, {
      name,
      parent: MAIN_BRANCH,
      source: { type: "branch", name: MAIN_BRANCH },
      gitBranch,
    });
  } catch (error) {
    // Two servers of the preview may need it at the same time.
    const made = error instanceof Failure ? await branches.get(database.id, name) : undefined;
    if (made === undefined) throw error;
    return made;
  }
}

/** Branches whose git branch has no preview any more. */
export async function endedPreviews(
  { id, projectId }: DatabaseRecord,
  { branches, deployments }: {
    readonly branches: Pick<BranchStore, "list">;
    readonly deployments: Pick<DeploymentStore, "all">;
  },
): Promise<BranchRecord[]> {
  const previews = (await branches.list(id)).filter(({ gitBranch }) => gitBranch !== null);
  if (previews.length === 0) return [];
  const used = new Set<string>();
  for await (const deployment of deployments.all(projectId)) {
    if (usesBranch(deployment)) used.add(deployment.branch);
  }
  return previews.filter(({ gitBranch }) => !used.has(gitBranch!));
}
