/** The keys of notifications in Deno KV. @module */
import type { RecordKey } from "../../store/mod.ts";
type Key = RecordKey;

export const notificationKeys = {
  preferences: (userId: string): Key => ["notification_preferences", userId],
  /** How the preferences for each workspace differ from the account's. */
  allPreferencesIn: (userId: string): Key => ["notification_preferences_in", userId],
  preferencesIn: (userId: string, workspaceId: string): Key => [
    "notification_preferences_in",
    userId,
    workspaceId,
  ],
  /** The head of a person's inbox. */
  inbox: (userId: string): Key => ["notification_inbox", userId],
  /** The pages of an inbox: its notifications and their states. */
  pages: (userId: string): Key => ["notification_pages", userId],
  page: (userId: string, number: number): Key => ["notification_pages", userId, number],
  content: (userId: string, id: string): Key => ["notifications", userId, id],
} as const;
