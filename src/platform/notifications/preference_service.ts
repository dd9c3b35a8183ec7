/**
 * The preferences of people, in Deno KV and, for those who are told of
 * something often, in memory.
 *
 * @module
 */
import type { BodyOf, endpoints, NotificationPreferences } from "../../contract/mod.ts";
import type { AccountStore } from "../accounts/account_store.ts";
import { commitWithRetries, readRecord } from "../store/records.ts";
import { notificationKeys } from "./notification_keys.ts";
import {
  preferencesOf,
  type PreferencesRecord,
  preferencesRecord,
  withCategory,
  withChannel,
} from "./preferences.ts";

/** People whose preferences are remembered; when there are more, all are read again. */
const MAX_REMEMBERED = 10_000;

export class PreferenceService {
  private readonly remembered = new Map<string, NotificationPreferences>();
  /** Counts changes: what was read before one is not remembered after it. */
  private changes = 0;

  constructor(private readonly kv: Deno.Kv, private readonly accounts: AccountStore) {}

  /** What a person prefers; the defaults of their sign-up where they never said. */
  async of(userId: string): Promise<NotificationPreferences> {
    const known = this.remembered.get(userId);
    if (known !== undefined) return known;
    const before = this.changes;
    const record = await readRecord(
      this.kv,
      notificationKeys.preferences(userId),
      preferencesRecord,
    );
    const found = preferencesOf(await this.signUpMethod(userId), record?.value);
    if (before === this.changes) {
      if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
      this.remembered.set(userId, found);
    }
    return found;
  }

  /** Turns a channel on or off, in all categories. */
  setChannel(
    userId: string,
    wanted: BodyOf<typeof endpoints.putChannelPreference>,
  ): Promise<NotificationPreferences> {
    return this.change(userId, (preferences) => withChannel(preferences, wanted));
  }

  /** Changes one category; what is not named stays. */
  setCategory(
    userId: string,
    wanted: BodyOf<typeof endpoints.putCategoryPreference>,
  ): Promise<NotificationPreferences> {
    return this.change(userId, (preferences) => withCategory(preferences, wanted));
  }

  private async change(
    userId: string,
    change: (preferences: NotificationPreferences) => PreferencesRecord,
  ): Promise<NotificationPreferences> {
    const key = notificationKeys.preferences(userId);
    const method = await this.signUpMethod(userId);
    const { result } = await commitWithRetries(this.kv, [key], async () => {
      const current = await readRecord(this.kv, key, preferencesRecord);
      const changed = change(preferencesOf(method, current?.value));
      const operation = this.kv.atomic()
        .check({ key, versionstamp: current?.versionstamp ?? null })
        .set(key, changed);
      return { operation, result: preferencesOf(method, changed) };
    });
    this.changes++;
    this.remembered.delete(userId);
    return result;
  }

  private async signUpMethod(userId: string): Promise<"email" | "messenger"> {
    return (await this.accounts.findUser(userId))?.signUpMethod ?? "email";
  }
}
