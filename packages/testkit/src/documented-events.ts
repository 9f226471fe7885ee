import assert from 'node:assert/strict';
import { eventStreamTypes, type Webhook, webhooks } from '@jackfield/contract';
import type { TObject } from 'typebox';
import { Check } from 'typebox/value';

type Fields = Readonly<Record<string, unknown>>;

/** The webhook of a request, or why it matches none. */
export type FoundWebhook =
  | { readonly webhook: Webhook }
  | { readonly webhook: undefined; readonly fault: string };

/** Finds the webhook with these fields: all required fields, no unknown ones, each with an allowed value. */
export function webhookFor(fields: Fields, among: readonly Webhook[] = webhooks): FoundWebhook {
  const judged = among.map((webhook) => ({ webhook, faults: faultsOf(webhook.fields, fields) }));
  const found = judged.find(({ faults }) => faults.length === 0);
  if (found !== undefined) return { webhook: found.webhook };
  const nearest = judged.reduce((best, each) => (each.faults.length < best.faults.length ? each : best));
  return {
    webhook: undefined,
    fault: `no webhook has these fields; ${nearest.webhook.name} is nearest: ${nearest.faults.join(', ')}; ${JSON.stringify(fields)}`,
  };
}

/** The faults of an event; undefined when it is as documented. */
export function eventFaults(type: string, data: Fields): string | undefined {
  const event = eventStreamTypes.find((each) => each.type === type);
  if (event === undefined) return `${type} is not documented`;
  const own = event.data.map((schema) => faultsOf(schema, data));
  if (own.some((faults) => faults.length === 0)) return undefined;
  const carriers = webhooks.filter(({ events }) => events.includes(type));
  if (carriers.length === 0) return `${type}: ${own.flat().join(', ')}; ${JSON.stringify(data)}`;
  const found = webhookFor(asForm(data), carriers);
  return found.webhook === undefined ? `${type}: ${found.fault}` : undefined;
}

/** Throws for events that the contract does not describe; the error also appears in the log of the test's world. */
export function assertDocumentedEvents(
  events: readonly { readonly type: string; readonly payload: Fields }[],
): void {
  const faults = events.flatMap(({ type, payload }) => eventFaults(type, definedOf(payload)) ?? []);
  assert.deepEqual(faults, [], 'events that the contract does not know');
}

/** An outbox that checks its events; the transaction of an event that the contract does not describe fails. */
export function documentedOutbox<Box extends { appendEvents(write: never, events: never): Promise<void> }>(
  outbox: Box,
): Box {
  const appendEvents: typeof outbox.appendEvents = async (write, events) => {
    assertDocumentedEvents(events);
    await outbox.appendEvents(write, events);
  };
  return { ...outbox, appendEvents };
}

/** The fields that JSON keeps. */
function definedOf(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Events have numbers and booleans where a form has text, and null where a form omits the field. */
function asForm(data: Fields): Fields {
  return Object.fromEntries(
    Object.entries(data)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  );
}

function faultsOf(schema: TObject, fields: Fields): readonly string[] {
  const { properties, required = [] } = schema as TObject & { required?: readonly string[] };
  const patterns = Object.keys((schema as { patternProperties?: object }).patternProperties ?? {});
  const faults = required.filter((name) => fields[name] === undefined).map((name) => `${name} is missing`);
  for (const [name, value] of Object.entries(fields)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) {
      if (!Check(known, value)) faults.push(`${name}=${JSON.stringify(value)} is not allowed`);
    } else if (!patterns.some((pattern) => new RegExp(pattern).test(name))) {
      faults.push(`${name} is not named`);
    }
  }
  return faults;
}
