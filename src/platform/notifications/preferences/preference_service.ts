/**
 * People's preferences. Changes by a key or the CLI apply only to the workspace of that key or CLI
 * session.
 *
 * @module
 */
import type { BodyOf } from "../../../contract/endpoint.ts";
import type { endpoints } from "../../../contract/endpoints.ts";
import type { NotificationPreferences } from "../../../contract/notifications.ts";
import type { AccountStore } from "../../accounts/mod.ts";
import type { PersonalScope } from "../../core/access/mod.ts";
import { commitWithRetries, readRecord } from "../../core/store/mod.ts";
import { notificationKeys } from "../notification_keys.ts";
import {
  differing,
  preferencesIn,
  preferencesOf,
  type PreferencesRecord,
  preferencesRecord,
  withCategory,
  withChannel,
} from "./preferences.ts";
import type { RecordKey, RecordStore } from "../../../store/mod.ts";

/** Maximum number of people in the cache. Beyond it, the cache is emptied. */
const MAX_REMEMBERED = 10_000;

/** The first parts of preferences' keys. A person's ID follows. */
const FAMILIES: ReadonlySet<string> = new Set(
  [notificationKeys.preferences(""), notificationKeys.allPreferencesIn("")]
    .map(([family]) => String(family)),
);

type Change = (preferences: NotificationPreferences) => PreferencesRecord;

export class PreferenceService {
  /** Preferences by person, then by workspace; `null` for the account's own. */
  readonly #remembered = new Map<string, Map<string | null, NotificationPreferences>>();
  /** Counts changes, so what was read before a change is not cached after it. */
  #changes = 0;

  readonly #kv: RecordStore;
  readonly #accounts: AccountStore;
  readonly #hasBrowser: (userId: string) => Promise<boolean>;

  /** @param hasBrowser whether any of a person's browsers is subscribed to push */
  constructor(
    kv: RecordStore,
    accounts: AccountStore,
    hasBrowser: (userId: string) => Promise<boolean>,
  ) {
    this.#kv = kv;
    this.#accounts = accounts;
    this.#hasBrowser = hasBrowser;
  }

  async of(scope: PersonalScope): Promise<NotificationPreferences> {
    const { userId, workspaceId } = scope;
    const known = this.#remembered.get(userId)?.get(workspaceId);
    if (known !== undefined) return known;
    const before = this.#changes;
    const { account } = await this.#readAccount(userId);
    const found = workspaceId === null
      ? account
      : preferencesIn(account, (await this.#readIn(userId, workspaceId))?.value);
    if (before === this.#changes) this.#remember(scope, found);
    return found;
  }

  setChannel(
    scope: PersonalScope,
    wanted: BodyOf<typeof endpoints.putChannelPreference>,
  ): Promise<NotificationPreferences> {
    return this.#change(scope, (preferences) => withChannel(preferences, wanted));
  }

  setCategory(
    scope: PersonalScope,
    wanted: BodyOf<typeof endpoints.putCategoryPreference>,
  ): Promise<NotificationPreferences> {
    return this.#change(scope, (preferences) => withCategory(preferences, wanted));
  }

  follow(changed: readonly RecordKey[]): void {
    for (const [family, userId] of changed) {
      if (FAMILIES.has(String(family))) this.#forget(String(userId));
    }
  }

  forgetAll(): void {
    this.#changes++;
    this.#remembered.clear();
  }

  #forget(userId: string): void {
    this.#changes++;
    this.#remembered.delete(userId);
  }

  async #change(scope: PersonalScope, change: Change): Promise<NotificationPreferences> {
    const { userId, workspaceId } = scope;
    const changed = workspaceId === null
      ? await this.#changeEverywhere(userId, change)
      : await this.#changeIn(userId, workspaceId, change);
    this.#forget(userId);
    return changed;
  }

  /**
   * Changes the account's preferences, and where workspaces differ from them. Every change writes
   * the account's record, so one check is enough.
   */
  async #changeEverywhere(userId: string, change: Change): Promise<NotificationPreferences> {
    const key = notificationKeys.preferences(userId);
    return await commitWithRetries(this.#kv, [key], async (operation) => {
      const { account, facts, check } = await this.#readAccount(userId);
      const record = change(account);
      const result = preferencesOf(facts, record);
      operation.check(check).set(key, record);
      for await (
        const entry of this.#kv.list({ prefix: notificationKeys.allPreferencesIn(userId) })
      ) {
        const there = preferencesRecord.parse(entry.value);
        const differs = differing(change(preferencesIn(account, there)), result);
        if (differs === undefined) operation.delete(entry.key);
        else operation.set(entry.key, differs);
      }
      return result;
    });
  }

  async #changeIn(
    userId: string,
    workspaceId: string,
    change: Change,
  ): Promise<NotificationPreferences> {
    const key = notificationKeys.preferencesIn(userId, workspaceId);
    const contended = [notificationKeys.preferences(userId)];
    return await commitWithRetries(this.#kv, contended, async (operation) => {
      const { account, record, check } = await this.#readAccount(userId);
      const there = await this.#readIn(userId, workspaceId);
      const differs = differing(change(preferencesIn(account, there?.value)), account);
      operation.check(check).set(check.key, record ?? { categories: {} });
      if (differs === undefined) operation.delete(key);
      else operation.set(key, differs);
      return preferencesIn(account, differs);
    });
  }

  async #readAccount(userId: string) {
    const key = notificationKeys.preferences(userId);
    const method = (await this.#accounts.users.find(userId))?.signUpMethod ?? "email";
    const record = await readRecord(this.#kv, key, preferencesRecord);
    const facts = { method, hasBrowser: await this.#hasBrowser(userId) };
    const account = preferencesOf(facts, record?.value);
    const check = { key, versionstamp: record?.versionstamp ?? null };
    return { account, facts, record: record?.value, check };
  }

  #readIn(userId: string, workspaceId: string) {
    const key = notificationKeys.preferencesIn(userId, workspaceId);
    return readRecord(this.#kv, key, preferencesRecord);
  }

  #remember({ userId, workspaceId }: PersonalScope, found: NotificationPreferences): void {
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    const known = this.#remembered.get(userId) ?? new Map();
    this.#remembered.set(userId, known.set(workspaceId, found));
  }
}
