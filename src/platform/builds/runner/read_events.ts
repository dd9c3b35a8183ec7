/**
 * Reads and validates the events from a build process, because project code could forge them.
 *
 * @module
 */
import { type BuildEvent, buildEvent } from "../../../build/mod.ts";

/** Maximum length of a line, in bytes. This is enough for a list of 100,000 files. */
const MAX_LINE = 64 * 1024 * 1024;

/** Maximum total output of a process, in bytes. */
const MAX_TOTAL = 256 * 1024 * 1024;

const LINE_FEED = 10;

export class BuildTalkError extends Error {
  override readonly name = "BuildTalkError";
}

function parse(bytes: Uint8Array): BuildEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new BuildTalkError("The build process wrote a line that is not JSON");
  }
  const parsed = buildEvent.safeParse(value);
  if (!parsed.success) {
    throw new BuildTalkError("The build process wrote a line that is not an event");
  }
  return parsed.data;
}

function join(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** @throws {BuildTalkError} at the first line that is too long or not an event. */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<BuildEvent> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let total = 0;
  for await (const chunk of stream) {
    total += chunk.byteLength;
    if (total > MAX_TOTAL) throw new BuildTalkError("The build process wrote too much output");
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      const last = chunk.subarray(from, end);
      const line = join([...parts, last], length + last.byteLength);
      [parts, length, from] = [[], 0, end + 1];
      yield parse(line);
    }
    const rest = chunk.subarray(from);
    parts.push(rest);
    length += rest.byteLength;
    if (length > MAX_LINE) {
      throw new BuildTalkError("The build process wrote a line that is too long");
    }
  }
}
