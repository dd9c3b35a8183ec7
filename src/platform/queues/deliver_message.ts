/**
 * One delivery of a message: a signed POST to the server of the target deployment.
 *
 * @module
 */
import {
  type AccessRecord,
  askServer,
  type ServerReply,
  type Site,
  type SiteDirectory,
} from "../../edge/mod.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { signWebhook } from "../../lib/sign_webhook.ts";
import type { QueueSettings } from "../../manifest/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import type { QueueMessage, QueuePlace } from "./message.ts";

const USER_AGENT = "svc-queues";

/** Status to log for a request without a response. */
const NO_ANSWER = 502;

export interface DeliveryServices {
  readonly sites: Pick<SiteDirectory, "resolve">;
  readonly addresses: Pick<Addresses, "hostname" | "url">;
  /** Returns the secret with which a deployment's servers verify messages. */
  secretOf(deploymentId: string): string;
  /** Logs a request. Never waits. */
  record(entry: AccessRecord): void;
  readonly now: Clock;
  readonly random: Random;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
}

/** The deployment that receives a message, and its settings for the queue. */
export interface Target {
  readonly site: Site;
  readonly label: string;
  readonly queue: QueueSettings;
}

/** `stopped` means that the platform is stopping and the result is unknown. */
export type DeliveryOutcome =
  | { readonly type: "done" }
  | { readonly type: "failed"; readonly reason: string }
  | { readonly type: "stopped" };

/** Returns a project's site on a host; `undefined` if the host now belongs to another project. */
export async function findSite(
  { sites, addresses }: Pick<DeliveryServices, "sites" | "addresses">,
  projectId: string,
  label: string,
): Promise<Site | undefined> {
  const site = await sites.resolve(addresses.hostname(label));
  return site?.projectId === projectId ? site : undefined;
}

/** Finds the first host whose deployment declares a queue. */
export async function findTarget(
  services: Pick<DeliveryServices, "sites" | "addresses">,
  [projectId, , queue]: QueuePlace,
  labels: readonly string[],
): Promise<Target | undefined> {
  for (const label of new Set(labels)) {
    const site = await findSite(services, projectId, label);
    const settings = site?.queues.get(queue);
    if (site !== undefined && settings !== undefined) return { site, label, queue: settings };
  }
  return undefined;
}

function judge(reply: ServerReply, { method, path }: { method: string; path: string }) {
  switch (reply.type) {
    case "answered":
      return reply.status >= 200 && reply.status < 300
        ? undefined
        : `The server responded with ${reply.status}`;
    case "failed":
      return reply.message;
    case "no_server":
      return `No server of the deployment handles ${method} ${path}`;
  }
}

/** Delivers a message. Does not reject if the server fails to process the message. */
export async function deliverMessage(
  services: DeliveryServices,
  { site, label, queue }: Target,
  { place: [projectId], message, body }: {
    readonly place: QueuePlace;
    readonly message: QueueMessage;
    readonly body: Uint8Array<ArrayBuffer>;
  },
): Promise<DeliveryOutcome> {
  const { addresses, closing, now, random, record } = services;
  const startedAt = now();
  const requestId = `queue-${random(8).toHex()}`;
  const { protocol, host, hostname } = new URL(addresses.url(label));
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), queue.timeoutMs);
  const timestamp = Math.floor(startedAt / 1000);
  const signature = signWebhook(
    { id: message.id, timestamp, body },
    services.secretOf(site.deploymentId),
  );
  const reply = await askServer(site, {
    method: "POST",
    target: queue.path,
    authority: host,
    scheme: protocol === "https:" ? "https" : "http",
    requestId,
    headers: [
      ["accept", "*/*"],
      ["user-agent", USER_AGENT],
      ["content-type", message.contentType],
      ["webhook-id", message.id],
      ["webhook-timestamp", String(timestamp)],
      ["webhook-signature", signature],
      ["x-svc-queue", queue.name],
      ["x-svc-attempt", String(message.attempts + 1)],
      ...(message.key === null
        ? []
        : [["x-svc-key", encodeURIComponent(message.key)] satisfies [string, string]]),
    ],
    body,
    signal: AbortSignal.any([closing, late.signal]),
  }).finally(() => clearTimeout(timer));
  if (closing.aborted && reply.type === "failed") return { type: "stopped" };
  const problem = late.signal.aborted && reply.type === "failed"
    ? `The server did not finish within ${queue.timeoutMs / 1000} seconds`
    : judge(reply, { method: "POST", path: queue.path });
  record({
    time: startedAt,
    projectId,
    deploymentId: site.deploymentId,
    requestId,
    path: queue.path,
    durationMs: now() - startedAt,
    method: "POST",
    host: hostname,
    status: reply.type === "no_server" ? NO_ANSWER : reply.status ?? NO_ANSWER,
    bytes: reply.type === "answered" ? reply.bytes : null,
    ip: "127.0.0.1",
    userAgent: USER_AGENT,
    ...(problem === undefined ? {} : { error: problem }),
  });
  return problem === undefined ? { type: "done" } : { type: "failed", reason: problem };
}
