import { defineList } from "./list.ts";

export default defineList("list");
