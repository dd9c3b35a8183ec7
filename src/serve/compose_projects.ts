/** Composes projects, their configuration, and their sites' logs. @module */
import type { Capability } from "../platform/core/capability.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import { type DeploymentStore, latestDeployments } from "../platform/deployments/mod.ts";
import { createEnvironments } from "../platform/environments/mod.ts";
import type { ErrorTable } from "../platform/errors/error_table.ts";
import { type GitService, type GitUrlRules, refuseGitUrl } from "../platform/git/mod.ts";
import { createLogs } from "../platform/logs/mod.ts";
import { createProjects } from "../platform/projects/mod.ts";
import { createVariables, type VariableParts } from "../platform/variables/mod.ts";
import { deleteEnvironmentData, deleteProject } from "./delete_project.ts";

/** Creates projects, their configuration, and their sites' logs. */
export function composeProjects(
  foundation: Foundation,
  { capabilities, deployments, gitRules, checkRepository, errorTable, ...neighbors }:
    & Pick<VariableParts, "connectionFor" | "databasesOf" | "shownAt">
    & {
      readonly capabilities: readonly Capability[];
      readonly deployments: DeploymentStore;
      readonly gitRules: GitUrlRules;
      readonly checkRepository: GitService["check"];
      readonly errorTable: ErrorTable;
    },
) {
  const projects = createProjects(foundation, {
    gitRefusal: (gitUrl) => refuseGitUrl(gitUrl, gitRules),
    checkRepository,
    deleteProject: (project) =>
      deleteProject({ kv: foundation.kv, now: foundation.now, capabilities }, project),
  });
  const environments = createEnvironments(foundation, {
    projects: projects.projects,
    onDeleted: (environment) =>
      deleteEnvironmentData({ kv: foundation.kv, capabilities }, environment),
  });
  const variables = createVariables(foundation, {
    ...neighbors,
    projects: projects.projects,
    environments: environments.environments,
  });
  const logs = createLogs(foundation, {
    projects: projects.projects,
    environments: environments.environments,
    deploymentsOf: latestDeployments(deployments),
    environmentOf: async (projectId, id) => (await deployments.find(projectId, id))?.environment,
    observer: errorTable,
  });
  return {
    projects: projects.projects,
    gitCredentials: projects.gitCredentials,
    environments: environments.environments,
    variables: variables.variables,
    variableService: variables.variableService,
    logs: logs.logs,
    sharedLogs: logs.sharedLogs,
    projectCapabilities: [
      projects.capability,
      environments.capability,
      variables.capability,
      logs.capability,
    ],
  };
}
