/**
 * Composes the platform: each capability is created by its own factory, over
 * one foundation, and takes part by its {@link Capability}.
 *
 * @module
 */
import { createAccounts, type SendAccountMail } from "../platform/accounts/mod.ts";
import { createAudit } from "../platform/audit/mod.ts";
import { createBuilds } from "../platform/builds/mod.ts";
import { createCache } from "../platform/cache/purge.ts";
import { createFunctions } from "../platform/functions/create_functions.ts";
import { createImages } from "../platform/images/create_images.ts";
import { createKv } from "../platform/kv/create_kv.ts";
import { createNodes } from "../platform/nodes/create_nodes.ts";
import { createPush } from "../platform/push/create_push.ts";
import { createRules, openRules } from "../platform/rules/create_rules.ts";
import { createSearch } from "../platform/search/create_search.ts";
import { createUsage } from "../platform/usage/create_usage.ts";
import { createCron } from "../platform/cron/mod.ts";
import { createCompute } from "../platform/compute/mod.ts";
import type { Capability } from "../platform/core/capability.ts";
import { noteEvent, securityNotice } from "../platform/core/events/mod.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import { createDeployments, openDeployments } from "../platform/deployments/mod.ts";
import { createDatabases } from "../platform/databases/mod.ts";
import { createDomains } from "../platform/domains/mod.ts";
import { createEnvironments } from "../platform/environments/mod.ts";
import { createErrors, ErrorTable } from "../platform/errors/mod.ts";
import { createHealth } from "../platform/health/mod.ts";
import { createHooks } from "../platform/hooks/mod.ts";
import { createLogs } from "../platform/logs/mod.ts";
import { createNotifications } from "../platform/notifications/mod.ts";
import { createProjects } from "../platform/projects/mod.ts";
import { createRetention } from "../platform/retention/mod.ts";
import { createTraffic } from "../platform/traffic/mod.ts";
import { createVariables } from "../platform/variables/mod.ts";
import { createWorkspaces } from "../platform/workspaces/mod.ts";
import { databaseEngines, databaseListener } from "./database_engines.ts";
import { deleteProject } from "./delete_project.ts";
import type { Platform, Setup } from "./platform.ts";

/** Accounts, workspaces, and notifications. */
function composePeople(foundation: Foundation, { options, mailer }: Setup) {
  const { events } = foundation;
  const sendAccountMail: SendAccountMail = (...mail) => notifications.sendAccountMail(...mail);
  const { audit, recordCall, capability: auditing } = createAudit(foundation);
  const accounts = createAccounts({
    ...foundation,
    audit,
    noteSecurityEvent: (operation, event) => noteEvent(operation, securityNotice(event)),
    onSecurityEvent: (event) => {
      events.raise(securityNotice(event)).catch((error) => foundation.onTrouble(`${error}`));
    },
    ...(mailer === undefined ? {} : { sendMail: sendAccountMail }),
  });
  const workspaces = createWorkspaces({ ...foundation, ...accounts, audit });
  const notifications = createNotifications(foundation, {
    ...accounts,
    raiseSecurityEvent: accounts.securityLog.raise,
    mailer,
    bot: options.bot,
  });
  return { accounts, audit, auditing, recordCall, workspaces, notifications };
}

/** Projects and their configuration. */
function composeProjects(
  foundation: Foundation,
  parts: Parameters<typeof createProjects>[1] & {
    readonly all: () => readonly Capability[];
    readonly errorTable: ErrorTable;
  },
) {
  const projects = createProjects(foundation, parts);
  const environments = createEnvironments(foundation, {
    ...projects,
    async onDeleted(environment) {
      for (const each of parts.all()) await each.removeEnvironment?.(environment);
    },
  });
  const variables = createVariables(foundation, { ...projects, ...environments });
  const logs = createLogs(foundation, { ...projects, observer: parts.errorTable });
  return { projects, environments, variables, logs };
}

/** What runs the code of deployments. */
function composeRunners(
  foundation: Foundation,
  { options, cache, serverSandbox: sandbox }: Setup,
  parts:
    & Pick<
      Parameters<typeof createCompute>[1],
      "databases" | "variables" | "logs" | "deployments"
    >
    & Pick<Parameters<typeof createFunctions>[1], "databaseFetchFor">
    & Parameters<typeof createKv>[1],
) {
  const { maxServers, serverSockets, maxFunctionProcesses: maxProcesses } = options;
  const kv = createKv(foundation, parts);
  return {
    kv,
    functions: createFunctions(foundation, {
      ...parts,
      kvFetchFor: kv.kvFetchFor,
      maxProcesses,
    }),
    compute: createCompute(foundation, {
      kvFor: kv.kvFor,
      ...parts,
      cache,
      sandbox,
      maxServers,
      serverSockets,
    }),
  };
}

