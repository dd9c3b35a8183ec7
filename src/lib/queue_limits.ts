/** @module The limits of queues, as `svc.toml`, the manifest and the API describe them. */

/** Maximum number of queues per deployment. */
export const MAX_QUEUES = 20;
/** Matches the name of a queue. */
export const QUEUE_NAME = /^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/;
export const QUEUE_NAME_RULE =
  "Use a name of 1 to 40 lowercase letters, digits and hyphens that starts with a letter";
/** Maximum length of the path that receives the messages, in characters. */
export const MAX_QUEUE_PATH = 512;
/** Matches a path on the site, without a query. */
export const QUEUE_PATH = /^\/(?!\/)[\x21-\x22\x24-\x3e\x40-\x7e]*$/;
/** Maximum and default number of messages that are delivered at the same time. */
export const MAX_QUEUE_CONCURRENCY = 100;
export const DEFAULT_QUEUE_CONCURRENCY = 5;
/** Maximum and default number of retries before a message becomes a dead letter. */
export const MAX_QUEUE_RETRIES = 20;
export const DEFAULT_QUEUE_RETRIES = 5;
/** Minimum, maximum and default time limit of one delivery, in milliseconds. */
export const MIN_QUEUE_TIMEOUT_MS = 1000;
export const MAX_QUEUE_TIMEOUT_MS = 15 * 60_000;
export const DEFAULT_QUEUE_TIMEOUT_MS = 60_000;

/** Maximum size of a message's body, in bytes. */
export const MAX_MESSAGE_BYTES = 256 * 1024;
/** Maximum length of a message's content type, in characters. */
export const MAX_MESSAGE_TYPE = 128;
/** Maximum length of a message's key, and of the ID that its sender gives it, in characters. */
export const MAX_MESSAGE_KEY = 200;
/** Maximum delay before a message is first delivered, in seconds: 30 days. */
export const MAX_DELAY_SECONDS = 30 * 24 * 60 * 60;
