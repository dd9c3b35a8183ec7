/** A log cursor: for each node that has more entries, a position in the node's files. @module */
import type { LogPlace } from "./log_files.ts";

/** Positions by node name. */
export type LogCursor = ReadonlyMap<string, LogPlace>;

const PLACE = /^(\d{1,8})\.(\d{1,12})$/;
const PLACE_OF_NODE = /^([a-z0-9][a-z0-9._-]{0,62}):(\d{1,8}\.\d{1,12})$/;

function parsePlace(text: string): LogPlace | undefined {
  const match = PLACE.exec(text);
  return match === null ? undefined : { file: Number(match[1]), offset: Number(match[2]) };
}

/**
 * Reads a cursor. If it has no node name, it belongs to `self`. Returns `undefined` if the text is
 * not a cursor.
 */
export function parseLogCursor(text: string, self: string): LogCursor | undefined {
  const own = parsePlace(text);
  if (own !== undefined) return new Map([[self, own]]);
  const places = new Map<string, LogPlace>();
  for (const part of text.split(",")) {
    const match = PLACE_OF_NODE.exec(part);
    if (match === null) return undefined;
    places.set(match[1]!, parsePlace(match[2]!)!);
  }
  return places;
}

/** Writes a cursor. Returns `null` if there are no more entries. */
export function formatLogCursor(
  cursor: LogCursor,
  { self, isShared }: { readonly self: string; readonly isShared: boolean },
): string | null {
  const text = ({ file, offset }: LogPlace) => `${file}.${offset}`;
  if (!isShared) return cursor.has(self) ? text(cursor.get(self)!) : null;
  if (cursor.size === 0) return null;
  return [...cursor].map(([node, place]) => `${node}:${text(place)}`).join(",");
}
