import assert from "node:assert/strict";
import type { LogEntry } from "../../../src/contract/logs.ts";
import { onEachEngine } from "../../helpers/compute_server.ts";
import { deployServer, HASTY_MANIFEST } from "../../helpers/compute_site.ts";
import { createProject, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

const HOST = "shop.localhost";

type ServerEntry = Extract<LogEntry, { readonly type: "server" }>;

/** Waits for the server's log entries that match a query. */
async function found(platform: TestPlatform, query: string): Promise<readonly ServerEntry[]> {
  return await until(async () => {
    const { json } = await platform.api("GET", `/v1/projects/shop/logs?${query}`);
    return (json.items as LogEntry[]).filter((item) => item.type === "server");
  }, (items) => items.length > 0);
}

onEachEngine(
  "a server's output is logged with level, layer and request, as is the request's outcome",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { engine, manifest: HASTY_MANIFEST });
      const { headers } = await platform.get(HOST, "/api/log");
      const requestId = headers["x-svc-request-id"];

      const [out] = await found(platform, "search=to%20stdout");
      assert.deepEqual([out!.level, out!.layer, out!.requestId], ["info", "app", requestId]);
      const [err] = await found(platform, "search=to%20stderr");
      assert.deepEqual([err!.level, err!.requestId], ["error", requestId]);
      assert.match((await found(platform, "search=cold%20start"))[0]!.message, /\d+ ms/);

      await platform.get(HOST, "/api/hang");
      const late = await found(platform, "level=error&search=did%20not%20respond");
      assert.match(late[0]!.message, /3000 ms/);
      await platform.get(HOST, "/api/crash");
      const crashes = await found(platform, "level=error&search=exit");
      assert.ok(crashes.length > 0);
      const levels = await found(platform, "level=error");
      assert.ok(levels.every(({ level }) => level === "error"));
    }),
);

onEachEngine(
  "following the log shows the server's lines as they are written",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { engine });
      const stop = new AbortController();
      const stream = await fetch(
        `http://127.0.0.1:${platform.port}/v1/projects/shop/logs/stream?level=error&search=stderr`,
        {
          headers: { authorization: `Bearer integration-test-token-0123456789` },
          signal: stop.signal,
        },
      );
      const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
      await platform.get(HOST, "/api/log");
      let text = "";
      while (!text.includes("to stderr")) text += (await reader.read()).value;
      assert.ok(!text.includes("to stdout"));
      stop.abort();
      await reader.cancel().catch(() => {});
    }),
);
