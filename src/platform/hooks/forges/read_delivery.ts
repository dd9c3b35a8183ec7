/**
 * Recognizes forges' deliveries to a hook, checks the signatures, and parses the deliveries.
 *
 * @module
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { Forge } from "../../../contract/projects.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { createPause } from "../../../lib/next_turn.ts";
import { JsonError, parseJson } from "../../../lib/parse_json.ts";
import { bitbucketEvents } from "./bitbucket.ts";
import { type ForgeEvent, PayloadError } from "./forge_event.ts";
import { githubEvents } from "./github.ts";
import { gitlabEvents } from "./gitlab.ts";
import { type ForgeRepository, repositoryOf } from "./repository.ts";

/** Maximum nesting depth of a payload. */
const MAX_DEPTH = 64;

/**
 * The header fields that name the event, by forge. Gitea comes first, because it also sends
 * GitHub's field.
 */
const EVENT_FIELDS: readonly (readonly [field: string, forge: Forge])[] = [
  ["x-forgejo-event", "gitea"],
  ["x-gitea-event", "gitea"],
  ["x-gitlab-event", "gitlab"],
  ["x-event-key", "bitbucket"],
  ["x-github-event", "github"],
];

export interface Delivery {
  readonly forge: Forge;
  /** The event as the forge names it. */
  readonly event: string;
}

/**
 * Reads the delivery from a request's header fields; `undefined` if the request is not from a
 * forge.
 */
export function deliveryOf(headers: Headers): Delivery | undefined {
  for (const [field, forge] of EVENT_FIELDS) {
    const event = headers.get(field);
    if (event !== null) return { forge, event: event.slice(0, 100) };
  }
  return undefined;
}

/** Compares strings in constant time. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => new TextEncoder().encode(sha256Hex(text)));
  return timingSafeEqual(left!, right!);
}

/**
 * Returns whether the sender knows a hook's secret. GitLab sends the secret, and other forges sign
 * with it (HMAC).
 */
export function isSigned(
  headers: Headers,
  { body, secret }: { readonly body: Uint8Array; readonly secret: string },
): boolean {
  const token = headers.get("x-gitlab-token");
  if (token !== null) return isSame(token, secret);
  const given = headers.get("x-hub-signature-256") ?? headers.get("x-hub-signature") ??
    headers.get("x-gitea-signature") ?? headers.get("x-forgejo-signature");
  if (given === null) return false;
  const wanted = createHmac("sha256", secret).update(body).digest("hex");
  return isSame(given.replace(/^sha256=/, "").toLowerCase(), wanted);
}

/** Parses the JSON in a body. In a form, the JSON is in the `payload` field. */
async function jsonOf(body: Uint8Array, type: string | null): Promise<unknown> {
  const kind = type?.split(";")[0]?.trim().toLowerCase();
  if (kind === "application/json") {
    return (await parseJson(body, { maxDepth: MAX_DEPTH, pause: createPause() })).value;
  }
  const payload = kind === "application/x-www-form-urlencoded"
    ? new URLSearchParams(new TextDecoder().decode(body)).get("payload")
    : null;
  if (payload === null) throw new PayloadError("Send JSON, or a form with the field payload");
  const bytes = new TextEncoder().encode(payload);
  return (await parseJson(bytes, { maxDepth: MAX_DEPTH, pause: createPause() })).value;
}

const READERS: Readonly<Record<Forge, typeof githubEvents>> = {
  github: githubEvents,
  gitea: githubEvents,
  gitlab: gitlabEvents,
  bitbucket: bitbucketEvents,
};

/** The content of a delivery. */
export interface Report {
  readonly events: readonly ForgeEvent[];
  /** The repository that the events are about; `undefined` if the delivery does not name one. */
  readonly repository: ForgeRepository | undefined;
}

/** Reads what a delivery reports. @throws {PayloadError} */
export async function readDelivery(
  { forge, event }: Delivery,
  { body, type }: { readonly body: Uint8Array; readonly type: string | null },
): Promise<Report> {
  try {
    const payload = await jsonOf(body, type);
    return { events: READERS[forge](event, payload), repository: repositoryOf(payload) };
  } catch (error) {
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      const path = issue?.path.join(".") ?? "";
      throw new PayloadError(`Cannot read the event ${event}: ${path}: ${issue?.message}`);
    }
    if (error instanceof JsonError) {
      throw new PayloadError(`Cannot read the body as JSON: ${error.message}`);
    }
    throw error;
  }
}
