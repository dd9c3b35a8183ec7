/**
 * Which notifications a person wants, and how: the defaults of the specification, and
 * changes to them. Pure.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { BodyOf } from "../../../contract/endpoint.ts";
import {
  type CategoryPreferences,
  categoryPreferences,
  type NotificationPreferences,
} from "../../../contract/notifications.ts";
import type { endpoints } from "../../../contract/endpoints.ts";
import { EVENT_CATEGORIES, type EventCategory, type Priority } from "../../../contract/events.ts";

export type SignUpMethod = "email" | "messenger";

/** Spec, "Notification preferences": the lowest priority that is sent. */
const MINIMUM: Readonly<Record<EventCategory, Priority>> = {
  Deployment: "NORMAL",
  Health: "HIGH",
  Billing: "NORMAL",
  Security: "LOW",
  System: "NORMAL",
};

/** What a person has changed, by category; the defaults apply to the rest. */
export const preferencesRecord = z.object({
  categories: z.partialRecord(z.enum(EVENT_CATEGORIES), categoryPreferences),
});
export type PreferencesRecord = z.infer<typeof preferencesRecord>;

/** What decides the defaults of a person. */
export interface DefaultFacts {
  readonly method: SignUpMethod;
  /** Whether a browser of theirs is subscribed to push. */
  readonly hasBrowser: boolean;
}

/** The preferences of a person who never changed them. */
export function defaultPreferences(
  { method, hasBrowser }: DefaultFacts,
  category: EventCategory,
): CategoryPreferences {
  const byEmail = method === "email";
  return {
    category,
    channels: { email: byEmail, in_app: true, messenger: !byEmail, push: hasBrowser },
    minimumPriority: MINIMUM[category],
    quietHours: null,
  };
}

/** All preferences of a person, in the order of the categories. */
export function preferencesOf(
  facts: DefaultFacts,
  record: PreferencesRecord | undefined,
): NotificationPreferences {
  const categories = EVENT_CATEGORIES.map((category) =>
    record?.categories[category] ?? defaultPreferences(facts, category)
  );
  return { categories };
}

const toRecord = ({ categories }: NotificationPreferences): PreferencesRecord => ({
  categories: Object.fromEntries(categories.map((each) => [each.category, each])),
});

/** Preferences in a workspace: those of the account, with the differences there. */
export function preferencesIn(
  account: NotificationPreferences,
  there: PreferencesRecord | undefined,
): NotificationPreferences {
  const categories = account.categories.map((each) => there?.categories[each.category] ?? each);
  return { categories };
}

/** The part of a record that differs from the account's preferences; `undefined` for none. */
export function differing(
  { categories }: PreferencesRecord,
  account: NotificationPreferences,
): PreferencesRecord | undefined {
  const differ = account.categories.flatMap((each) => {
    const own = categories[each.category];
    return own === undefined || isDeepStrictEqual(own, each) ? [] : [[each.category, own]];
  });
  return differ.length === 0 ? undefined : { categories: Object.fromEntries(differ) };
}

/** Turns a channel on or off, in all categories. */
export function withChannel(
  preferences: NotificationPreferences,
  { channel, enabled }: BodyOf<typeof endpoints.putChannelPreference>,
): PreferencesRecord {
  const categories = preferences.categories.map((each) => ({
    ...each,
    channels: { ...each.channels, [channel]: enabled },
  }));
  return toRecord({ categories });
}

/** Changes one category; fields that are left out stay. */
export function withCategory(
  preferences: NotificationPreferences,
  change: BodyOf<typeof endpoints.putCategoryPreference>,
): PreferencesRecord {
  const categories = preferences.categories.map((each) =>
    each.category !== change.category ? each : {
      category: each.category,
      channels: { ...each.channels, ...change.channels },
      minimumPriority: change.minimumPriority ?? each.minimumPriority,
      quietHours: change.quietHours === undefined ? each.quietHours : change.quietHours,
    }
  );
  return toRecord({ categories });
}
