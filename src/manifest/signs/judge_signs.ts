/**
 * @module Decides what server signs mean for a project whose files would otherwise be published.
 */
import { findFramework } from "../frameworks/frameworks.ts";
import { describeSign } from "./refuse_signs.ts";
import type { ProjectSign } from "./types.ts";

/** The setting in `svc.toml` that publishes all files of an output. */
export const STATIC_KEY = '"static = true" under [build] in svc.toml';

interface SiteFacts {
  /** ID of the detected framework. */
  readonly framework: string | undefined;
  /** Whether the files are in a separate folder, like a build's output. */
  readonly isBuilt: boolean;
  /** Whether the folder was set explicitly instead of found by svc. */
  readonly isNamed: boolean;
  readonly hasPage: boolean;
}

type Judgment =
  | { readonly type: "site" }
  /** The files are published, with a note about the server. */
  | { readonly type: "noted"; readonly note: string }
  | { readonly type: "refused"; readonly signs: readonly ProjectSign[] };

/** Returns a note about a server that a project has in addition to a framework's site. */
function noteOf(signs: readonly ProjectSign[]): string {
  const seen = signs.slice(0, 2).map(describeSign).join(", ");
  return `Deploying only the files. The server next to them is not deployed (${seen}). If that is intended, set ${STATIC_KEY}`;
}

/**
 * Decides whether to publish a project's files despite server signs. Functions for other platforms
 * are never dropped silently. If the author set the output folder of a build, other signs are
 * ignored. If a known framework built a site with pages, other signs lead at most to a note.
 */
export function judgeSigns(
  signs: readonly ProjectSign[],
  { framework, isBuilt, isNamed, hasPage }: SiteFacts,
): Judgment {
  const functions = signs.filter(({ kind }) => kind === "function");
  if (functions.length > 0) return { type: "refused", signs: functions };
  if (signs.length === 0 || isBuilt && isNamed) return { type: "site" };
  const programs = signs.filter(({ kind }) => kind === "program");
  if (!hasPage) return { type: "refused", signs };
  if (framework !== undefined) {
    const isOwn = findFramework(framework)?.standalone === true;
    return isOwn || programs.length === 0
      ? { type: "site" }
      : { type: "noted", note: noteOf(programs) };
  }
  const stops = isBuilt ? programs : signs;
  return stops.length === 0 ? { type: "site" } : { type: "refused", signs: stops };
}
