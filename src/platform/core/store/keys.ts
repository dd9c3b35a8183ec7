/** The layout of the key-value store. Record types add parts to the keys called `all…`. @module */
import type { RecordKey } from "../../../store/mod.ts";
type Key = RecordKey;

export const keys = {
  /** Settings for the whole platform, such as the store's format version. */
  meta: (name: string): Key => ["meta", name],

  /** Records that were found to be damaged, by their encoded keys. */
  damagedRecords: (): Key => ["damaged_records"],
  damagedRecord: (encoded: Uint8Array): Key => ["damaged_records", encoded],
  /** Nodes that share the store, by name. The record of a node that sends no heartbeats expires. */
  nodes: (): Key => ["nodes"],
  node: (id: string): Key => ["nodes", id],
  /**
   * Nodes that were active within the last day. While one of these nodes is down, the data that
   * only it has is missing.
   */
  knownNodes: (): Key => ["known_nodes"],
  knownNode: (id: string): Key => ["known_nodes", id],
  /** Live processes of nodes. Their claims are valid until this record expires. */
  pulses: (): Key => ["pulses"],
  pulse: (instance: string): Key => ["pulses", instance],
  /** Front edges by ID, by name, and by key hash. */
  frontEdges: (): Key => ["front_edges"],
  frontEdgeByName: (name: string): Key => ["front_edge_by_name", name],
  frontEdgeByHash: (hash: string): Key => ["front_edge_by_hash", hash],
  /** For each role that only one node can have, the node that has it. */
  leases: (): Key => ["leases"],
  lease: (role: string): Key => ["leases", role],

  allWorkspaces: (): Key => ["workspaces"],
  workspaceBySlug: (slug: string): Key => ["workspace_by_slug", slug],
  allUsers: (): Key => ["users"],
  user: (id: string): Key => ["users", id],
  allMemberships: (): Key => ["memberships"],
  allApiKeys: (): Key => ["api_keys"],
  apiKey: (id: string): Key => ["api_keys", id],
  apiKeyByHash: (hash: string): Key => ["api_key_by_hash", hash],

  /** Changes made in a workspace, oldest first. */
  audit: (workspaceId: string): Key => ["audit", workspaceId],
  auditEntry: (workspaceId: string, id: string): Key => ["audit", workspaceId, id],

  projects: (workspaceId: string): Key => ["projects", workspaceId],
  project: (workspaceId: string, id: string): Key => ["projects", workspaceId, id],
  allProjects: (): Key => ["projects"],
  projectByName: (name: string): Key => ["project_by_name", name],
  /** Projects that are redeployed when a URL in their variables changes. */
  allAutoRedeploying: (): Key => ["projects_auto_redeploy"],
  autoRedeploying: (workspaceId: string, id: string): Key => [
    "projects_auto_redeploy",
    workspaceId,
    id,
  ],
  /** The health of a project's servers, as last reported. */
  allProjectHealth: (): Key => ["project_health"],
  projectHealth: (projectId: string): Key => ["project_health", projectId],
  /** The most recent minute for which scheduled tasks were started. */
  cronRound: (): Key => ["cron_round"],
  /** The last outcome of a project's scheduled tasks, by the hash of their path. */
  cronRuns: (projectId: string): Key => ["cron_runs", projectId],
  cronRun: (projectId: string, pathHash: string): Key => ["cron_runs", projectId, pathHash],
  /** The node that runs a scheduled task, if there are several nodes. */
  cronClaims: (projectId: string): Key => ["cron_claims", projectId],
  cronClaim: (projectId: string, pathHash: string): Key => ["cron_claims", projectId, pathHash],
  allDrains: (): Key => ["drains"],
  drains: (projectId: string): Key => ["drains", projectId],
  /** Queue messages, by project, environment and queue. Larger bodies are stored separately. */
  queueMessages: (...of: readonly string[]): Key => ["queue_messages", ...of],
  queueParts: (...of: readonly string[]): Key => ["queue_parts", ...of],
  queuePart: (of: readonly string[], number: number): Key => ["queue_parts", ...of, number],
  /** Messages by the time of their next delivery; only the first message for each key. */
  queueDue: (...of: readonly string[]): Key => ["queue_due", ...of],
  queueDueAt: (of: readonly string[], at: number, id: string): Key => ["queue_due", ...of, at, id],
  /** The first message for each key, and the messages waiting behind it. */
  queueHeads: (...of: readonly string[]): Key => ["queue_heads", ...of],
  queueHeld: (...of: readonly string[]): Key => ["queue_held", ...of],
  queueHeldAt: (of: readonly string[], place: number): Key => ["queue_held", ...of, place],
  queueDead: (...of: readonly string[]): Key => ["queue_dead", ...of],
  /**
   * Recent message IDs that senders chose. Sending another message with one of these IDs has no
   * effect.
   */
  queueSeen: (...of: readonly string[]): Key => ["queue_seen", ...of],
  queueCounts: (...of: readonly string[]): Key => ["queue_counts", ...of],
  /** Queues that contain messages, and the process that delivers them. */
  queueActive: (...of: readonly string[]): Key => ["queue_active", ...of],
  queueClaims: (...of: readonly string[]): Key => ["queue_claims", ...of],
  /** Visitors' form submissions by project, environment, form and state, and their counts. */
  formSubmissions: (...of: readonly string[]): Key => ["form_submissions", ...of],
  formCounts: (...of: readonly string[]): Key => ["form_counts", ...of],
  /** Projects whose data is still being removed. */
  deletions: (): Key => ["project_deletions"],
  deletion: (projectId: string): Key => ["project_deletions", projectId],

  /** Request counts by unit, start of the period, environment and counting process. */
  traffic: (projectId: string): Key => ["traffic", projectId],
  trafficUnit: (projectId: string, unit: string): Key => ["traffic", projectId, unit],
  trafficPart: (
    part: { projectId: string; unit: string; start: number; environment: string; part: string },
  ): Key => ["traffic", part.projectId, part.unit, part.start, part.environment, part.part],
  /** The salt for hashing a day's visitors. */
  trafficSalt: (day: number): Key => ["traffic_salts", day],

  /** Errors in a project's functions and servers, by fingerprint. */
  errors: (projectId: string): Key => ["errors", projectId],
  errorGroup: (projectId: string, id: string): Key => ["errors", projectId, id],

  deployments: (projectId: string): Key => ["deployments", projectId],
  deployment: (projectId: string, id: string): Key => ["deployments", projectId, id],
  allDeployments: (): Key => ["deployments"],
  /** Deployments whose files are being uploaded, by workspace. */
  allOpenUploads: (): Key => ["open_uploads"],
  openUploads: (workspaceId: string): Key => ["open_uploads", workspaceId],
  openUpload: (workspaceId: string, id: string): Key => ["open_uploads", workspaceId, id],
  /** Rolling releases by project, newest last, and the current ones. */
  allReleases: (): Key => ["rolling_releases"],
  releases: (projectId: string): Key => ["rolling_releases", projectId],
  runningReleases: (): Key => ["running_releases"],
  runningRelease: (projectId: string): Key => ["running_releases", projectId],
  /**
   * Requests to each of a rolling release's two deployments, counted by one process at one traffic
   * percentage.
   */
  releaseCounts: (projectId: string): Key => ["release_counts", projectId],
  releaseCount: (projectId: string, id: string, share: number, instance: string): Key => [
    "release_counts",
    projectId,
    id,
    share,
    instance,
  ],
  /** The project of a deployment. */
  deploymentOwner: (id: string): Key => ["deployment_owner", id],

  environments: (projectId: string): Key => ["environments", projectId],
  environment: (projectId: string, id: string): Key => ["environments", projectId, id],
  environmentNames: (projectId: string): Key => ["environment_by_name", projectId],
  environmentByName: (projectId: string, name: string): Key => [
    "environment_by_name",
    projectId,
    name,
  ],

  allVariables: (): Key => ["variables"],
  variables: (projectId: string): Key => ["variables", projectId],
  variable: (projectId: string, variable: { key: string; scope: string }): Key => [
    "variables",
    projectId,
    variable.key,
    variable.scope,
  ],
  /** Updated by every change to a project's variables, so only one change at a time succeeds. */
  variablesGuard: (projectId: string): Key => ["variables_guard", projectId],
  /** Updated by every change to the variables in a scope. */
  variablesVersions: (projectId: string): Key => ["variables_version", projectId],
  variablesVersion: (projectId: string, scope: string): Key => [
    "variables_version",
    projectId,
    scope,
  ],
  /** The variables with which a deployment was created. */
  allDeploymentVariables: (): Key => ["deployment_variables"],
  deploymentVariables: (id: string): Key => ["deployment_variables", id],

  /** Host labels under the base domain. */
  hosts: (): Key => ["hosts"],
  host: (label: string): Key => ["hosts", label],

  domains: (projectId: string): Key => ["domains", projectId],
  allDomains: (): Key => ["domains"],
  /** A workspace can bind a hostname only once. */
  domainsByHostname: (workspaceId: string): Key => ["domain_by_hostname", workspaceId],
  domainByHostname: (workspaceId: string, hostname: string): Key => [
    "domain_by_hostname",
    workspaceId,
    hostname,
  ],
  /** A workspace's domains in one zone. */
  zoneDomains: (zone: string, workspaceId: string): Key => ["zone_domains", zone, workspaceId],
  zoneDomain: (zone: string, workspaceId: string, id: string): Key => [
    "zone_domains",
    zone,
    workspaceId,
    id,
  ],
  zone: (workspaceId: string, zone: string): Key => ["domain_zones", workspaceId, zone],
  /** The only workspace that has proven ownership of a zone. */
  zoneOwners: (): Key => ["zone_owners"],
  zoneOwner: (zone: string): Key => ["zone_owners", zone],

  /** Blobs in object storage that are not needed or cannot be used, by workspace. */
  blobMarks: (): Key => ["blob_marks"],
  blobMark: (workspaceId: string, sha256: string): Key => ["blob_marks", workspaceId, sha256],

  certificates: (): Key => ["certificates"],
  certificate: (hostname: string): Key => ["certificates", hostname],
  /** Responses to the challenges of current orders. */
  acmeChallenges: (): Key => ["acme_challenges"],
  acmeChallenge: (token: string): Key => ["acme_challenges", token],
  acmeAccounts: (): Key => ["acme_accounts"],

  /** The access settings of a project's hosts. */
  previewAccess: (projectId: string): Key => ["preview_access", projectId],
  /** Grants that have admitted a member to a protected host. Each works only once. */
  usedGrant: (id: string): Key => ["used_grants", id],

  /** Recent purges, for nodes that have yet to apply them. */
  purges: (): Key => ["purges"],
  purge: (id: string): Key => ["purges", id],

  /** The published rule set, which overrides the rules of a project's deployments. */
  publishedRules: (projectId: string): Key => ["published_rules", projectId],
  rulesRevisions: (projectId: string): Key => ["rules_revisions", projectId],
  rulesRevision: (projectId: string, id: string): Key => ["rules_revisions", projectId, id],
  allRulesRevisions: (): Key => ["rules_revisions"],

  allGitCredentials: (): Key => ["git_credentials"],
  gitCredentials: (projectId: string): Key => ["git_credentials", projectId],

  /** Values stored by projects' code. `src/kv` creates their keys. */
  userKv: (): Key => ["user_kv"],

  /** Objects in projects' blob stores, by environment and key. */
  allBlobObjects: (): Key => ["blob_objects"],
  /** Multipart uploads in progress, and their parts. */
  allBlobUploads: (): Key => ["blob_uploads"],
  allBlobParts: (): Key => ["blob_parts"],
  /** Total bytes and objects that were added to a store, and that were removed from it. */
  allBlobUsage: (): Key => ["blob_usage"],
  blobUsage: (projectId: string): Key => ["blob_usage", projectId],
  blobUse: (projectId: string, environment: string, counter: string): Key => [
    "blob_usage",
    projectId,
    environment,
    counter,
  ],
  /** Stores that started as a copy of the production store. */
  blobSeeds: (projectId: string): Key => ["blob_seeds", projectId],
  blobSeed: (projectId: string, environment: string): Key => [
    "blob_seeds",
    projectId,
    environment,
  ],
  /** Access keys for blob stores, by project and by the key ID in requests. */
  allBlobKeys: (): Key => ["blob_keys"],
  blobKeyById: (id: string): Key => ["blob_key_by_id", id],

  allDatabases: (): Key => ["databases"],
  database: (projectId: string, id: string): Key => ["databases", projectId, id],
  databaseByName: (projectId: string, name: string): Key => ["database_by_name", projectId, name],
  /** Databases that can be restored, including those of deleted projects. */
  allDeletedDatabases: (): Key => ["deleted_databases"],
  deletedDatabases: (workspaceId: string): Key => ["deleted_databases", workspaceId],
  deletedDatabase: (workspaceId: string, id: string): Key => ["deleted_databases", workspaceId, id],
  allDatabaseBranches: (): Key => ["database_branches"],
  databaseBranches: (databaseId: string): Key => ["database_branches", databaseId],
  databaseBranch: (databaseId: string, name: string): Key => [
    "database_branches",
    databaseId,
    name,
  ],
  /** The branch to which a database role gives access. */
  databaseRole: (role: string): Key => ["database_roles", role],
  allDatabaseSnapshots: (): Key => ["database_snapshots"],
  /**
   * A database's size and connections over time, by database, and by the length and the start of a
   * time step.
   */
  databaseSamples: (databaseId: string, unit: string): Key => [
    "database_samples",
    databaseId,
    unit,
  ],
  databaseSample: (
    databaseId: string,
    { unit, start, node }: { unit: string; start: number; node: string },
  ): Key => ["database_samples", databaseId, unit, start, node],
  /** Branches that must be removed from their engines. */
  databaseRemains: (): Key => ["database_remains"],
  databaseRemain: (id: string): Key => ["database_remains", id],
  /** Branches in engines without a record, and when that was first noticed. */
  databaseStrays: (): Key => ["database_strays"],
  databaseStraysOf: (engine: string): Key => ["database_strays", engine],
  databaseStray: (engine: string, id: string): Key => ["database_strays", engine, id],

  allHooks: (): Key => ["deploy_hooks"],
  projectHooks: (projectId: string): Key => ["project_hooks", projectId],
  projectHook: (projectId: string, id: string): Key => ["project_hooks", projectId, id],
  hookByToken: (hash: string): Key => ["deploy_hook_by_token", hash],
  /** A project's pull requests, by source branch. */
  pulls: (projectId: string): Key => ["forge_pulls", projectId],
  pull: (projectId: string, branch: string): Key => ["forge_pulls", projectId, branch],
  /** Reports that are sent to forges about a project's deployments. */
  forgeReports: (projectId: string): Key => ["forge_reports", projectId],
  forgeReport: (projectId: string, id: string): Key => ["forge_reports", projectId, id],
  /** Counters, stored separately so triggers do not contend for the hook's record. */
  hookUses: (id: string): Key => ["deploy_hook_uses", id],
  hookUse: (id: string, counter: "count" | "last"): Key => ["deploy_hook_uses", id, counter],
  /** Responses to triggers with an `Idempotency-Key`. */
  hookReplays: (id: string): Key => ["deploy_hook_replays", id],
  hookReplay: (id: string, keyHash: string): Key => ["deploy_hook_replays", id, keyHash],

  /** Requests with an `Idempotency-Key`, and their responses. */
  idempotency: (id: string): Key => ["idempotency", id],
  idempotencyAnswer: (id: string): Key => ["idempotency_answers", id],
  idempotencyParts: (id: string): Key => ["idempotency_parts", id],
  idempotencyPart: (id: string, number: number): Key => ["idempotency_parts", id, number],

  /** Repositories that were pushed to a platform with several nodes, stored as blobs. */
  pushedRepositories: (): Key => ["pushed_repositories"],
  pushedRepository: (projectId: string): Key => ["pushed_repositories", projectId],

  /** The logs of builds that have finished, stored as blobs. */
  allBuildLogs: (): Key => ["build_logs"],
  buildLogs: (projectId: string): Key => ["build_logs", projectId],
  buildLog: (projectId: string, deploymentId: string): Key => [
    "build_logs",
    projectId,
    deploymentId,
  ],

  allBuilds: (): Key => ["builds"],
  builds: (projectId: string): Key => ["builds", projectId],
  build: (projectId: string, id: string): Key => ["builds", projectId, id],
  /** Waiting and running builds, in the order in which they were triggered. */
  buildQueue: (): Key => ["build_queue"],
  buildTicket: (place: number): Key => ["build_queue", place],
  /** The active builds of a branch. */
  branchBuilds: (projectId: string): Key => ["branch_builds", projectId],
  branchBuild: (projectId: string, branch: string): Key => ["branch_builds", projectId, branch],
  /** The latest deployment of each commit. */
  builtCommits: (projectId: string): Key => ["built_commits", projectId],
  builtCommit: (
    projectId: string,
    commit: { branch: string; commitSha: string; environment: string },
  ): Key => ["built_commits", projectId, commit.branch, commit.commitSha, commit.environment],
} as const;
