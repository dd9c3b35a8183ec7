/** What the AWS SDK for JavaScript does with a bucket; its variables say where it is. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

const Bucket = process.env.BUCKET;
const options = { forcePathStyle: true, maxAttempts: 1 };
const s3 = new S3Client(options);
const send = (command) => s3.send(command);
const put = (Key, Body, more = {}) => send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const get = (Key, more = {}) => send(new GetObjectCommand({ Bucket, Key, ...more }));
const text = async (Key, more) => await (await get(Key, more)).Body.transformToString();
const refused = (work, name, status) =>
  assert.rejects(work, (error) => {
    assert.deepEqual([error.name, error.$metadata?.httpStatusCode], [name, status], error.message);
    return true;
  });

// Objects, whatever their keys, with the checksums that the SDK adds by itself.
assert.deepEqual((await send(new ListBucketsCommand({}))).Buckets.map(({ Name }) => Name), [
  Bucket,
]);
await send(new HeadBucketCommand({ Bucket }));
const odd = "js/a b+é(1)'!*~&=?#%2F<>\".txt";
const stored = await put(odd, "hello", {
  ContentType: "text/x-boat",
  Metadata: { boat: "kestrel" },
});
assert.equal(stored.ChecksumCRC32, "NhCmhg==");
assert.equal(stored.ETag, `"${createHash("md5").update("hello").digest("hex")}"`);
const got = await get(odd);
assert.equal(await got.Body.transformToString(), "hello");
assert.deepEqual([got.ContentType, got.Metadata.boat], ["text/x-boat", "kestrel"]);
assert.equal(got.ChecksumCRC32, "NhCmhg==");
for (const ChecksumAlgorithm of ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"]) {
  const Key = `js/sums/${ChecksumAlgorithm}`;
  const answer = await put(Key, "hello", { ChecksumAlgorithm });
  const sum = answer[`Checksum${ChecksumAlgorithm}`];
  assert.ok(sum, ChecksumAlgorithm);
  const head = await send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: "ENABLED" }));
  assert.equal(head[`Checksum${ChecksumAlgorithm}`], sum);
}
await refused(put("js/wrong", "hello", { ChecksumCRC32: "AAAAAA==" }), "BadDigest", 400);
await refused(get("js/wrong"), "NoSuchKey", 404);
await refused(send(new HeadObjectCommand({ Bucket, Key: "js/wrong" })), "NotFound", 404);
const pieces = () => Readable.from([Buffer.alloc(70_000, 1), Buffer.alloc(10)]);
await put("js/stream", pieces(), { ContentLength: 70_010 });
assert.equal((await get("js/stream")).ContentLength, 70_010);
await put("js/empty", "");
assert.equal(await text("js/empty"), "");

// Conditions and ranges.
await refused(put(odd, "again", { IfNoneMatch: "*" }), "PreconditionFailed", 412);
await refused(put(odd, "again", { IfMatch: '"other"' }), "PreconditionFailed", 412);
await put(odd, "hello", { IfMatch: stored.ETag, Metadata: { boat: "kestrel" } });
await refused(get(odd, { IfMatch: '"other"' }), "PreconditionFailed", 412);
// The SDK has no name for it.
await refused(get(odd, { IfNoneMatch: stored.ETag }), "Unknown", 304);
const part = await get(odd, { Range: "bytes=1-2" });
assert.deepEqual([await part.Body.transformToString(), part.ContentRange], ["el", "bytes 1-2/5"]);
assert.equal(await text(odd, { Range: "bytes=-2" }), "lo");
await refused(get(odd, { Range: "bytes=9-" }), "InvalidRange", 416);

// Uploads in parts: by the library, by hand, by copies, and ended.
const blocks = Array.from({ length: 12 }, (_, at) => Buffer.alloc(1 << 20, at));
await new Upload({ client: s3, params: { Bucket, Key: "js/big", Body: Readable.from(blocks) } })
  .done();
const whole = await (await get("js/big")).Body.transformToByteArray();
assert.ok(Buffer.concat(blocks).equals(whole));
const border = await get("js/big", { Range: `bytes=${(5 << 20) - 1}-${5 << 20}` });
assert.deepEqual([...await border.Body.transformToByteArray()], [4, 5]);
const begun = { Bucket, Key: "js/parts" };
const { UploadId } = await send(new CreateMultipartUploadCommand(begun));
const upload = { ...begun, UploadId };
const first = await send(
  new UploadPartCopyCommand({
    ...{ ...upload, PartNumber: 1, CopySource: `${Bucket}/js/big` },
    CopySourceRange: `bytes=0-${(5 << 20) - 1}`,
  }),
);
const second = await send(new UploadPartCommand({ ...upload, PartNumber: 2, Body: "end" }));
assert.equal((await send(new ListPartsCommand(upload))).Parts.length, 2);
assert.equal((await send(new ListMultipartUploadsCommand({ Bucket }))).Uploads.length, 1);
const complete = (Parts) =>
  send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }));
const parts = [
  { PartNumber: 1, ETag: first.CopyPartResult.ETag },
  { PartNumber: 2, ETag: second.ETag },
];
await refused(complete([{ PartNumber: 1, ETag: '"other"' }]), "InvalidPart", 400);
await refused(complete(parts.toReversed()), "InvalidPartOrder", 400);
await complete(parts);
assert.equal((await get("js/parts")).ContentLength, (5 << 20) + 3);
const ended = await send(new CreateMultipartUploadCommand(begun));
const { UploadId: endedId } = ended;
await send(new AbortMultipartUploadCommand({ ...begun, UploadId: endedId }));
await refused(
  send(new UploadPartCommand({ ...begun, UploadId: endedId, PartNumber: 1, Body: "x" })),
  "NoSuchUpload",
  404,
);

// Copies, signed URLs, pages, and deletion of many.
const CopySource = `${Bucket}/${encodeURIComponent(odd)}`;
await send(new CopyObjectCommand({ Bucket, Key: "js/copy", CopySource }));
assert.equal((await get("js/copy")).Metadata.boat, "kestrel");
await refused(
  send(new CopyObjectCommand({ Bucket, Key: "js/x", CopySource: `${Bucket}/none` })),
  "NoSuchKey",
  404,
);
const signed = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: odd }), {
  expiresIn: 60,
});
assert.equal(await (await fetch(signed)).text(), "hello");
const upUrl = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key: "js/signed" }), {
  expiresIn: 60,
});
assert.equal((await fetch(upUrl, { method: "PUT", body: "signed" })).status, 200);
assert.equal(await text("js/signed"), "signed");
assert.equal((await fetch(signed.replace(/Signature=.{8}/, "Signature=00000000"))).status, 403);
const names = Array.from({ length: 25 }, (_, at) => `js/many/${String(at).padStart(2, "0")}`);
for (const name of names) await put(name, name);
const listed = [];
const query = { Bucket, Prefix: "js/many/" };
for await (const page of paginateListObjectsV2({ client: s3, pageSize: 7 }, query)) {
  assert.ok(page.Contents.length <= 7);
  listed.push(...page.Contents.map(({ Key }) => Key));
}
assert.deepEqual(listed, names);
const folders = [];
const atTop = { Bucket, Prefix: "js/", Delimiter: "/" };
for await (const page of paginateListObjectsV2({ client: s3, pageSize: 2 }, atTop)) {
  folders.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix));
}
assert.deepEqual(folders, ["js/many/", "js/sums/"]);
const deleted = await send(
  new DeleteObjectsCommand({
    Bucket,
    Delete: { Objects: [...names, odd].map((Key) => ({ Key })) },
  }),
);
assert.equal(deleted.Deleted.length, names.length + 1);
await refused(get(odd), "NoSuchKey", 404);
await send(new DeleteObjectCommand({ Bucket, Key: "js/never" }));

// Other keys and buckets.
const other = (accessKeyId, secretAccessKey) =>
  new S3Client({ ...options, credentials: { accessKeyId, secretAccessKey } })
    .send(new GetObjectCommand({ Bucket, Key: "js/copy" }));
const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = process.env;
await refused(other(id, "wrong"), "SignatureDoesNotMatch", 403);
await refused(other("SVCKNOBODY", secret), "InvalidAccessKeyId", 403);
await refused(send(new GetObjectCommand({ Bucket: "other", Key: "a" })), "NoSuchBucket", 404);
console.log("done");
