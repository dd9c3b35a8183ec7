/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A person's notification preferences, by category and channel. */
import { CHANNEL_ROWS, CHANNELS } from "../../contract/channels.ts";
import { type EventCategory, PRIORITIES } from "../../contract/events.ts";
import {
  type CategoryPreferences,
  HEARD_DEPLOYMENTS,
  type NotificationPreferences,
} from "../../contract/notifications.ts";
import { Card, Form, Trouble } from "../layout/pieces.tsx";
import type { FormState } from "../layout/form.ts";
import type { PageContext } from "../layout/page_context.ts";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";

/**
 * The channels that high-priority notifications use during quiet hours, for example "messenger and
 * push".
 */
const QUIET_CHANNELS = new Intl.ListFormat("en").format(
  CHANNELS.filter((channel) => CHANNEL_ROWS[channel].quiet === "HIGH")
    .map((channel) => CHANNEL_ROWS[channel].label.toLowerCase()),
);

const MEANINGS: Readonly<Record<(typeof PRIORITIES)[number], string>> = {
  CRITICAL: "Critical only",
  HIGH: "High and critical",
  NORMAL: "Normal and above",
  LOW: "Everything",
};

const WHOSE: Readonly<Record<(typeof HEARD_DEPLOYMENTS)[number], string>> = {
  all: "Everyone's deployments",
  own: "Only mine, and those from deploy hooks",
  none: "No deployments",
};

type Part = (typeof CHANNELS)[number] | "minimumPriority" | "start" | "end" | "deployments";

/** Returns the name of a category's field. All categories are in one form. */
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
            <label class="hush" for={name}>{CHANNEL_ROWS[channel].label}</label>
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

/** Shows the field for choosing which deployments a person is notified about. */
function WhoseDeployments({ deployments = "all" }: Pick<CategoryPreferences, "deployments">) {
  const name = fieldName("Deployment", "deployments");
  return (
    <p>
      <label for={name}>Notify me about</label>{" "}
      <select id={name} name={name} autocomplete="off">
        {HEARD_DEPLOYMENTS.map((whose) => (
          <option key={whose} value={whose} selected={whose === deployments}>
            {WHOSE[whose]}
          </option>
        ))}
      </select>{" "}
      <span class="hint soft">This applies to critical notifications too.</span>
    </p>
  );
}

export function preferencesPage(context: PageContext, shown: {
  readonly preferences: NotificationPreferences;
  /** Shows the problem in a category's row. */
  readonly refused?: { readonly category: EventCategory; readonly state: FormState } | undefined;
}): Response {
  const { preferences, refused } = shown;
  return showSettings(
    <SettingsFrame
      title="Preferences"
      lead={`Critical notifications use every channel. During quiet hours, others go to the inbox only; high-priority ones also go to ${QUIET_CHANNELS}.`}
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
                  <th key={channel} scope="col">{CHANNEL_ROWS[channel].label}</th>
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
              Leave quiet hours empty for none. If the end is earlier than the start, it is on the
              next day.
            </p>
            <WhoseDeployments
              deployments={preferences.categories.find(({ category }) => category === "Deployment")
                ?.deployments}
            />
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
