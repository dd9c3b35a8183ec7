import assert from "node:assert/strict";
import { createEventWriter } from "./event_writer.ts";
import { buildEvent } from "./wire.ts";

function collect() {
  const lines: string[] = [];
  return { lines, writer: createEventWriter((text) => lines.push(text)) };
}

Deno.test("createEventWriter() writes one line of JSON for each event", () => {
  const { lines, writer } = collect();
  writer.send({ type: "say", level: "info", message: "a\nb" });
  assert.deepEqual(lines, ['{"type":"say","level":"info","message":"a\\nb"}\n']);
});

Deno.test("createEventWriter() keeps streams separate, and splits long chunks", () => {
  const { lines, writer } = collect();
  const [out, err] = [writer.output(), writer.output()];
  out.write("x".repeat(100_000));
  err.write("no");
  out.end();
  const events = lines.map((line) => buildEvent.parse(JSON.parse(line)));
  assert.deepEqual(events.map((event) => "stream" in event ? event.stream : 0), [1, 1, 2, 1]);
});

Deno.test("createEventWriter() drops output beyond 16 MiB, but not messages", () => {
  const { lines, writer } = collect();
  const sink = writer.output();
  for (let count = 0; count < 20; count++) sink.write("y".repeat(1024 * 1024));
  writer.send({ type: "say", level: "info", message: "still here" });
  const bytes = lines.reduce((sum, line) => sum + line.length, 0);
  assert.ok(bytes < 17 * 1024 * 1024);
  assert.match(lines.at(-1)!, /still here/);
});
