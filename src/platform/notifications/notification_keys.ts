/**
 * Where notifications are in the key-value store.
 *
 * @module
 */
type Key = Deno.KvKey;

export const notificationKeys = {
  preferences: (userId: string): Key => ["notification_preferences", userId],
  /** What differs from them in one workspace. */
  allPreferencesIn: (userId: string): Key => ["notification_preferences_in", userId],
  preferencesIn: (userId: string, workspaceId: string): Key => [
    "notification_preferences_in",
    userId,
    workspaceId,
  ],
  /** What holds for all of a person's inbox. */
  inbox: (userId: string): Key => ["notification_inbox", userId],
  /** Which notifications there are and what became of them, in pages. */
  pages: (userId: string): Key => ["notification_pages", userId],
  page: (userId: string, number: number): Key => ["notification_pages", userId, number],
  /** What a notification says. */
  content: (userId: string, id: string): Key => ["notifications", userId, id],
} as const;
