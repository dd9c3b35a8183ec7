/**
 * What the commands print in JSON mode, as schemas: `svc schema`, the reference and
 * the tests take them from here. Loaded by nothing that a command needs to run.
 *
 * @module
 */
export {
  ANSWERING,
  answerMembers,
  type AnswerSchemas,
  answerSchemas,
  failureSchema,
  type JsonSchema,
} from "./schemas.ts";
