/**
 * Tests the blob store on a platform that stores its files in object storage. `SVC_TEST_S3` selects
 * object storage to use instead of the tests' own.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { openFaultyStorage } from "../../../src/platform/core/s3/_test_storage.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { answerOf, bucketOf, createBlobKey, uploadInParts } from "../../helpers/blob_client.ts";
import { createProject, start } from "../../helpers/platform.ts";

const LARGE = Array.from({ length: 400_000 }, (_, number) => String(number)).join(" ");
const PARTS = ["a".repeat(5 << 20), "b".repeat(5 << 20), "end"];

Deno.test("a blob store in object storage supports everything that a store on disk does", () =>
  inTestFolder(async (folder) => {
    await using storage = await openFaultyStorage();
    const options = { blobs: storage.place, env: { ...Deno.env.toObject(), ...storage.env } };
    const data = join(folder, "data");
    const first = await start(data, options);
    await createProject(first, "shop");
    const key = await createBlobKey(first, "shop");
    const send = bucketOf(first, key);
    const put = (path: string, body: string, headers = {}) =>
      answerOf(send(path, { method: "PUT", body, headers }));
    assert.equal(
      await put("photos/small.txt", "Kestrel", { "content-type": "text/plain" }),
      "200 ",
    );
    assert.equal(await put("photos/large.txt", LARGE), "200 ");
    assert.equal(await put("empty", ""), "200 ");
    const joined = await uploadInParts(send, "joined", PARTS);
    assert.equal(joined.status, 200);
    assert.match(await joined.text(), /<ETag>&quot;[\da-f]{32}-3&quot;</);
    const copied = await send("copy", {
      method: "PUT",
      headers: { "x-amz-copy-source": "production/photos/large.txt" },
    });
    assert.match(await copied.text(), /CopyObjectResult/);
    const signed = async (json: Record<string, unknown>) =>
      (await first.api("POST", "/v1/projects/shop/blobs/sign", { json })).json.url as string;
    const upload = await signed({ key: "signed", method: "PUT" });
    assert.equal(await answerOf(fetch(upload, { method: "PUT", body: "by a link" })), "200 ");
    const listed = await (await send("?list-type=2&delimiter=/")).text();
    assert.deepEqual([...listed.matchAll(/<(?:Key|Prefix)>([^<]+)</g)].map(([, name]) => name), [
      ...["copy", "empty", "joined", "signed"],
      "photos/",
    ]);
    await first.shutdown();
    assert.deepEqual(Array.from(Deno.readDirSync(join(data, "blobs"))), []);

    // Continues on another machine, which has none of the files.
    await Deno.remove(join(data, "cache", "blobs"), { recursive: true });
    const second = await start(data, options);
    try {
      const again = bucketOf(second, key);
      const range = (bytes: string) => again("joined", { headers: { range: `bytes=${bytes}` } });
      const middle = await range(`${(5 << 20) - 2}-${(5 << 20) + 1}`);
      assert.deepEqual([middle.status, await middle.text()], [206, "aabb"]);
      assert.equal(await answerOf(range("-3")), "206 end");
      assert.equal((await answerOf(again("joined"))).length, "200 ".length + (10 << 20) + 3);
      const small = await again("photos/small.txt");
      assert.deepEqual([small.headers.get("content-type"), await small.text()], [
        "text/plain",
        "Kestrel",
      ]);
      assert.equal(await answerOf(again("empty")), "200 ");

      storage.fault = () => new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 });
      assert.equal((await answerOf(again("joined"))).length, "200 ".length + (10 << 20) + 3);
      assert.match(await answerOf(again("copy")), /^503 .*<Code>SlowDown</s);
      const refused = again("photos/small.txt", { method: "PUT", body: "lost" });
      assert.match(await answerOf(refused), /^503 .*<Code>SlowDown</s);
      assert.equal(await answerOf(again("signed", { method: "DELETE" })), "204 ");
      storage.fault = () => "pass";
      assert.equal(
        await until(() => answerOf(again("copy")), (answer) => answer.startsWith("200")),
        `200 ${LARGE}`,
      );
      assert.equal(await answerOf(again("photos/small.txt")), "200 Kestrel");
      assert.match(await answerOf(again("signed")), /^404 .*NoSuchKey/s);
    } finally {
      await second.shutdown();
    }
  }));
