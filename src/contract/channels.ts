import { type EventCategory, type Priority } from "./events.ts";
/**
 * The notification channels, one row each. Preferences, deliveries, the API and its document, the
 * CLI, pages and docs are derived from these rows. The sending code is in
 * `src/platform/notifications/channels`.
 *
 * @module
 */

/** How often to retry messages, and for how long. Times are in milliseconds. */
export interface ChannelLimits {
  readonly maxAttempts: number;
  /** Age at which a message is no longer retried. */
  readonly maxAgeMs: number;
  /** Upper limit of the first pause. Each further pause is `factor` times as long. */
  readonly firstPauseMs: number;
  readonly factor: number;
  readonly longestPauseMs: number;
  /** Maximum number of concurrent deliveries. */
  readonly concurrency: number;
  /** Maximum number of concurrent deliveries to one host. */
  readonly perHost: number;
  /**
   * Maximum number of concurrent deliveries for one person or workspace while messages for others
   * are waiting.
   */
  readonly perOwner?: number;
}

/**
 * Facts that determine which channels are on for a person who has never changed their preferences.
 */
export interface DefaultFacts {
  readonly method: "email" | "messenger";
  /** Whether one of the person's browsers is subscribed to push notifications. */
  readonly hasBrowser: boolean;
}

/** A channel that a person can turn on or off. */
interface Preferable {
  /** Name on pages. */
  readonly label: string;
  readonly description: string;
  /** The lowest priority that is delivered during quiet hours. */
  readonly quiet: Priority;
  isOn(facts: DefaultFacts): boolean;
}

interface Outward {
  readonly limits: ChannelLimits;
  /** Failures after which a message is retried, for the docs. */
  readonly retriedAfter: string;
}

/** A channel to people outside of the platform. */
interface Personal extends Preferable, Outward {
  readonly reach: "person";
  /** Explains why nothing can be sent if the channel is not set up on the platform. */
  readonly missing: string;
  /** Explains why the person cannot be reached yet. */
  readonly unreached: string;
}

/** A channel to other programs for a workspace, regardless of its members' preferences. */
interface OfWorkspace extends Outward {
  readonly reach: "workspace";
  /** The only category that the channel accepts. By default, all categories are accepted. */
  readonly category?: EventCategory;
}

type Row = Personal | OfWorkspace | Preferable & { readonly reach: "inbox" };

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Limits that most channels use. */
const USUAL = {
  maxAttempts: 8,
  maxAgeMs: 24 * HOUR,
  firstPauseMs: 5 * SECOND,
  factor: 3,
  longestPauseMs: HOUR,
};

export const CHANNEL_ROWS = {
  email: {
    reach: "person",
    label: "Email",
    description: "By email",
    quiet: "CRITICAL",
    isOn: ({ method }) => method === "email",
    missing: "No mail server is set up. The operator can set one with svc serve --smtp-url",
    unreached: "Your account has no email address",
    retriedAfter: "no connection, SMTP 4xx",
    limits: {
      ...USUAL,
      maxAttempts: 12,
      maxAgeMs: 48 * HOUR,
      firstPauseMs: 10 * SECOND,
      longestPauseMs: 4 * HOUR,
      concurrency: 4,
      perHost: 4,
    },
  },
  in_app: {
    reach: "inbox",
    label: "In-app",
    description: "In the inbox",
    quiet: "LOW",
    isOn: () => true,
  },
  messenger: {
    reach: "person",
    label: "Messenger",
    description: "Through the chat bot",
    quiet: "HIGH",
    isOn: ({ method }) => method === "messenger",
    missing: "No chat bot is set up. The operator can set one with svc serve --bot-token",
    unreached: "No chat is linked to your account",
    retriedAfter: "no connection, 429 (after the requested pause)",
    limits: { ...USUAL, maxAttempts: 10, concurrency: 8, perHost: 8 },
  },
  push: {
    reach: "person",
    label: "Browser push",
    description: "Browser notifications",
    quiet: "HIGH",
    isOn: ({ hasBrowser }) => hasBrowser,
    missing: "This platform does not send web push",
    unreached: "None of your browsers is subscribed",
    retriedAfter: "no connection, 429, 5xx",
    limits: { ...USUAL, concurrency: 32, perHost: 16, perOwner: 8 },
  },
  webhook: {
    reach: "workspace",
    retriedAfter: "no connection, any status but 2xx",
    limits: {
      ...USUAL,
      maxAttempts: 9,
      firstPauseMs: 10 * SECOND,
      factor: 4,
      longestPauseMs: 6 * HOUR,
      concurrency: 32,
      perHost: 4,
      perOwner: 8,
    },
  },
  forge: {
    reach: "workspace",
    category: "Deployment",
    retriedAfter: "no connection, 429, 5xx",
    limits: { ...USUAL, maxAgeMs: 12 * HOUR, factor: 4, concurrency: 16, perHost: 4, perOwner: 4 },
  },
} as const satisfies Readonly<Record<string, Row>>;

type Name = keyof typeof CHANNEL_ROWS;
type Reaching<Reach> = {
  [Each in Name]: (typeof CHANNEL_ROWS)[Each]["reach"] extends Reach ? Each : never;
}[Name];

function reaching<Reach extends Row["reach"]>(...reaches: readonly Reach[]) {
  const names = Object.keys(CHANNEL_ROWS) as Name[];
  return names.filter((name) =>
    reaches.some((reach) => reach === CHANNEL_ROWS[name].reach)
  ) as Reaching<Reach>[];
}

/** Channels that people turn on and off. */
export const CHANNELS = reaching("person", "inbox");
export type Channel = Reaching<"person" | "inbox">;

/** Channels that deliver outside of the platform. The inbox is written directly. */
export const DELIVERY_CHANNELS = reaching("person", "workspace");
export type DeliveryChannel = Reaching<"person" | "workspace">;

/** External channels that reach a person. */
export const PERSONAL_CHANNELS = reaching("person");
export type PersonalChannel = Reaching<"person">;

/** Returns whether a channel reaches a person. */
export const isPersonal = (channel: DeliveryChannel): channel is PersonalChannel =>
  CHANNEL_ROWS[channel].reach === "person";

/** Returns the workspace channels that accept events of a category. */
export function workspaceChannels(category: EventCategory): DeliveryChannel[] {
  return reaching("workspace").filter((name) => {
    const row: OfWorkspace = CHANNEL_ROWS[name];
    return row.category === undefined || row.category === category;
  });
}
