/** @module Formats a project as readable text. */
import type { Project } from "../../contract/projects.ts";
import type { ProjectHealth } from "../../contract/health.ts";
import { formatFacts } from "../terminal/table.ts";
import { printable } from "../terminal/format.ts";

/** Describes the state of production, with the reason if something is wrong. */
function formatHealth({ state, since, reason }: ProjectHealth): string | null {
  if (state === "none") return null;
  const from = since === null ? "" : ` since ${since}`;
  return printable(`${state}${from}${reason === null ? "" : `: ${reason}`}`);
}

/** Formats all properties of a project that are set, with its health if requested. */
export function formatProject(project: Project, health?: ProjectHealth): string {
  return formatFacts([
    ["name", project.name],
    ["id", project.id],
    ["display name", project.displayName],
    ["workspace", project.workspace],
    ["url", project.url],
    ["live deployment", project.productionDeploymentId ?? "none yet"],
    ["health", health === undefined ? null : formatHealth(health)],
    ["git url", project.gitUrl],
    ["git credentials", project.gitCredentials],
    ["branch", project.branch],
    ["framework", project.framework],
    ["install command", project.installCommand],
    ["build command", project.buildCommand],
    ["output directory", project.outputDirectory],
    ["root directory", project.rootDirectory],
    ["node version", project.nodeVersion],
    ["automatic redeploys", project.autoRedeploy ? "on" : null],
    ["created", project.createdAt],
    ["updated", project.updatedAt],
  ]);
}
