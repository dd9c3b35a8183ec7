import assert from "node:assert/strict";
import * as fc from "fast-check";
import {
  decimalNumber,
  hostName,
  parseByteSize,
  parseHeaders,
  writeByteSize,
} from "./value_parsers.ts";

Deno.test("decimalNumber() accepts two decimal places and checks its bounds", () => {
  const parse = decimalNumber({ min: 0.01, max: 10 });
  assert.deepEqual([parse("0.01"), parse("0.5"), parse("10")], [0.01, 0.5, 10]);
  for (const text of ["0", "0.001", "10.01", ".5", "1.", "1e1", "", " 1", "x"]) {
    assert.throws(() => parse(text), /from 0.01 to 10/, text);
  }
});

Deno.test("parseByteSize() accepts a number with a unit", () => {
  const sizes = ["1KiB", "256MiB", "1.5GiB", "2kB", "3MB", "0.5GB", "7B"];
  const bytes = [1024, 268_435_456, 1_610_612_736, 2000, 3_000_000, 500_000_000, 7];
  assert.deepEqual(sizes.map(parseByteSize), bytes);
  for (const text of ["", "256", "256M", "256mib", "-1MiB", "1e3MiB", " 1MiB", "MiB"]) {
    assert.equal(parseByteSize(text), undefined, text);
  }
});

Deno.test("writeByteSize() writes sizes that parseByteSize() reads", () => {
  assert.equal(writeByteSize(4 * 1024 ** 3), "4GiB");
  assert.equal(writeByteSize(100_000_000), "100MB");
  fc.assert(fc.property(fc.nat({ max: 2 ** 40 }), (bytes) => {
    assert.equal(parseByteSize(writeByteSize(bytes)), bytes);
  }));
});

Deno.test("hostName() accepts ASCII names and converts them to lower case", () => {
  assert.deepEqual(["Example.COM", "localhost"].map(hostName), ["example.com", "localhost"]);
  for (const text of ["", "bad domain", "http://x", "x:80", "a..b", "-a", "a_b", "bücher.de"]) {
    assert.throws(() => hostName(text), /Must be an ASCII hostname/, text);
  }
});

Deno.test("parseHeaders() reads OpenTelemetry headers, with or without a host", () => {
  const header = (name: string, value: string, host?: string) => ({ host, name, value });
  assert.deepEqual(
    parseHeaders("authorization=Bearer%20a=b, x-key = a%2Cb,otlp.Example:4318:x-tenant=acme"),
    [
      header("authorization", "Bearer a=b"),
      header("x-key", "a,b"),
      header("x-tenant", "acme", "otlp.example:4318"),
    ],
  );
  assert.deepEqual(parseHeaders(""), []);
  for (const text of ["x", "=x", "x=", "a b=c", "x=%", "x=%0A", "x=ü", "host:=x"]) {
    assert.throws(() => parseHeaders(text), /Must be name=value/, text);
  }
});
