/** @module Declares options that all commands for forms share. */
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import type { FormState } from "../../contract/forms.ts";

export const ENVIRONMENT_OPTION = [
  "--environment <name>",
  "environment of the form",
  ENVIRONMENT_PRODUCTION,
] as const;
export const SPAM_OPTION = ["--spam", "spam instead of regular submissions"] as const;

export const stateOf = ({ spam }: { readonly spam?: true | undefined }): FormState =>
  spam === true ? "spam" : "inbox";
