/** The bytes of hexadecimal digits; blanks and line breaks between them are ignored. */
export function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
}

/** The digits of bytes in lower case, without blanks. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
