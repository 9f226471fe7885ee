/** How a value is escaped, so that it stays a value in its context. */
export type TemplateEncoding = 'url' | 'json' | 'xml' | 'plain';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const encode: Readonly<Record<TemplateEncoding, (value: string) => string>> = {
  // Half a surrogate pair, which JSON can hold and a URL cannot, becomes U+FFFD.
  url: (value) => encodeURIComponent(value.toWellFormed()),
  // Between the quotes of the template.
  json: (value) => JSON.stringify(value).slice(1, -1),
  xml: (value) => value.replace(/[&<>"']/g, (character) => entities[character]!),
  plain: (value) => value,
};

/** Fills `{{name}}`; a name without a value stays unchanged. Filled values are not expanded again. */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  encoding: TemplateEncoding,
): string {
  return template.replace(/\{\{([a-z]{1,20})\}\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? encode[encoding](values[name]!) : placeholder,
  );
}
