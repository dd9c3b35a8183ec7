/**
 * Credentials and memberships in memory, read from the store on first use. Code that changes a
 * record must report the change here. A node drops entries that other nodes have changed. While a
 * node cannot follow other nodes' changes, it reads the store each time.
 *
 * @module
 */
import type { AccountStore } from "../account_store.ts";
import { hashApiKey } from "../api_keys/api_key.ts";
import type { Caller, CredentialOwner, KeyGrant, Role } from "../../core/access/mod.ts";
import type { CredentialStore } from "./credential_store.ts";
import type { KnownCredential } from "./known_credential.ts";
import { hashToken, isAccessToken } from "./token.ts";
import type { RecordKey } from "../../../store/mod.ts";

/**
 * Maximum number of entries of each kind. If there are more, all entries are dropped and read again
 * when needed.
 */
const MAX_REMEMBERED = 10_000;

/** Records whose key contains the hash of a credential. */
const FAMILIES_BY_HASH = new Set(["api_key_by_hash", "access_token_by_hash", "session_by_hash"]);

/** Other records that are cached here. */
const FAMILIES = new Set(["access_tokens", "api_keys", "memberships", "users", "workspaces"]);

interface StoredCredential {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly createdAt: number;
  readonly hash: string;
  readonly prefix?: string;
  readonly address?: string;
  readonly workspaceId?: string;
  readonly role?: Role | undefined;
  readonly permissions?: KeyGrant["permissions"];
  readonly projects?: KeyGrant["projects"];
  readonly expiresAt?: number | null | undefined;
}

function grantOf({ permissions, projects, expiresAt }: StoredCredential): KeyGrant | undefined {
  return permissions && {
    permissions,
    projects: projects ?? null,
    expiresAt: expiresAt ?? null,
  };
}

interface CredentialMemoryStores {
  readonly accounts: AccountStore;
  readonly credentials: CredentialStore;
  readonly isCurrent?: (() => boolean) | undefined;
}

export class CredentialMemory {
  readonly #credentials = new Map<string, KnownCredential>();
  readonly #workspaces = new Map<string, Caller["workspace"]>();
  readonly #slugs = new Map<string, string>();
  readonly #watchers: ((hash: string | undefined) => void)[] = [];
  /** Counts changes, so a value that was read before a change is not cached after it. */
  #changes = 0;

  readonly #stores: CredentialMemoryStores;

  constructor(stores: CredentialMemoryStores) {
    this.#stores = stores;
  }

  async findBearer(token: string): Promise<KnownCredential | undefined> {
    if (isAccessToken(token)) {
      const known = await this.findByHash("access_token", hashToken("access token", token));
      if (known !== undefined) return known;
    }
    return await this.findByHash("api_key", hashApiKey(token));
  }

  findSession(token: string): Promise<KnownCredential | undefined> {
    return this.findByHash("session", hashToken("session", token));
  }

  /** Finds a credential's current state by its hash. */
  async findByHash(
    type: Caller["credential"]["type"],
    hash: string,
  ): Promise<KnownCredential | undefined> {
    const { credentials } = this.#stores;
    const finders = {
      api_key: () => credentials.findApiKey(hash),
      access_token: () => credentials.findAccessToken(hash),
      session: () => credentials.findSession(hash),
    };
    const known = this.#isCurrent() ? this.#credentials.get(hash) : undefined;
    return known ?? await this.#load(type, finders[type]);
  }

  async workspaceOf(userId: string, workspaceId: string): Promise<Caller["workspace"] | undefined> {
    const key = `${userId} ${workspaceId}`;
    const known = this.#isCurrent() ? this.#workspaces.get(key) : undefined;
    if (known !== undefined) return known;
    const before = this.#changes;
    const { accounts } = this.#stores;
    const [workspace, membership] = await Promise.all([
      accounts.workspaces.find(workspaceId),
      accounts.memberships.find(userId, workspaceId),
    ]);
    if (workspace === undefined || membership === undefined) return undefined;
    const { id, slug, name } = workspace;
    const found = { id, slug, name, role: membership.role };
    if (before === this.#changes) remember(this.#workspaces, key, found);
    return found;
  }

  async workspaceBySlug(userId: string, slug: string): Promise<Caller["workspace"] | undefined> {
    const id = this.#slugs.get(slug) ?? await this.#stores.accounts.findWorkspaceId(slug);
    if (id === undefined) return undefined;
    remember(this.#slugs, slug, id);
    return await this.workspaceOf(userId, id);
  }

  /** Drops entries that other nodes have changed. */
  follow(changed: readonly RecordKey[]): void {
    for (const [family, name] of changed) {
      if (FAMILIES_BY_HASH.has(String(family))) this.forget(String(name));
    }
    if (changed.some(([family]) => FAMILIES.has(String(family)))) this.forgetAll();
  }

  /** Call this when a credential has been changed or revoked, or has expired. */
  forget(hash: string): void {
    this.#changes++;
    this.#credentials.delete(hash);
    for (const watcher of this.#watchers) watcher(hash);
  }

  /** Call this when a user, a workspace or a membership has changed. */
  forgetAll(): void {
    this.#changes++;
    this.#credentials.clear();
    this.#workspaces.clear();
    for (const watcher of this.#watchers) watcher(undefined);
  }

  /** Calls back with the hash after each `forget`, and with `undefined` after each `forgetAll`. */
  onForget(watcher: (hash: string | undefined) => void): void {
    this.#watchers.push(watcher);
  }

  #isCurrent(): boolean {
    return this.#stores.isCurrent?.() ?? true;
  }

  async #load(
    type: Caller["credential"]["type"],
    find: () => Promise<StoredCredential | undefined>,
  ): Promise<KnownCredential | undefined> {
    const before = this.#changes;
    const found = await find();
    if (found === undefined) return undefined;
    const [user, use] = await Promise.all([
      this.#stores.accounts.users.find(found.userId),
      this.#stores.credentials.lastUse(found.id),
    ]);
    if (user === undefined) return undefined;
    const owner: CredentialOwner = {
      user: { id: user.id, name: user.name, email: user.email },
      credential: {
        type,
        id: found.id,
        name: found.name,
        prefix: found.prefix ?? null,
        createdAt: new Date(found.createdAt).toISOString(),
      },
      hash: found.hash,
      workspaceId: found.workspaceId ?? null,
    };
    const known: KnownCredential = {
      owner,
      role: found.role ?? "owner",
      grant: grantOf(found),
      createdAt: found.createdAt,
      endsAt: found.expiresAt ?? Infinity,
      begunAt: found.address ?? null,
      usedAt: use?.at ?? found.createdAt,
      notedAt: use?.at ?? 0,
      address: use?.address ?? null,
      country: use?.country ?? null,
      countryAt: use?.at ?? 0,
      warnedAt: -Infinity,
    };
    if (before === this.#changes) remember(this.#credentials, found.hash, known);
    return known;
  }
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= MAX_REMEMBERED) map.clear();
  map.set(key, value);
}
