/**
 * Database branches for previews. Each is created with the first preview of a git branch, and
 * removed with the last preview.
 *
 * @module
 */
import { ENVIRONMENT_PREVIEW } from "../../contract/environment_names.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { isDeploymentUnderWay } from "../../contract/deployments.ts";
import { type DeploymentRecord, type DeploymentStore, isServed } from "../deployments/mod.ts";
import type { BranchService } from "./branch_service.ts";
import type { BranchStore } from "./branch_store.ts";
import { Failure } from "../core/http/mod.ts";
import type { DatabaseRecipe } from "../../lib/database_previews.ts";
import {
  type BranchRecord,
  type DatabaseRecord,
  previewBranchName,
  previewSource,
} from "./records.ts";

/**
 * Returns whether a deployment is a preview that still needs the database branches of its git
 * branch.
 */
const usesBranch = ({ environment, status }: DeploymentRecord): boolean =>
  environment === ENVIRONMENT_PREVIEW && (isServed(status) || isDeploymentUnderWay(status));

interface PreviewParts {
  readonly branches: BranchStore;
  readonly branchService: BranchService;
}

/** Creates the preview's branch if there is none. @throws {Failure} */
export async function previewBranch(
  database: DatabaseRecord,
  { gitBranch, recipe = null, madeFor = null }: {
    readonly gitBranch: string;
    readonly recipe?: DatabaseRecipe | null;
    readonly madeFor?: number | null;
  },
  { branches, branchService }: PreviewParts,
): Promise<BranchRecord> {
  const name = previewBranchName(gitBranch);
  const known = await branches.get(database.id, name);
  if (known !== undefined) return known;
  try {
    return await branchService.add(database, {
      name,
      parent: MAIN_BRANCH,
      source: previewSource(recipe),
      gitBranch,
      recipe,
      madeFor,
    });
  } catch (error) {
    // Two servers of the preview may need the branch at the same time.
    const made = error instanceof Failure ? await branches.get(database.id, name) : undefined;
    if (made === undefined) throw error;
    return made;
  }
}

const isSame = (one: DatabaseRecipe | null, other: DatabaseRecipe | null): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * Creates a preview's branch. If the branch exists, resets it on request, or if its recipe has
 * changed. Ignores older deployments and branches created by hand.
 *
 * @throws {Failure}
 */
export async function preparePreviewBranch(
  database: DatabaseRecord,
  wanted: {
    readonly gitBranch: string;
    readonly recipe: DatabaseRecipe | null;
    readonly madeFor: number;
    readonly resets: boolean;
  },
  parts: PreviewParts,
): Promise<void> {
  const { branches, branchService } = parts;
  const { gitBranch, recipe, madeFor, resets } = wanted;
  let branch = await branches.get(database.id, previewBranchName(gitBranch));
  // A running task must finish first.
  if (branch !== undefined && branch.task !== null && branch.failure === null) {
    branch = await branchService.settled(database, branch);
  }
  if (branch === undefined) branch = await previewBranch(database, wanted, parts);
  else {
    if (branch.gitBranch === null) return;
    const isNewer = branch.madeFor === null || branch.madeFor < madeFor;
    const isOther = resets || !isSame(branch.recipe, recipe);
    const isUnmade = branch.storage === null && branch.failure !== null;
    if (!isUnmade && !(isNewer && isOther)) return;
    // The branch's recipe changes only if the reset succeeds. Until then, the branch keeps its
    // previous state.
    branch = await branchService.replace(database, branch, previewSource(recipe), { madeFor });
  }
  if (branch.failure !== null) {
    await branchService.forgetFailure(database, branch);
    throw new Failure("conflict", branch.failure);
  }
  if (branch.task !== null) {
    throw new Failure("conflict", `Branch "${branch.name}" is still being created`);
  }
}

/** Returns the database branches whose git branch no longer has a preview. */
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
