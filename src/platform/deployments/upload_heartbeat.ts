/** Keeps a deployment open while an upload's body arrives. @module */
import type { Clock } from "../../lib/clock.ts";
import { Failure } from "../core/http/mod.ts";
import type { OpenUploads } from "./open_uploads.ts";

/** Time between two heartbeats from one request, in milliseconds. */
const BEAT_MS = 5000;

/** Called with each chunk that arrives. */
export type OnChunk = () => Promise<void>;

interface HeartbeatServices {
  readonly uploads: OpenUploads;
  readonly now: Clock;
}

/**
 * Keeps the named deployment open, or all of the workspace's deployments if none is named.
 *
 * @throws {Failure} `conflict`
 */
export async function startHeartbeat(
  { uploads, now }: HeartbeatServices,
  workspaceId: string,
  deployment: string | undefined,
): Promise<OnChunk> {
  const feed = async () => {
    if (deployment === undefined) return await uploads.keepAllAlive(workspaceId);
    if (await uploads.keepAlive(workspaceId, deployment)) return;
    throw new Failure("conflict", `Deployment ${deployment} is closed and does not accept files`);
  };
  await feed();
  let last = now();
  return async () => {
    if (now() - last < BEAT_MS) return;
    last = now();
    await feed();
  };
}

export function watchStream(
  content: ReadableStream<Uint8Array<ArrayBuffer>>,
  onChunk: OnChunk,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return content.pipeThrough(
    new TransformStream({
      async transform(chunk, controller) {
        await onChunk();
        controller.enqueue(chunk);
      },
    }),
  );
}
