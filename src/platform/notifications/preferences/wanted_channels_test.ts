import { type Channel, CHANNELS } from "../../../contract/channels.ts";
import { PRIORITIES } from "../../../contract/events.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { type CategoryPreferences } from "../../../contract/notifications.ts";
import type { EventData } from "../../../contract/event_data.ts";
import { concerns, isAsUrgentAs, isQuiet, wantedChannels } from "./wanted_channels.ts";

const at = (time: string) => Date.parse(`2026-03-01T${time}:00Z`);

function preferring(
  minimumPriority: CategoryPreferences["minimumPriority"],
  options: { readonly off?: Channel; readonly quietHours?: { start: string; end: string } } = {},
): CategoryPreferences {
  const channels = Object.fromEntries(
    CHANNELS.map((channel) => [channel, true]),
  ) as CategoryPreferences["channels"];
  if (options.off !== undefined) channels[options.off] = false;
  return {
    category: "Deployment",
    channels,
    minimumPriority,
    quietHours: options.quietHours ?? null,
  };
}

const NIGHT = { start: "22:00", end: "06:00" };

/**
 * Spec, "Priority behavior": which notifications use an enabled channel, by day and in quiet hours.
 */
const TABLE = {
  CRITICAL: { day: CHANNELS, quiet: CHANNELS },
  HIGH: { day: CHANNELS, quiet: ["in_app", "messenger", "push"] },
  NORMAL: { day: CHANNELS, quiet: ["in_app"] },
  LOW: { day: CHANNELS, quiet: ["in_app"] },
} as const;

for (const priority of PRIORITIES) {
  for (const minimum of PRIORITIES) {
    for (const time of ["day", "quiet"] as const) {
      Deno.test(`wantedChannels() judges ${priority} with minimum ${minimum} (${time})`, () => {
        const now = at(time === "day" ? "12:00" : "23:30");
        const passes = PRIORITIES.indexOf(priority) <= PRIORITIES.indexOf(minimum);
        const taken: readonly Channel[] = TABLE[priority][time];
        for (const off of [undefined, ...CHANNELS]) {
          const preferences = preferring(minimum, {
            quietHours: NIGHT,
            ...(off === undefined ? {} : { off }),
          });
          const wanted = wantedChannels({ priority }, preferences, now);
          for (const channel of CHANNELS) {
            const isWanted = priority === "CRITICAL" ||
              channel !== off && passes && taken.includes(channel);
            assert.equal(wanted.includes(channel), isWanted, `${channel}, ${off ?? "none"} off`);
          }
        }
      });
    }
  }
}

const quietRows = [
  ["that are not set", null, "12:00", false],
  ["at the start", { start: "09:00", end: "17:00" }, "09:00", true],
  ["before the start", { start: "09:00", end: "17:00" }, "08:59", false],
  ["at the last minute", { start: "09:00", end: "17:00" }, "16:59", true],
  ["at the end", { start: "09:00", end: "17:00" }, "17:00", false],
  ["over midnight, in the evening", NIGHT, "22:00", true],
  ["over midnight, in the morning", NIGHT, "05:59", true],
  ["over midnight, at the end", NIGHT, "06:00", false],
  ["over midnight, by day", NIGHT, "12:00", false],
  ["without a duration", { start: "09:00", end: "09:00" }, "09:00", false],
  ["up to midnight", { start: "22:00", end: "00:00" }, "23:59", true],
  ["up to midnight, after it", { start: "22:00", end: "00:00" }, "00:00", false],
] as const;

for (const [name, hours, time, expected] of quietRows) {
  Deno.test(`isQuiet() returns ${expected} for quiet hours ${name}`, () => {
    assert.equal(isQuiet(hours, at(time)), expected);
  });
}

const priority = fc.constantFrom(...PRIORITIES);
const time = fc.integer({ min: 0, max: 24 * 60 - 1 }).map((minute) =>
  `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`
);
const preferences: fc.Arbitrary<CategoryPreferences> = fc.record({
  category: fc.constant("Health" as const),
  channels: fc.record(
    Object.fromEntries(CHANNELS.map((channel) => [channel, fc.boolean()])) as Record<
      Channel,
      fc.Arbitrary<boolean>
    >,
  ),
  minimumPriority: priority,
  quietHours: fc.option(fc.record({ start: time, end: time })),
});
const moment = fc.integer({ min: 0, max: 4_102_444_800_000 });

Deno.test("concerns() omits deployments that someone else started, if requested", () => {
  const [ada, bob] = ["0a", "0b"];
  const table = [
    [undefined, [true, true, true]],
    ["all", [true, true, true]],
    ["own", [true, false, true]],
    ["none", [false, false, false]],
  ] as const;
  for (const [deployments, wanted] of table) {
    const category = {
      category: "Deployment",
      channels: { email: true, in_app: true, messenger: true, push: true },
      minimumPriority: "LOW",
      quietHours: null,
      ...(deployments === undefined ? {} : { deployments }),
    } as const;
    const heard = [{ startedBy: ada }, { startedBy: bob }, {}]
      .map((data) => concerns(ada, { data: data as EventData }, category));
    assert.deepEqual(heard, wanted, String(deployments));
  }
});

Deno.test("for an urgent event, wantedChannels() uses every channel that it would use for a less urgent one", () => {
  fc.assert(fc.property(priority, priority, preferences, moment, (one, other, wanted, now) => {
    const [urgent, lesser] = isAsUrgentAs(one, other) ? [one, other] : [other, one];
    const [more, less] = [urgent, lesser].map((each) =>
      wantedChannels({ priority: each }, wanted, now)
    );
    for (const channel of CHANNELS) {
      assert.ok(more!.includes(channel) || !less!.includes(channel));
    }
  }));
});

Deno.test("wantedChannels() uses no channel in quiet hours that it would not use otherwise", () => {
  fc.assert(fc.property(priority, preferences, moment, (each, wanted, now) => {
    const quiet = wantedChannels({ priority: each }, wanted, now);
    const day = wantedChannels({ priority: each }, { ...wanted, quietHours: null }, now);
    for (const channel of CHANNELS) {
      assert.ok(day.includes(channel) || !quiet.includes(channel));
      if (channel === "in_app") assert.equal(quiet.includes(channel), day.includes(channel));
    }
  }));
});

Deno.test("isQuiet() splits the day into quiet hours and the rest", () => {
  fc.assert(fc.property(time, time, moment, (start, end, now) => {
    fc.pre(start !== end);
    assert.notEqual(
      isQuiet({ start, end }, now),
      isQuiet({ start: end, end: start }, now),
    );
  }));
});
