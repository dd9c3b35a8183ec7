/**
 * Everything that a platform consists of, opened over one data directory.
 *
 * @module
 */
import { join } from "node:path";
import type { OutboundFetch, SocketLimits } from "../runtime/mod.ts";
import { systemClock, systemRandom } from "../lib/clock.ts";
import { compileSiteInTurns, type HttpCache, type Site, withRulesInTurns } from "../edge/mod.ts";
import { ComputeService } from "../platform/compute/compute_service.ts";
import type { ServerSandbox } from "../platform/compute/server_sandbox.ts";
import { createAccountServices } from "../platform/accounts/account_services.ts";
import { securityNotice } from "../platform/core/events/security_notice.ts";
import { BuildLogs } from "../platform/builds/logs/build_logs.ts";
import type { BuildParts, OpenedBuilds } from "../platform/builds/open_builds.ts";
import type { Addresses } from "../platform/core/addresses.ts";
import { readContent } from "../platform/deployments/content.ts";
import {
  entombedProjects,
  entombProject,
  removeRemains,
} from "../platform/deployments/delete_project.ts";
import { isServed } from "../platform/deployments/deployment.ts";
import { deploymentEvent } from "../platform/deployments/deployment_event.ts";
import { DeploymentService } from "../platform/deployments/deployment_service.ts";
import { OpenUploads } from "../platform/deployments/open_uploads.ts";
import { DeploymentStore } from "../platform/deployments/deployment_store.ts";
import { type HostTarget, SiteDirectory } from "../platform/deployments/site_directory.ts";
import {
  createDomainServices,
  type DomainFoundation,
} from "../platform/domains/create_services.ts";
import { VariableService } from "../platform/variables/variable_service.ts";
import { VariableStore } from "../platform/variables/variable_store.ts";
import { EventBus } from "../platform/core/events/event_bus.ts";
import { noteEvent } from "../platform/core/events/event_note.ts";
import { EventStore } from "../platform/core/events/event_store.ts";
import { EnvironmentStore } from "../platform/environments/environment_store.ts";
import { FunctionService } from "../platform/functions/function_service.ts";
import { createHookServices } from "../platform/hooks/create_services.ts";
import { Idempotency } from "../platform/core/http/idempotency.ts";
import { HealthMonitor } from "../platform/health/health_monitor.ts";
import { HealthStore } from "../platform/health/health_store.ts";
import { AccessLogs } from "../platform/logs/access_logs.ts";
import { accountMailSender } from "../platform/notifications/channels/email/account_mail_sender.ts";
import type { Mailer } from "../platform/notifications/channels/email/mailer.ts";
import type { BotSettings } from "../platform/notifications/channels/messenger/bot_api.ts";
import { LinkStore } from "../platform/notifications/channels/messenger/link_store.ts";
import { MessengerSignIn } from "../platform/notifications/channels/messenger/sign_in.ts";
import { createDelivery } from "../platform/notifications/create_delivery.ts";
import { createNotifications } from "../platform/notifications/create_notifications.ts";
import { PreferenceService } from "../platform/notifications/preference_service.ts";
import type { Environment } from "../lib/network_variables.ts";
import type { PlatformLog } from "../platform/core/log.ts";
import type { ProjectRecord } from "../platform/projects/project.ts";
import { GitCredentialStore } from "../platform/projects/git_credentials.ts";
import { ProjectStore } from "../platform/projects/project_store.ts";
import { readRevision, RulesService } from "../platform/rules/rules_service.ts";
import { RulesStore } from "../platform/rules/rules_store.ts";
import type { SecretBox } from "../platform/core/secrets/secret_box.ts";
import type { BlobVault } from "../platform/core/store/blob_store.ts";
import type { DataDir } from "../platform/core/store/data_dir.ts";

