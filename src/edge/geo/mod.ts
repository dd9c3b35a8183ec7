/**
 * Country and autonomous system of an address, from MMDB files.
 *
 * @module
 */
export { GeoFileError, type GeoFiles, type LoadedGeo, loadGeo } from "./load_geo.ts";
export { type AsnLookup, type GeoLookup, openAsnDatabase, openCountryDatabase } from "./lookup.ts";
