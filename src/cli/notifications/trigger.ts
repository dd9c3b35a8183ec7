/** @module Reads the data of an event from the command line. */
import { EVENT_NAMES, type EventKind, type EventName, EVENTS } from "../../contract/events.ts";
import { Argument, InvalidArgumentError } from "@commander-js/extra-typings";
import { triggerEvent } from "../../contract/raise_event.ts";
import { defineCommand } from "../command/command.ts";
import { repeated } from "../command/option_values.ts";
import { nearest } from "../../lib/suggest.ts";
import { type EventData, eventData } from "../../contract/event_data.ts";
import { CliError } from "../errors/cli_error.ts";

function readObject(text: string): EventData {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CliError("usage", `Cannot read --data as JSON: ${text}`, { cause });
  }
  const parsed = eventData.safeParse(value);
  if (!parsed.success) {
    throw new CliError(
      "usage",
      '--data must be a flat JSON object, such as \'{"project":"blog"}\'',
    );
  }
  return parsed.data;
}

/**
 * Returns the text if the field contains text, otherwise the number, true, false or null that the
 * text represents.
 */
function readValue(event: EventName, { name, text }: { name: string; text: string }) {
  const field = (EVENTS[event] as EventKind).data.shape[name];
  if (field === undefined || field.safeParse(text).success) return text;
  try {
    const parsed = eventData.safeParse({ [name]: JSON.parse(text) });
    return parsed.success ? parsed.data[name]! : text;
  } catch {
    return text;
  }
}

/** Merges all `--data` flags: `name=value`, or an object as JSON. */
function readEventData(event: EventName, given: readonly string[]): EventData {
  const data: EventData = {};
  for (const part of given) {
    if (part.trimStart().startsWith("{")) {
      Object.assign(data, readObject(part));
      continue;
    }
    const at = part.indexOf("=");
    if (at < 1) {
      throw new CliError("usage", `--data must be name=value or a JSON object, not ${part}`);
    }
    const name = part.slice(0, at);
    data[name] = readValue(event, { name, text: part.slice(at + 1) });
  }
  return data;
}

function eventName(text: string): EventName {
  const known = EVENT_NAMES.find((name) => name === text);
  if (known !== undefined) return known;
  const near = nearest(text, EVENT_NAMES);
  throw new InvalidArgumentError(
    near === undefined ? "svc trigger --help lists the events." : `Did you mean ${near}?`,
  );
}

export default defineCommand({
  description:
    "Notifies all members of the workspace according to their preferences, and sends the event to its webhooks. A security event goes only to you. Only owners can do this.",
  define: (command) =>
    command
      .addArgument(
        new Argument("<event>", "event to trigger").choices(EVENT_NAMES).argParser(eventName),
      )
      .option(
        "--data <name=value>",
        "data of the event: name=value, or a flat JSON object; repeatable",
        repeated,
      )
      .option("--key <key>", "trigger the event only once for this key"),
  examples: [
    ["trigger deployment.live --data project=blog", "test the event for a live deployment"],
    [
      'trigger billing.payment_failed --data \'{"amount":49.5,"currency":"EUR"}\'',
      "test the event for a failed payment",
    ],
  ],
  async run({ args: [event], flags }, ctx) {
    const data = readEventData(event, flags.data ?? []);
    const { key } = flags;
    const client = ctx.client({ phase: "workspace" });
    const raised = await client.call(triggerEvent, {
      body: { event, data, key },
      idempotent: key !== undefined,
    });
    ctx.ui.done("workspace", `Triggered ${raised.event} (${raised.priority})`);
    ctx.ui.result(raised, "");
  },
});
