/** @module Data for the frame around the pages of signed-in people. */
import type { Workspace } from "../../contract/identity.ts";
import type { Person } from "../../platform/core/access/mod.ts";

export interface PageContext {
  readonly person: Person;
  readonly csrf: string;
  readonly workspaces: readonly Workspace[];
  readonly path: string;
  /** The message about the last action. */
  readonly done?: string | undefined;
  /** Path of the page that undoes the last action. */
  readonly undo?: string | undefined;
}

export interface BoardContext extends PageContext {
  readonly workspace: Pick<Workspace, "slug" | "name" | "role">;
  /** The time of the visit, in milliseconds since 1970. */
  readonly now: number;
}
