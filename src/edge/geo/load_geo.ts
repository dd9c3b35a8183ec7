/**
 * Reads the MMDB files that the edge looks addresses up in.
 *
 * @module
 */
import { type AsnLookup, type GeoLookup, openAsnDatabase, openCountryDatabase } from "./lookup.ts";

const SHIPPED_FILE = "geo-whois-asn-country.mmdb";
const SHIPPED_PACKAGE = "@ip-location-db/geo-whois-asn-country-mmdb";

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

/**
 * Where the shipped country database may lie: beside the bundle in a compiled
 * program, in `node_modules` when run from source.
 */
function* shippedPlaces(): Generator<string | URL> {
  yield new URL(`./${SHIPPED_FILE}`, import.meta.url);
  try {
    yield new URL(import.meta.resolve(`${SHIPPED_PACKAGE}/${SHIPPED_FILE}`));
  } catch {
    // A bundle knows no packages: there the file lies beside it.
  }
}

async function readShipped(): Promise<Uint8Array> {
  const tried: string[] = [];
  for (const place of shippedPlaces()) {
    try {
      return await Deno.readFile(place);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      tried.push(String(place));
    }
  }
  throw new Deno.errors.NotFound(`Can not find the country database: tried ${tried.join(", ")}`);
}

async function open<Lookup>(
  path: string,
  openDatabase: (bytes: Uint8Array) => Lookup,
): Promise<Lookup> {
  try {
    return openDatabase(await Deno.readFile(path));
  } catch (cause) {
    throw new Error(`Can not open the address database "${path}"`, { cause });
  }
}

/**
 * Loads the address databases.
 *
 * @throws {Error} If a file can not be read or is no MMDB
 */
export async function loadGeo(files: GeoFiles = {}): Promise<LoadedGeo> {
  const geo = files.geoip === undefined
    ? openCountryDatabase(await readShipped())
    : await open(files.geoip, openCountryDatabase);
  return files.asn === undefined ? { geo } : { geo, asn: await open(files.asn, openAsnDatabase) };
}
