/** @module Parses `Accept-Encoding` (RFC 9110, 12.5.3). */

export type ContentCoding = "br" | "gzip";

/** Maximum length of a value, in characters. A longer value is treated as empty. */
const MAX_LENGTH = 512;

const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i;

interface Preference {
  readonly coding: string;
  /** 0 to 1; 0 rejects the coding. */
  readonly quality: number;
}

/**
 * Parses one coding with its weight. An invalid weight rejects the coding, because the plain file
 * is always acceptable.
 */
function parseMember(member: string): Preference {
  const [coding = "", ...parameters] = member.split(";").map((part) => part.trim());
  let quality = 1;
  for (const parameter of parameters) {
    const weight = QUALITY.exec(parameter);
    quality = weight === null ? 0 : Number(weight[1]);
  }
  return { coding: coding.toLowerCase(), quality };
}

function qualityOf(coding: string, preferences: readonly Preference[]): number | undefined {
  return preferences.find((preference) => preference.coding === coding)?.quality;
}

/**
 * Returns the codings that a client accepts at least as willingly as the plain file, best first. At
 * the same weight, Brotli comes before gzip.
 */
export function acceptedCodings(value: string): readonly ContentCoding[] {
  if (value.length > MAX_LENGTH) return [];
  const preferences = value.split(",").map(parseMember);
  const anything = qualityOf("*", preferences);
  const br = qualityOf("br", preferences) ?? anything ?? 0;
  const gzip = Math.max(
    qualityOf("gzip", preferences) ?? anything ?? 0,
    qualityOf("x-gzip", preferences) ?? 0,
  );
  const identity = qualityOf("identity", preferences) ?? 0;
  const codings: ContentCoding[] = br >= gzip ? ["br", "gzip"] : ["gzip", "br"];
  return codings.filter((coding) => {
    const quality = coding === "br" ? br : gzip;
    return quality > 0 && quality >= identity;
  });
}
