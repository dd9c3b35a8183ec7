/**
 * The route table: every endpoint of the HTTP API, by name.
 *
 * @module
 */
import * as deployments from "./deployments.ts";
import * as domains from "./domains.ts";
import * as environments from "./environments.ts";
import * as identity from "./identity.ts";
import * as logs from "./logs.ts";
import * as projects from "./projects.ts";
import * as rules from "./rules.ts";
import * as system from "./system.ts";
import * as variables from "./variables.ts";

export const endpoints = {
  getHealth: system.getHealth,
  getOpenApi: system.getOpenApi,
  getIdentity: identity.getIdentity,
  listWorkspaces: identity.listWorkspaces,
  listProjects: projects.listProjects,
  createProject: projects.createProject,
  getProject: projects.getProject,
  updateProject: projects.updateProject,
  deleteProject: projects.deleteProject,
  createDeployment: deployments.createDeployment,
  listDeployments: deployments.listDeployments,
  getDeployment: deployments.getDeployment,
  activateDeployment: deployments.activateDeployment,
  stopDeployment: deployments.stopDeployment,
  rollback: deployments.rollback,
  listEnvironments: environments.listEnvironments,
  createEnvironment: environments.createEnvironment,
  deleteEnvironment: environments.deleteEnvironment,
  listVariables: variables.listVariables,
  setVariable: variables.setVariable,
  deleteVariable: variables.deleteVariable,
  exportVariables: variables.exportVariables,
  listDomains: domains.listDomains,
  addDomain: domains.addDomain,
  getDomain: domains.getDomain,
  verifyDomain: domains.verifyDomain,
  deleteDomain: domains.deleteDomain,
  putBlob: deployments.putBlob,
  postBlobs: deployments.postBlobs,
  listLogs: logs.listLogs,
  followLogs: logs.followLogs,
  getRules: rules.getRules,
  putRules: rules.putRules,
  deleteRules: rules.deleteRules,
  listRuleRevisions: rules.listRuleRevisions,
  restoreRules: rules.restoreRules,
  listRuleCounters: rules.listRuleCounters,
} as const;
