/**
 * The data of an event as the command line gives it.
 *
 * @module
 */
import { type EventData, eventData } from "../../contract/event_data.ts";
import { type EventKind, type EventName, EVENTS } from "../../contract/events.ts";
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

/** Text where the field takes text, else the number, true, false or null that it says. */
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
export function readEventData(event: EventName, given: readonly string[]): EventData {
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
