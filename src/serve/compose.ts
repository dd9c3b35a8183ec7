/**
 * The platform put together: each capability is made by its own factory, over
 * one foundation, and takes part by its {@link Capability}.
 *
 * @module
 */
import type { HttpCache } from "../edge/mod.ts";
import { type AccountServices, createAccounts } from "../platform/accounts/mod.ts";
import { type Builds, type BuildSettings, createBuilds } from "../platform/builds/mod.ts";
import { createCache } from "../platform/cache/mod.ts";
import { createCompute, type ServerSandbox } from "../platform/compute/mod.ts";
import type { Capability } from "../platform/core/capability.ts";
import { noteEvent, securityNotice } from "../platform/core/events/mod.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import {
  createDeployments,
  type DeploymentStore,
  openDeployments,
  type SiteDirectory,
} from "../platform/deployments/mod.ts";
import { createDomains, type Domains, type DomainSetup } from "../platform/domains/mod.ts";
import { createEnvironments } from "../platform/environments/mod.ts";
import { createFunctions } from "../platform/functions/mod.ts";
import { createHealth } from "../platform/health/mod.ts";
import { createHooks } from "../platform/hooks/mod.ts";
import { type AccessLogs, createLogs } from "../platform/logs/mod.ts";
import {
  accountMailSender,
  createNotifications,
  type Mailer,
  type Notifications,
} from "../platform/notifications/mod.ts";
import { createProjects } from "../platform/projects/mod.ts";
import { createRetention } from "../platform/retention/mod.ts";
import { createRules, openRules } from "../platform/rules/mod.ts";
import { createVariables } from "../platform/variables/mod.ts";
import { createWorkspaces, type WorkspaceService } from "../platform/workspaces/mod.ts";
import { deleteProject } from "./delete_project.ts";
import type { PlatformOptions } from "./options.ts";

/** What the operator set up, read and checked. */
export interface Setup {
  readonly options: PlatformOptions;
  /** The edge's cache of answers. */
  readonly cache: HttpCache;
  readonly domains: DomainSetup;
  readonly builds: BuildSettings;
  /** Whether servers of deployments run here. */
  readonly serverSandbox: ServerSandbox;
  /** Sends mail; `undefined` where the platform has no mail server. */
  readonly mailer: Mailer | undefined;
  /** Whether the edge can find the network of an address. */
  readonly knowsNetworks: boolean;
}

/** The platform's capabilities, and what of them answers requests needs. */
export interface Platform {
  readonly capabilities: readonly Capability[];
  readonly accounts: AccountServices;
  readonly workspaces: WorkspaceService;
  readonly notifications: Notifications;
  readonly deployments: DeploymentStore;
  readonly sites: SiteDirectory;
  readonly domains: Domains;
  readonly builds: Builds;
  readonly logs: AccessLogs;
}

/** Makes all capabilities; reads nothing yet. */
export function compose(foundation: Foundation, setup: Setup): Platform {
  const { kv, events, now, onTrouble } = foundation;
  const { options, cache, mailer, knowsNetworks } = setup;
  const accounts = createAccounts({
    ...foundation,
    noteSecurityEvent: (operation, event) => noteEvent(operation, securityNotice(event)),
    onSecurityEvent: (event) => void events.raise(securityNotice(event)),
    ...(mailer === undefined ? {} : { sendMail: accountMailSender(mailer, onTrouble) }),
  });
  const workspaceParts = createWorkspaces({ ...accounts, kv });
  const { workspaces } = workspaceParts;
  const notifications = createNotifications(foundation, {
    ...accounts,
    raiseSecurityEvent: accounts.securityLog.raise,
    mailer,
    bot: options.bot,
  });
  const deployments = openDeployments(foundation);
  const { rules, publishedOf } = openRules(foundation);
  const projectParts = createProjects(foundation, {
    gitRefusal: (gitUrl) => builds.git.refusal(gitUrl),
    deleteProject: (project) => deleteProject({ kv, capabilities, now }, project),
  });
  const { projects, gitCredentials } = projectParts;
  const environmentParts = createEnvironments(foundation, {
    projects,
    async onDeleted(environment) {
      for (const each of capabilities) await each.removeEnvironment?.(environment);
    },
  });
  const { environments } = environmentParts;
  const variableParts = createVariables(foundation, { projects, environments });
  const { variables, variableService } = variableParts;
  const logParts = createLogs(foundation, { projects });
  const { logs } = logParts;
  const functions = createFunctions(foundation, {
    ...{ variables: variableService, logs, maxProcesses: options.maxFunctionProcesses },
  });
  const compute = createCompute(foundation, {
    ...{ variables: variableService, logs, deployments, sandbox: setup.serverSandbox },
    maxServers: options.maxServers,
    serverSockets: options.serverSockets,
  });
  const { computeService } = compute;
  const deploymentParts = createDeployments(foundation, {
    ...{ projects, environments, variables, variableService, deployments, computeService, cache },
    functionService: functions.functionService,
    publishedRules: publishedOf,
    otherBlobs: () => rules.blobs(),
    dropBuild: (id) => builds.buildQueue.drop(id),
  });
  const { sites, deploymentService } = deploymentParts;
  const ruleParts = { rules, projects, deployments, sites, knowsNetworks };
  const domains = createDomains(foundation, { projects, environments, sites }, setup.domains);
  const builds = createBuilds(foundation, {
    ...{ projects, gitCredentials, variables, variableService, deployments, deploymentService },
    settings: setup.builds,
    gitRoots: options.gitRoots ?? [],
    concurrency: options.buildConcurrency,
    open: options.openBuilds,
  });
  const { git, runner } = builds;
  const gitParts = { git, runner, builds: builds.builds, buildQueue: builds.buildQueue };
  /** From the bottom up: started in this order, and closed in the reverse. */
  const capabilities: readonly Capability[] = [
    logParts.capability,
    notifications.capability,
    accounts.capability,
    workspaceParts.capability,
    projectParts.capability,
    environmentParts.capability,
    variableParts.capability,
    functions.capability,
    deploymentParts.capability,
    compute.capability,
    createRules(foundation, ruleParts),
    domains.capability,
    builds.capability,
    createHooks(foundation, {
      ...{ ...gitParts, projects, deployments, variables: variableService },
      resolveMs: options.resolveMs,
    }),
    createHealth(foundation, { projects, sites, computeService }),
    createCache({ projects, sites, cache, computeService }),
    createRetention(
      { ...gitParts, kv, projects, deployments, deploymentService, sites, computeService, now },
      options.retention,
    ),
  ];
  return {
    ...{ capabilities, accounts, workspaces, notifications },
    ...{ deployments, builds, domains, sites, logs },
  };
}
