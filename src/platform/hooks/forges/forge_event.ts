/** A forge's report about a repository, in svc's terms. Pure. @module */
import * as z from "zod";

export type ForgeEvent =
  /** The branch has a new head, or a pull request needs a preview of it. */
  | { readonly type: "deploy"; readonly branch: string; readonly pull?: number }
  /** The branch was deleted, or its pull request is closed. */
  | { readonly type: "stop"; readonly branch: string; readonly pull?: number }
  /** There is nothing to do. `reason` is human-readable. */
  | { readonly type: "ignore"; readonly reason: string };

/** Thrown if a payload lacks some of the event's fields. */
export class PayloadError extends Error {
  override readonly name = "PayloadError";
}

export const ignore = (reason: string): readonly ForgeEvent[] => [{ type: "ignore", reason }];

/** Returns the event for a ref. Ignores tags and other refs. */
export function refEvent(ref: string, isDeleted: boolean): ForgeEvent {
  const branch = /^refs\/heads\/(.+)$/.exec(ref)?.[1];
  if (branch === undefined) return { type: "ignore", reason: `${ref} is not a branch` };
  return { type: isDeleted ? "stop" : "deploy", branch };
}

/** The number of a pull request. A payload without it is also handled. */
export const pullNumber = z.int().positive().optional();

/** A pull request in an event. */
interface PullRequest {
  /** The pull request's ID in the forge's API. */
  readonly number: number | undefined;
  readonly isOpen: boolean;
  /** Whether the pull request's visible state may have changed. */
  readonly isChanged: boolean;
  readonly branch: string;
  /** Whether the branch is in a different repository from the target. */
  readonly isFork: boolean;
}

/**
 * Deploys a preview when a pull request is opened or updated, and stops the preview when the pull
 * request is closed. Code from other repositories is not built.
 */
export function pullRequestEvent(
  { number: pull, isOpen, isChanged, branch, isFork }: PullRequest,
): readonly ForgeEvent[] {
  if (isFork) return ignore("Pull requests from forks are not built");
  const named = pull === undefined ? { branch } : { branch, pull };
  if (!isOpen) return [{ type: "stop", ...named }];
  return isChanged ? [{ type: "deploy", ...named }] : ignore("The pull request has no new commit");
}
