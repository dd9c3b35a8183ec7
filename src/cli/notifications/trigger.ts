import { EVENT_NAMES, type EventName } from "../../contract/events.ts";
import { Argument, InvalidArgumentError } from "@commander-js/extra-typings";
import { triggerEvent } from "../../contract/raise_event.ts";
import { defineCommand } from "../command/command.ts";
import { repeated } from "../command/option_values.ts";
import { nearest } from "../../lib/suggest.ts";
import { readEventData } from "./event_data_flags.ts";

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
    "Notifies all members of the workspace according to their preferences, and sends its webhooks. A security event only goes to you. Only owners can do this.",
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