export interface Foundation {
  readonly kv: Deno.Kv;
  /** Whether the store takes nothing, so that there is only serving to do. */
  readonly readOnly: boolean;
  readonly vault: BlobVault;
  readonly dataDir: DataDir;
  readonly addresses: Addresses;
  readonly box: SecretBox;
  /** The edge's cache of answers. */
  readonly cache: HttpCache;
  /** Reaches other sites, under guard. */
  readonly outbound: OutboundFetch;
  readonly domains: DomainFoundation;
  /** Origin under which people reach the platform. */
  readonly publicOrigin: string;
  /** Lets webhooks and servers of deployments reach private, local and reserved addresses. */
  readonly allowPrivate: boolean;
  /** Servers of deployments that run at the same time; what the machine can bear where missing. */
  readonly maxServers: number | undefined;
  /** WebSockets to servers; what the process can bear where missing. */
  readonly serverSockets: Partial<SocketLimits> | undefined;
  /** Processes of functions at the same time; what the machine can bear where missing. */
  readonly maxFunctionProcesses: number | undefined;
  /** Whether servers of deployments run here. */
  readonly serverSandbox: ServerSandbox;
  /** The process's environment. */
  readonly env: Environment;
  /** Sends mail; `undefined` where the platform has no mail server. */
  readonly mailer: Mailer | undefined;
  readonly bot: BotSettings | undefined;
  /** Opens git and the build runner. */
  openBuilds(
    parts: Omit<BuildParts, "allowPrivate" | "env" | "gitRoots" | "settings">,
  ): OpenedBuilds;
  /** Builds that run at the same time. */
  readonly buildConcurrency: number;
  /** Longest wait of a trigger for its repository, in milliseconds. */
  readonly resolveMs: number | undefined;
  log(line: PlatformLog): void;
}

export type Services = ReturnType<typeof createServices>;

/** Reads a deployment and compiles it for the edge; `undefined` where it is not served. */
async function loadSite(
  services: {
    readonly vault: BlobVault;
    readonly deployments: DeploymentStore;
    readonly functionService: FunctionService;
    readonly computeService: ComputeService;
  },
  target: HostTarget,
): Promise<Site | undefined> {
  const { vault, deployments, functionService, computeService } = services;
  const deployment = await deployments.find(target.projectId, target.deploymentId);
  if (deployment === undefined || !isServed(deployment.status)) return undefined;
  if (deployment.contentSha === null) return undefined;
  const blobs = vault.of(deployment.workspaceId);
  const content = await readContent(blobs, deployment.contentSha);
  const functions = await functionService.open(deployment, blobs);
  const { id: deploymentId, projectId } = deployment;
  const compute = computeService.open(deployment, content, blobs);
  return await compileSiteInTurns({
    ...content,
    deploymentId,
    projectId,
    blobs,
    functions,
    compute,
  });
}

