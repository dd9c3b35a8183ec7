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
  showFragment,
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
  NO_FORM,
  readForm,
  refused,
  type SentForm,
} from "./form.ts";
export {
  auditPath,
  keysPath,
  overviewPath,
  projectPath,
  publishersPath,
  searchPath,
  usagePath,
} from "./bar.tsx";
export { ProjectFrame, type ProjectSection, WorkspaceFrame } from "./board_frame.tsx";
export {
  Ago,
  Branch,
  bytesText,
  Commit,
  DeploymentStateMark,
  durationText,
  Empty,
  HealthMark,
  isUnderWay,
  Name,
  Pager,
  SelectField,
  SiteLink,
  State,
  type Tone,
} from "./board_pieces.tsx";
export { BarPlot, type PlotBar, ShareLine } from "./plots.tsx";
export { showBoard, showSettings } from "./show_board.ts";
export { BOARD_SCRIPT_PATH, HTMX_PATH, showBoardScript, showHtmx } from "./scripts.ts";
export { EntryFrame, SettingsFrame } from "./frames.tsx";
export type { BoardContext, PageContext } from "./page_context.ts";
export {
  Card,
  EndButton,
  Field,
  type FieldProps,
  Form,
  MadeAndUsed,
  Mark,
  Moment,
  Notice,
  Outcome,
  Qr,
  Trouble,
} from "./pieces.tsx";
export { UsageCard } from "./usage.tsx";
