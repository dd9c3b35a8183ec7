import assert from "node:assert/strict";
import { keys } from "../core/store/keys.ts";
import { Failure } from "../core/http/failure.ts";
import { openUploadRecord, OpenUploads } from "./open_uploads.ts";
import { startHeartbeat, watchStream } from "./upload_heartbeat.ts";
import { DenoStore } from "../../store/mod.ts";

const WORKSPACE = "01890000-0000-7000-8000-000000000001";

interface HeartbeatBench {
  readonly uploads: OpenUploads;
  readonly now: () => number;
  at(milliseconds: number): void;
  fedAt(id: string): Promise<number>;
}

async function withUploads(
  ids: string[],
  run: (parts: HeartbeatBench) => Promise<void>,
): Promise<void> {
  const kv = await DenoStore.open(":memory:");
  let time = 0;
  const now = () => time;
  for (const deploymentId of ids) {
    const upload = { projectId: "p", workspaceId: WORKSPACE, deploymentId, fedAt: 0 };
    await kv.set(keys.openUpload(WORKSPACE, deploymentId), upload);
  }
  try {
    await run({
      uploads: new OpenUploads(kv, now),
      now,
      at: (milliseconds) => time = milliseconds,
      async fedAt(id) {
        const { value } = await kv.get(keys.openUpload(WORKSPACE, id));
        return openUploadRecord.parse(value).fedAt;
      },
    });
  } finally {
    kv.close();
  }
}

Deno.test("a slow body keeps its deployment open until it has arrived", () =>
  withUploads(["d1", "d2"], async (parts) => {
    const onChunk = await startHeartbeat(parts, WORKSPACE, "d1");
    const minutes = Array.from({ length: 30 }, (_, index) => (index + 1) * 60_000);
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const next = minutes.shift();
        if (next === undefined) return controller.close();
        parts.at(next);
        controller.enqueue(new Uint8Array(1));
      },
    }, { highWaterMark: 0 });
    const arrived: number[] = [];
    for await (const _ of watchStream(body, onChunk)) arrived.push(await parts.fedAt("d1"));
    assert.equal(arrived.length, 30);
    assert.ok(arrived.every((time, index) => parts.now() - time >= 0 && time >= index * 60_000));
    assert.equal(await parts.fedAt("d2"), 0);
  }));

Deno.test("a body without a deployment keeps all of the workspace's deployments open", () =>
  withUploads(["d1", "d2"], async (parts) => {
    parts.at(60_000);
    await startHeartbeat(parts, WORKSPACE, undefined);
    assert.deepEqual([await parts.fedAt("d1"), await parts.fedAt("d2")], [60_000, 60_000]);
  }));

Deno.test("a body for a deployment that has ended is refused", () =>
  withUploads([], async (parts) => {
    await assert.rejects(
      startHeartbeat(parts, WORKSPACE, "d1"),
      (error) =>
        error instanceof Failure && /is closed and does not accept files/.test(error.message),
    );
  }));
