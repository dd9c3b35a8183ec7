import { type Channel, CHANNELS } from "../../contract/channels.ts";
import { EVENT_CATEGORIES, PRIORITIES } from "../../contract/events.ts";
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { BodyInputOf } from "../../contract/endpoint.ts";
import {
  getPreferences,
  HEARD_DEPLOYMENTS,
  putCategoryPreference,
  putChannelPreference,
} from "../../contract/notifications.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { formatPreferences } from "./show_notifications.ts";

type CategoryChange = BodyInputOf<typeof putCategoryPreference>;

const HOURS = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Parses quiet hours such as `22:00-06:00`, or `none`. */
function quietHours(text: string): { readonly hours: CategoryChange["quietHours"] } {
  if (text === "none") return { hours: null };
  const [, start, end] = HOURS.exec(text) ?? [];
  if (start !== undefined && end !== undefined) return { hours: { start, end } };
  throw new InvalidArgumentError("Expected hours in UTC such as 22:00-06:00, or none.");
}

function channels(text: string, previous: readonly Channel[] | undefined): Channel[] {
  const names = text.split(",").map((name) => {
    const channel = CHANNELS.find((known) => known === name.trim());
    if (channel === undefined) {
      throw new InvalidArgumentError(`Expected channels: ${CHANNELS.join(", ")}.`);
    }
    return channel;
  });
  return [...(previous ?? []), ...names];
}

export default defineCommand({
  description:
    "Shows the preferences if no flags are given. --on and --off change all categories unless you set --category. CRITICAL notifications always use every channel.",
  define: (command) =>
    command
      .addOption(
        new Option("--category <name>", "category to change").choices(EVENT_CATEGORIES),
      )
      .option("--on <channels>", `channels to turn on: ${CHANNELS.join(", ")}`, channels)
      .option("--off <channels>", "channels to turn off", channels)
      .addOption(
        new Option("--minimum <priority>", "minimum priority to send").choices(PRIORITIES),
      )
      .addOption(
        new Option(
          "--deployments <whose>",
          "deployments to be notified about: everyone's, " +
            "your own, or none",
        )
          .choices(HEARD_DEPLOYMENTS),
      )
      .option("--quiet <hours>", "hours in UTC, such as 22:00-06:00, or none", quietHours),
  examples: [
    ["notifications preferences", "show them"],
    ["notifications preferences --deployments own", "leave out other members' deployments"],
    ["notifications preferences --off email", "turn off email, except for CRITICAL notifications"],
    [
      "notifications preferences --category Health --minimum NORMAL --quiet 22:00-06:00",
      "change one category",
    ],
  ],
  async run({ flags }, ctx) {
    const { minimum, quiet, deployments, on = [], off = [] } = flags;
    const category = flags.category ?? (deployments === undefined ? undefined : "Deployment");
    const both = on.find((channel) => off.includes(channel));
    if (both !== undefined) throw new CliError("usage", `Cannot turn ${both} both on and off`);
    if (deployments !== undefined && category !== "Deployment") {
      throw new CliError("usage", "--deployments applies only to the Deployment category");
    }
    if (flags.category === undefined && (minimum !== undefined || quiet !== undefined)) {
      throw new CliError("usage", "--minimum and --quiet need --category");
    }
    const client = ctx.client({ phase: "workspace" });
    let preferences = await client.call(getPreferences, {});
    const switches = [
      ...on.map((channel) => ({ channel, enabled: true })),
      ...off.map((channel) => ({ channel, enabled: false })),
    ];
    const isChange = switches.length > 0 || category !== undefined;
    if (category !== undefined) {
      preferences = await client.call(putCategoryPreference, {
        body: {
          category,
          channels: Object.fromEntries(switches.map(({ channel, enabled }) => [channel, enabled])),
          minimumPriority: minimum,
          deployments,
          quietHours: quiet?.hours,
        },
      });
    } else {
      for (const body of switches) {
        preferences = await client.call(putChannelPreference, { body });
      }
    }
    if (isChange) ctx.ui.done("workspace", "Updated the preferences");
    ctx.ui.result(preferences, formatPreferences(ctx.ui, preferences));
  },
});
