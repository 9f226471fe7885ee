/** A number that JavaScript rounds becomes the text that was sent: gateways name messages by numbers of 64 bits. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? (context?.source ?? value) : value,
  );
}
