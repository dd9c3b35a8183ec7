/** Notification preferences: their defaults and changes. Pure. @module */
import { CHANNEL_ROWS, CHANNELS, type DefaultFacts } from "../../../contract/channels.ts";
import { EVENT_CATEGORIES, type EventCategory, type Priority } from "../../../contract/events.ts";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { BodyOf } from "../../../contract/endpoint.ts";
import {
  type CategoryPreferences,
  categoryPreferences,
  type NotificationPreferences,
} from "../../../contract/notifications.ts";
import type { endpoints } from "../../../contract/endpoints.ts";

/** Spec, "Notification preferences": the lowest priority that is sent. */
const MINIMUM: Readonly<Record<EventCategory, Priority>> = {
  Deployment: "NORMAL",
  Health: "HIGH",
  Billing: "NORMAL",
  Security: "LOW",
  System: "NORMAL",
};

/** Stored preferences, which may lack newer channels. */
const storedPreferences = categoryPreferences.extend({
  channels: categoryPreferences.shape.channels.partial(),
});

/** A person's own settings by category. Defaults apply to the rest. */
export const preferencesRecord = z.object({
  categories: z.partialRecord(z.enum(EVENT_CATEGORIES), storedPreferences),
});
export type PreferencesRecord = z.infer<typeof preferencesRecord>;

/** Returns the preferences of a person who has not changed them. */
function defaultPreferences(
  facts: DefaultFacts,
  category: EventCategory,
): CategoryPreferences {
  const switches = CHANNELS.map((channel) => [channel, CHANNEL_ROWS[channel].isOn(facts)]);
  return {
    category,
    channels: Object.fromEntries(switches) as CategoryPreferences["channels"],
    minimumPriority: MINIMUM[category],
    quietHours: null,
  };
}

/** Fills in missing values in stored preferences from `base`. */
function complete(
  stored: z.infer<typeof storedPreferences> | undefined,
  base: CategoryPreferences,
): CategoryPreferences {
  if (stored === undefined) return base;
  const channels = { ...base.channels, ...stored.channels } as CategoryPreferences["channels"];
  const { deployments } = base;
  return { ...(deployments === undefined ? {} : { deployments }), ...stored, channels };
}

export function preferencesOf(
  facts: DefaultFacts,
  record: PreferencesRecord | undefined,
): NotificationPreferences {
  const categories = EVENT_CATEGORIES.map((category) =>
    complete(record?.categories[category], defaultPreferences(facts, category))
  );
  return { categories };
}

const toRecord = ({ categories }: NotificationPreferences): PreferencesRecord => ({
  categories: Object.fromEntries(categories.map((each) => [each.category, each])),
});

/**
 * Returns the preferences for a workspace: the account's, with the differences for the workspace
 * applied.
 */
export function preferencesIn(
  account: NotificationPreferences,
  there: PreferencesRecord | undefined,
): NotificationPreferences {
  const categories = account.categories.map((each) =>
    complete(there?.categories[each.category], each)
  );
  return { categories };
}

/**
 * Returns the part of a record that differs from the account's preferences; `undefined` if nothing
 * differs.
 */
export function differing(
  { categories }: PreferencesRecord,
  account: NotificationPreferences,
): PreferencesRecord | undefined {
  const differ = account.categories.flatMap((each) => {
    const own = complete(categories[each.category], each);
    return isDeepStrictEqual(own, each) ? [] : [[each.category, own]];
  });
  return differ.length === 0 ? undefined : { categories: Object.fromEntries(differ) };
}

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

export function withCategory(
  preferences: NotificationPreferences,
  change: BodyOf<typeof endpoints.putCategoryPreference>,
): PreferencesRecord {
  const categories = preferences.categories.map((each) =>
    each.category !== change.category ? each : {
      ...each,
      channels: { ...each.channels, ...change.channels },
      minimumPriority: change.minimumPriority ?? each.minimumPriority,
      quietHours: change.quietHours === undefined ? each.quietHours : change.quietHours,
      ...(change.deployments === undefined ? {} : { deployments: change.deployments }),
    }
  );
  return toRecord({ categories });
}
