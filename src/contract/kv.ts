/**
 * The key-value stores of projects, one for each environment. These endpoints are for inspection. A
 * deployment's code accesses its store at a different URL (docs/kv.md).
 *
 * @module
 */
import * as z from "zod";
import {
  DEFAULT_LIST_LIMIT,
  fitsKey,
  MAX_KEY_BYTES,
  MAX_LIST_LIMIT,
  MAX_TTL_SECONDS,
  MAX_TYPE_LENGTH,
  MAX_VALUE_BYTES,
} from "../lib/kv_limits.ts";
import { pageLimit, timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { ENVIRONMENT_PRODUCTION } from "./environment_names.ts";
import { environmentReference } from "./environments.ts";
import { projectParams } from "./projects.ts";

const KEY_RULE = `Must be well-formed text of at most ${MAX_KEY_BYTES} bytes`;

const prefix = z.string().max(MAX_KEY_BYTES).refine(fitsKey, KEY_RULE);
const key = prefix.min(1, "Must not be empty");
const version = z.string().regex(/^[0-9a-f]{1,64}$/, "Must be a version from an earlier response")
  .meta({
    example: "00000000000000a20000",
  });
const environment = environmentReference.default(ENVIRONMENT_PRODUCTION).describe(
  "Name or ID of the environment",
);

const entry = {
  key: z.string().describe("Key of the value").meta({ example: "boats/kestrel" }),
  size: z.int().nonnegative().describe("Size of the value in bytes").meta({ example: 42 }),
  version: z.string().describe("Changes with each write of the key"),
  expiresAt: timestamp.nullable().describe("When the value expires; null if it does not expire"),
};

const kvEntry = z.object(entry).meta({ id: "KvEntry" });
export type KvEntry = z.infer<typeof kvEntry>;

const KV_ENCODINGS = ["text", "base64"] as const;

export const kvValue = z.object({
  ...entry,
  contentType: z.string().describe("Media type that the value was set with"),
  encoding: z.enum(KV_ENCODINGS).describe(
    "Encoding of `value`: `text` for UTF-8, otherwise `base64`",
  ),
  value: z.string().describe("The value"),
}).meta({ id: "KvValue" });
export type KvValue = z.infer<typeof kvValue>;

const path = "/v1/projects/{project}/kv";
const tag = "KV";

export const listKv = endpoint({
  method: "GET",
  path,
  summary: "List the keys in a project's key-value store, in byte order",
  access: "developer",
  tag,
  params: projectParams,
  query: z.object({
    environment,
    prefix: prefix.default("").describe("Only keys with this prefix"),
    limit: pageLimit(MAX_LIST_LIMIT, DEFAULT_LIST_LIMIT).meta({
      description: "Maximum number of keys",
      example: 20,
    }),
    cursor: key.optional().meta({
      description: "`nextCursor` of the previous page: its last key",
      example: "boats/kestrel",
    }),
  }),
  response: z.object({
    items: z.array(kvEntry).describe("Entries on the page"),
    nextCursor: z.string().nullable().describe("`cursor` of the next page; null on the last page"),
  }),
});

export const getKvValue = endpoint({
  method: "GET",
  path: `${path}/value`,
  summary: "Show a value from a project's key-value store",
  access: "developer",
  tag,
  params: projectParams,
  query: z.object({
    environment,
    key: key.meta({ description: "Key of the value", example: "boats/kestrel" }),
  }),
  response: kvValue,
});

const base64Bytes = (text: string): number =>
  text.length / 4 * 3 - (/=*$/.exec(text)?.[0].length ?? 0);
const base64 = z.base64("Must be base64").max(Math.ceil(MAX_VALUE_BYTES / 3) * 4).refine(
  (value) => base64Bytes(value) <= MAX_VALUE_BYTES,
  `Must decode to at most ${MAX_VALUE_BYTES} bytes`,
);
const text = z.string().max(MAX_VALUE_BYTES).refine(
  (value) => value.isWellFormed() && new TextEncoder().encode(value).byteLength <= MAX_VALUE_BYTES,
  `Must be well-formed text of at most ${MAX_VALUE_BYTES} bytes`,
);
const written = {
  environment,
  key: key.meta({ description: "Key of the value", example: "boats/kestrel" }),
  contentType: z.string().min(1).max(MAX_TYPE_LENGTH).regex(
    /^[\x20-\x7e]+$/,
    "Must be a media type such as text/plain",
  ).default("text/plain; charset=utf-8").describe("Media type of the value"),
  ttlSeconds: z.int().min(1).max(MAX_TTL_SECONDS).nullable().default(null).describe(
    "Seconds until the value expires; null if it does not expire",
  ),
  version: version.nullable().optional().describe(
    "Version that the key must have, or null if the key must be new. Otherwise the response is 409",
  ),
};

export const setKvValue = endpoint({
  method: "PUT",
  path: `${path}/value`,
  summary: "Set a value in a project's key-value store",
  tag,
  params: projectParams,
  body: z.discriminatedUnion("encoding", [
    z.object({
      ...written,
      encoding: z.literal("text").describe("The value is text"),
      value: text.describe("The value as text"),
    }).strict(),
    z.object({
      ...written,
      encoding: z.literal("base64").describe("The value is base64"),
      value: base64.describe("The value as base64"),
    }).strict(),
  ]).meta({ example: { key: "boats/kestrel", encoding: "text", value: "ready" } }),
  // JSON uses at most six bytes for each byte of the value.
  maxBodyBytes: 6 * MAX_VALUE_BYTES + 16 * 1024,
  response: kvEntry,
});

export const deleteKvValue = endpoint({
  method: "DELETE",
  path: `${path}/value`,
  summary: "Delete a key from a project's key-value store. Succeeds even if the key does not exist",
  tag,
  params: projectParams,
  query: z.object({
    environment,
    key: key.meta({ description: "Key of the value", example: "boats/kestrel" }),
    version: version.optional().meta({
      description: "Version that the key must have. Otherwise the response is 409",
      example: "00000000000000a20000",
    }),
  }),
  status: 204,
});
