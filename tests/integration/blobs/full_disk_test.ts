// deno-lint-ignore-file no-console -- says why the test is skipped
/**
 * Fills the disk under blob stores and queues. Everything that was acknowledged must exist
 * afterwards.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { bucketOf, createBlobKey } from "../../helpers/blob_client.ts";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import {
  type ApiAnswer,
  createProject,
  processOf,
  start,
  type TestPlatform,
} from "../../helpers/platform.ts";
import { fill, mountDisk } from "../../helpers/small_disk.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const QUEUES = "/v1/projects/shop/queues";
/** Number of messages that are sent at a time, and maximum number of messages in total. */
const AT_ONCE = 20;
const MOST_SENT = 4000;

const manifest = { ...MANIFEST, queues: [{ name: "later", path: "/jobs/later" }] };

/** Sends a message that is due after the test. */
const send = (platform: TestPlatform) =>
  platform.api("POST", `${QUEUES}/later/messages`, {
    json: { body: "x".repeat(10_000), delaySeconds: 86_400 },
  });

Deno.test("with a full disk, uploads and messages are refused, and no acknowledged data is lost", () =>
  inTestFolder(async (folder) => {
    await using disk = await mountDisk(join(folder, "disk"), 64);
    if (disk === undefined) {
      console.warn("skipped: only root can mount a small disk");
      return;
    }
    const dataDir = join(folder, "disk", "data");
    const ballast = join(folder, "disk", "ballast");
    let platform = await start(dataDir);
    try {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { manifest });
      const key = await createBlobKey(platform, "shop");
      const put = (name: string, body: string) =>
        bucketOf(platform, key)(name, { method: "PUT", body });
      assert.equal((await put("kept", "content")).status, 200);
      let sent = 0;
      for (; sent < 5; sent++) assert.equal((await send(platform)).status, 201);

      await fill(ballast);
      for (const size of [1, 100_000, 6_000_000]) {
        const refused = await put("other", "y".repeat(size));
        assert.equal(refused.status, 507);
        assert.match(await refused.text(), /<Code>QuotaExceeded<.*disk is full/);
      }
      // There may still be room for some messages in the store's log.
      let full: ApiAnswer | undefined;
      while (full === undefined && sent < MOST_SENT) {
        const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(platform)));
        full = answers.find(({ status }) => status !== 201);
        sent += answers.filter(({ status }) => status === 201).length;
      }
      assert.deepEqual([full?.status, full?.json.code], [507, "storage_full"]);
      assert.equal(await (await bucketOf(platform, key)("kept")).text(), "content");

      Deno.kill(processOf(platform), "SIGKILL");
      await platform.finished;
      await platform.shutdown().catch(() => {});
      await Deno.remove(ballast);
      platform = await start(dataDir);
      assert.equal(await (await bucketOf(platform, key)("kept")).text(), "content");
      assert.equal((await bucketOf(platform, key)("other")).status, 404);
      const { json } = await platform.api("GET", QUEUES);
      assert.ok(json.items[0].waiting >= sent, `${json.items[0].waiting} of ${sent} messages`);
      assert.equal((await put("other", "content")).status, 200);
      assert.equal((await send(platform)).status, 201);
    } finally {
      await platform.shutdown();
    }
  }));
