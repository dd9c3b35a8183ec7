/**
 * Publishes rule sets that override those of a project's deployments, and finds the rules that
 * apply. @module
 */
import type { SiteDirectory } from "../../edge/mod.ts";
import type { ActiveRules } from "../../contract/rules.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { sha256InTurns } from "../../lib/hash.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { jsonParts } from "../../lib/json_steps.ts";
import { createPause, inTurns, Pace, type Steps } from "../../lib/next_turn.ts";
import { parseJson } from "../../lib/parse_json.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { Caller } from "../core/access/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { checkRules, type DeploymentStore, readContent } from "../deployments/mod.ts";
import { Failure } from "../core/http/mod.ts";
import { productionDeploymentId, type ProjectRecord } from "../projects/mod.ts";
import type { BlobVault } from "../core/store/mod.ts";
import type { Published, RevisionRecord, RulesStore } from "./rules_store.ts";

interface RulesServices {
  readonly rules: RulesStore;
  readonly deployments: DeploymentStore;
  readonly vault: BlobVault;
  readonly sites: SiteDirectory;
  readonly addresses: Addresses;
  readonly now: Clock;
  readonly random: Random;
}

/** The rules that apply, and the version that the next writer must name. */
export interface VersionedRules {
  readonly active: ActiveRules;
  readonly version: string;
}

/** A writer's condition on the rules that it replaces. */
export interface Precondition {
  /** Returns whether the condition allows this version of the rules. */
  holds(version: string): boolean;
  /** Whether a weak entity tag was given, which never matches. */
  readonly isWeak: boolean;
}

const OUTDATED = "Rules were changed by someone else. Read them again and retry";

const WEAK_TAG = "If-Match needs a strong entity tag, but this one is weak (W/), because a " +
  "proxy between you and the platform compresses responses. Read the rules with " +
  "Accept-Encoding: identity";

/** Maximum nesting depth of a stored rule set, which is the same as for request bodies. */
const MAX_DEPTH = 66;

/** Reads the runtime rule set of a revision. */
export async function readRevision(
  vault: BlobVault,
  revision: RevisionRecord,
): Promise<RuntimeRuleSet> {
  const bytes = await vault.of(revision.workspaceId).read(revision.sha256);
  return (await parseJson(bytes, {
    maxDepth: MAX_DEPTH,
    maxMembers: Infinity,
    pause: createPause(),
  }))
    .value as RuntimeRuleSet;
}

export class RulesService {
  readonly #services: RulesServices;

  constructor(services: RulesServices) {
    this.#services = services;
  }

  /** Returns the rule set that production uses. */
  async active(project: ProjectRecord): Promise<VersionedRules> {
    return this.#describe(project, await this.#services.rules.published(project.id));
  }

