import assert from "node:assert/strict";
import { readChunks } from "./chunked_body.ts";
import { ChunkSigner, signingKey } from "./signature.ts";

/** The example in the S3 documentation ("Signature calculations: multiple chunks"). */
const SCOPE = "20130524/us-east-1/s3/aws4_request";
const CLAIM = {
  keyId: "AKIAIOSFODNN7EXAMPLE",
  scope: SCOPE,
  date: "20130524T000000Z",
  signedHeaders: [],
  signature: "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
  payload: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
};
const KEY = signingKey("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", SCOPE);
const SIGNATURES = [
  "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
  "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
  "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
] as const;

const signed = (first = "a") =>
  `10000;chunk-signature=${SIGNATURES[0]}\r\n${first}${"a".repeat(65535)}\r\n` +
  `400;chunk-signature=${SIGNATURES[1]}\r\n${"a".repeat(1024)}\r\n` +
  `0;chunk-signature=${SIGNATURES[2]}\r\n\r\n`;

/** Reads a body that arrives in pieces of a given size. */
async function read(body: string, { size = 65536, isSigned = true } = {}) {
  const bytes = new TextEncoder().encode(body);
  const pieces = Array.from(
    { length: Math.ceil(bytes.length / size) },
    (_, index) => bytes.subarray(index * size, (index + 1) * size),
  );
  const fields: string[] = [];
  const content = readChunks(ReadableStream.from(pieces), {
    signer: isSigned ? new ChunkSigner(CLAIM, KEY) : undefined,
    onField: (name, value) => void fields.push(`${name}=${value}`),
  });
  return { text: await new Response(content).text(), fields };
}

Deno.test("chunks signed as in the S3 documentation are read in pieces of any size", async () => {
  for (const size of [100_000, 65536, 1000, 7]) {
    assert.equal((await read(signed(), { size })).text, "a".repeat(65536 + 1024));
  }
});

Deno.test("a changed chunk, a missing last chunk and invalid chunks are refused", async () => {
  await assert.rejects(read(signed("b")), { code: "SignatureDoesNotMatch" });
  await assert.rejects(read(signed().slice(0, -2)), { code: "IncompleteBody" });
  await assert.rejects(read(signed().slice(0, 60_000)), { code: "IncompleteBody" });
  for (const body of ["x\r\n", "5\r\nhello0\r\n\r\n", "", "1".repeat(2000), "0\r\n\r\nmore"]) {
    await assert.rejects(read(body, { isSigned: false }), { code: "IncompleteBody" }, body);
  }
});

Deno.test("trailer fields after the last chunk are read", async () => {
  const body = "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n";
  for (const size of [100, 1]) {
    const { text, fields } = await read(body, { isSigned: false, size });
    assert.deepEqual([text, fields], ["hello", ["x-amz-checksum-crc32=NhCmhg=="]]);
  }
});
