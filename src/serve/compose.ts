/**
 * Composes the platform. Each capability is created by its own factory on a common foundation, and
 * is connected through its {@link Capability}.
 *
 * @module
 */
import { createAccounts, type SendAccountMail } from "../platform/accounts/mod.ts";
import { createAudit } from "../platform/audit/mod.ts";
import { createBuilds } from "../platform/builds/mod.ts";
import { createBackups } from "../platform/backups/create_backups.ts";
import { createCache } from "../platform/cache/purge.ts";
import { createFunctions } from "../platform/functions/create_functions.ts";
import { createImages } from "../platform/images/create_images.ts";
import { createBlobs, isS3Path } from "../platform/blobs/mod.ts";
import { createForms } from "../platform/forms/create_forms.ts";
import { createKv } from "../platform/kv/create_kv.ts";
import { createNodes } from "../platform/nodes/create_nodes.ts";
import { ProjectStore } from "../platform/projects/mod.ts";
import { createPush } from "../platform/push/create_push.ts";
import { createRules, openRules } from "../platform/rules/create_rules.ts";
import { createSearch } from "../platform/search/create_search.ts";
import { createUsage } from "../platform/usage/create_usage.ts";
import { createDrains } from "../platform/drains/create_drains.ts";
import { createCron } from "../platform/cron/create_cron.ts";
import { createQueues, QueueSecrets } from "../platform/queues/create_queues.ts";
import { createCompute } from "../platform/compute/mod.ts";
import type { Capability } from "../platform/core/capability.ts";
import { noteEvent, securityNotice } from "../platform/core/events/mod.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import { createDeployments, openDeployments, shownBy } from "../platform/deployments/mod.ts";
import { createDatabases } from "../platform/databases/mod.ts";
import { createDomains } from "../platform/domains/mod.ts";
import { createDns } from "../platform/dns/mod.ts";
import { createEdges } from "../platform/edges/mod.ts";
import { createErrors } from "../platform/errors/create_errors.ts";
import { ErrorTable } from "../platform/errors/error_table.ts";
import { createHealth } from "../platform/health/create_health.ts";
import { createHooks } from "../platform/hooks/mod.ts";
import { createNotifications } from "../platform/notifications/mod.ts";
import { AccessTable, createPreviews } from "../platform/previews/mod.ts";
import { createReleases } from "../platform/releases/create_releases.ts";
import { createRetention } from "../platform/retention/create_retention.ts";
import { createTraffic } from "../platform/traffic/create_traffic.ts";
import { createWorkspaces } from "../platform/workspaces/mod.ts";
import { backupRunner } from "./backup/run_backup.ts";
import { databaseEngines, databaseListener } from "./database_engines.ts";
import { composeProjects } from "./compose_projects.ts";
import { EdgeDoor } from "./edge_door.ts";
import { apiNames } from "./handlers.ts";
import type { Platform, Setup } from "./platform.ts";

/** Creates the services for the audit log, accounts, workspaces and notifications. */
function composePeople(foundation: Foundation, { options, mailer }: Setup) {
  const projects = new ProjectStore(foundation.kv);
  const { audit, recordCall, capability: auditing } = createAudit(
    foundation,
    (workspaceId, reference) => projects.findEither(workspaceId, reference),
  );
  // These two depend on each other: accounts send email, and the mail channel reads accounts.
  const sendMail: SendAccountMail = (...mail) => notifications.sendAccountMail(...mail);
  const accounts = createAccounts({
    ...foundation,
    audit,
    noteSecurityEvent: (operation, event) => noteEvent(operation, securityNotice(event)),
    onSecurityEvent: (event) => {
      foundation.events.raise(securityNotice(event))
        .catch((error) => foundation.onTrouble(`${error}`));
    },
    sendMail: mailer && sendMail,
  });
  const { workspaces, capability: joining } = createWorkspaces({
    kv: foundation.kv,
    parts: accounts.parts,
    audit,
  });
  const notifications = createNotifications(foundation, {
    accounts: accounts.accounts,
    authenticator: accounts.authenticator,
    signIn: accounts.signIn,
    raiseSecurityEvent: accounts.securityLog.raise,
    mailer,
    bot: options.bot,
  });
  return {
    accounts,
    audit,
    recordCall,
    workspaces,
    notifications,
    capabilities: [notifications.capability, auditing, accounts.capability, joining],
  };
}

