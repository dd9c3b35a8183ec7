/** @module Removes parts of a dump that not every SQL reader accepts. */
import { concatBytes } from "./wire/messages.ts";

const NEWLINE = 0x0a;
const RESTRICT = /^\\restrict (\S+)$/;
/** Lines before the first object: blank ones, comments, settings, and psql commands. */
const HEAD = /^(?:$|--|SET |SELECT pg_catalog\.set_config\(|\\)/;
/**
 * Settings of PostgreSQL 17 that `pg_dump` resets to their defaults and that older servers reject.
 */
const NEWER_SETTING = /^SET transaction_timeout = 0;$/;
/** Length of the longest removed line, in bytes. */
const LONGEST = 200;

/**
 * Filters the output of `pg_dump`. Removes:
 *
 * - settings that only newer servers support, so older servers can run the dump as one query;
 * - the lines `\restrict <key>`, in the head, and `\unrestrict <key>`, which guard `psql` against
 *   commands in data. The key is random, so no row contains it.
 */
export class PortableDump
  extends TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  constructor() {
    let key: string | undefined;
    let isHead = true;
    /** The start of a line whose end has not arrived yet. */
    let begun: Uint8Array<ArrayBuffer>[] = [];
    const isKept = (line: string): boolean => {
      if (key !== undefined && line === `\\unrestrict ${key}`) return false;
      isHead &&= HEAD.test(line);
      if (!isHead) return true;
      key ??= RESTRICT.exec(line)?.[1];
      return !RESTRICT.test(line) && !NEWER_SETTING.test(line);
    };
    super({
      transform(chunk, controller) {
        const end = chunk.lastIndexOf(NEWLINE) + 1;
        if (end === 0) return void begun.push(chunk);
        const lines = concatBytes([...begun, chunk.subarray(0, end)]);
        begun = [chunk.subarray(end)];
        const isAllKept = !isHead && key === undefined;
        controller.enqueue(isAllKept ? lines : filterLines(lines, isKept));
      },
      flush(controller) {
        const rest = concatBytes(begun);
        if (rest.byteLength > 0) controller.enqueue(rest);
      },
    });
  }
}

/** Checks only short lines, because all lines to remove are short. */
function filterLines(
  lines: Uint8Array<ArrayBuffer>,
  isKept: (line: string) => boolean,
): Uint8Array<ArrayBuffer> {
  const kept: Uint8Array[] = [];
  const decoder = new TextDecoder();
  for (let at = 0; at < lines.byteLength;) {
    const end = lines.indexOf(NEWLINE, at) + 1;
    const line = lines.subarray(at, end);
    const isLong = line.byteLength > LONGEST;
    if (isKept(isLong ? "x" : decoder.decode(line.subarray(0, -1)))) kept.push(line);
    at = end;
  }
  return concatBytes(kept);
}
