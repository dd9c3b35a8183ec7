/**
 * Reads the MMDB files that the edge looks addresses up in.
 *
 * @module
 */
import { type AsnLookup, type GeoLookup, openAsnDatabase, openCountryDatabase } from "./lookup.ts";

/** A file of a package: in `node_modules`, which the compiled program carries inside. */
const SHIPPED = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";

export interface GeoFiles {
  /** Path of a country database; the shipped one where missing. */
  readonly geoip?: string | undefined;
  /** Path of an ASN database; without it no address has an ASN. */
  readonly asn?: string | undefined;
}

export interface LoadedGeo {
  readonly geo: GeoLookup;
  readonly asn?: AsnLookup;
}

async function open<Lookup>(
  path: string | URL,
  openDatabase: (bytes: Uint8Array) => Lookup,
): Promise<Lookup> {
  try {
    return openDatabase(await Deno.readFile(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`Can not open the address database "${path}": ${reason}`, { cause });
  }
}

/**
 * Loads the address databases.
 *
 * @throws {TypeError} If a file can not be read or is no MMDB
 */
export async function loadGeo(files: GeoFiles = {}): Promise<LoadedGeo> {
  const countries = files.geoip ?? new URL(import.meta.resolve(SHIPPED));
  const geo = await open(countries, openCountryDatabase);
  return files.asn === undefined ? { geo } : { geo, asn: await open(files.asn, openAsnDatabase) };
}
