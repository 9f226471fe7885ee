/** The body of a message between nodes: JSON in UTF-8. */
export function jsonBody<Body>(value: Body): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** What {@link jsonBody} wrote at another node, which runs this release or a neighbouring one. */
export function readJsonBody<Body>(bytes: Uint8Array): Body {
  return JSON.parse(new TextDecoder().decode(bytes)) as Body;
}
