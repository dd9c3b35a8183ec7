import { CHANNEL_ROWS, CHANNELS, DELIVERY_CHANNELS } from "../../contract/channels.ts";
import { fillWords } from "../../contract/event_words.ts";
import { EVENT_NAMES, EVENTS, PRIORITIES, sampleEventData } from "../../contract/events.ts";
import assert from "node:assert/strict";
import { formatMarkdown } from "../_test_markdown.ts";

const FILE = new URL("../../../docs/notifications.md", import.meta.url);

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const UNITS = [["hour", 3_600_000], ["minute", 60_000], ["second", 1000]] as const;

/** Formats a duration in its largest whole unit, such as `4 hours`. */
function duration(milliseconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => milliseconds >= size) ?? ["millisecond", 1];
  const count = milliseconds / size;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

const TABLES: Readonly<Record<string, string>> = {
  events: table(
    ["Event", "Priority", "Title, for example"],
    EVENT_NAMES.map((event) => [
      `\`${event}\``,
      EVENTS[event].priority,
      fillWords(EVENTS[event].title, sampleEventData(event)),
    ]),
  ),
  channels: table(
    ["Channel", "In quiet hours", "On by default after sign-up by"],
    CHANNELS.map((name) => {
      const { quiet, isOn } = CHANNEL_ROWS[name];
      const methods = (["email", "messenger"] as const)
        .filter((method) => isOn({ method, hasBrowser: true }));
      return [
        name,
        PRIORITIES.slice(0, PRIORITIES.indexOf(quiet) + 1).join(", "),
        methods.join(", "),
      ];
    }),
  ),
  attempts: table(
    ["Channel", "Tried for", "Longest pauses between attempts", "Tries again after"],
    DELIVERY_CHANNELS.map((name) => {
      const { limits: { maxAgeMs, firstPauseMs, factor, longestPauseMs }, retriedAfter } =
        CHANNEL_ROWS[name];
      const pauses = [firstPauseMs, firstPauseMs * factor].map(duration).join(", ");
      return [name, duration(maxAgeMs), `${pauses} … ${duration(longestPauseMs)}`, retriedAfter];
    }),
  ),
};

Deno.test("docs/notifications.md shows every event and channel", async () => {
  const held = await Deno.readTextFile(FILE);
  const seen: string[] = [];
  const text = await formatMarkdown(
    held.replace(/(<!-- table: (\w+) .*?-->\n\n)(?:\|.*\n)*/g, (_, mark, name) => {
      seen.push(name);
      return `${mark}${TABLES[name]}\n`;
    }),
  );
  if (Deno.env.get("UPDATE_GOLDENS") === "1") await Deno.writeTextFile(FILE, text);
  assert.deepEqual(seen, Object.keys(TABLES));
  assert.equal(text, await Deno.readTextFile(FILE));
});
