/**
 * Schemas of tools as providers take them: always an object at the root, the same bytes for the same schema.
 *
 * Servers' tools bring whatever their authors wrote. One that no provider would take must not end the run, since all
 * tools travel in one request: what it says is kept where that is possible, and left out where it is not.
 */
import { isArray, isObject, type JsonObject } from "../../base/json.ts";
import { stable } from "./stable.ts";

/**
 * An object schema. Models write arguments in the order of `properties`, so required ones go first, in the order in
 * which `required` names them; the rest is sorted, since stored schemas come back so.
 */
export function objectSchema(schema: JsonObject): JsonObject {
  const whole = withoutChoice(schema);
  const required = isArray(whole.required) ? whole.required : [];
  const properties = isObject(whole.properties) ? whole.properties : {};
  const place = (name: string) => (required.includes(name) ? required.indexOf(name) : required.length);
  const names = Object.keys(properties)
    .sort()
    .sort((a, b) => place(a) - place(b));
  const { type: _type, properties: _properties, ...rest } = whole;
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, stable(properties[name] ?? {})])),
    ...stable(rest),
  };
}

const choices = ["anyOf", "oneOf", "allOf"] as const;

/**
 * No provider takes a choice at the root. Its members' properties are offered together; what only some of them require
 * is not required.
 */
function withoutChoice(schema: JsonObject): JsonObject {
  if (!choices.some((name) => name in schema) && !("not" in schema) && !("enum" in schema)) return schema;
  const { anyOf, oneOf, allOf, not: _not, enum: _enum, ...rest } = schema;
  const members = [anyOf, oneOf, allOf].flatMap((list) => (isArray(list) ? list.filter(isObject) : []));
  const all = [...members, rest];
  const properties = all.flatMap((each) =>
    isObject(each.properties) ? Object.entries(each.properties) : [],
  );
  const required = [rest, ...(isArray(allOf) ? allOf.filter(isObject) : [])].flatMap((each) =>
    isArray(each.required) ? each.required : [],
  );
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}
