/**
 * What a forge reports of a repository, in our own words. Pure.
 *
 * @module
 */

export const FORGES = ["github", "gitlab", "gitea", "bitbucket"] as const;
export type Forge = (typeof FORGES)[number];

export const FORGE_NAMES: Readonly<Record<Forge, string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea",
  bitbucket: "Bitbucket",
};

export type ForgeEvent =
  /** The branch has a new head, or a pull request asks for a preview of it. */
  | { readonly type: "deploy"; readonly branch: string }
  /** The branch is gone, or its pull request is closed. */
  | { readonly type: "stop"; readonly branch: string }
  /** Nothing is to be done; `reason` is for people. */
  | { readonly type: "ignore"; readonly reason: string };

/** A payload lacks what its event has. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";
}

export const ignore = (reason: string): readonly ForgeEvent[] => [{ type: "ignore", reason }];

/** The event of a ref; tags and other refs are ignored. */
export function refEvent(ref: string, isDeleted: boolean): ForgeEvent {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  if (branch === undefined) return { type: "ignore", reason: `${ref} is no branch` };
  return { type: isDeleted ? "stop" : "deploy", branch };
}

/** What happened to a pull request. */
export interface PullRequest {
  readonly isOpen: boolean;
  /** Whether what it shows may have changed. */
  readonly isChanged: boolean;
  readonly branch: string;
  /** Whether the branch is in another repository than the one that it is for. */
  readonly isFork: boolean;
}

/** A preview on open and update, none any more on close. Code of strangers is not built. */
export function pullRequestEvent(
  { isOpen, isChanged, branch, isFork }: PullRequest,
): readonly ForgeEvent[] {
  if (isFork) return ignore("The pull request comes from a fork, whose code is not built");
  if (!isOpen) return [{ type: "stop", branch }];
  return isChanged ? [{ type: "deploy", branch }] : ignore("The pull request has no new commit");
}
