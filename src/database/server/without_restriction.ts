/**
 * Leaving out what only `psql` understands in the output of `pg_dump`.
 *
 * @module
 */
import { concatBytes } from "../wire/mod.ts";

const NEWLINE = 0x0a;
const RESTRICT = /^\\restrict (\S+)$/;

/**
 * Leaves out the lines `\restrict <key>`, in the head, and `\unrestrict <key>`,
 * which guard `psql` against commands in data. The key is random: no row has it.
 */
export class WithoutRestriction
  extends TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  constructor() {
    let key: string | undefined;
    let isHead = true;
    let rest: Uint8Array<ArrayBuffer> = new Uint8Array();
    const isKept = (line: string): boolean => {
      if (isHead) {
        key = RESTRICT.exec(line)?.[1];
        if (key !== undefined) isHead = false;
        else if (line !== "" && !line.startsWith("--")) isHead = false;
        else return true;
        return key === undefined;
      }
      return key === undefined || line !== `\\unrestrict ${key}`;
    };
    super({
      transform(chunk, controller) {
        const bytes = new Uint8Array(rest.byteLength + chunk.byteLength);
        bytes.set(rest);
        bytes.set(chunk, rest.byteLength);
        const end = bytes.lastIndexOf(NEWLINE) + 1;
        rest = bytes.slice(end);
        if (end > 0) controller.enqueue(filterLines(bytes.subarray(0, end), isKept));
      },
      flush(controller) {
        if (rest.byteLength > 0) controller.enqueue(rest);
      },
    });
  }
}

/** Looks at short lines only: those that are left out are. */
function filterLines(
  lines: Uint8Array<ArrayBuffer>,
  isKept: (line: string) => boolean,
): Uint8Array<ArrayBuffer> {
  const kept: Uint8Array[] = [];
  const decoder = new TextDecoder();
  for (let at = 0; at < lines.byteLength;) {
    const end = lines.indexOf(NEWLINE, at) + 1;
    const line = lines.subarray(at, end);
    if (isKept(line.byteLength > 200 ? "x" : decoder.decode(line.subarray(0, -1)))) kept.push(line);
    at = end;
  }
  return concatBytes(kept);
}
