/** @module A deployment, compiled once for the edge. Requests then only need lookups. */
import {
  DEFAULT_KEEP_ASSETS_SECONDS,
  DEFAULT_SKEW_SECONDS,
  type Manifest,
  type QueueSettings,
  queueSettings,
} from "../../manifest/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { Protection } from "../../lib/protection.ts";
import type { SiteAccess, SiteGate } from "../access/site_access.ts";
import type { BlobReader } from "../blobs/blob_reader.ts";
import type { SiteCompute } from "../compute/compute_responder.ts";
import { compileImages, type SiteImages } from "../images/site_images.ts";
import type { FormKeeper, SiteForms } from "../forms/submission.ts";
import type { SiteObjects } from "./site_objects.ts";
import { checkOnce, type HeaderList } from "../messages/header_list.ts";
import type { SiteFunctions } from "../pipeline/function_runner.ts";
import { type RuleCount, type SiteRules, siteRulesSteps } from "../site_rules/site_rules.ts";
import { createFileTables, SiteContent } from "../static/site_content.ts";
import type { PastAsset } from "../static/past_assets.ts";
import type { SiteFile } from "../static/static_file.ts";
import { atOnce, inTurns, type Steps } from "../../lib/next_turn.ts";

/**
 * Returns a path as the most lenient server would read it, so no unusual spelling bypasses the
 * check.
 */
function plainPath(path: string): string {
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch { /* keep the path as it is */ }
  return `/${
    decoded.toLowerCase().replaceAll("\\", "/").split("/").map((part) => part.split(";")[0])
      .filter((part) => part !== "" && part !== ".").join("/")
  }`;
}

class OwnPaths {
  readonly #paths: ReadonlySet<string>;

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths.map(plainPath));
  }

  has(path: string): boolean {
    return this.#paths.size > 0 && this.#paths.has(plainPath(path));
  }
}

/** The inputs for compiling a site. */
interface SiteSource {
  readonly deploymentId: string;
  readonly projectId: string;
  /** Validated. */
  readonly manifest: Manifest;
  readonly files: readonly SiteFile[];
  readonly rules: RuntimeRuleSet | null;
  /** Reads the content of the files. */
  readonly blobs: BlobReader;
  /** Runs the deployment's functions, if there are any. */
  readonly functions?: SiteFunctions | undefined;
  /** The objects that the site serves, if any. */
  readonly objects?: SiteObjects | undefined;
  /** Stores visitors' form submissions. If missing, the site has no forms. */
  readonly forms?: FormKeeper | undefined;
  /** Runs the servers of the deployment's COMPUTE layers, if it has any. */
  readonly compute?: SiteCompute | undefined;
}

/** The other side of a rolling release: the site that some of the visitors see. */
export interface RollingSide {
  readonly releaseId: string;
  /** Percentage of visitors who see `site`. */
  readonly share: number;
  readonly site: Site;
}

/** Assets and servers of earlier deployments, for pages that are still open in browsers. */
export interface PastSites {
  /**
   * Returns an asset of an earlier deployment. The result is a promise only while these assets are
   * being collected.
   */
  assetAt(path: string): PastAsset | undefined | Promise<PastAsset | undefined>;
  /** Whether any earlier deployment still serves its own pages. */
  readonly hasPages: boolean;
  /** Returns the earlier deployment that served a page, or `undefined` for the live deployment. */
  siteOf(pageId: string): Site | undefined | Promise<Site | undefined>;
}

/** A compiled deployment, created by `compileSite()`. */
export interface Site {
  readonly deploymentId: string;
  readonly projectId: string;
  readonly content: SiteContent;
  readonly blobs: BlobReader;
  /** Header fields of every response. */
  readonly common: HeaderList;
  readonly rules: SiteRules | undefined;
  readonly functions: SiteFunctions | undefined;
  readonly compute: SiteCompute | undefined;
  /** The site's queues, by name. */
  readonly queues: ReadonlyMap<string, QueueSettings>;
  /** Paths that only the platform may request. */
  readonly ownPaths: OwnPaths;
  /** Whether the site has COMPUTE layers. */
  readonly hasServers: boolean;
  readonly objects: SiteObjects | undefined;
  readonly forms: SiteForms | undefined;
  /** The image settings; `undefined` if images are turned off. */
  readonly images: SiteImages | undefined;
  /** Whether visitors' browsers measure web vitals. */
  readonly hasVitals: boolean;
  /** Whether search engines may list the site. True only on production hosts. */
  readonly isIndexed: boolean;
  /** Whether a production host serves the site. */
  readonly isProduction: boolean;
  /** The protection that the site's `svc.toml` sets; `undefined` if the file sets none. */
  readonly protection: Protection | undefined;
  /** The other side of a rolling release on this host; usually none. */
  readonly rolling?: RollingSide | undefined;
  /** Set only during a rolling release: the cookie for a visitor who has none, otherwise null. */
  readonly side?: { readonly cookie: string | null } | undefined;
  /**
   * The protection of the host that serves the site; `undefined` if there are no gates, as in
   * `svc dev`.
   */
  readonly gate: SiteGate | undefined;
  /** How long assets of earlier deployments are served while this one is live, in milliseconds. */
  readonly keepAssetsMs: number;
  /** How long earlier deployments serve their pages while this one is live, in milliseconds. */
  readonly skewMs: number;
  /**
   * All IDs that the site's pages use to identify the deployment, including the deployment's own
   * ID.
   */
  readonly pageIds: ReadonlySet<string>;
  /** Earlier deployments; only set on production hosts. */
  readonly past: PastSites | undefined;
}

