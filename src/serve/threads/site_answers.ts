/**
 * What the platform tells edge threads of sites: their manifest, files and rules.
 *
 * @module
 */
import type { Publisher, ResourceUri } from "../../feed/mod.ts";
import { UnavailableError } from "../../lib/unavailable_error.ts";
import { SingleFlight } from "../../lib/single_flight.ts";
import type { BlobVault } from "../../platform/core/store/mod.ts";
import { type DeploymentStore, isServed, readContent } from "../../platform/deployments/mod.ts";
import type { Traffic } from "../../platform/traffic/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { BlobFiles } from "../open_foundation.ts";
import { LastAnswers } from "./last_answers.ts";
import type { Answers, Question, ThreadSite } from "./wire.ts";

/** Deployments, and projects, whose last answer is kept for an outage of the store. */
const MOST_KEPT = 10_000;

export interface SiteAnswersParts {
  /** Tells of rules that were published. */
  readonly feed: Pick<Publisher, "subscribe">;
  readonly vault: BlobVault;
  /** Where the files of blobs are. */
  readonly blobFiles: BlobFiles;
  readonly deployments: DeploymentStore;
  /** Removes the responses of URIs wherever they are stored; resolves when they are gone. */
  invalidate(uris: readonly ResourceUri[]): Promise<void>;
  /** The rules published over a project's deployments; `undefined` where there are none. */
  publishedRules(projectId: string): Promise<RuntimeRuleSet | undefined>;
  readonly traffic: Pick<Traffic, "saltOf">;
}

/** Where the content of a deployment is that is shown. */
interface Served {
  readonly workspaceId: string;
  readonly contentSha: string;
}

/** Rules as they were last read, until a host is told to show others. */
function keptRules(
  feed: SiteAnswersParts["feed"],
  publishedRules: SiteAnswersParts["publishedRules"],
): SiteAnswersParts["publishedRules"] {
  const kept = new LastAnswers<RuntimeRuleSet | undefined>(MOST_KEPT);
  const { entry } = feed.subscribe({
    send({ place, message }) {
      if (message.type === "host_pointed") kept.forget(message.to.projectId);
      entry.applied(place);
    },
    onLate() {},
  });
  return (projectId) => kept.read(projectId, () => publishedRules(projectId));
}

/** Makes the answers to questions of threads; those that ask at the same time share one read. */
export function siteAnswers(
  { feed, vault, blobFiles, deployments, publishedRules, traffic, invalidate }: SiteAnswersParts,
): (question: Question) => Promise<unknown> {
  const reads = new SingleFlight<ThreadSite | undefined>();
  const served = new LastAnswers<Served | undefined>(MOST_KEPT);
  const rules = keptRules(feed, publishedRules);
  const find = async (projectId: string, id: string): Promise<Served | undefined> => {
    const deployment = await deployments.find(projectId, id);
    if (deployment === undefined || !isServed(deployment.status)) return undefined;
    const { workspaceId, contentSha } = deployment;
    return contentSha === null ? undefined : { workspaceId, contentSha };
  };
  const read = async (projectId: string, id: string): Promise<ThreadSite | undefined> => {
    const found = await served.read(id, () => find(projectId, id));
    if (found === undefined) return undefined;
    const { workspaceId, contentSha } = found;
    const { manifest, files, rules } = await readContent(vault.of(workspaceId), contentSha);
    const { folder: blobs, fetch } = blobFiles;
    return { blobs, fetched: fetch !== undefined, workspaceId, manifest, files, rules };
  };
  const fetchBlob = async (
    { workspaceId, sha256 }: Extract<Question, { type: "blob" }>,
  ): Promise<Answers["blob"]> => {
    try {
      return void await blobFiles.fetch?.(workspaceId, sha256);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      return { message: error.message, retryAfter: error.retryAfter };
    }
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
        return await rules(question.projectId);
      case "salt":
        return await traffic.saltOf(question.day);
      case "blob":
        return await fetchBlob(question);
      case "certificate":
      case "failure":
      case "functions":
        return undefined;
    }
  };
}