/** Creates all capabilities, without reading any data yet. */
export function compose(foundation: Foundation, setup: Setup): Platform {
  const { options } = setup;
  /** Filled below, lowest capability first. Capabilities notify each other through this list. */
  const capabilities: Capability[] = [];
  const gitRules = {
    allowPrivate: foundation.allowPrivate,
    localRoots: options.gitRoots,
  };
  const errorTable = new ErrorTable();

  const people = composePeople(foundation, setup);
  const deployments = openDeployments(foundation);
  const {
    projects,
    gitCredentials,
    environments,
    variables,
    variableService,
    logs,
    sharedLogs,
    projectCapabilities,
  } = composeProjects(foundation, {
    capabilities,
    deployments,
    gitRules,
    checkRepository: (repository, signal) => builds.git.check(repository, signal),
    errorTable,
    shownAt: shownBy(deployments),
    databasesOf: (projectId) => databases.databases.list(projectId),
    connectionFor: (user, name) => databases.deploymentDatabases.connectionFor(user, name),
  });
  const { rules, publishedOf: publishedRules } = openRules(foundation);
  const databases = createDatabases(foundation, {
    projects,
    variables,
    variableService,
    deployments,
    engines: databaseEngines(options, foundation),
    listen: databaseListener(options, foundation),
    async onChanged(projectId) {
      for (const each of capabilities) await each.databasesChanged?.(projectId);
    },
  });
  const blobs = createBlobs(foundation, {
    projects,
    environments,
    quota: options.blobQuota,
    async onChanged(projectId) {
      for (const each of capabilities) await each.databasesChanged?.(projectId);
    },
  });
  const forms = createForms(foundation, {
    projects,
    environments,
    objects: blobs.objects,
    sites: () => sites,
  });
  const secrets = new QueueSecrets(foundation.random);
  const kv = createKv(foundation, {
    projects,
    environments,
    others: [{ serves: isS3Path, handle: blobs.handle }],
    queueSecretOf: (deploymentId) => secrets.of(deploymentId),
    answerQueue: (owner, request) => queues.answer(owner, request),
  });
  const functions = createFunctions(foundation, {
    variables: databases.deploymentDatabases,
    logs,
    databaseFetchFor: databases.databaseFetchFor,
    kvFetchFor: kv.kvFetchFor,
    blobs,
    maxProcesses: options.maxFunctionProcesses,
  });
  const { computeService, capability: computeCapability } = createCompute(foundation, {
    deployments,
    logs,
    databases: databases.deploymentDatabases,
    kvFor: kv.kvFor,
    blobsFor: blobs.blobsFor,
    customHosts: (projectId) => domains.domainService.hostsHere(projectId),
    cache: setup.cache,
    sandbox: setup.serverSandbox,
    maxServers: options.maxServers,
    serverSockets: options.serverSockets,
  });
  const accessTable = new AccessTable(foundation);
  const door = new EdgeDoor(foundation.publicOrigin);
  const images = options.images.off ? undefined : createImages(foundation, options.images);
  const { sites, deploymentService, capability: deploymentCapability } = createDeployments(
    foundation,
    {
      projects,
      environments,
      variables,
      variableService,
      functionService: functions.functionService,
      computeService,
      deployments,
      publishedRules,
      accessKey: () => previews.signIn.key(),
      askEdge: door.ask,
      collectCounts: () => traffic.collect(),
      objectsOf: blobs.objectsOf,
      databases: databases.deployedDatabases,
      formsOf: forms.formsOf,
      accessOf: (projectId, workspaceId) => accessTable.of(projectId, workspaceId),
      async *otherBlobs() {
        for (const each of capabilities) if (each.neededBlobs) yield* each.neededBlobs();
      },
      async onStopped(deployment, lease) {
        for (const each of capabilities.toReversed()) {
          await each.deploymentStopped?.(deployment, lease);
        }
      },
    },
  );
  foundation.shownHosts.has = (hostname) => sites.deploymentAt(hostname) !== undefined;
  const queues = createQueues(foundation, {
    projects,
    environments,
    deployments,
    sites,
    logs,
    secrets,
  });
  const domains = createDomains(foundation, { projects, environments, sites }, setup.domains);
  const builds = createBuilds(foundation, {
    projects,
    gitCredentials,
    deployments,
    deploymentService,
    variables,
    variableService,
    databases: databases.deploymentDatabases,
    settings: setup.builds,
    gitRoots: gitRules.localRoots,
    concurrency: options.builds.here === "off" ? 0 : options.buildConcurrency,
    open: options.openBuilds,
    onBuildLine: (build, line) => drains.takeBuildLine(build, line),
  });
  const { drains, capability: drainCapability } = createDrains(foundation, {
    projects,
    deployments,
    variables,
    databases: databases.deploymentDatabases,
    logs,
    accounts: people.accounts.accounts,
    otlp: options.otlp,
    caCerts: options.upstreamCa,
  });
  const previews = createPreviews(foundation, {
    table: accessTable,
    projects,
    deployments,
    accounts: people.accounts.parts,
  });
  const traffic = createTraffic(foundation, { projects, environments, deployments });

  const ownNames = [...apiNames(options), new URL(foundation.publicOrigin).hostname];
  const edges = createEdges(foundation, {
    accounts: people.accounts.accounts,
    deployments,
    publishedRules,
    accessOf: (projectId, workspaceId) => accessTable.of(projectId, workspaceId),
    apiNames: ownNames,
    redirectsToHttps: () => domains.certificates !== undefined,
    certificateOf: (hostname) => domains.certificates?.find(hostname),
    record: logs.record,
    count: traffic.count,
    sites,
    country: setup.country,
  });

  capabilities.push(
    ...people.capabilities,
    ...projectCapabilities,
    functions.capability,
    deploymentCapability,
    previews.capability,
    databases.capability,
    blobs.capability,
    forms.capability,
    kv.capability,
    computeCapability,
  );
  if (images !== undefined) capabilities.push(images.capability);
  capabilities.push(
    createRules(foundation, {
      projects,
      deployments,
      sites,
      rules,
      knowsNetworks: setup.knowsNetworks,
    }),
    domains.capability,
    builds.capability,
    createHooks(foundation, {
      projects,
      deployments,
      deploymentService,
      builds: builds.builds,
      buildQueue: builds.buildQueue,
      deployCommit: builds.deployCommit,
      git: builds.git,
      resolveMs: options.resolveMs,
      audit: people.audit,
      reportPull: people.notifications.reportPull,
    }),
    createPush(foundation, {
      projects,
      deployments,
      deploymentService,
      deployCommit: builds.deployCommit,
      builds: builds.builds,
      buildQueue: builds.buildQueue,
      git: builds.git,
      sandbox: builds.sandbox,
      sharedBuildLogs: builds.sharedBuildLogs,
      pushedRepositories: builds.pushedRepositories,
      audit: people.audit,
    }),
    createHealth(foundation, { projects, sites, computeService }),
    queues.capability,
    createCron(foundation, {
      projects,
      deployments,
      sites,
      logs,
      variables: databases.deploymentDatabases,
      minutes: options.minutes,
    }),
    createCache(foundation, {
      projects,
      environments,
      deployments,
      sites,
      cached: computeService.cached,
    }),
    createNodes(foundation, people.accounts),
    edges.capability,
    createDns(foundation, { ...setup, ...domains, edges, apiNames: ownNames }),
    createBackups(foundation, {
      settings: options.backups,
      accounts: people.accounts.accounts,
      run: backupRunner(options, foundation),
    }),
    traffic.capability,
    createReleases(foundation, {
      projects,
      sites,
      deploymentService,
      audit: people.audit,
      ...traffic,
    }),
    createErrors(foundation, {
      projects,
      deployments,
      sharedLogs,
      table: errorTable,
      onCounted: drains.takeError,
    }),
    createSearch({
      projects,
      deployments,
      domains: domains.domains,
      databases: databases.databases,
      workspaces: people.workspaces,
    }),
    drainCapability,
    createUsage({ projects, capabilities }),
    createRetention({
      kv: foundation.kv,
      now: foundation.now,
      projects,
      deployments,
      deploymentService,
      sites,
      computeService,
      git: builds.git,
      builds: builds.builds,
      runner: builds.runner,
    }, options.retention),
  );
  return {
    accounts: people.accounts,
    notifications: people.notifications,
    previewSignIn: previews.signIn,
    recordCall: people.recordCall,
    workspaces: people.workspaces,
    capabilities,
    deployments,
    domains,
    sites,
    door,
    logs,
    traffic,
    images: images?.images,
    answerBlobs: blobs.handle,
    edges,
  };
}