/** Creates all capabilities; reads nothing yet. */
export function compose(foundation: Foundation, setup: Setup): Platform {
  const { options, knowsNetworks } = setup;
  const people = composePeople(foundation, setup);
  const errorTable = new ErrorTable();
  const configured = composeProjects(foundation, {
    errorTable,
    all: () => capabilities,
    gitRefusal: (gitUrl) => builds.git.refusal(gitUrl),
    deleteProject: (project) => deleteProject({ ...foundation, capabilities }, project),
  });
  const { projects, environments, variables, logs } = configured;
  const deployments = openDeployments(foundation);
  const { rules, publishedOf: publishedRules } = openRules(foundation);
  const databases = createDatabases(foundation, {
    ...projects,
    ...variables,
    deployments,
    engines: databaseEngines(options, foundation),
    listen: databaseListener(options, foundation),
    onChanged: (projectId) => compute.computeService.databasesChanged(projectId),
  });
  const runnerParts = {
    ...logs,
    ...projects,
    ...environments,
    deployments,
    variables: variables.variableService,
    databases: databases.deploymentDatabases,
    databaseFetchFor: databases.databaseFetchFor,
  };
  const { functions, kv, compute } = composeRunners(foundation, setup, runnerParts);
  const images = options.images === false
    ? undefined
    : createImages(foundation, options.images ?? {});
  async function* otherBlobs() {
    yield* rules.blobs();
    yield* builds.logBlobs();
    if (builds.pushedRepositories !== undefined) yield* builds.pushedRepositories.blobs();
  }
  const deployed = createDeployments(foundation, {
    ...projects,
    ...environments,
    ...variables,
    ...functions,
    ...compute,
    deployments,
    publishedRules,
    otherBlobs,
    async onStopped(deployment, lease) {
      await builds.buildQueue.drop(deployment.id);
      await databases.previewStopped(deployment, lease);
    },
  });
  const shown = { ...projects, ...environments, ...deployed, ...compute, deployments };
  const domains = createDomains(foundation, shown, setup.domains);
  const builds = createBuilds(foundation, {
    ...shown,
    ...variables,
    databases: databases.deploymentDatabases,
    settings: setup.builds,
    gitRoots: options.gitRoots ?? [],
    concurrency: options.buildConcurrency,
    open: options.openBuilds,
  });
  const traffic = createTraffic(foundation, shown);
  const hookParts = { ...shown, ...builds, variables: variables.variableService };
  const capabilities: readonly Capability[] = [
    logs.capability,
    people.notifications.capability,
    people.auditing,
    people.accounts.capability,
    people.workspaces.capability,
    projects.capability,
    environments.capability,
    variables.capability,
    functions.capability,
    deployed.capability,
    databases.capability,
    kv.capability,
    compute.capability,
    ...(images === undefined ? [] : [images.capability]),
    createRules(foundation, { ...shown, rules, knowsNetworks }),
    domains.capability,
    builds.capability,
    createHooks(foundation, {
      ...hookParts,
      resolveMs: options.resolveMs,
      audit: people.audit,
      reportPull: people.notifications.reportPull,
    }),
    createPush(foundation, { ...hookParts, audit: people.audit }),
    createHealth(foundation, shown),
    createCron(foundation, {
      ...shown,
      ...logs,
      variables: variables.variableService,
      minutes: options.minutes,
    }),
    createCache(foundation, { ...shown, cached: compute.computeService.cached }),
    createNodes(foundation, people.accounts),
    traffic.capability,
    createErrors(foundation, { ...shown, ...logs, table: errorTable }),
    createSearch({ ...shown, ...domains, ...databases, ...people.workspaces }),
    createUsage({ ...projects, all: () => capabilities }),
    createRetention({ ...foundation, ...shown, ...builds }, options.retention),
  ];
  return {
    ...people,
    capabilities,
    publishedRules,
    deployments,
    builds,
    domains,
    sites: deployed.sites,
    logs: logs.logs,
    traffic,
    workspaces: people.workspaces.workspaces,
    images: images?.images,
  };
}
