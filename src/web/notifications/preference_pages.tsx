/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * Which notifications a person wants, and over which channels.
 *
 * @module
 */
import {
  type CategoryPreferences,
  CHANNELS,
  type NotificationPreferences,
} from "../../contract/notifications.ts";
import { type EventCategory, PRIORITIES } from "../../contract/events.ts";
import { Card, Form, Trouble } from "../layout/pieces.tsx";
import type { FormState } from "../layout/form.ts";
import type { PageContext } from "../layout/page_context.ts";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";

const CHANNEL_NAMES: Readonly<Record<(typeof CHANNELS)[number], string>> = {
  email: "Email",
  in_app: "In-app",
  messenger: "Messenger",
  push: "Browser push",
};

const MEANINGS: Readonly<Record<(typeof PRIORITIES)[number], string>> = {
  CRITICAL: "Only what is critical",
  HIGH: "High and critical",
  NORMAL: "Normal and above",
  LOW: "Everything",
};

type Part = (typeof CHANNELS)[number] | "minimumPriority" | "start" | "end";

/** The name of a field: those of all categories are in one form. */
export const fieldName = (category: EventCategory, part: Part): string => `${category}.${part}`;

function TimeField({ category, part, label, value }: {
  readonly category: EventCategory;
  readonly part: "start" | "end";
  readonly label: string;
  readonly value: string | undefined;
}) {
  const name = fieldName(category, part);
  return (
    <>
      <label class="hush" for={name}>{label}</label>
      <input id={name} name={name} type="time" value={value ?? ""} autocomplete="off" />
    </>
  );
}

function CategoryRow({ preferences, isRefused }: {
  readonly preferences: CategoryPreferences;
  readonly isRefused: boolean;
}) {
  const { category, channels, minimumPriority, quietHours } = preferences;
  const least = fieldName(category, "minimumPriority");
  return (
    <tr class={isRefused ? "refused" : undefined}>
      <th scope="row">{category}</th>
      {CHANNELS.map((channel) => {
        const name = fieldName(category, channel);
        return (
          <td key={channel}>
            <label class="hush" for={name}>{CHANNEL_NAMES[channel]}</label>
            <input
              id={name}
              name={name}
              type="checkbox"
              autocomplete="off"
              checked={channels[channel]}
            />
          </td>
        );
      })}
      <td>
        <label class="hush" for={least}>Minimum priority</label>
        <select id={least} name={least} autocomplete="off">
          {PRIORITIES.map((priority) => (
            <option key={priority} value={priority} selected={priority === minimumPriority}>
              {MEANINGS[priority]}
            </option>
          ))}
        </select>
      </td>
      <td>
        <div>
          <TimeField
            category={category}
            part="start"
            label="Quiet from"
            value={quietHours?.start}
          />
          <TimeField category={category} part="end" label="Quiet until" value={quietHours?.end} />
        </div>
      </td>
    </tr>
  );
}

export function preferencesPage(context: PageContext, shown: {
  readonly preferences: NotificationPreferences;
  /** What is wrong with the row of a category. */
  readonly refused?: { readonly category: EventCategory; readonly state: FormState } | undefined;
}): Response {
  const { preferences, refused } = shown;
  return showSettings(
    <SettingsFrame
      title="Preferences"
      lead="Critical notifications take every channel, at any hour. In quiet hours the others come in-app; those of high priority also by messenger and push."
      context={context}
    >
      <Card title="Categories and channels" id="matrix">
        {refused === undefined ? null : (
          <div class="body">
            <Trouble state={refused.state} />
          </div>
        )}
        <Form action="/notifications/preferences" csrf={context.csrf} class="wide">
          <table class="matrix">
            <thead>
              <tr>
                <th scope="col">Category</th>
                {CHANNELS.map((channel) => (
                  <th key={channel} scope="col">{CHANNEL_NAMES[channel]}</th>
                ))}
                <th scope="col" class="wide">Minimum priority</th>
                <th scope="col" class="wide">Quiet hours, in UTC</th>
              </tr>
            </thead>
            <tbody>
              {preferences.categories.map((each) => (
                <CategoryRow
                  key={each.category}
                  preferences={each}
                  isRefused={refused?.category === each.category}
                />
              ))}
            </tbody>
          </table>
          <div class="body">
            <p class="hint soft">
              Leave both times empty for no quiet hours. An end before the start is on the next day.
            </p>
            <div>
              <button type="submit">Save</button>
            </div>
          </div>
        </Form>
      </Card>
    </SettingsFrame>,
    { title: "Preferences", status: refused === undefined ? 200 : 400 },
  );
}
