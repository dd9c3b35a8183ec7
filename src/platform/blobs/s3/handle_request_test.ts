import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { elements, ENDPOINT, PLACE, type TestStore, withStore } from "../_test_store.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const code = async (response: Response) => elements(await response.text(), "Code")[0];

const PARTS = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part>" +
  "</CompleteMultipartUpload>";

const put = (store: TestStore, key: string, body: string, headers: HeadersInit = {}) =>
  store.send(`production/${key}`, { method: "PUT", body, headers });

Deno.test("an object is returned as it was stored, with its type, metadata and ETag", () =>
  withStore(async (store) => {
    const stored = await put(store, "a b/ä%2B(1).txt", "hello", {
      "content-type": "text/plain",
      "cache-control": "max-age=60",
      "x-amz-meta-boat": "kestrel",
    });
    assert.equal(stored.status, 200, await stored.text());
    assert.equal(stored.headers.get("etag"), `"${md5("hello")}"`);
    const read = await store.send("production/a b/ä%2B(1).txt");
    assert.equal(read.headers.get("content-type"), "text/plain");
    assert.equal(read.headers.get("cache-control"), "max-age=60");
    assert.equal(read.headers.get("x-amz-meta-boat"), "kestrel");
    assert.equal(await read.text(), "hello");
    const head = await store.send("production/a b/ä%2B(1).txt", { method: "HEAD" });
    assert.equal(head.headers.get("content-length"), "5");
    assert.equal(
      (await store.send("production/a b/ä%2B(1).txt", { method: "DELETE" })).status,
      204,
    );
    assert.equal(await code(await store.send("production/a b/ä%2B(1).txt")), "NoSuchKey");
  }));

Deno.test("ranges and conditions get the same responses as from S3", () =>
  withStore(async (store) => {
    await put(store, "a", "0123456789");
    const etag = `"${md5("0123456789")}"`;
    const later = new Date(Date.now() + 60_000).toUTCString();
    const cases: readonly (readonly [Record<string, string>, number, string])[] = [
      [{ range: "bytes=2-4" }, 206, "234"],
      [{ range: "bytes=7-" }, 206, "789"],
      [{ range: "bytes=-2" }, 206, "89"],
      [{ range: "bytes=8-99" }, 206, "89"],
      [{ range: "bytes=10-" }, 416, "InvalidRange"],
      [{ range: "bytes=a-b" }, 200, "0123456789"],
      [{ "if-match": etag }, 200, "0123456789"],
      [{ "if-match": '"x"' }, 412, "PreconditionFailed"],
      [{ "if-none-match": etag }, 304, ""],
      [{ "if-none-match": '"x"' }, 200, "0123456789"],
      [{ "if-modified-since": later }, 304, ""],
      [{ "if-unmodified-since": "Mon, 01 Jan 2024 00:00:00 GMT" }, 412, "PreconditionFailed"],
    ];
    for (const [headers, status, text] of cases) {
      const response = await store.send("production/a", { headers });
      const body = await response.text();
      assert.equal(response.status, status, JSON.stringify(headers));
      if (status < 400) assert.equal(body, text, JSON.stringify(headers));
      else assert.deepEqual(elements(body, "Code"), [text], JSON.stringify(headers));
    }
    // Clients compare the checksums of a response with its body.
    const sums = { "x-amz-checksum-crc32": "NhCmhg==" };
    await put(store, "b", "hello", sums);
    for (
      const [headers, status, sum] of [
        [{}, 200, "NhCmhg=="],
        [{ range: "bytes=0-1" }, 206, null],
        [{ "if-none-match": "*" }, 304, null],
      ] as const
    ) {
      const asked = { "x-amz-checksum-mode": "ENABLED", ...headers };
      const response = await store.send("production/b", { headers: asked });
      await response.body?.cancel();
      assert.deepEqual([response.status, response.headers.get("x-amz-checksum-crc32")], [
        status,
        sum,
      ]);
    }
    assert.equal((await put(store, "a", "x", { "if-none-match": "*" })).status, 412);
    assert.equal((await put(store, "a", "x", { "if-match": '"y"' })).status, 412);
    assert.equal((await put(store, "a", "x", { "if-match": etag })).status, 200);
  }));

