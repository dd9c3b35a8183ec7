import assert from "node:assert/strict";
import { describeS3Place, parseS3Place, s3Url } from "./s3_place.ts";

Deno.test("parseS3Place() reads bucket, prefix, endpoint and region", () => {
  const place = parseS3Place("s3://files/svc/prod?endpoint=https://s3.example.com&region=eu-1");
  assert.deepEqual(place, {
    bucket: "files",
    prefix: "svc/prod/",
    endpoint: "https://s3.example.com",
    region: "eu-1",
    pathStyle: true,
  });
  assert.equal(s3Url(place, "a/b").href, "https://s3.example.com/files/svc/prod/a/b");
  assert.equal(s3Url(place, undefined).href, "https://s3.example.com/files");
  assert.equal(describeS3Place(place), 'bucket "files/svc/prod" of https://s3.example.com');
});

Deno.test("parseS3Place() uses Amazon's own storage by default", () => {
  const place = parseS3Place("s3://my-files?region=eu-central-1");
  const url = s3Url(place, "key");
  assert.equal(url.href, "https://my-files.s3.eu-central-1.amazonaws.com/key");
});

const REFUSED: Readonly<Record<string, RegExp>> = {
  "s3://KEYID:SECRETVALUE@files": /credentials, which others/,
  "s3://files?secretAccessKey=SECRETVALUE": /credentials, which others/,
  "s3://files?endpoint=https://KEYID:SECRETVALUE@host": /credentials, which others/,
  "s3://files?endpoint=https://host/path": /endpoint has a path/,
  "s3://files?endpoint=host": /endpoint is not a URL/,
  "s3://files?endpont=https://host": /"endpont" is not a setting. Did you mean "endpoint"\?/,
  "s3://files?region=a&region=b": /"region" twice/,
  "s3://files?region=A%20B": /is not a region/,
  "s3://f": /"f" is not a bucket name/,
  "s3://files/a//b": /prefix "a\/\/b\/" cannot be used/,
  "s3://files?style=x": /"x" is not a style/,
};

for (const [text, message] of Object.entries(REFUSED)) {
  Deno.test(`parseS3Place() refuses ${text.replace(/SECRETVALUE/, "…")}`, () => {
    assert.throws(() => parseS3Place(text), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(!error.message.includes("SECRETVALUE"), "a secret is not repeated");
      return true;
    });
  });
}
