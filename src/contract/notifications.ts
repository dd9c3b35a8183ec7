/** A person's notifications: inbox, preferences and live stream. @module */
import { type Channel, CHANNEL_ROWS, CHANNELS } from "./channels.ts";
import { eventData } from "./event_data.ts";
import { EVENT_CATEGORIES, type EventCategory, eventName, PRIORITIES } from "./events.ts";
import * as z from "zod";
import { page, pageQuery, timestamp, uuid, wholeNumber } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const tag = "Notifications";

const category = z.enum(EVENT_CATEGORIES);
const priority = z.enum(PRIORITIES);

export const notification = z.object({
  id: uuid.describe("ID of the notification"),
  event: eventName.meta({ description: "Name of the event", example: "deployment.live" }),
  category: category.describe("Category of the event"),
  priority: priority.meta({ description: "Priority of the event", example: "NORMAL" }),
  title: z.string().meta({ description: "Title", example: "shop is live" }),
  body: z.string().meta({ description: "Text", example: "Deployment of main at 8f14e45 is live" }),
  actionUrl: z.string().nullable().describe(
    "URL that the inbox opens; null if there is none",
  ),
  data: eventData.describe("Data of the event"),
  read: z.boolean().describe("Whether it has been read"),
  readAt: timestamp.nullable().describe("When it was read; null if never"),
  archived: z.boolean().describe("Whether it is archived"),
  archivedAt: timestamp.nullable().describe("When it was archived; null if never"),
  createdAt: timestamp.describe("When the notification was created"),
  workspaceId: uuid.nullable().describe("Workspace; null if the notification is about the account"),
}).meta({ id: "Notification" });
export type Notification = z.infer<typeof notification>;

const flag = z.enum(["true", "false"], "Must be true or false").transform((text) =>
  text === "true"
);
const count = z.int().min(0);

export const listNotifications = endpoint({
  method: "GET",
  path: "/v1/notifications",
  summary: "List the inbox, or with `archived=true` the archive, newest first",
  tag,
  access: "self",
  query: pageQuery.extend({
    archived: flag.default(false).meta({
      description: "`true` for the archive, `false` for the inbox",
      example: "false",
    }),
    unreadOnly: flag.default(false).meta({
      description: "Only unread notifications",
      example: "false",
    }),
    category: category.optional().describe("Only notifications in this category"),
    priority: priority.optional().meta({
      description: "Only notifications with this priority",
      example: "NORMAL",
    }),
    offset: wholeNumber({ min: 0 }).default(0).describe(
      "Number of notifications to skip, instead of `cursor`",
    ),
  }).refine(
    ({ cursor, offset }) => cursor === undefined || offset === 0,
    { path: ["offset"], error: "Must not be combined with cursor" },
  ),
  response: page(notification).extend({
    total: count.describe("Number of notifications that match the filters"),
    limit: count.meta({ description: "Maximum number of notifications on a page", example: 20 }),
    offset: count.describe("Number of skipped notifications"),
  }),
});

export const hasUnread = endpoint({
  method: "GET",
  path: "/v1/notifications/has-unread",
  summary: "Show whether the inbox has unread notifications",
  tag,
  access: "self",
  response: z.object({
    hasUnread: z.boolean().describe("Whether the inbox has unread notifications"),
  }),
});

const tally = z.object({
  total: count.meta({ description: "Number of notifications", example: 3 }),
  unread: count.describe("Number of unread notifications"),
});

/** Message counts for the inbox, not including the archive. */
const inboxCounts = tally.extend({
  categories: z.object(
    Object.fromEntries(
      EVENT_CATEGORIES.map((name) => [name, tally.describe(`Counts for the category ${name}`)]),
    ) as Record<
      EventCategory,
      typeof tally
    >,
  ).describe("Counts by category"),
})
  .meta({ id: "InboxCounts" });
export type InboxCounts = z.infer<typeof inboxCounts>;

export const getInboxCount = endpoint({
  method: "GET",
  path: "/v1/notifications/inbox-count",
  summary: "Count read and unread notifications in each category",
  tag,
  access: "self",
  response: inboxCounts,
});

const one = z.object({ notification: uuid.describe("ID of the notification") });

export const readNotification = endpoint({
  method: "POST",
  path: "/v1/notifications/{notification}/read",
  summary: "Mark a notification as read",
  tag,
  access: "self",
  params: one,
  response: notification,
});

export const archiveNotification = endpoint({
  method: "POST",
  path: "/v1/notifications/{notification}/archive",
  summary: "Archive a notification",
  tag,
  access: "self",
  params: one,
  response: notification,
});

export const readAllNotifications = endpoint({
  method: "POST",
  path: "/v1/notifications/read-all",
  summary: "Mark all notifications in the inbox as read",
  tag,
  access: "self",
  response: z.object({
    read: count.meta({ description: "Number of notifications marked as read", example: 3 }),
  }),
});

export const archiveAllNotifications = endpoint({
  method: "POST",
  path: "/v1/notifications/archive-all",
  summary: "Archive all notifications in the inbox",
  tag,
  access: "self",
  response: z.object({
    archived: count.meta({ description: "Number of archived notifications", example: 3 }),
  }),
});