Deno.test("lists are in byte order, page by page and by folder", () =>
  withStore(async (store) => {
    const names = ["a", "b/1", "b/2", "b/c/3", "b0", "z", "é", "\u{1f40b}"];
    for (const name of names) await put(store, name, name);
    for (const version of ["list-type=2&", ""]) {
      const seen: string[] = [];
      let next = "";
      do {
        const url = `production?${version}max-keys=3${next}`;
        const text = await (await store.send(url)).text();
        seen.push(...elements(text, "Key"));
        const [token] = elements(text, version === "" ? "NextMarker" : "NextContinuationToken");
        const name = version === "" ? "marker" : "continuation-token";
        next = token === undefined ? "" : `&${name}=${encodeURIComponent(token)}`;
      } while (next !== "");
      assert.deepEqual(seen, names, version);
    }
    const folders = await (await store.send("production?list-type=2&delimiter=/")).text();
    assert.deepEqual(elements(folders, "Key"), ["a", "b0", "z", "é", "\u{1f40b}"]);
    assert.deepEqual(elements(folders, "Prefix"), ["", "b/"]);
    const inside =
      await (await store.send("production?list-type=2&delimiter=/&prefix=b/&max-keys=2"))
        .text();
    assert.deepEqual(elements(inside, "Key"), ["b/1", "b/2"]);
    const [token] = elements(inside, "NextContinuationToken");
    const rest = await (await store.send(
      `production?list-type=2&delimiter=/&prefix=b/&continuation-token=${
        encodeURIComponent(token!)
      }`,
    )).text();
    assert.deepEqual(elements(rest, "Prefix"), ["b/", "b/c/"]);
  }));

Deno.test("a multipart upload creates one object", () =>
  withStore(async (store) => {
    const begun = await store.send("production/big?uploads", { method: "POST" });
    const [id] = elements(await begun.text(), "UploadId");
    const first = "x".repeat(5 * 1024 ** 2);
    const sendPart = async (number: number, body: string) => {
      const path = `production/big?partNumber=${number}&uploadId=${id}`;
      return (await store.send(path, { method: "PUT", body })).headers.get("etag")!;
    };
    const complete = (tags: readonly (readonly [number, string])[]) =>
      store.send(`production/big?uploadId=${id}`, {
        method: "POST",
        body: `<CompleteMultipartUpload>${
          tags.map(([number, tag]) =>
            `<Part><PartNumber>${number}</PartNumber><ETag>${tag}</ETag></Part>`
          ).join("")
        }</CompleteMultipartUpload>`,
      });
    const tags = [[1, await sendPart(1, first)], [2, await sendPart(2, "end")]] as const;
    assert.equal((await store.send("production?uploads")).status, 200);
    const listed = await (await store.send(`production/big?uploadId=${id}`)).text();
    assert.deepEqual(elements(listed, "PartNumber"), ["1", "2"]);
    assert.equal(
      await code(await complete([[2, tags[1][1]], [1, tags[0][1]]])),
      "InvalidPartOrder",
    );
    assert.equal(await code(await complete([[1, '"x"']])), "InvalidPart");
    assert.equal(await code(await complete([[3, tags[0][1]]])), "InvalidPart");
    assert.equal(
      await code(
        await store.send(`production/big?uploadId=${id}`, {
          method: "POST",
          body: "<Complete",
        }),
      ),
      "MalformedXML",
    );
    const done = await complete(tags);
    assert.equal(done.status, 200);
    const hash = createHash("md5").update(md5(first), "hex").update(md5("end"), "hex")
      .digest("hex");
    assert.equal(elements(await done.text(), "ETag")[0], `&quot;${hash}-2&quot;`);
    const read = await store.send("production/big");
    assert.equal(await read.text(), `${first}end`);
    const repeated = await complete(tags);
    assert.equal(elements(await repeated.text(), "ETag")[0], `&quot;${hash}-2&quot;`);
    assert.equal(await code(await complete(tags.slice(1))), "NoSuchUpload");
    const { bytes, objects } = (await store.objects.usage.of(PLACE.projectId)).get("production")!;
    assert.deepEqual({ bytes, objects }, { bytes: first.length + 3, objects: 1 });
  }));

