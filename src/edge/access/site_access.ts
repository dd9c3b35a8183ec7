/**
 * @module Determines who may visit a project's protected hosts, compiled from the platform's
 * settings. All sites of a project share one object, so a change takes effect on the next request.
 */
import { equalInConstantTime, sha256Hex } from "../../lib/hash.ts";
import type { Protection } from "../../lib/protection.ts";
import { matchesWildcard } from "../../lib/wildcard.ts";
import { IpBlockSet, parseCidr, parseIp } from "../../rules/mod.ts";

/** A link that gives access to anyone who has it, until the link expires. */
export interface ShareFacts {
  readonly id: string;
  /** SHA-256 of the link's token. */
  readonly hash: string;
  /** The deployment that the link opens, on any host, or null if the link is for a host. */
  readonly deploymentId: string | null;
  /**
   * The branch host that the link opens, with any deployment, or null if the link is for a
   * deployment.
   */
  readonly hostname: string | null;
  /** When the link expires, in milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/** The access settings of a project. */
export interface AccessFacts {
  /**
   * Versionstamp of the settings record, or "" if there is no record. The highest version applies.
   */
  readonly version: string;
  readonly protection: Protection;
  readonly workspaceId: string;
  /** An ID that changes with the password, or null if no password is set. */
  readonly passwordId: string | null;
  /** SHA-256 of the bypass key, or null if there is no key. */
  readonly bypassHash: string | null;
  readonly shares: readonly ShareFacts[];
  /** IP addresses and CIDR ranges that need no sign-in. */
  readonly allowCidrs: readonly string[];
  /** Paths that need no sign-in. `*` matches any text. */
  readonly exemptPaths: readonly string[];
  /** Whether `OPTIONS` needs no sign-in. */
  readonly exemptOptions: boolean;
  /** Set while production is down for maintenance. Lists IP addresses that still have access. */
  readonly maintenance: { readonly allowCidrs: readonly string[] } | null;
}

/** A host and its deployment. A share link opens one or the other. */
interface SharedPlace {
  readonly hostname: string;
  readonly deploymentId: string;
}

export class SiteAccess {
  #facts: AccessFacts;
  #addresses: IpBlockSet;
  #maintainers: IpBlockSet;
  readonly projectId: string;

  constructor(projectId: string, facts: AccessFacts) {
    this.projectId = projectId;
    this.#facts = facts;
    this.#addresses = blocksOf(facts.allowCidrs);
    this.#maintainers = blocksOf(facts.maintenance?.allowCidrs ?? []);
  }

  get facts(): AccessFacts {
    return this.#facts;
  }

  /** Replaces the settings, unless newer settings are already known. */
  replace(facts: AccessFacts): void {
    if (facts.version < this.#facts.version) return;
    this.#facts = facts;
    this.#addresses = blocksOf(facts.allowCidrs);
    this.#maintainers = blocksOf(facts.maintenance?.allowCidrs ?? []);
  }

  /** Whether a password gives access to the project's hosts. */
  takesPassword(protection: Protection): boolean {
    return protection === "password" ||
      (protection === "all" && this.#facts.passwordId !== null);
  }

  /** Whether a request is exempt from sign-in by its method or path. */
  isExempt(method: string, path: string): boolean {
    const { exemptOptions, exemptPaths } = this.#facts;
    return (exemptOptions && method === "OPTIONS") ||
      exemptPaths.some((pattern) => matchesWildcard(pattern, path));
  }

  /** Whether an IP address needs no sign-in. */
  allows(address: string): boolean {
    return this.#facts.allowCidrs.length > 0 && has(this.#addresses, address);
  }

  /** Whether an IP address has access while production is down for maintenance. */
  allowsInMaintenance(address: string): boolean {
    return has(this.#maintainers, address);
  }

  isBypassKey(key: string): boolean {
    const { bypassHash } = this.#facts;
    return bypassHash !== null && equalInConstantTime(sha256Hex(key), bypassHash);
  }

  /** Returns the share link with this token, if it currently opens this host or deployment. */
  shareOf(token: string, place: SharedPlace, now: number): ShareFacts | undefined {
    const hash = sha256Hex(token);
    const share = this.#facts.shares.find((each) => equalInConstantTime(each.hash, hash));
    return share !== undefined && opens(share, place, now) ? share : undefined;
  }

  /** Whether a share link currently gives access to a host or its deployment. */
  isShared(id: string, place: SharedPlace, now: number): boolean {
    const share = this.#facts.shares.find((each) => each.id === id);
    return share !== undefined && opens(share, place, now);
  }
}

function opens(share: ShareFacts, { hostname, deploymentId }: SharedPlace, now: number): boolean {
  return now < share.endsAt &&
    (share.hostname === null ? share.deploymentId === deploymentId : share.hostname === hostname);
}

function has(blocks: IpBlockSet, address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && blocks.has(ip);
}

const blocksOf = (cidrs: readonly string[]): IpBlockSet =>
  new IpBlockSet(cidrs.map((text) => parseCidr(text)).filter((block) => block !== undefined));

/** How a site's host is protected. */
export interface SiteGate {
  readonly access: SiteAccess;
  readonly isProduction: boolean;
  /** The protection in the deployment's `svc.toml`, which overrides the project's setting. */
  readonly declared: Protection | undefined;
}

/** Returns a host's protection. */
export const protectionOf = ({ declared, access }: SiteGate): Protection =>
  declared ?? access.facts.protection;

/** Whether a project's protection applies to a host. */
export function isProtected(gate: SiteGate): boolean {
  const protection = protectionOf(gate);
  return protection === "all" || (protection !== "off" && !gate.isProduction);
}

/** Whether a host is in maintenance mode. */
export const isDown = ({ access, isProduction }: SiteGate): boolean =>
  isProduction && access.facts.maintenance !== null;

/** Whether a host's visitors must prove that they have access. */
export const isClosed = (gate: SiteGate): boolean => isProtected(gate) || isDown(gate);
