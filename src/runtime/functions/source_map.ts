/**
 * @module Rewrites stack traces to show positions in the author's source, using the source map that
 * is inlined in the bundle (ECMA-426).
 */
import * as z from "zod";

interface Segment {
  readonly column: number;
  readonly source: number;
  readonly line: number;
  readonly sourceColumn: number;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES: ReadonlyMap<string, number> = new Map([...DIGITS].map((digit, at) => [digit, at]));

const schema = z.object({
  version: z.literal(3),
  sources: z.array(z.string().nullable()),
  mappings: z.string(),
});

const INLINE_MAP = /\n\/\/# sourceMappingURL=data:application\/json;base64,([A-Za-z0-9+/=]+)\s*$/;

/** Matches a position in a bundle, as stacks show it for data modules. */
const FRAME = /data:text\/javascript[^\s():]*:(\d+):(\d+)/g;

/** Reads base64 VLQ numbers (ECMA-426, 6.2). */
function decodeNumbers(text: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const digit of text) {
    const bits = VALUES.get(digit);
    if (bits === undefined) return [];
    value += (bits & 31) * 2 ** shift;
    shift += 5;
    if ((bits & 32) !== 0) continue;
    numbers.push(value % 2 === 1 ? -Math.floor(value / 2) : value / 2);
    value = 0;
    shift = 0;
  }
  return numbers;
}

function decodeMappings(mappings: string): Segment[][] {
  let [source, line, sourceColumn] = [0, 0, 0];
  return mappings.split(";").map((text) => {
    let column = 0;
    const segments: Segment[] = [];
    for (const part of text.split(",")) {
      const [c, s, l, sc] = decodeNumbers(part);
      if (c === undefined) continue;
      column += c;
      if (s === undefined || l === undefined || sc === undefined) continue;
      source += s;
      line += l;
      sourceColumn += sc;
      segments.push({ column, source, line, sourceColumn });
    }
    return segments;
  });
}

const COMMENT = "\n//# sourceMappingURL=";

/**
 * Returns the bundle without its source map. The worker's runtime would apply the map to lines, but
 * not to file names.
 */
export function withoutInlineMap(source: string): string {
  const tail = source.lastIndexOf(COMMENT);
  return tail === -1 ? source : source.slice(0, tail);
}

/** Returns the text of a bundle's source map, if it has one. */
export function readInlineMap(source: string): string | undefined {
  const tail = source.lastIndexOf(COMMENT);
  const encoded = tail === -1 ? undefined : INLINE_MAP.exec(source.slice(tail))?.[1];
  return encoded === undefined
    ? undefined
    : new TextDecoder().decode(Uint8Array.fromBase64(encoded));
}

/** Rewrites the stacks of one bundle. The map is read when a stack first needs it. */
export class StackMapper {
  #lines: Segment[][] | undefined;
  #sources: readonly (string | null)[] = [];

  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /**
   * Replaces the position in each frame with the position in the author's source, if that position
   * is known.
   */
  map(stack: string): string {
    return stack.replace(FRAME, (whole, line: string, column: string) => {
      const place = this.#locate(Number(line), Number(column));
      return place ?? whole.replace(/^data:[^\s():]*/, "bundle");
    });
  }

  #load(): Segment[][] {
    try {
      const parsed = schema.safeParse(JSON.parse(readInlineMap(this.#source) ?? "null"));
      if (!parsed.success) return [];
      this.#sources = parsed.data.sources;
      return decodeMappings(parsed.data.mappings);
    } catch {
      return [];
    }
  }

  #locate(line: number, column: number): string | undefined {
    this.#lines ??= this.#load();
    const found = this.#lines[line - 1]?.findLast((segment) => segment.column <= column - 1);
    const file = found === undefined ? undefined : this.#sources[found.source];
    return typeof file === "string"
      ? `${file.replace(/^received:/, "")}:${found!.line + 1}:${found!.sourceColumn + 1}`
      : undefined;
  }
}