Deno.test("copies share content, and one request can delete multiple objects", () =>
  withStore(async (store) => {
    await put(store, "a&b", "hello", { "x-amz-meta-a": "1" });
    const copied = await store.send("production/copy", {
      method: "PUT",
      headers: { "x-amz-copy-source": "/production/a%26b" },
    });
    assert.equal(copied.status, 200, await copied.text());
    assert.equal((await store.send("production/copy")).headers.get("x-amz-meta-a"), "1");
    assert.equal((await Array.fromAsync(store.vault.list())).length, 1);
    const removed = await store.send("production?delete", {
      method: "POST",
      body: "<Delete><Object><Key>a&amp;b</Key></Object><Object><Key>none</Key></Object></Delete>",
    });
    assert.deepEqual(elements(await removed.text(), "Key"), ["a&amp;b", "none"]);
    const left = await (await store.send("production?list-type=2")).text();
    assert.deepEqual(elements(left, "Key"), ["copy"]);
  }));

Deno.test("invalid requests get the same errors as from S3", () =>
  withStore(async (store) => {
    const { client, handle } = store;
    await put(store, "a", "hello");
    const send = async (path: string, init: RequestInit = {}) =>
      await code(await store.send(path, init));
    assert.equal(await code(await handle(new Request(`${ENDPOINT}/production/a`))), "AccessDenied");
    const oldUrl = `${ENDPOINT}/production/a?AWSAccessKeyId=${store.keyId}&Signature=x&Expires=1`;
    assert.equal(await code(await handle(new Request(oldUrl))), "InvalidRequest");
    const signed = await client.sign(`${ENDPOINT}/production/a`);
    const other = new Request(`${ENDPOINT}/production/b`, signed);
    assert.equal(await code(await handle(other)), "SignatureDoesNotMatch");
    const smuggled = new Request(signed, { headers: signed.headers });
    smuggled.headers.set("x-amz-copy-source", "/production/secret");
    assert.equal(await code(await handle(smuggled)), "AccessDenied");
    assert.equal(await send("stage/a"), "NoSuchBucket");
    assert.equal(
      await send(`production/${"x".repeat(1025)}`, { method: "PUT" }),
      "KeyTooLongError",
    );
    assert.equal(await send("production/a?acl"), "NotImplemented");
    assert.equal(await send("production", { method: "DELETE" }), "MethodNotAllowed");
    assert.equal(
      await send("production/a", {
        method: "PUT",
        body: "x",
        headers: { "content-md5": btoa("0123456789abcdef") },
      }),
      "BadDigest",
    );
    assert.equal(
      await send("production/a", { method: "PUT", body: "x", headers: { "content-md5": "x" } }),
      "InvalidDigest",
    );
    assert.equal(
      await send("production/a", {
        method: "PUT",
        body: "x",
        headers: { "x-amz-checksum-crc32c": "AAAAAA==" },
      }),
      "BadDigest",
    );
    assert.equal(await (await store.send("production/a")).text(), "hello");
    store.pass(16 * 60_000);
    assert.equal(await code(await handle(signed)), "RequestTimeTooSkewed");
    store.pass(-16 * 60_000);
    await store.accessKeys.remove([PLACE.projectId, store.keyId]);
    assert.equal(await code(await handle(signed)), "InvalidAccessKeyId");
  }));

