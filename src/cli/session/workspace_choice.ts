/**
 * @module Chooses the workspace for a command. All commands follow one rule: the `--workspace`
 * flag, then `SVC_WORKSPACE`, then `project.workspace` in the command's `svc.toml`, then the
 * default from `svc workspace switch`. A key from a flag or variable belongs to a workspace, so the
 * default does not apply. Pure.
 */
import type { Settings } from "./settings.ts";

type WorkspaceSource = "flag" | "variable" | "project" | "default";

export interface WorkspaceChoice {
  readonly slug: string;
  readonly source: WorkspaceSource;
}

/** Names of the sources in messages. */
export const WORKSPACE_SOURCES: Readonly<Record<WorkspaceSource, string>> = {
  flag: "--workspace",
  variable: "SVC_WORKSPACE",
  project: "svc.toml",
  default: "svc workspace switch",
};

export interface WorkspaceFacts {
  readonly settings: Pick<Settings, "workspace" | "workspaceSource" | "token">;
  /** `project.workspace` of the project file. */
  readonly project: string | undefined;
  /** The default workspace of the stored logins. */
  readonly storedDefault: string | undefined;
}

/** Chooses the workspace to act in. Returns `undefined` to leave the choice to the key. */
export function chooseWorkspace(facts: WorkspaceFacts): WorkspaceChoice | undefined {
  const { settings, project, storedDefault } = facts;
  if (settings.workspace !== undefined) {
    return { slug: settings.workspace, source: settings.workspaceSource ?? "flag" };
  }
  if (project !== undefined) return { slug: project, source: "project" };
  if (settings.token !== undefined || storedDefault === undefined) return undefined;
  return { slug: storedDefault, source: "default" };
}
