/**
 * Keywords that our schemas use besides those of JSON Schema 2020-12. All are annotations for readers of the OpenAPI
 * document, except the two ranges, which say of a number written as text what `minimum` and `maximum` say of a number.
 */
export interface SchemaKeyword {
  readonly keyword: string;
  readonly type?: 'string';
  readonly schemaType: 'string' | 'number';
  /** Pure; absent for an annotation. */
  readonly validate?: (limit: number, text: string) => boolean;
}

/** Ends the sentence of a refusal: `<parameter> must be <x-allowed>`. */
export const allowedKeyword = 'x-allowed';

/** What a validator must know to understand the schemas of this package. */
export const schemaKeywords: readonly SchemaKeyword[] = [
  { keyword: allowedKeyword, schemaType: 'string' },
  {
    keyword: 'x-minimum',
    type: 'string',
    schemaType: 'number',
    validate: (minimum, text) => Number(text) >= minimum,
  },
  {
    keyword: 'x-maximum',
    type: 'string',
    schemaType: 'number',
    validate: (maximum, text) => Number(text) <= maximum,
  },
];