Deno.test("strings that are too long for the store are refused without a server error", () =>
  withStore(async (store) => {
    await put(store, "a", "hello");
    const long = "x".repeat(5000);
    const put8k = { method: "PUT", body: "x" };
    const now = new Date(store.now()).toISOString().replace(/[:-]|\.\d{3}/g, "");
    const cases: readonly (readonly [string, RequestInit, string])[] = [
      [`production?list-type=2&prefix=${long}`, {}, "KeyTooLongError"],
      [`production?list-type=2&start-after=${long}`, {}, "KeyTooLongError"],
      [`production?marker=${long}`, {}, "KeyTooLongError"],
      [`production/a?uploadId=${long}`, {}, "NoSuchUpload"],
      [`production/${long}?uploadId=1`, { method: "POST", body: PARTS }, "NoSuchUpload"],
      ["production/b", { ...put8k, headers: { "content-type": `text/${long}` } }, ""],
      ["production/b", { ...put8k, headers: { expires: `${long}${long}` } }, "MetadataTooLarge"],
    ];
    for (const [path, init, expected] of cases) {
      const [found = ""] = elements(await (await store.send(path, init)).text(), "Code");
      assert.equal(found, expected, path.slice(0, 40));
    }
    // Anyone can send a long key ID, even without a valid key.
    const credential = `${long}/${now.slice(0, 8)}/auto/s3/aws4_request`;
    const query = `X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&` +
      `X-Amz-Date=${now}&X-Amz-Expires=60&X-Amz-SignedHeaders=host&X-Amz-Signature=0`;
    const unknown = await store.handle(new Request(`${ENDPOINT}/production/a?${query}`));
    assert.equal(await code(unknown), "InvalidAccessKeyId");
  }));

Deno.test("a copy respects the request's condition", () =>
  withStore(async (store) => {
    await put(store, "a", "hello");
    await put(store, "b", "old");
    const headers = { "x-amz-copy-source": "/production/a", "if-none-match": "*" };
    const refused = await store.send("production/b", { method: "PUT", headers });
    assert.equal(await code(refused), "PreconditionFailed");
    assert.equal(await (await store.send("production/b")).text(), "old");
    assert.equal((await store.send("production/c", { method: "PUT", headers })).status, 200);
  }));

Deno.test("a full project accepts no object until another one is deleted", () =>
  withStore(async (store) => {
    assert.equal((await put(store, "a", "12345678")).status, 200);
    assert.equal(await code(await put(store, "b", "12345")), "QuotaExceeded");
    await store.send("production/a", { method: "DELETE" });
    assert.equal((await put(store, "b", "12345")).status, 200);
  }, { quota: 10 }));

Deno.test("a signed URL allows its method, type and size until it expires", () =>
  withStore(async (store) => {
    const { handle, secret, keyId: id } = store;
    const { signUrl } = await import("../sign_url.ts");
    const signed = { endpoint: ENDPOINT, bucket: "production", key: "a b/c", expiresIn: 60 };
    const sign = (more: object) =>
      signUrl({ ...signed, method: "PUT", ...more }, { id, secret }, store.now());
    const upload = async (url: string, body: string, type = "image/png") =>
      await handle(new Request(url, { method: "PUT", body, headers: { "content-type": type } }));
    const limited = sign({ maxBytes: 4, contentType: "image/*" });
    assert.equal(await code(await upload(limited, "12345")), "EntityTooLarge");
    assert.equal(await code(await upload(limited, "1234", "text/html")), "AccessDenied");
    assert.equal((await upload(limited, "1234")).status, 200);
    assert.equal(
      await code(await upload(limited.replace("max-bytes=4", "max-bytes=9"), "12345")),
      "SignatureDoesNotMatch",
    );
    assert.equal(await code(await upload(limited, "1", "image/png,text/html")), "AccessDenied");
    const type = "image/svg+xml; charset=utf-8";
    assert.equal((await upload(sign({ contentType: "Image/*" }), "1234", type)).status, 200);
    assert.equal(await code(await upload(sign({ maxBytes: "1kB" }), "1234")), "InvalidArgument");
    const started = await store.send("production/a b/c?uploads", { method: "POST" });
    const [uploadId] = elements(await started.text(), "UploadId");
    const part = await store.client.sign(
      `${ENDPOINT}/production/a b/c?partNumber=1&uploadId=${uploadId}&x-svc-max-bytes=4`,
      { method: "PUT", body: "12345", aws: { signQuery: true } },
    );
    assert.equal(await code(await handle(part)), "EntityTooLarge");
    const url = sign({ method: "GET" });
    assert.equal(await (await handle(new Request(url))).text(), "1234");
    assert.equal(
      await code(await handle(new Request(url, { method: "PUT" }))),
      "SignatureDoesNotMatch",
    );
    store.pass(61_000);
    assert.equal(await code(await handle(new Request(url))), "AccessDenied");
  }));

