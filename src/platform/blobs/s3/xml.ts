/** Reads and writes XML in the form that S3 uses. @module */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import * as z from "zod";
import { refuseVersion } from "./object_fields.ts";
import { encodeUri } from "./signature.ts";
import { BlobStoreError } from "../store_error.ts";
import type { NamedPart } from "../upload_store.ts";

/**
 * An element's children: text, or more elements. Several elements with the same name form a list.
 */
export interface Elements {
  readonly [name: string]: string | number | boolean | Elements | readonly (Elements | string)[];
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("\r", "&#13;");

function write(name: string, value: Elements[string]): string {
  if (Array.isArray(value)) return value.map((each) => write(name, each)).join("");
  const inner = typeof value === "object"
    ? Object.entries(value).map(([child, inside]) => write(child, inside)).join("")
    : escape(String(value));
  return `<${name}>${inner}</${name}>`;
}

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Returns an S3 document with one root. */
export function xmlOf(root: string, children: Elements): string {
  return HEAD + write(root, children).replace(`<${root}>`, `<${root} xmlns="${NAMESPACE}">`);
}

/** Returns an error, which has no namespace. */
export const errorXml = (children: Elements): string => HEAD + write("Error", children);

/**
 * Writes the keys of a list in the requested encoding. `url` allows characters that XML does not
 * support.
 */
export const keyWriter = (encoding: string | undefined): (key: string) => string =>
  encoding === "url" ? (key) => key.split("/").map(encodeUri).join("/") : (key) => key;

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  // Keys may start or end with spaces.
  trimValues: false,
  htmlEntities: true,
  processEntities: { enabled: true, maxTotalExpansions: 1_000_000 },
  removeNSPrefix: true,
  isArray: (name) => name === "Part" || name === "Object",
});

function parse<T>(text: string, schema: z.ZodType<T>): T {
  const result = XMLValidator.validate(text) === true
    ? schema.safeParse(parser.parse(text))
    : undefined;
  if (result?.success !== true) {
    throw new BlobStoreError("MalformedXML", "The XML of the request is not valid");
  }
  return result.data;
}

const completion = z.object({
  CompleteMultipartUpload: z.object({
    Part: z.array(z.object({
      PartNumber: z.string().regex(/^\d{1,5}$/).transform(Number),
      ETag: z.string(),
    })),
  }),
});

/** Returns the parts that complete an upload. */
export function parseCompletion(text: string): readonly NamedPart[] {
  return parse(text, completion).CompleteMultipartUpload.Part.map(({ PartNumber, ETag }) => ({
    number: PartNumber,
    etag: ETag.replaceAll('"', ""),
  }));
}

const deletion = z.object({
  Delete: z.object({
    Quiet: z.string().optional(),
    Object: z.array(z.object({ Key: z.string(), VersionId: z.string().optional() })).min(1).max(
      1000,
    ),
  }),
});

/** Returns the keys to delete, and whether the response lists only failures. */
export function parseDeletion(text: string): {
  readonly keys: readonly string[];
  readonly isQuiet: boolean;
} {
  const { Quiet, Object: found } = parse(text, deletion).Delete;
  for (const { VersionId } of found) refuseVersion(VersionId);
  return { keys: found.map(({ Key }) => Key), isQuiet: Quiet === "true" };
}
