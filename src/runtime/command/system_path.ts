/** @module The paths of the system's programs, for starting a command and inside its sandbox. */
export const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
