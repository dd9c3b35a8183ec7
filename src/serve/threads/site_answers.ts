/**
 * What the platform tells edge threads of sites: their manifest, files and rules.
 *
 * @module
 */
import type { ResourceUri } from "../../feed/mod.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import type { BlobVault } from "../../platform/core/store/mod.ts";
import { type DeploymentStore, isServed, readContent } from "../../platform/deployments/mod.ts";
import type { Traffic } from "../../platform/traffic/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { Question, ThreadSite } from "./wire.ts";

export interface SiteAnswersParts {
  readonly vault: BlobVault;
  /** Folder of all blobs. */
  readonly blobs: string;
  readonly deployments: DeploymentStore;
  /** Removes the responses of URIs wherever they are stored; resolves when they are gone. */
  invalidate(uris: readonly ResourceUri[]): Promise<void>;
  /** The rules published over a project's deployments; `undefined` where there are none. */
  publishedRules(projectId: string): Promise<RuntimeRuleSet | undefined>;
  readonly traffic: Pick<Traffic, "saltOf">;
}

/** Makes the answers to questions of threads; those that ask at the same time share one read. */
export function siteAnswers(
  { vault, blobs, deployments, publishedRules, traffic, invalidate }: SiteAnswersParts,
): (question: Question) => Promise<unknown> {
  const reads = new SingleFlight<ThreadSite | undefined>();
  const read = async (projectId: string, id: string): Promise<ThreadSite | undefined> => {
    const deployment = await deployments.find(projectId, id);
    if (deployment === undefined || !isServed(deployment.status)) return undefined;
    if (deployment.contentSha === null) return undefined;
    const { workspaceId, contentSha } = deployment;
    const { manifest, files, rules } = await readContent(vault.of(workspaceId), contentSha);
    return { blobs, workspaceId, manifest, files, rules };
  };
  return async (question) => {
    switch (question.type) {
      case "site": {
        const { projectId, deploymentId } = question;
        return await reads.run(deploymentId, () => read(projectId, deploymentId));
      }
      case "invalid":
        return await invalidate(question.uris);
      case "rules":
        return await publishedRules(question.projectId);
      case "salt":
        return await traffic.saltOf(question.day);
      case "certificate":
      case "failure":
      case "functions":
        return undefined;
    }
  };
}