function* siteSteps(source: SiteSource): Steps<Site> {
  const { deploymentId, projectId, manifest, files, blobs } = source;
  const common = checkOnce([["x-svc-deployment", deploymentId]]);
  const tables = yield* createFileTables(manifest, files, common);
  return {
    deploymentId,
    projectId,
    content: new SiteContent(manifest, tables),
    blobs,
    common,
    rules: yield* siteRulesSteps(source.rules, projectId),
    functions: source.functions,
    compute: source.compute,
    queues: new Map((manifest.queues ?? []).map((queue) => [queue.name, queueSettings(queue)])),
    ownPaths: new OwnPaths((manifest.queues ?? []).map(({ path }) => path)),
    objects: source.objects,
    forms: source.forms && {
      keeper: source.forms,
      byName: new Map((manifest.forms ?? []).map((form) => [form.name, form])),
    },
    hasServers: manifest.layers.some(({ target }) => target === "COMPUTE"),
    images: compileImages(manifest.images),
    hasVitals: manifest.vitals === true,
    isIndexed: true,
    isProduction: false,
    protection: manifest.protection,
    gate: undefined,
    keepAssetsMs: (manifest.keepAssetsSeconds ?? DEFAULT_KEEP_ASSETS_SECONDS) * 1000,
    skewMs: (manifest.skewSeconds ?? DEFAULT_SKEW_SECONDS) * 1000,
    pageIds: new Set([deploymentId, ...manifest.pageIds ?? []]),
    past: undefined,
  };
}

/**
 * Compiles a deployment: its routes, file tables and rules.
 *
 * @throws {TypeError} If validation would have rejected the manifest, a rule or a file name
 */
export function compileSite(source: SiteSource): Site {
  return atOnce(siteSteps(source));
}

/** Like `compileSite()`, but in steps, so no request waits for a large site. */
export function compileSiteInTurns(source: SiteSource): Promise<Site> {
  return inTurns(siteSteps(source));
}

/**
 * Returns the same site on another host, with that host's gate. Search engines may index the site
 * only on production hosts.
 */
export function atHost(
  site: Site,
  { isProduction, access }: { readonly isProduction: boolean; readonly access: SiteAccess },
): Site {
  const gate = { access, isProduction, declared: site.protection };
  return { ...site, isIndexed: isProduction, isProduction, gate };
}

function* underRules(site: Site, rules: RuntimeRuleSet | null): Steps<Site> {
  return { ...site, rules: yield* siteRulesSteps(rules, site.projectId) };
}

/**
 * Returns the same site with different rules. All other parts are shared. Counters start at zero.
 */
export function withRules(site: Site, rules: RuntimeRuleSet | null): Site {
  return atOnce(underRules(site, rules));
}

/** Like `withRules()`, but in steps, so no request waits for a large rule set. */
export function withRulesInTurns(site: Site, rules: RuntimeRuleSet | null): Promise<Site> {
  return inTurns(underRules(site, rules));
}

/**
 * Returns how many times each of the site's rules took effect or was logged. The list is empty if
 * there are no rules.
 */
export function ruleCounts(site: Site): readonly RuleCount[] {
  return site.rules?.counters.read() ?? [];
}

/** Returns the IDs of the rules at these indexes. */
export const ruleIds = ({ rules }: Site, indexes: readonly number[]): readonly string[] =>
  rules === undefined ? [] : indexes.map((index) => rules.compiled.source.rules[index]!.id);

/** Counts a request that a front edge served, for the site's rules with these IDs. */
export function countRules({ rules }: Site, ids: readonly string[]): void {
  rules?.counters.addIds(ids);
}
