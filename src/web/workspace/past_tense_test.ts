import assert from "node:assert/strict";
import { endpoints } from "../../contract/endpoints.ts";
import { pastTense } from "./past_tense.ts";

Deno.test("pastTense() keeps the first sentence, in the past", () => {
  const cases = {
    "Create an API key. The key is only shown once": "Created an API key",
    "Delete a variable from every scope": "Deleted a variable from every scope",
    "Set a variable in one environment or in all": "Set a variable in one environment or in all",
    "Stop a deployment that is not in production": "Stopped a deployment that is not in production",
    "Leave the workspace. The last owner cannot leave": "Left the workspace",
  };
  for (const [summary, expected] of Object.entries(cases)) {
    assert.equal(pastTense(summary), expected);
  }
});

Deno.test("pastTense() knows the verb of every operation", () => {
  const summaries = Object.values(endpoints).flatMap((each) =>
    typeof each === "object" && "summary" in each ? [String(each.summary)] : []
  );
  assert.ok(summaries.length > 100);
  // "Stoped" for "Stop", "Carryed" for "Carry": a verb whose last letter has to change.
  const wrong = summaries.filter((summary) => {
    const [verb = ""] = summary.split(" ");
    return /^[^aeiou]*[aeiou][pgtn]$|[^aeiou]y$/i.test(verb) &&
      pastTense(summary).startsWith(`${verb}ed`);
  });
  assert.deepEqual(wrong, []);
});