export const deleteNotification = endpoint({
  method: "DELETE",
  path: "/v1/notifications/{notification}",
  summary: "Delete a notification",
  tag,
  access: "self",
  params: one,
  status: 204,
});

export const deleteArchivedNotifications = endpoint({
  method: "DELETE",
  path: "/v1/notifications/delete-all-archived",
  summary: "Delete all archived notifications",
  tag,
  access: "self",
  response: z.object({
    deleted: count.meta({ description: "Number of deleted notifications", example: 12 }),
  }),
});

const channel = z.enum(CHANNELS);
const channelSwitches = z.object(
  Object.fromEntries(
    CHANNELS.map((name) => [
      name,
      z.boolean().meta({ description: CHANNEL_ROWS[name].description, example: true }),
    ]),
  ) as Record<Channel, z.ZodBoolean>,
);

const timeOfDay = z.string().regex(
  /^(?:[01]\d|2[0-3]):[0-5]\d$/,
  "Must be a time of day in UTC, such as 22:00",
);

/**
 * Hours from `start` to `end`, in UTC. They extend past midnight if `end` is earlier than `start`.
 */
const quietHours = z.object({
  start: timeOfDay.meta({ description: "Start as HH:MM in UTC", example: "22:00" }),
  end: timeOfDay.meta({ description: "End as HH:MM in UTC", example: "07:00" }),
}).strict();

/** The deployments that a person is notified about. */
export const HEARD_DEPLOYMENTS = ["all", "own", "none"] as const;
const heardDeployments = z.enum(HEARD_DEPLOYMENTS);

export const categoryPreferences = z.object({
  category: category.describe("Category that the preferences apply to"),
  channels: channelSwitches.describe("Channels, each on or off"),
  minimumPriority: priority.describe("Minimum priority that is sent"),
  quietHours: quietHours.nullable().describe(
    "Quiet hours in UTC: no email, and only urgent messages on other channels; null for none",
  ),
  deployments: heardDeployments.optional().meta({
    description:
      "Whose deployments you get notifications about, at any priority: `all`, `own` (yours and those that no account started), or `none`. Only in the category Deployment; `all` if omitted",
    example: "own",
  }),
}).meta({ id: "CategoryPreferences" });
export type CategoryPreferences = z.infer<typeof categoryPreferences>;

const preferences = z.object({
  categories: z.array(categoryPreferences).describe("Preferences for each category"),
}).meta({ id: "NotificationPreferences" });
export type NotificationPreferences = z.infer<typeof preferences>;

export const getPreferences = endpoint({
  method: "GET",
  path: "/v1/notifications/preferences",
  summary: "Show your notification preferences",
  tag,
  access: "self",
  response: preferences,
});

export const putChannelPreference = endpoint({
  method: "PUT",
  path: "/v1/notifications/preferences/channel",
  summary: "Turn a channel on or off in all categories",
  tag,
  access: "self",
  body: z.object({
    channel: channel.describe("Channel"),
    enabled: z.boolean().describe("Whether the channel is on"),
  }).strict(),
  response: preferences,
});

export const putCategoryPreference = endpoint({
  method: "PUT",
  path: "/v1/notifications/preferences/category",
  summary:
    "Update the channels, minimum priority, quiet hours or deployments of a category. Fields that are left out do not change",
  tag,
  access: "self",
  body: z.object({
    category: category.describe("Category of the event"),
    channels: channelSwitches.partial().strict().optional().describe(
      "Channels, each on or off",
    ),
    minimumPriority: priority.optional().meta({
      description: "Minimum priority that is sent",
      example: "NORMAL",
    }),
    quietHours: quietHours.nullable().optional().describe("Quiet hours; null for none"),
    deployments: heardDeployments.optional().meta({
      description:
        "Whose deployments you get notifications about: `all`, `own` (yours and those that no account started), or `none`. Only for the category Deployment",
    }),
  }).strict().refine(
    ({ category, deployments }) => deployments === undefined || category === "Deployment",
    { path: ["deployments"], error: "Only the category Deployment has this preference" },
  ),
  response: preferences,
});

const typeOf = <const Name extends string>(name: Name) => ({
  type: z.literal(name).meta({ description: "Type of the message", example: name }),
});
/** The ID is null if the change affects the whole inbox or archive. */
const changed = { id: uuid.nullable().describe("ID of the notification; null for all") };

/** Messages in the live stream, keyed by the name of the Server-Sent Event. */
export const notificationMessage = z.discriminatedUnion("type", [
  notification.extend(typeOf("notification")),
  z.object({ ...typeOf("read"), ...changed }),
  z.object({ ...typeOf("archived"), ...changed }),
  z.object({ ...typeOf("deleted"), ...changed }),
  inboxCounts.extend(typeOf("counts")),
  /** More messages were missed than can be sent again. Clients must reload the inbox. */
  z.object(typeOf("reset")),
]).meta({ id: "NotificationMessage" });
export type NotificationMessage = z.infer<typeof notificationMessage>;

export const streamNotifications = endpoint({
  method: "GET",
  path: "/v1/notifications/stream",
  summary:
    "Stream the inbox as Server-Sent Events, one NotificationMessage each, named by its type. Send the ID of a notification as Last-Event-ID to get later ones",
  tag,
  access: "self",
  traits: ["resumable"],
  response: notificationMessage,
  responseKind: "events",
});
