/**
 * What pages are made of: the document, its frames, forms and smaller pieces.
 *
 * @module
 */
export { EmailField, NewPassword } from "./credential_fields.tsx";
export { deadLinkPage } from "./dead_link_page.tsx";
export {
  formPageFacts,
  goTo,
  PAGE_POLICY,
  showIcon,
  showPage,
  showStylesheet,
  STYLESHEET_PATH,
} from "./document.tsx";
export {
  checkFields,
  EMPTY,
  type Fields,
  type FormPage,
  type FormState,
  readForm,
  refused,
} from "./form.ts";
export { EntryFrame, type PageContext, SettingsFrame } from "./frames.tsx";
export {
  Card,
  EndButton,
  Field,
  Form,
  MadeAndUsed,
  Mark,
  Moment,
  Notice,
  Outcome,
  Qr,
  Trouble,
} from "./pieces.tsx";
