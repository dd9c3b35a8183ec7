import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import type { LogEntry } from "../../contract/logs.ts";
import { LogFiles, type LogPlace } from "./log_files.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";

const DEPLOYMENT = "01890000-0000-7000-8000-000000000001";

function entry(requestId: string): LogEntry {
  return {
    type: "request",
    time: "2026-01-01T00:00:00.000Z",
    deploymentId: DEPLOYMENT,
    requestId,
    method: "GET",
    host: "shop.localhost",
    path: "/",
    status: 200,
    bytes: 1,
    durationMs: 0.5,
    ip: "127.0.0.1",
    userAgent: null,
  };
}

const line = (requestId: string) =>
  new TextEncoder().encode(`${JSON.stringify(entry(requestId))}\n`);

async function idsOf(files: LogFiles, before?: LogPlace): Promise<string[]> {
  const ids: string[] = [];
  for await (const { lines } of files.backwards(before ?? await files.end())) {
    for (const { entry } of lines) ids.push(entry.requestId ?? "");
  }
  return ids;
}

async function withFolder(run: (folder: string) => Promise<void>) {
  await inTestFolder(async (root) => {
    await run(join(root, "project"));
  });
}

Deno.test("LogFiles.backwards() reads across files, newest first", () =>
  withFolder(async (folder) => {
    const files = new LogFiles(folder, { fileBytes: 500, files: 10 });
    for (const id of ["1", "2", "3", "4", "5"]) await files.append(line(id));
    assert.deepEqual(await idsOf(files), ["5", "4", "3", "2", "1"]);
    assert.ok(Array.from(Deno.readDirSync(folder)).length > 1);
  }));

Deno.test("LogFiles.backwards() skips later files, unless an edge may have reported late", () =>
  withFolder(async (folder) => {
    const files = new LogFiles(folder, { fileBytes: 500, files: 10 });
    const append = (id: string, hour: number, edge?: string) => {
      const time = new Date(Date.UTC(2026, 0, 1, hour)).toISOString();
      const text = JSON.stringify({ ...entry(id), time, ...(edge === undefined ? {} : { edge }) });
      return files.append(new TextEncoder().encode(`${text}\n${"".padEnd(300)}\n`));
    };
    await append("early", 0);
    await append("later", 3);
    await append("from an edge", 3, "far");
    const ids: string[] = [];
    const until = Date.UTC(2026, 0, 1, 1);
    for await (const { lines } of files.backwards(await files.end(), { until })) {
      for (const { entry } of lines) ids.push(entry.requestId ?? "");
    }
    assert.deepEqual(ids, ["from an edge", "early"]);
  }));

Deno.test("LogFiles.backwards() continues before a position", () =>
  withFolder(async (folder) => {
    const files = new LogFiles(folder, { fileBytes: 500, files: 10 });
    for (const id of ["1", "2", "3", "4"]) await files.append(line(id));
    for await (const { lines } of files.backwards(await files.end())) {
      const found = lines.find(({ entry }) => entry.requestId === "3");
      if (found === undefined) continue;
      assert.deepEqual(await idsOf(files, found.place), ["2", "1"]);
      return;
    }
    assert.fail("entry 3 was not found");
  }));

Deno.test("LogFiles.backwards() reads lines of any length and script, with their positions", () =>
  withFolder(async (folder) => {
    const files = new LogFiles(folder);
    const names = [
      "kurz",
      "grüße, 世界 ".repeat(60_000),
      "日本",
      "plain",
      "x".repeat(600_000),
      "last",
    ];
    const ids = [...names, ...Array.from({ length: 3000 }, (_, index) => `n${index}`)];
    for (const id of names) await files.append(line(id));
    await files.append(new Uint8Array(Buffer.concat(ids.slice(names.length).map(line))));
    assert.deepEqual(await idsOf(files), ids.toReversed());
    for await (const { lines } of files.backwards(await files.end())) {
      for (const { entry, place } of lines) {
        if (!names.includes(entry.requestId ?? "")) continue;
        const older = ids.slice(0, ids.indexOf(entry.requestId ?? "")).toReversed();
        assert.deepEqual(await idsOf(files, place), older);
      }
    }
  }));

Deno.test("LogFiles.backwards() parses only lines that may match, and the oldest line of each part", () =>
  withFolder(async (folder) => {
    const files = new LogFiles(folder);
    for (const id of ["1", "2", "3"]) await files.append(line(id));
    const parts = [];
    const mayMatch = (json: string) => json.includes('"requestId":"2"');
    for await (const part of files.backwards(await files.end(), { mayMatch })) parts.push(part);
    assert.deepEqual(
      parts.map(({ lines, count, oldest }) => [
        lines.map(({ entry }) => entry.requestId),
        count,
        oldest?.entry.requestId,
      ]),
      [[["2"], 3, "1"]],
    );
  }));

Deno.test("LogFiles removes the oldest files", () =>
  withFolder(async (folder) => {
    const files = new LogFiles(folder, { fileBytes: 10, files: 3 });
    for (const id of ["1", "2", "3", "4", "5"]) await files.append(line(id));
    assert.deepEqual(await idsOf(files), ["5", "4", "3"]);
  }));

Deno.test("LogFiles skips a line truncated by a crash", () =>
  withFolder(async (folder) => {
    const files = new LogFiles(folder);
    await files.append(line("1"));
    const path = join(folder, "00000001.ndjson");
    await Deno.writeTextFile(path, `{"time":"2026`, { append: true });
    const reopened = new LogFiles(folder);
    await reopened.append(line("2"));
    assert.deepEqual(await idsOf(reopened), ["2", "1"]);
  }));

Deno.test("LogFiles.backwards() finds nothing if nothing was written", () =>
  withFolder(async (folder) => assert.deepEqual(await idsOf(new LogFiles(folder)), [])));
