const removed = '(removed)';

/** Headers that hold credentials or tokens: their name, and their value with its continuation lines (RFC 3261 §7.3.1). Bounded names keep the search linear. */
const secretHeaders =
  /^([\w.-]{0,60}(?:authorization|jwt|token|password|secret)[\w.-]{0,60}[ \t]{0,60}:)[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/gim;
/** RFC 3261 §19.1.1: the password of a URI. */
const passwordOfUri = /(\bsips?:[^\s@:;>"]{0,128}):[^\s@>"]{0,128}@/gi;
/** Secrets of SDP: keys of SRTP (RFC 4568), the obsolete `k=` (RFC 8866 §5.12), and the password of ICE (RFC 8839 §5.4). */
const keysOfDescription = /^(a=crypto:\d+ [^ \r\n]+ |k=|a=ice-pwd:)[^\r\n]*/gim;
/** Bodies of pressed keys; the whole body may be one digit. */
const digitsBody = /^application\/dtmf/i;
/** Types of bodies that are kept, without their keys. Other bodies may contain any secret. */
const keptBody = /^(?:application\/sdp|message\/sipfrag|multipart\/)/i;

/** The text of a message for a trace: credentials, tokens, keys of media and pressed digits are replaced. */
export function redacted(text: string): string {
  const end = text.search(/\r?\n\r?\n/);
  const head = end < 0 ? text : text.slice(0, end);
  const body = end < 0 ? '' : text.slice(end);
  const type = /^(?:content-type|c)[ \t]*:[ \t]*([^\s;]+)/im.exec(head)?.[1] ?? '';
  const keptHead = head.replace(secretHeaders, `$1 ${removed}`).replace(passwordOfUri, `$1:${removed}@`);
  return keptHead + redactedBody(body, type);
}

/** `body` begins with the empty line before it. */
function redactedBody(body: string, type: string): string {
  if (body.trim() === '') return body;
  if (digitsBody.test(type) || !keptBody.test(type)) return `\r\n\r\n${removed}`;
  return body.replace(keysOfDescription, `$1${removed}`).replace(secretHeaders, `$1 ${removed}`);
}
