/** Raises an event in a workspace through the API. @module */
import {
  EVENT_CATEGORIES,
  EVENT_NAMES,
  type EventName,
  eventName,
  EVENTS,
  PRIORITIES,
} from "./events.ts";
import * as z from "zod";
import { nearest } from "../lib/suggest.ts";
import { uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

const category = z.enum(EVENT_CATEGORIES);
const priority = z.enum(PRIORITIES);

/** Maximum length of an event's key, in characters. */
const MAX_KEY = 200;

const named = <Name extends EventName>(names: readonly [Name, ...Name[]]) =>
  z.object({
    event: z.enum(names).describe("Name of the event"),
    data: EVENTS[names[0]].data.optional().describe("Data of the event"),
    key: z.string().min(1).max(MAX_KEY).optional().meta({
      description: "Events with the same name and key are triggered once",
      example: "deploy-42",
    }),
  }).strict();

const eventsWith = (payload: z.ZodType) =>
  EVENT_NAMES.filter((name) => EVENTS[name].data === payload) as [EventName, ...EventName[]];

const variants = [...new Set<z.ZodType>(Object.values(EVENTS).map(({ data }) => data))]
  .map((payload) => named(eventsWith(payload)));

const triggerBody = z.discriminatedUnion(
  "event",
  variants as [typeof variants[number], ...typeof variants[number][]],
  {
    error: ({ input }) => {
      const given = (input as { readonly event?: unknown } | undefined)?.event;
      const near = typeof given === "string" ? nearest(given, EVENT_NAMES) : undefined;
      const hint = near === undefined
        ? `use one of ${EVENT_NAMES.join(", ")}`
        : `did you mean "${near}"?`;
      return typeof given === "string"
        ? `Event "${given.slice(0, MAX_KEY)}" does not exist: ${hint}`
        : `Must be an event: ${hint}`;
    },
  },
);

export const triggerEvent = endpoint({
  method: "POST",
  path: "/v1/events",
  summary:
    "Trigger an event in the workspace. It notifies all members; a security event notifies only the caller",
  tag: "Events",
  access: "owner",
  body: triggerBody,
  maxBodyBytes: 64 * 1024,
  response: z.object({
    id: uuid.describe("ID of the event"),
    event: eventName.meta({ description: "Name of the event", example: "deployment.live" }),
    category: category.describe("Category of the event"),
    priority: priority.meta({ description: "Priority of the event", example: "NORMAL" }),
  }),
});
