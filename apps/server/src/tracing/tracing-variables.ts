import { asUrl } from '../config-values.ts';

/** RFC 9110 §5.1 and §5.5: a name and a visible value; a comma ends the value. */
const header = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100})=([!-+\--~][ !-+\--~]{0,1000})$/;

export const tracingVariables = {
  otlpUrl: {
    name: 'JACKFIELD_OTLP_URL',
    allowed: 'a URL such as http://127.0.0.1:4318',
    read: asUrl('http:', 'https:'),
  },
  otlpHeaders: {
    name: 'JACKFIELD_OTLP_HEADERS',
    allowed: 'headers such as authorization=Bearer abc, separated by commas',
    read: asHeaders,
    secret: true,
  },
} as const;

function asHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').map((each) => header.exec(each.trim()));
  if (!pairs.every((each) => each !== null)) return undefined;
  return Object.fromEntries(pairs.map(([, name, value]) => [name!, value!]));
}
