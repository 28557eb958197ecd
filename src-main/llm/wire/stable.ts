/** The same value in an order that depends on nothing but its content: what was stored comes back with sorted keys. */
import { canonical, type Json } from "../../base/json.ts";

export const stable = <T extends Json>(value: T): T => JSON.parse(canonical(value)) as T;
