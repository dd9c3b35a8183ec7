/** @module Loads the MMDB files that the edge uses to look up IP addresses. */
import { Buffer } from "node:buffer";
import { Reader } from "mmdb-lib";
import { describeFileFault, isFileFault } from "../../lib/file_fault.ts";
import { readShippedFile } from "../../lib/shipped_file.ts";
import { inTurns } from "../../lib/next_turn.ts";
import { checkMmdb, DamagedDatabaseError, type MmdbShape } from "./check_mmdb.ts";
import {
  type AsnLookup,
  type GeoLookup,
  openAsnDatabase,
  openCountryDatabase,
  type OpenOptions,
  type Readable,
} from "./lookup.ts";

/** The database from an npm package, which the compiled program includes. */
const SHIPPED = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";

interface GeoFiles {
  /** Path of a country database. Defaults to the included one. */
  readonly geoip?: string | undefined;
  /** Path of an ASN database. If missing, no address has an ASN. */
  readonly asn?: string | undefined;
}

interface GeoOptions {
  /** Called for the first failed lookup in each database. */
  warn?(message: string): void;
}

/** An address database cannot be used. */
export class GeoFileError extends Error {
  override readonly name = "GeoFileError";
}

/** Marks the start of the metadata. */
const METADATA_MARKER = Buffer.from("abcdef4d61784d696e642e636f6d", "hex");

export interface LoadedGeo {
  readonly geo: GeoLookup & Readable;
  readonly asn?: AsnLookup & Readable;
}

/** Reads the structure of a database from its metadata. */
function shapeOf(bytes: Buffer): MmdbShape {
  const start = bytes.lastIndexOf(METADATA_MARKER);
  if (start === -1) throw new DamagedDatabaseError("it is not an MMDB file, or its end is missing");
  const { nodeCount, recordSize } = new Reader(bytes).metadata;
  return { nodeCount, recordSize, metadataStart: start + METADATA_MARKER.byteLength };
}

async function open<Lookup>(
  path: string,
  openDatabase: (bytes: Uint8Array, options: OpenOptions) => Lookup,
  { warn }: GeoOptions,
): Promise<Lookup> {
  try {
    const bytes = Buffer.from((await Deno.readFile(path)).buffer);
    await inTurns(checkMmdb(bytes, shapeOf(bytes)));
    return openDatabase(bytes, {
      onFailure: (cause) =>
        warn?.(`Cannot look up IP addresses in ${path}, so they count as unknown: ${cause}`),
    });
  } catch (cause) {
    const reason = cause instanceof DamagedDatabaseError ? cause.message : describeFault(cause);
    throw new GeoFileError(`Cannot use the address database ${path}: ${reason}`, { cause });
  }
}

function describeFault(cause: unknown): string {
  return isFileFault(cause)
    ? describeFileFault(cause)
    : `it is damaged: ${cause instanceof Error ? cause.message : String(cause)}`;
}

/** Reads the included database. It is not checked, because no operator supplied it. */
function readShipped(): Uint8Array {
  return Deno.build.standalone
    ? readShippedFile(`node_modules/${SHIPPED}`)
    : Deno.readFileSync(new URL(import.meta.resolve(SHIPPED)));
}

/**
 * Loads the address databases. The included database is read at the first lookup. The operator's
 * files are checked completely before use.
 *
 * @throws {GeoFileError} If a file cannot be read, is damaged, or is not an MMDB file
 */
export async function loadGeo(files: GeoFiles = {}, options: GeoOptions = {}): Promise<LoadedGeo> {
  const geo = files.geoip === undefined
    ? openCountryDatabase(readShipped, {
      onFailure: (cause) =>
        options.warn?.(
          `Cannot look up countries of IP addresses, so they count as unknown: ${cause}`,
        ),
    })
    : await open(files.geoip, openCountryDatabase, options);
  if (files.asn === undefined) return { geo };
  return { geo, asn: await open(files.asn, openAsnDatabase, options) };
}
