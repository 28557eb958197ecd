/**
 * A JSON Schema as Gemini's own, smaller kind of schema takes it.
 *
 * It knows a list of keywords, one type a value, strings alone in `enum`, and no references; one word more and the
 * whole request is refused (400 "Unknown name", "Proto field is not repeating"). So what it knows is kept, what has the
 * same meaning in its words is said in them, references are put in place, and the rest is left out.
 */
import { isArray, isObject, type Json, type JsonObject } from "../../base/json.ts";
import { objectSchema } from "../wire/schemas.ts";

const kept = new Set([
  "title",
  "description",
  "nullable",
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "pattern",
  "minimum",
  "maximum",
]);

const formats: Readonly<Record<string, readonly string[]>> = {
  string: ["date-time", "enum"],
  number: ["float", "double"],
  integer: ["int32", "int64"],
};

/** References inside references; one that leads back to itself ends here as a value of any kind. */
const deepestReference = 8;

export function toGeminiSchema(schema: JsonObject): JsonObject {
  return object(objectSchema(schema), schema, 0);
}

/** `root`: where references lead. `depth`: how many led here. */
function converted(value: Json | undefined, root: JsonObject, depth: number): JsonObject {
  if (!isObject(value)) return { type: "string" };
  if (typeof value.$ref === "string") {
    const { $ref, ...beside } = value;
    const target = depth < deepestReference ? lookUp($ref as string, root) : null;
    return target
      ? converted({ ...target, ...beside }, root, depth + 1)
      : { ...common(beside), type: "object" };
  }
  const choice = choiceIn(value);
  if (choice) return chosen(value, choice, root, depth);
  const type = typeOf(value);
  if (type === "object") return object(value, root, depth);
  const items = type === "array" ? { items: converted(value.items ?? {}, root, depth) } : {};
  return { type, ...common(value), ...enumOf(value), ...bounds(value), ...formatOf(value, type), ...items };
}

function object(value: JsonObject, root: JsonObject, depth: number): JsonObject {
  const properties = isObject(value.properties) ? value.properties : {};
  const required = isArray(value.required) ? value.required.filter((name) => String(name) in properties) : [];
  return {
    type: "object",
    ...common(value),
    ...nullableOf(value),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, converted(property, root, depth)]),
    ),
    ...(required.length > 0 ? { required } : {}),
  };
}

const common = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => kept.has(name)));

// ---- types ---------------------------------------------------------------------------------------------

/** One of its types; null among several means `nullable`. */
function typeOf({ type, properties, items, enum: values, const: value }: JsonObject): string {
  if (typeof type === "string" && type !== "null") return type;
  const known = isArray(type) ? type.find((each) => each !== "null") : undefined;
  if (typeof known === "string") return known;
  if (properties !== undefined) return "object";
  if (items !== undefined) return "array";
  const sample = value ?? (isArray(values) ? values[0] : undefined);
  return typeof sample === "number" || typeof sample === "boolean" ? typeof sample : "string";
}

const nullableOf = ({ type }: JsonObject): JsonObject =>
  isArray(type) && type.includes("null") ? { nullable: true } : {};

/** Of several types, or of several schemas; null: there is no choice. */
function choiceIn(value: JsonObject): readonly Json[] | null {
  const { anyOf, oneOf, allOf, type } = value;
  if (isArray(allOf)) return [merged(allOf)];
  if (isArray(anyOf) || isArray(oneOf))
    return [...(isArray(anyOf) ? anyOf : []), ...(isArray(oneOf) ? oneOf : [])];
  const types = isArray(type) ? type.filter((each) => each !== "null") : [];
  return types.length > 1 ? types.map((each) => ({ ...value, type: each })) : null;
}

function chosen(value: JsonObject, choice: readonly Json[], root: JsonObject, depth: number): JsonObject {
  const isNull = (each: Json) => isObject(each) && each.type === "null";
  const members = choice.filter((each) => !isNull(each));
  const nullable = members.length < choice.length ? { nullable: true } : nullableOf(value);
  const beside = common(value);
  const [only] = members;
  if (members.length <= 1) return { ...converted(only ?? {}, root, depth), ...beside, ...nullable };
  return { ...beside, ...nullable, anyOf: members.map((each) => converted(each, root, depth)) };
}

const merged = (members: readonly Json[]): JsonObject =>
  Object.fromEntries([
    ...members.filter(isObject).flatMap((each) => Object.entries(each)),
    [
      "properties",
      Object.fromEntries(
        members
          .filter(isObject)
          .flatMap((each) => (isObject(each.properties) ? Object.entries(each.properties) : [])),
      ),
    ],
  ]);

// ---- values --------------------------------------------------------------------------------------------

/** Strings alone; a constant is a choice of one. */
function enumOf(value: JsonObject): JsonObject {
  const values = value.const === undefined ? value.enum : [value.const];
  const words = isArray(values) ? values.filter((each) => typeof each === "string") : [];
  const isAll =
    isArray(values) && words.length > 0 && words.length >= values.filter((each) => each !== null).length;
  return { ...(isAll ? { enum: words } : {}), ...nullableOf(value) };
}

/** Exclusive bounds become bounds, exact for integers. */
function bounds({ exclusiveMinimum, exclusiveMaximum, type }: JsonObject): JsonObject {
  const step = typeOf({ type: type ?? "number" }) === "integer" ? 1 : 0;
  return {
    ...(typeof exclusiveMinimum === "number" ? { minimum: exclusiveMinimum + step } : {}),
    ...(typeof exclusiveMaximum === "number" ? { maximum: exclusiveMaximum - step } : {}),
  };
}

const formatOf = ({ format }: JsonObject, type: string): JsonObject =>
  typeof format === "string" && formats[type]?.includes(format) ? { format } : {};

/** "#/$defs/P" and "#/definitions/P". */
function lookUp(reference: string, root: JsonObject): JsonObject | null {
  if (!reference.startsWith("#")) return null;
  let at: Json | undefined = root;
  for (const step of reference.slice(1).split("/").filter(Boolean)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return isObject(at) ? at : null;
}
