import { type CallbackBody, stringToSignV3 } from '@jackfield/contract';

/** The parts of the text that a callback's signature is of, and how it was computed here. */
export interface SignatureSteps {
  readonly base: string;
  readonly query: string;
  readonly fields: string;
  readonly nonce: string;
  /** The text as this page computes it from the request. */
  readonly computed: string;
  readonly isSame: boolean;
  /** What was sent as its signature, by header. */
  readonly sent: readonly (readonly [string, string])[];
}

/** Undefined for a callback that was not sent yet. */
export function signatureSteps(callback: CallbackBody): SignatureSteps | undefined {
  const headers = Object.entries(callback.headers);
  const isNonce = ([name]: readonly [string, string]) => /signature-v3-nonce$/i.test(name);
  const nonce = headers.find(isNonce)?.[1];
  if (nonce === undefined) return undefined;
  const [address = ''] = callback.request_url.split('#', 1);
  const mark = address.indexOf('?');
  const base = mark === -1 ? address : address.slice(0, mark);
  const form = formOf(callback.body);
  const computed = stringToSignV3(callback.method, callback.request_url, nonce, form);
  const fields = callback.method === 'GET' ? '' : sortedFields(form);
  return {
    base,
    query: computed.slice(base.length, computed.length - fields.length - nonce.length - 1).replace(/\.$/, ''),
    fields,
    nonce: `.${nonce}`,
    computed,
    isSame: computed === callback.signed_v3,
    sent: headers.filter(([name]) => /signature-(ma-)?v3$/i.test(name)),
  };
}

/** The names and values of a form; a name that occurs again has a list. */
export function formOf(body: string): Readonly<Record<string, string | readonly string[]>> {
  const form: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(body)) {
    const known = form[name];
    form[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
  }
  return form;
}

function sortedFields(form: Readonly<Record<string, string | readonly string[]>>): string {
  return Object.keys(form)
    .sort()
    .flatMap((name) =>
      [form[name] ?? []]
        .flat()
        .sort()
        .map((value) => name + value),
    )
    .join('');
}