  /** Returns production's rules in the edge's form; `null` if there are none. */
  async inEffect(project: ProjectRecord): Promise<RuntimeRuleSet | null> {
    const { revision } = await this.#services.rules.published(project.id);
    if (revision !== null) return await readRevision(this.#services.vault, revision);
    const deploymentId = productionDeploymentId(project);
    return deploymentId === null ? null : await this.#deploymentRules(project, deploymentId);
  }

  /** Validates and publishes a rule set (`source.origin` = `ui`). */
  async publish(
    project: ProjectRecord,
    options: {
      readonly value: unknown;
      readonly caller: Caller;
      readonly precondition: Precondition;
    },
  ): Promise<VersionedRules> {
    const functions = await this.#productionFunctions(project);
    const ruleSet = await inTurns(checkRules(options.value, functions));
    return this.#store(project, { ...options, ruleSet });
  }

  /** Removes the published rules, so that the deployment's own rules apply again. */
  remove(project: ProjectRecord, precondition: Precondition): Promise<VersionedRules> {
    return this.#commit(project, null, precondition);
  }

  /** Publishes the rules of an earlier revision as a new revision. */
  async restore(
    project: ProjectRecord,
    options: {
      readonly revisionId: string;
      readonly caller: Caller;
      readonly precondition: Precondition;
    },
  ): Promise<VersionedRules> {
    const revision = await this.#findRevision(project, options.revisionId);
    const ruleSet = await readRevision(this.#services.vault, revision);
    return this.#store(project, { ...options, ruleSet });
  }

  /** Returns a revision and its rules. @throws {Failure} `not_found` */
  async revision(project: ProjectRecord, revisionId: string): Promise<{
    readonly revision: RevisionRecord;
    readonly ruleSet: NonNullable<ActiveRules["ruleSet"]>;
  }> {
    const revision = await this.#findRevision(project, revisionId);
    const ruleSet = await readRevision(this.#services.vault, revision);
    return { revision, ruleSet: await inTurns(toWire(ruleSet)) };
  }

  async #findRevision(project: ProjectRecord, revisionId: string): Promise<RevisionRecord> {
    const revision = await this.#services.rules.findRevision(project.id, revisionId);
    if (revision !== undefined) return revision;
    throw new Failure("not_found", `Rules revision "${revisionId}" does not exist`);
  }

  async #store(
    project: ProjectRecord,
    options: {
      readonly ruleSet: RuntimeRuleSet;
      readonly caller: Caller;
      readonly precondition: Precondition;
    },
  ): Promise<VersionedRules> {
    const { now, random, vault } = this.#services;
    const revisionId = uuidV7(now, random);
    const ruleSet = { ...options.ruleSet, source: { origin: "ui" as const, revisionId } };
    const bytes = new TextEncoder().encode((await inTurns(jsonParts(ruleSet))).join(""));
    const sha256 = await sha256InTurns(bytes);
    await vault.of(project.workspaceId).put(sha256, bytes);
    return this.#commit(project, {
      revisionId,
      workspaceId: project.workspaceId,
      sha256,
      ruleCount: ruleSet.rules.length,
      publishedAt: now(),
      publishedBy: options.caller.user.name,
    }, options.precondition);
  }

  /**
   * Returns the functions that published pipelines can use, which are those of the live deployment.
   */
  async #productionFunctions(project: ProjectRecord): Promise<Set<string>> {
    const id = productionDeploymentId(project);
    const live = id === null ? undefined : await this.#services.deployments.find(project.id, id);
    return new Set(live?.functions.map(({ name }) => name));
  }

  async #commit(
    project: ProjectRecord,
    revision: RevisionRecord | null,
    precondition: Precondition,
  ): Promise<VersionedRules> {
    const { rules, sites, addresses } = this.#services;
    const { version: seen } = await rules.published(project.id);
    const version = precondition.holds(seen)
      ? await rules.publish(project.id, revision, seen)
      : undefined;
    if (version === undefined) {
      throw new Failure("precondition_failed", precondition.isWeak ? WEAK_TAG : OUTDATED);
    }
    await sites.refreshProduction(addresses.hostname(project.name));
    return this.#describe(project, { revision, version });
  }

  async #describe(project: ProjectRecord, published: Published): Promise<VersionedRules> {
    const { version, revision } = published;
    const deploymentId = productionDeploymentId(project);
    if (revision !== null) {
      const ruleSet = await readRevision(this.#services.vault, revision);
      return {
        version,
        active: {
          origin: "ui",
          revisionId: revision.revisionId,
          deploymentId,
          ruleSet: await inTurns(toWire(ruleSet)),
          publishedAt: new Date(revision.publishedAt).toISOString(),
        },
      };
    }
    const own = deploymentId === null ? null : await this.#deploymentRules(project, deploymentId);
    return {
      version,
      active: {
        origin: own === null ? null : "build",
        revisionId: null,
        deploymentId,
        ruleSet: own === null ? null : await inTurns(toWire(own)),
        publishedAt: null,
      },
    };
  }

  async #deploymentRules(
    project: ProjectRecord,
    deploymentId: string,
  ): Promise<RuntimeRuleSet | null> {
    const { deployments, vault } = this.#services;
    const deployment = await deployments.find(project.id, deploymentId);
    if (deployment === undefined || deployment.contentSha === null) return null;
    return (await readContent(vault.of(project.workspaceId), deployment.contentSha)).rules;
  }
}

/** Number of rules to copy in one step. */
const RULES_PER_STEP = 200;

/** Leaves out parsed globs, so that a response can be sent back as a request. */
function* toWire(ruleSet: RuntimeRuleSet): Steps<NonNullable<ActiveRules["ruleSet"]>> {
  const pace = new Pace(RULES_PER_STEP);
  const rules: Record<string, unknown>[] = [];
  for (const rule of ruleSet.rules) {
    rules.push(JSON.parse(
      JSON.stringify(rule, (name, value) => name === "tokens" ? undefined : value),
    ));
    if (pace.fills(1)) yield;
  }
  return { ...ruleSet, rules };
}
