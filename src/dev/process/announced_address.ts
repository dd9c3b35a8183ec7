/** @module The address that a dev server prints when it is ready. Pure. */

export interface ServerAddress {
  readonly hostname: string;
  readonly port: number;
}

// deno-lint-ignore no-control-regex -- colors and links of terminals
const ESCAPES = /\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;
const ADDRESS = /https?:\/\/(localhost|127\.0\.0\.1|\[::1?\]|0\.0\.0\.0):(\d{2,5})\b/;

/** Removes a terminal's codes for colors and links from text. */
function withoutColors(text: string): string {
  return text.replace(ESCAPES, "");
}

/** Returns the local address in a line of output, if there is one. */
export function announcedAddress(line: string): ServerAddress | undefined {
  const [, host, port] = ADDRESS.exec(withoutColors(line)) ?? [];
  if (host === undefined || Number(port) > 65_535) return undefined;
  const isAny = host === "0.0.0.0" || host === "[::]";
  return { hostname: isAny ? "localhost" : host.replace(/[[\]]/g, ""), port: Number(port) };
}