/** Builds the stores and services over an open store; reads nothing yet. */
export function createServices(foundation: Foundation) {
  const { kv, vault, dataDir, addresses, cache, mailer, log } = foundation;
  const [now, random] = [systemClock, systemRandom];
  const onTrouble = (message: string) => log({ level: "warn", message });
  const events = new EventBus({ store: new EventStore(kv), now, random, onTrouble });
  const accountServices = createAccountServices({
    ...{ kv, box: foundation.box, publicOrigin: foundation.publicOrigin, now, random },
    noteSecurityEvent: (operation, event) => noteEvent(operation, securityNotice(event)),
    onSecurityEvent: (event) => void events.raise(securityNotice(event)),
    onTrouble,
    ...(mailer === undefined ? {} : { sendMail: accountMailSender(mailer, onTrouble) }),
  });
  const messengerSignIn = foundation.bot === undefined ? undefined : new MessengerSignIn({
    ...{ kv, links: new LinkStore(kv), publicOrigin: foundation.publicOrigin, now, random },
    accounts: accountServices.accounts,
    signIn: accountServices.signIn,
    raise: accountServices.securityLog.raise,
  });
  const preferences = new PreferenceService(kv, accountServices.accounts);
  const delivery = createDelivery({
    preferences,
    ...{ kv, box: foundation.box, accounts: accountServices.accounts, mailer, now, random },
    ...{ outbound: foundation.outbound, publicOrigin: foundation.publicOrigin, onTrouble },
    allowPrivate: foundation.allowPrivate,
    bot: foundation.bot,
    dialogues: messengerSignIn === undefined ? [] : [messengerSignIn],
  });
  const notificationServices = createNotifications({
    preferences,
    ...{ kv, accounts: accountServices.accounts, events, delivery: delivery.deliveryQueue },
    ...{ publicOrigin: foundation.publicOrigin, now, onTrouble },
  });
  const projects = new ProjectStore(kv);
  const gitCredentials = new GitCredentialStore(kv, foundation.box);
  const deployments = new DeploymentStore(
    kv,
    (operation, moment, deployment) =>
      noteEvent(operation, deploymentEvent(moment, deployment, addresses)),
  );
  const rules = new RulesStore(kv);
  const environments = new EnvironmentStore(kv);
  const variables = new VariableStore(kv);
  const logs = new AccessLogs(dataDir.logs, { onTrouble });
  const variableService = new VariableService({ variables, box: foundation.box, now });
  const functionService = new FunctionService({
    variables: variableService,
    logs,
    outbound: foundation.outbound,
    cacheDir: dataDir.cache,
    maxProcesses: foundation.maxFunctionProcesses,
    env: foundation.env,
    onTrouble,
  });
  const computeService = new ComputeService({
    variables: variableService,
    logs,
    dataDir: dataDir.root,
    maxServers: foundation.maxServers,
    serverSockets: foundation.serverSockets,
    sandbox: foundation.serverSandbox,
    env: foundation.env,
    allowPrivate: foundation.allowPrivate,
    now,
    onTrouble,
  });
  const sites = new SiteDirectory({
    load: (target) => loadSite({ vault, deployments, functionService, computeService }, target),
    asProduction: async (site, projectId) => {
      const { revision } = await rules.published(projectId);
      if (revision === null) return site;
      return await withRulesInTurns(site, await readRevision(vault, revision));
    },
    dispose: ({ deploymentId, functions, compute }) => {
      if (functions !== undefined) void functionService.dispose(functions);
      if (compute !== undefined) void computeService.dispose(deploymentId);
    },
  });
  const raiseEvent = events.raise;
  const shared = {
    ...{ deployments, projects, vault, sites, addresses, cache, raiseEvent, now, random },
    ...{ computeService, functionService, uploads: new OpenUploads(kv, now) },
  };
  const healthMonitor = new HealthMonitor({ ...shared, store: new HealthStore(kv), onTrouble });
  const domainParts = createDomainServices(
    { ...shared, kv, box: foundation.box, log },
    foundation.domains,
  );
  const buildLogs = new BuildLogs(join(dataDir.root, "build_logs"), { now });
  const openedBuilds = foundation.openBuilds({
    ...{ dataDir, vault, projects, variables, variableService, buildLogs, onTrouble },
    credentials: gitCredentials.open,
  });
  const deploymentService: DeploymentService = new DeploymentService({
    ...shared,
    seal: functionService.seal,
    onStopped: ({ id }) => hookParts.buildQueue.drop(id),
  });
  const hookParts = createHookServices({
    ...{ ...shared, kv, box: foundation.box, publicOrigin: foundation.publicOrigin, onTrouble },
    ...{ deploymentService, variables: variableService, raiseEvent: events.raise },
    ...openedBuilds,
    buildConcurrency: foundation.buildConcurrency,
    resolveMs: foundation.resolveMs,
  });
  /** Removes folders first: while the tombstone stands, the next start does it all again. */
  const removeEntombed = async (projectId: string): Promise<void> => {
    await openedBuilds.git.forget(projectId);
    await openedBuilds.runner.forgetProject(projectId);
    await logs.remove(projectId);
    await removeRemains(kv, projectId);
  };
  return {
    ...shared,
    healthMonitor,
    ...domainParts,
    ...hookParts,
    openedBuilds,
    git: openedBuilds.git,
    runner: openedBuilds.runner,
    kv,
    readOnly: foundation.readOnly,
    idempotency: new Idempotency({ kv, box: foundation.box, now }),
    buildLogs,
    ...accountServices,
    ...delivery,
    messengerSignIn,
    ...notificationServices,
    events,
    gitCredentials,
    rules,
    logs,
    environments,
    variables,
    variableService,
    functionService,
    deploymentService,
    rulesService: new RulesService({ ...shared, rules }),
    /** Takes a project off the air, then removes all that belongs to it. */
    async deleteProject(project: ProjectRecord): Promise<void> {
      await entombProject(kv, project, now());
      const shown = sites.deploymentsOf(project.id);
      sites.removeProject(project.id);
      for (const id of shown) await computeService.remove(id);
      healthMonitor.forget(project.id);
      await hookParts.buildQueue.dropProject(project.id);
      await removeEntombed(project.id);
      await domainParts.domainService.forgetProject(project.id);
    },
    /** Finishes what a crash interrupted and learns which host shows what. */
    async recover(): Promise<void> {
      if (!foundation.readOnly) {
        for await (const projectId of entombedProjects(kv)) await removeEntombed(projectId);
      }
      const production = new Map<string, string>();
      for await (const project of projects.all()) production.set(project.id, project.name);
      for await (const { label, host } of deployments.hosts()) {
        if (host.deploymentId === null) continue;
        sites.pointLazily(addresses.hostname(label), {
          projectId: host.projectId,
          deploymentId: host.deploymentId,
          production: production.get(host.projectId) === label,
          version: "",
        });
      }
      await computeService.recover();
      await domainParts.certificates?.load();
      await domainParts.domainService.recover();
      notificationServices.startNotifications();
      await healthMonitor.start();
    },
  };
}
