import { ZooError } from "./errors.js";

/**
 * The options of a method, with defaults for those that are not given, null or undefined.
 *
 * @param method its name, for errors
 * @param given the options of the caller, if any
 * @param known of each option its type, default and limits, as the description has them
 */
export function checkedOptions(method, given, known) {
  if (typeof given !== "object" && given !== undefined) {
    throw new ZooError(`options of ${method} are an object, such as { mirror: true }`);
  }
  for (const name of Object.keys(given ?? {})) {
    if (!Object.hasOwn(known, name)) {
      const valid = Object.keys(known).join(", ");
      throw new ZooError(`unknown option ${name} of ${method}; valid options: ${valid}`);
    }
  }
  const chosen = {};
  for (const [name, option] of Object.entries(known)) {
    const value = given?.[name] ?? option.default;
    if (value !== null && !isValidOption(value, option)) {
      const shown = typeof value === "string" ? `"${value}"` : String(value);
      throw new ZooError(`${name} of ${method} is ${shown}: give ${expectedOption(option)}`);
    }
    chosen[name] = value;
  }
  return chosen;
}

function isValidOption(value, { type, low, high }) {
  if (type === "flag") return typeof value === "boolean";
  const isNumber = type === "integer" ? Number.isInteger(value) : Number.isFinite(value);
  return isNumber && value >= (low ?? -Infinity) && value <= (high ?? Infinity);
}

function expectedOption({ type, low, high }) {
  if (type === "flag") return "true or false";
  const kind = type === "integer" ? "an integer" : "a number";
  if (low === undefined) return kind;
  return high === undefined ? `${kind} of at least ${low}` : `${kind} between ${low} and ${high}`;
}
