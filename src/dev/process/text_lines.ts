/**
 * Text, line by line.
 *
 * @module
 */

/** Longest line; a longer one is cut into several. */
const MAX_LINE = 16 * 1024;

/** Turns pieces of text into lines without their ends; the last one needs none. */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform(piece, controller) {
        const lines = (rest + piece).split(/\r?\n/);
        rest = lines.pop()!;
        for (const line of lines) controller.enqueue(line);
        for (; rest.length > MAX_LINE; rest = rest.slice(MAX_LINE)) {
          controller.enqueue(rest.slice(0, MAX_LINE));
        }
      },
      flush(controller) {
        if (rest !== "") controller.enqueue(rest);
      },
    });
  }
}