Deno.test("version IDs are refused, not ignored", () =>
  withStore(async (store) => {
    await put(store, "a", "hello");
    const send = async (path: string, init: RequestInit = {}) =>
      await code(await store.send(path, init));
    const versioning =
      "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    assert.equal(
      await send("production?versioning", { method: "PUT", body: versioning }),
      "NotImplemented",
    );
    assert.equal((await store.send("production?x-id=CreateBucket", { method: "PUT" })).status, 200);
    for (const method of ["GET", "DELETE"]) {
      assert.equal(await send("production/a?versionId=1", { method }), "InvalidArgument", method);
    }
    const head = await store.send("production/a?versionId=1", { method: "HEAD" });
    assert.equal(head.status, 400);
    const headers = { "x-amz-copy-source": "/production/a?versionId=1" };
    assert.equal(await send("production/b", { method: "PUT", headers }), "InvalidArgument");
    const body = "<Delete><Object><Key>a</Key><VersionId>1</VersionId></Object></Delete>";
    assert.equal(await send("production?delete", { method: "POST", body }), "InvalidArgument");
    assert.equal(await (await store.send("production/a?versionId=null")).text(), "hello");
  }));

Deno.test("an XML request must match its checksums", () =>
  withStore(async (store) => {
    await put(store, "a", "hello");
    const body = "<Delete><Object><Key>a</Key></Object></Delete>";
    const remove = (headers: Record<string, string>) =>
      store.send("production?delete", { method: "POST", body, headers });
    const wrong: readonly Record<string, string>[] = [
      { "content-md5": createHash("md5").update("other").digest("base64") },
      { "x-amz-checksum-crc32": "NhCmhg==" },
    ];
    for (const headers of wrong) assert.equal(await code(await remove(headers)), "BadDigest");
    assert.equal(await (await store.send("production/a")).text(), "hello");
    const sum = createHash("md5").update(body).digest("base64");
    assert.equal((await remove({ "content-md5": sum })).status, 200);
    assert.equal(await code(await store.send("production/a")), "NoSuchKey");
  }));

Deno.test("a list continues after a folder that is not a key", () =>
  withStore(async (store) => {
    for (const key of ["a/.b", "c"]) await put(store, key, key);
    const list = "production?list-type=2&delimiter=.&max-keys=1";
    const first = await (await store.send(list)).text();
    assert.deepEqual(elements(first, "Prefix"), ["", "a/."]);
    const [token] = elements(first, "NextContinuationToken");
    const next = `${list}&continuation-token=${encodeURIComponent(token!)}`;
    assert.deepEqual(elements(await (await store.send(next)).text(), "Key"), ["c"]);
    const zero = await store.send(`${list}&continuation-token=${btoa("a\0b")}`);
    assert.equal(await code(zero), "InvalidArgument");
  }));
