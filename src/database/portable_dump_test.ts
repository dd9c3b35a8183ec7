import assert from "node:assert/strict";
import { PortableDump } from "./portable_dump.ts";

/** Filters a dump that arrives in small pieces, and returns the result. */
async function kept(dump: string, piece: number): Promise<string> {
  const bytes = new TextEncoder().encode(dump);
  const pieces = Array.from(
    { length: Math.ceil(bytes.length / piece) },
    (_, n) => bytes.slice(n * piece, (n + 1) * piece),
  );
  return await new Response(ReadableStream.from(pieces).pipeThrough(new PortableDump())).text();
}

const head = (more = "") => `--\n-- PostgreSQL database dump\n--\n\n${more}SET lock_timeout = 0;\n`;
const TIMEOUT = "SET transaction_timeout = 0;\n";
const SEARCH_PATH = "SELECT pg_catalog.set_config('search_path', '', false);\n";
const TABLE = "CREATE TABLE public.t (x text);\n";
const LONG = `${"é".repeat(5000)}\n`;
const COPY = `COPY public.t (x) FROM stdin;\n${TIMEOUT}\\\\unrestrict k\n${LONG}\\.\n`;

const CASES: Readonly<Record<string, readonly [dump: string, kept: string]>> = {
  "settings of newer servers from the header": [
    head() + TIMEOUT + SEARCH_PATH + TABLE + COPY,
    head() + SEARCH_PATH + TABLE + COPY,
  ],
  "the settings and the guard of an empty database": [
    `${head("\\restrict k\n\n")}${TIMEOUT}${SEARCH_PATH}\n--\n\n\\unrestrict k\n\n`,
    `${head("\n")}${SEARCH_PATH}\n--\n\n\n`,
  ],
  "the guard, but not lines that look like it": [
    `${head("\\restrict k\n")}${TABLE}\\restrict k\n\\unrestrict l\n\\unrestrict k\n`,
    `${head()}${TABLE}\\restrict k\n\\unrestrict l\n`,
  ],
  "nothing for text without a line ending": [
    head() + TABLE + "-- end",
    head() + TABLE + "-- end",
  ],
};

for (const [name, [dump, expected]] of Object.entries(CASES)) {
  Deno.test(`PortableDump omits ${name}`, async () => {
    for (const piece of [1, 7, 64, 100_000]) assert.equal(await kept(dump, piece), expected);
  });
}
