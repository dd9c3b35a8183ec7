/**
 * The svc program: hands its arguments to the command tree.
 *
 * @module
 */
