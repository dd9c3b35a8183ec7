/**
 * Finds the publishers that match a workflow run, and the permissions of the run's key. Pure.
 * @module
 */
import type { Permission } from "../../../contract/permissions.ts";
import { matchesWildcard } from "../../../lib/wildcard.ts";
import { describePublisher, type PublisherRecord } from "./publisher.ts";
import type { WorkflowRun } from "./workflow_run.ts";

/** Compares names of owners, repositories and environments, which are case-insensitive. */
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

function isRefTrusted(publisher: PublisherRecord, { ref }: WorkflowRun): boolean {
  const { branch, tag, pullRequests } = publisher;
  if (ref.type === "pull request") return pullRequests;
  if (ref.type === "tag") return tag !== null && matchesWildcard(tag, ref.name);
  return branch === null ? tag === null : matchesWildcard(branch, ref.name);
}

/** Returns why a run does not match a publisher, or `undefined` if it matches. */
export function mismatch(publisher: PublisherRecord, run: WorkflowRun): string | undefined {
  const { repositoryId, environment, workflow, subject } = publisher;
  if (!isSame(publisher.repository, run.repository)) return "it trusts another repository";
  if (repositoryId !== null && repositoryId !== run.repositoryId) {
    return `it trusts the repository with ID ${repositoryId}, but this repository of the same name has ID ${run.repositoryId}. If that is intended, remove the publisher and add it again`;
  }
  if (!isRefTrusted(publisher, run)) return `it does not trust the ${run.ref.type} ${run.ref.name}`;
  if (environment !== null && !isSame(environment, run.environment ?? "")) {
    return `it trusts the environment ${environment}, but the job has ${run.environment ?? "none"}`;
  }
  if (workflow !== null && workflow !== run.workflow) {
    return `it trusts the workflow ${workflow}, but this is ${run.workflow ?? "another"}`;
  }
  if (subject !== null && !matchesWildcard(subject, run.subject)) {
    return `it trusts the subject ${subject}, but this is ${run.subject}`;
  }
  return undefined;
}

export interface Trust {
  readonly publishers: readonly [PublisherRecord, ...PublisherRecord[]];
  readonly permissions: readonly Permission[];
  readonly projects: readonly string[] | null;
  readonly keySeconds: number;
}

/**
 * Maximum number of publishers that can issue one key, because a remote store (`denokv`) allows 10
 * checks per commit.
 */
const MOST_TOGETHER = 9;

const reachOf = ({ projects }: PublisherRecord): string =>
  JSON.stringify(projects === null ? null : projects.toSorted());

/**
 * Sets the repository ID for all publishers of a repository if any of these publishers has stored
 * it.
 */
function withKnownId(publishers: readonly PublisherRecord[]): readonly PublisherRecord[] {
  const known = publishers.find(({ repositoryId }) => repositoryId !== null)?.repositoryId ?? null;
  return publishers.map((each) => ({ ...each, repositoryId: each.repositoryId ?? known }));
}

const isFor = ({ projects }: PublisherRecord, asked: string | null | undefined): boolean =>
  asked === undefined || projects === null || asked !== null && projects.includes(asked);

/**
 * Grants the permissions of all matching publishers, or returns the reason for rejecting the run.
 * If the publishers cover different projects, the run must specify one project. `projectId` is null
 * if that project does not exist.
 */
export function decideTrust(
  publishers: readonly PublisherRecord[],
  { run, projectId }: {
    readonly run: WorkflowRun;
    readonly projectId: string | null | undefined;
  },
): Trust | string {
  const ofRepository = withKnownId(
    publishers.filter(({ repository }) => isSame(repository, run.repository)),
  );
  if (ofRepository.length === 0) return `no trusted publisher for ${run.repository}`;
  const judged = ofRepository.map((publisher) => ({ publisher, why: mismatch(publisher, run) }));
  const fitting = judged.filter(({ why }) => why === undefined).map((each) => each.publisher);
  if (fitting.length === 0) {
    return judged.map(({ publisher, why }) => `"${describePublisher(publisher)}": ${why}`)
      .join("; ");
  }
  const reaching = fitting.filter((publisher) => isFor(publisher, projectId));
  const [first] = reaching;
  if (first === undefined) return `no trusted publisher of ${run.repository} covers the project`;
  if (reaching.length > MOST_TOGETHER) {
    return `more than ${MOST_TOGETHER} trusted publishers of ${run.repository} match: remove some`;
  }
  const isOneReach = new Set(reaching.map(reachOf)).size === 1;
  if (!isOneReach && typeof projectId !== "string") {
    return "several trusted publishers with different projects match: choose the project";
  }
  return {
    publishers: [first, ...reaching.slice(1)],
    permissions: [...new Set(reaching.flatMap(({ permissions }) => permissions))],
    projects: isOneReach ? first.projects : [projectId!],
    keySeconds: Math.min(...reaching.map(({ keySeconds }) => keySeconds)),
  };
}
