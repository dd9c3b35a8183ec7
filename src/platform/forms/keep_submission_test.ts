import assert from "node:assert/strict";
import type { RaisedEvent } from "../core/events/mod.ts";
import { SubmissionKeeper } from "./keep_submission.ts";

const SUBMISSION = {
  fields: [{ name: "message", value: "Hello" }],
  files: [],
  spam: null,
  page: null,
};

Deno.test("SubmissionKeeper raises at most 30 events an hour for each form and environment", async () => {
  const raised: RaisedEvent[] = [];
  let now = Date.parse("2026-12-01T09:00:00Z");
  const keeper = new SubmissionKeeper({
    store: {
      hasRoom: () => Promise.resolve(true),
      keep: () => Promise.resolve(true),
    },
    objects: {
      put: () => assert.fail("there are no files"),
      delete: () => assert.fail("there are no files"),
    },
    raise: (event) => Promise.resolve(void raised.push(event)),
    publicOrigin: "https://svc.example.com",
    now: () => now,
    random: (count) => crypto.getRandomValues(new Uint8Array(count)),
  });
  const send = async (environment: string, form: string, count: number) => {
    const sender = { id: "d", workspaceId: "w", projectId: "p", projectName: "shop", environment };
    raised.length = 0;
    for (let sent = 0; sent < count; sent++) {
      assert.equal(await keeper.keep(sender, { name: form }, SUBMISSION), "kept");
    }
    return raised.length;
  };
  assert.equal(await send("preview", "contact", 31), 30);
  assert.equal(await send("preview", "other", 1), 1);
  assert.equal(await send("production", "contact", 31), 30);
  now += 60 * 60_000;
  assert.equal(await send("preview", "contact", 1), 1);
});
