/** @module Derives project names from repositories and folders. */
import { PROJECT_NAME_MAX } from "../../contract/common.ts";

/** Returns the closest valid project name; an empty string if no part of the text is valid. */
export function toProjectName(text: string): string {
  return text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-").slice(0, PROJECT_NAME_MAX).replace(/^-+|-+$/g, "");
}

/** Derives a project name from a repository's URL. */
export function repositoryName(gitUrl: string): string {
  const last = gitUrl.replace(/\/+$/, "").split(/[/:]/).at(-1) ?? "";
  return toProjectName(last.replace(/\.git$/, ""));
}
