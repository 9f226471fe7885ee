import type { ByteString } from '@jackfield/sip';

/** Tags and branches of this node: unpredictable digits, then the token of its incarnation. Digits first, because short tags are cut. */
export function nodeToken(random: string, incarnation: string): string {
  return `${random}.${incarnation}`;
}

/** The incarnation that a tag or branch names. */
export function incarnationOfToken(token: string): string | undefined {
  return wholeToken.exec(token)?.[1];
}

const named = String.raw`[0-9a-f]{24}\.([0-9a-z]{1,11})(?![0-9a-z.])`;
const wholeToken = new RegExp(`^${named}$`, 'i');
// The first Via is ours in a response (RFC 3261 §8.1.3.3); To has our tag in a request within a dialog (§12.2.1.1).
const topBranch = new RegExp(
  String.raw`^(?:via|v)[ \t]*:[^\r\n,]*?;[ \t]*branch[ \t]*=[ \t]*z9hG4bK${named}`,
  'im',
);
const firstVia = /^(?:via|v)[ \t]*:/im;
const toTag = new RegExp(String.raw`^(?:to|t)[ \t]*:[^\r\n]*;[ \t]*tag[ \t]*=[ \t]*${named}`, 'im');
// RFC 3891 §3: the to-tag is that of the receiver. The header has no compact form.
const replaced = new RegExp(String.raw`^replaces[ \t]*:[^\r\n]*;[ \t]*to-tag[ \t]*=[ \t]*${named}`, 'im');

/**
 * The incarnation whose transaction or dialog a message belongs to, or whose dialog it replaces; undefined for a message that names none.
 * A CANCEL of such an INVITE names none: it gets 481 where it arrives, and the INVITE is answered at once.
 */
export function incarnationOf(text: ByteString): string | undefined {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  if (!head.startsWith('SIP/2.0 ')) {
    return (toTag.exec(head) ?? (head.startsWith('INVITE ') ? replaced.exec(head) : null))?.[1];
  }
  const branch = topBranch.exec(head);
  return branch !== null && branch.index === firstVia.exec(head)?.index ? branch[1] : undefined;
}
