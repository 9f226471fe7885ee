import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { codesOf } from '../fault-codes.ts';

/** One request that the platform sends to a URL of a customer. */
export interface Webhook {
  /** In lower camel case; unique. */
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** Parameters of the API and attributes of documents that hold its URL. */
  readonly urls: readonly string[];
  /** `document`: the answer is a document that runs next. `ignored`: its status alone counts. */
  readonly answer: 'document' | 'ignored';
  /** Types of the event stream that carry the same fields; empty for a request without an event. */
  readonly events: readonly string[];
  /** Names and values of the form of a POST, or of the query of a GET: all values are texts. */
  readonly fields: TObject;
}

/** A field that may hold any text. */
export const field = (description: string, ...examples: readonly string[]): TSchema =>
  Type.String({ description, ...(examples.length === 0 ? {} : { examples: [...examples] }) });

export const uuidField = (description: string): TSchema =>
  field(description, '3f6c0d2e-6a0b-4c0e-9c39-0d1f6d7c5f11');

export const timeField = (description: string): TSchema => field(description, '2026-02-01 10:00:00+00:00');

/** Digits, perhaps with a sign or a fraction. */
export const numberField = (description: string, ...examples: readonly string[]): TSchema =>
  Type.String({ description, pattern: '^-?[0-9]+([.][0-9]+)?$', examples: [...examples] });

export const flagField = (description: string): TSchema =>
  Type.String({ description, enum: ['true', 'false'] });

export const oneOfField = (values: readonly string[], description: string): TSchema =>
  Type.String({ description, enum: [...values] });

/** A code of one table of docs/reference/errors.md. */
export const codeField = (codes: Readonly<Record<string, string>>, description: string): TSchema =>
  oneOfField(codesOf(codes), description);

/** A set of fields; SIP-H-To and names that begin with X-PH- are allowed where the fields are those of a call. */
export const form = (properties: TProperties, options: { readonly sipHeaders?: boolean } = {}): TObject =>
  Type.Object(
    properties,
    options.sipHeaders === true
      ? {
          patternProperties: {
            '^X-PH-': {
              type: 'string',
              description: 'A header X-PH-… of the INVITE that came, by its name.',
            },
            '^SIP-H-To$': { type: 'string', description: 'The header To of the INVITE that came.' },
          },
        }
      : {},
  );
